"""The problem library: problems of constrained multibody dynamics whose solutions are known.

>>> import geoms
>>> result = geoms.problems.get("andrews").solve(rtol=1e-8, atol=1e-8)
>>> result.success
True
"""

from __future__ import annotations

from typing import Any, Callable

import numpy

from . import _core
from ._model import DIMENSIONS, Model, _size
from ._points import points_of
from ._result import Result
from ._solve import solve


class ProblemModel(Model):
    """The equations of a problem, compiled; made by :meth:`Problem.model`."""

    def __init__(self, name: str, form: int = 0, jacobian: bool = True, invariants: bool = False, conditions: Any = ()) -> None:
        pairs = [(_size("index", i), float(v)) for i, v in conditions]
        self._arguments = (name, int(form), bool(jacobian), bool(invariants), pairs)
        self._core = _core.CoreModel.problem(*self._arguments)
        self.dimensions = dict(zip(DIMENSIONS, self._core.dims))
        self.form = int(form)
        self.masstrct = _core.problem(name)["masstrct"]
        self.user = None
        self.energy: Callable | None = None
        known = points_of(name, self.dimensions["np"])
        self.points: Callable | None = None if known is None else known[0]
        self.links: list[tuple[int, int]] | None = None if known is None else known[1]
        self.names = {}

    def with_user(self, user: Any) -> ProblemModel:
        raise TypeError("the functions of a problem take no parameters")

    def __reduce__(self):
        return ProblemModel, self._arguments


class Problem:
    """A problem: equations, consistent initial values, and what is known of the solution."""

    def __init__(self, name: str) -> None:
        known = _core.problem(name)
        self.name: str = known["name"]
        self.source: str = known["source"]
        self.dimensions: dict[str, int] = dict(zip(DIMENSIONS, known["dims"]))
        self.t0: float = known["t0"]
        self.tend: float = known["tend"]
        self.x0: numpy.ndarray = known["x0"]
        self.time_dependent: bool = known["time_dependent"]
        self.rank_deficient: bool = known["rank_deficient"]
        self.redundant: bool = known["redundant"]
        self.has_exact: bool = known["has_exact"]
        #: Time, (index, value) pairs, and where the values are from.
        self.references: list[tuple[float, list[tuple[int, float]], str]] = known["references"]
        self._at_end = known["at_end"]

    def model(self, *, form: int = 0, jacobian: bool = True, invariants: bool = False, conditions: Any = ()) -> ProblemModel:
        """The equations: without gII and hI (``form=1``), with differences instead of the Jacobian, with invariants imposed, with
        conditions x[index] = value on the initial values."""
        return ProblemModel(self.name, form, jacobian, invariants, conditions)

    def exact(self, t: float) -> numpy.ndarray:
        """The closed form of x(t); ValueError if there is none."""
        return _core.problem_exact(self.name, float(t))

    def at_end(self) -> dict[int, float] | None:
        """What is known of x at ``tend``: values by index; None if nothing is."""
        return None if self._at_end is None else dict(self._at_end)

    def supported_by(self, method: Any, form: int = 0) -> bool:
        """True if the method declares to be for this problem (:func:`geoms.methods`)."""
        number = _core.method_number(method)
        does = next(m["does"] for m in _core.methods() if m["number"] == number)
        d = self.dimensions
        asked = {
            "redundant": self.redundant,
            "nonholonomic": d["nm"] > 0,
            "force_elements": d["nr"] > 0,
            "auxiliary": d["nw"] > 0,
            "contact": d["ns"] > 0,
            "kinematics": d["np"] != d["nv"],
            "stiff": self.name in _STIFF,
        }
        return False not in [does[what][form] for what, wanted in asked.items() if wanted]

    def solve(self, method: Any = None, *, form: int = 0, jacobian: bool = True, invariants: bool = False, **arguments: Any) -> Result:
        """Integrate the problem over its interval; arguments as for :func:`geoms.solve`."""
        model = self.model(form=form, jacobian=jacobian, invariants=invariants)
        if self.redundant:
            arguments.setdefault("decompc", 3)
        t_span = arguments.pop("t_span", (self.t0, self.tend))
        return solve(model, t_span, arguments.pop("x0", self.x0), method, **arguments)

    def errors(self, result: Result) -> dict[str, float]:
        """The largest error of each block of x at the end of a run over the whole interval, relative to max(1, its size)."""
        known = self.at_end()
        if known is None:
            raise ValueError(f"{self.name}: no solution at the end is known")
        if not result.t.size or result.t[-1] != self.tend:
            raise ValueError(f"{self.name}: the run ends at {result.t[-1] if result.t.size else None}, the problem at {self.tend}")
        errors: dict[str, float] = {}
        for name, block in result.blocks.items():
            inside = [i for i in known if block.start <= i < block.stop]
            if inside:
                size = max(1.0, max(abs(known[i]) for i in inside))
                errors[name] = float(max(abs(result.x[i] - known[i]) for i in inside) / size)
        return errors

    def __repr__(self) -> str:
        sizes = ", ".join(f"{name}={value}" for name, value in self.dimensions.items() if value)
        return f"<geoms.problems.Problem {self.name}: {sizes}, t = {self.t0:g} to {self.tend:g}>"


#: A method for nonstiff systems does not come to their ends in reasonable time.
_STIFF = ("stiff-spring-1e6", "stiff-spring-1e8", "double-pendulum-stiff", "pendulum-horizontal")


def names() -> list[str]:
    """The names of all problems."""
    return _core.problem_names()


def get(name: str) -> Problem:
    """The problem with this name."""
    if not isinstance(name, str):
        raise TypeError(f"name is a {type(name).__name__}; allowed: one of geoms.problems.names()")
    return Problem(name)


def all() -> list[Problem]:  # noqa: A001
    """All problems."""
    return [Problem(name) for name in names()]
