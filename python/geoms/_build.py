"""Compiling generated code, and keeping what was compiled."""

from __future__ import annotations

import ctypes
import hashlib
import os
import shlex
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _ccode
from ._generate import Derived

if TYPE_CHECKING:
    from .symbolic import Equations

_FLAGS = ["-std=c11", "-O2", "-fPIC", "-shared", "-fvisibility=hidden", "-ffp-contract=off"]


@dataclass
class Built:
    """Functions for Model, and what has to be kept for them to stay."""

    functions: dict[str, Any]
    source: str
    kept: list[Any] = field(default_factory=list)


def cache_folder() -> Path:
    """Where generated code is kept: ``$GEOMS_CACHE``, or ``geoms`` in the cache of the user."""
    named = os.environ.get("GEOMS_CACHE")
    if named:
        return Path(named)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "geoms"


def compiler() -> list[str] | None:
    """The C compiler with its flags: ``$CC``, or cc, gcc, clang."""
    named = shlex.split(os.environ.get("CC", ""))
    for command in [named] if named else [["cc"], ["gcc"], ["clang"]]:
        if shutil.which(command[0]):
            return command
    return None


def build(equations: Equations, backend: str | None) -> Built:
    """The functions of a model, from the cache if they are there."""
    if backend not in (None, "c", "numba"):
        raise ValueError(f"backend = {backend!r} is not allowed; allowed: 'c', 'numba', None")
    command = compiler()
    if backend == "c" and command is None:
        raise RuntimeError("there is no C compiler: set CC, or take backend='numba'")
    if command is None or backend == "numba":
        from . import _numba

        return _numba.build(Derived(equations))
    return _build_c(equations, command)


def _build_c(equations: Equations, command: list[str]) -> Built:
    folder = cache_folder()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    kept = folder / f"{equations.key()}.c"
    if kept.exists():
        source = kept.read_text()
    else:
        source = _ccode.source(Derived(equations))
        _write(kept, source.encode())
    library = ctypes.CDLL(str(_compiled(folder, source, command)))
    names = ["eom", "mass", "jac"] + (["parts"] if "EXPORT int parts" in source else [])
    return Built({name: getattr(library, name) for name in names}, source, [library])


def _compiled(folder: Path, source: str, command: list[str]) -> Path:
    key = hashlib.sha256("\0".join([source, *command, *_FLAGS]).encode()).hexdigest()
    target = folder / f"{key}.so"
    if target.exists():
        return target
    with tempfile.TemporaryDirectory(dir=folder) as work:
        file, made = Path(work) / "model.c", Path(work) / "model.so"
        file.write_text(source)
        call = [*command, *_FLAGS, str(file), "-o", str(made), "-lm"]
        done = subprocess.run(call, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"{shlex.join(call)} failed:\n{done.stderr}")
        os.replace(made, target)
    return target


def _write(path: Path, content: bytes) -> None:
    """Whole or not at all, also if two processes do it."""
    handle, name = tempfile.mkstemp(dir=path.parent)
    with os.fdopen(handle, "wb") as file:
        file.write(content)
    os.replace(name, path)
