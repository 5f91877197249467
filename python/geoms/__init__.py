"""Integration of the equations of motion of constrained multibody systems, without drift.

>>> import geoms
>>> class Pendulum:
...     np, nl = 2, 1
...     mass = [1.0, 1.0]
...     def eom(self, t, x):
...         lam, u, w, a, b = x  # λ, v, p
...         fu, fw = -2 * a * lam, -9.81 - 2 * b * lam
...         return [2 * (u * u + w * w + a * fu + b * fw), 2 * (a * u + b * w), a * a + b * b - 1, fu, fw, u, w]
>>> result = geoms.solve(Pendulum(), (0, 1), [0, 0, 0, 1, 0], rtol=1e-8, atol=1e-8)
>>> result.success
True
"""

from __future__ import annotations

from typing import Any

from . import _core, problems
from ._core import __version__
from ._errors import GeomsError, StepRefused
from ._events import CompiledEvents
from ._model import Model
from ._result import DenseSolution, Result
from ._solve import SavedRun, Solver, solve, solve_many

__all__ = [
    "CompiledEvents",
    "DenseSolution",
    "GeomsError",
    "Model",
    "Result",
    "SavedRun",
    "Solver",
    "StepRefused",
    "__version__",
    "codes",
    "counters",
    "from_kane",
    "from_lagrange",
    "from_sympy",
    "methods",
    "options",
    "problems",
    "solve",
    "solve_many",
]


def methods() -> list[dict[str, Any]]:
    """The methods: number, name, title, orders, and what each of them does."""
    return _core.methods()


def options() -> list[dict[str, str]]:
    """The options: name, slot in the arrays of the manual, range, default, meaning."""
    return _core.options()


def counters() -> dict[str, str]:
    """The counters of a run and what they mean."""
    return dict(_core.counters())


def codes() -> dict[int, tuple[str, str, str]]:
    """The codes of failures, IDID: name, sentence, advice."""
    return {code: (name, sentence, advice) for code, name, sentence, advice in _core.codes()}


def __getattr__(name: str) -> Any:
    # SymPy is imported when it is needed.
    if name in ("from_sympy", "from_kane", "from_lagrange"):
        from . import symbolic

        return getattr(symbolic, name)
    raise AttributeError(f"module 'geoms' has no attribute {name!r}")
