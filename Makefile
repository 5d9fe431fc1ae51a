# make demo: check the examples. make test: run the tests. make check: what CI runs and more.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/pip --disable-pip-version-check --quiet

.PHONY: demo test check format constraints clean

demo: $(VENV)/core
	$(BIN)/refchecker-cli extract-check --restart \
		--input_path examples/responses.json --output_path examples/verdicts.json

test: $(VENV)/dev
	$(BIN)/python -m pytest -q

check: $(VENV)/dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -q

format: $(VENV)/dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/core: $(VENV)/bin/python pyproject.toml constraints.txt
	@echo "installing refchecker into $(VENV) ..."
	$(PIP) install -c constraints.txt -e .
	touch $@

# torch first and by its pinned version: on its own the resolver would take a CUDA build
$(VENV)/dev: $(VENV)/core
	@echo "installing the development tools into $(VENV) ..."
	$(PIP) install -c constraints.txt torch
	$(PIP) install -c constraints.txt -e '.[dev]'
	touch $@

constraints: # the versions of a fresh environment; read the diff before you commit it
	rm -rf build/constraints && $(PYTHON) -m venv build/constraints
	build/constraints/bin/pip install -q torch==2.13.0
	build/constraints/bin/pip install -q '.[dev]'
	build/constraints/bin/pip freeze --exclude refchecker | sed 's/+cpu//; s/ @ .*//' > constraints.txt

clean:
	rm -rf $(VENV) build .pytest_cache .mypy_cache .ruff_cache
