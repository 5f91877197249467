"""What the tests share."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import numpy
import pytest

import geoms


def pytest_configure(config):
    config.addinivalue_line("markers", "long: part of the long form only (make test-python-long)")


class Pendulum:
    """m = L = 1, x = [λ | v | p], written by hand; eom returns its rows."""

    np, nl = 2, 1
    mass = [1.0, 1.0]
    gravity = 9.81

    def eom(self, t, x):
        lam, v1, v2, p1, p2 = x
        g = self.gravity
        return [
            2 * (v1 * v1 + v2 * v2) - 2 * g * p2 - 4 * (p1 * p1 + p2 * p2) * lam,
            2 * (p1 * v1 + p2 * v2),
            p1 * p1 + p2 * p2 - 1,
            -2 * p1 * lam,
            -g - 2 * p2 * lam,
            v1,
            v2,
        ]

    def energy(self, t, x):
        return 0.5 * (x[1] ** 2 + x[2] ** 2) + self.gravity * x[4]


class FullPendulum(Pendulum):
    """The same with functions in place and a Jacobian."""

    def eom(self, t, x, rda):
        rda[:] = Pendulum.eom(self, t, x)

    def mass(self, t, x, m):
        m[0, 0] = m[1, 1] = 1.0

    def jac(self, t, x, fx):
        lam, v1, v2, p1, p2 = x
        fx[0][0, :] = [4 * (p1 * p1 + p2 * p2), -4 * v1, -4 * v2, 8 * p1 * lam, 2 * self.gravity + 8 * p2 * lam]
        fx[1][0, :] = [-2 * p1, -2 * p2, -2 * v1, -2 * v2]
        fx[2][0, :] = [-2 * p1, -2 * p2]
        fx[4][0, :] = [2 * p1, 0, 0, 2 * lam, 0]
        fx[4][1, :] = [2 * p2, 0, 0, 0, 2 * lam]
        fx[5][0, 0] = fx[5][1, 1] = -1


#: At rest, horizontal.
START = numpy.array([0.0, 0.0, 0.0, 1.0, 0.0])


def compiler():
    named = os.environ.get("CC", "").split()
    return named or next(([c] for c in ("cc", "gcc", "clang") if shutil.which(c)), None)


needs_compiler = pytest.mark.skipif(compiler() is None, reason="no C compiler")
needs_sources = pytest.mark.skipif(
    "GEOMS_LIBRARIES" not in os.environ or compiler() is None, reason="no libgeoms.so to compare with (make test-python)"
)


def sources() -> Path:
    return Path(os.environ["GEOMS_SOURCES"])


def run_c(folder: Path, name: str, text: str, *flags: str) -> Path:
    """Compile a C file of the tests."""
    file = folder / f"{name}.c"
    file.write_text(text)
    made = folder / (f"{name}.so" if "-shared" in flags else name)
    subprocess.run([*compiler(), "-O2", "-fPIC", str(file), "-o", str(made), *flags], check=True)
    return made


@pytest.fixture
def pendulum():
    return Pendulum()


@pytest.fixture
def reference():
    """The pendulum to high accuracy."""
    return geoms.solve(FullPendulum(), (0, 2), START, rtol=1e-12, atol=1e-12, dense_output=True)
