# make demo: check the examples. make test: run the tests. make check: what CI runs and more.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/pip --disable-pip-version-check --quiet
# worksteal: a file's tests stay in one process, as long as both have work
PYTEST := $(BIN)/python -m pytest -q -n auto --dist worksteal

.PHONY: demo report-example test check format constraints clean

demo: $(VENV)/core
	$(BIN)/refchecker-cli extract-check --restart \
		--input_path examples/responses.json --output_path examples/verdicts.json

report-example: $(VENV)/core
	mkdir -p build
	$(BIN)/refchecker-cli extract-check --restart --localize auto --quiet \
		--input_path examples/responses.json --output_path build/verdicts.json
	$(BIN)/refchecker-cli report build/verdicts.json -o examples/report.html

test: $(VENV)/dev
	$(PYTEST)

check: $(VENV)/dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(PYTEST)

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

# -- slow, and no part of `make check` ------------------------------------------------------------

LLM ?= qwen2.5-coder-0.5b
LLM_PYTHON := .llm/venv/bin/python
LLM_ADDRESS := http://127.0.0.1:8091/v1
# two at once, as the server answers: a request that waits in its queue would run out of time there
LLM_PATIENCE := --request_timeout 600 --concurrency 2 --cache_dir .llm/cache

.PHONY: llm llm-demo llm-injection ragchecker

llm: .llm/$(LLM).gguf # a small language model on loopback, until interrupted
	$(LLM_PYTHON) benchmark/local_llm.py serve --model $(LLM)

llm-demo: .llm/$(LLM).gguf $(VENV)/llm # the examples, with that model as extractor and checker
	$(LLM_PYTHON) benchmark/local_llm.py --model $(LLM) run -- $(BIN)/refchecker-cli extract-check --restart \
		--input_path examples/responses.json --output_path .llm/verdicts.json \
		--extractor_name openai/$(LLM) --extractor_api_base $(LLM_ADDRESS) \
		--checker_name openai/$(LLM) --checker_api_base $(LLM_ADDRESS) \
		$(LLM_PATIENCE)

llm-injection: .llm/$(LLM).gguf $(VENV)/llm # what hostile texts do to that model; it goes on when stopped
	$(LLM_PYTHON) benchmark/local_llm.py --model $(LLM) run -- $(BIN)/python -m benchmark.injection \
		--checker_name openai/$(LLM) --extractor_name openai/$(LLM) --api_base $(LLM_ADDRESS) \
		--name llm $(LLM_PATIENCE)

ragchecker: $(VENV)/ragchecker # the published package, unchanged, on this one
	$(BIN)/python -m pytest -q -s tests/test_ragchecker.py

.llm/server:
	$(PYTHON) -m venv .llm/venv
	.llm/venv/bin/pip --disable-pip-version-check --quiet install --no-deps xllamacpp==2026.10.11549
	touch $@

.llm/%.gguf: | .llm/server
	$(LLM_PYTHON) benchmark/local_llm.py fetch --model $*

$(VENV)/llm: $(VENV)/core
	$(PIP) install -c constraints.txt -e '.[llm]'
	touch $@

# --no-deps: its own requirement is refchecker 0.2
$(VENV)/ragchecker: $(VENV)/dev $(VENV)/llm
	$(PIP) install --no-deps ragchecker==0.1.9
	$(PIP) install loguru==0.7.3 dataclasses-json==0.6.7
	touch $@
