"""What a run gives."""

from __future__ import annotations

from typing import Any

import numpy

from . import _core
from ._convert import _doubles
from ._errors import GeomsError
from ._model import Model


class DenseSolution:
    """The solution at any time of a run: ``sol(t)`` is x, ``sol([t1, t2])`` has one column for each time."""

    def __init__(self, polynomials: _core.Polynomials) -> None:
        self._polynomials = polynomials
        self.ts = polynomials.ts

    @property
    def t_min(self) -> float:
        return float(self.ts[0])

    @property
    def t_max(self) -> float:
        return float(self.ts[-1])

    def __call__(self, t: Any) -> numpy.ndarray:
        times = _doubles("t", t)
        if times.ndim > 1:
            raise ValueError(f"t has shape {times.shape}; allowed: a number or one dimension")
        if numpy.isnan(times).any():
            raise ValueError("t is nan; allowed: numbers")
        slack = 1e-12 * max(abs(self.t_min), abs(self.t_max), self.t_max - self.t_min)
        if times.size and (times.min() < self.t_min - slack or times.max() > self.t_max + slack):
            raise ValueError(f"t is not allowed outside of the run; allowed: {self.t_min} to {self.t_max}")
        x = self._polynomials.at(numpy.atleast_1d(times))
        return x[0] if times.ndim == 0 else x.T

    def __repr__(self) -> str:
        return f"<geoms.DenseSolution from {self.t_min} to {self.t_max}, {len(self._polynomials)} steps>"


class Result:
    """A run that has ended. The fields of SciPy's ``solve_ivp``:

    ``t``, ``y`` (one column for each time; rows in the order of x), ``sol`` (with ``dense_output``), ``t_events``, ``y_events``,
    ``nfev``, ``njev``, ``nlu``, ``status`` (0 the end was reached, 1 a terminal event, negative: the IDID of a failure), ``message``,
    ``success``;

    and: ``p``, ``v``, ``lambda_`` (also ``lam``), ``mu``, ``r``, ``w``, ``s``, views of ``y``; ``counters``; ``steps``, the ends of all
    steps; ``residuals``; ``warnings``; ``error``, the :class:`GeomsError` of a failure; ``model``.
    """

    t: numpy.ndarray
    y: numpy.ndarray
    sol: DenseSolution | None
    t_events: list[numpy.ndarray] | None
    y_events: list[numpy.ndarray] | None
    status: int
    message: str
    counters: dict[str, int]
    steps: numpy.ndarray
    warnings: list[str]
    error: GeomsError | None

    def __init__(self, model: Model | None, **fields: Any) -> None:
        self.model = model
        self._residuals: dict[str, numpy.ndarray] | None = None
        self.blocks = model.blocks if model is not None else {}
        self.__dict__.update(fields)

    @property
    def success(self) -> bool:
        return self.status >= 0

    def _block(self, name: str) -> numpy.ndarray:
        return self.y[self.blocks[name]]

    @property
    def p(self) -> numpy.ndarray:
        """Positions, one column for each time."""
        return self._block("p")

    @property
    def v(self) -> numpy.ndarray:
        """Velocities."""
        return self._block("v")

    @property
    def lambda_(self) -> numpy.ndarray:
        """Multipliers of the holonomic constraints."""
        return self._block("lambda")

    lam = lambda_

    @property
    def mu(self) -> numpy.ndarray:
        """Multipliers of the nonholonomic constraints."""
        return self._block("mu")

    @property
    def r(self) -> numpy.ndarray:
        """Force elements."""
        return self._block("r")

    @property
    def w(self) -> numpy.ndarray:
        """Auxiliary variables."""
        return self._block("w")

    @property
    def s(self) -> numpy.ndarray:
        """Contact points."""
        return self._block("s")

    @property
    def x(self) -> numpy.ndarray:
        """The last point."""
        return self.y[:, -1]

    @property
    def nfev(self) -> int:
        """Evaluations of the equations of motion, all of them."""
        kinds = ("neom", "eom_for_differences", "eom_for_initial_values", "eom_for_checks")
        return sum(self.counters.get(kind, 0) for kind in kinds)

    @property
    def njev(self) -> int:
        """Evaluations of the Jacobian."""
        return self.counters.get("njac", 0)

    @property
    def nlu(self) -> int:
        """Decompositions."""
        return self.counters.get("nedec", 0)

    @property
    def residuals(self) -> dict[str, numpy.ndarray]:
        """The rows g, gI, gII, h, hI, c, d, e of the model at the times of ``t``, those that there are: one column for each time."""
        if self._residuals is None:
            if self.model is None:
                return {}
            rows = self.model.rda(self.t, numpy.ascontiguousarray(self.y.T)).T if self.t.size else None
            levels = ("g", "gI", "gII", "h", "hI", "c", "d", "e")
            found = {name: self.model.rows[name] for name in levels}
            self._residuals = {
                name: rows[where] for name, where in found.items() if rows is not None and where.stop > where.start
            }
        return self._residuals

    @property
    def energy(self) -> numpy.ndarray | None:
        """The energy at the times of ``t``, if the model has one."""
        if self.model is None or self.model.energy is None:
            return None
        return numpy.array([float(self.model.energy(t, x)) for t, x in zip(self.t, self.y.T)])

    def raise_for_status(self) -> Result:
        """This result; the :class:`GeomsError` if the run has failed."""
        if self.error is not None:
            raise self.error
        return self

    def plot(self, *args: Any, **kwargs: Any) -> Any:
        """Pictures of the run: see :func:`geoms.plot.plot`."""
        from .plot import plot

        return plot(self, *args, **kwargs)

    def animate(self, *args: Any, **kwargs: Any) -> Any:
        """A mechanism in the plane that moves: see :func:`geoms.plot.animate`."""
        from .plot import animate

        return animate(self, *args, **kwargs)

    def __getstate__(self) -> dict[str, Any]:
        # The model may have functions that cannot be pickled; what it is needed for is computed now.
        state = dict(self.__dict__, _residuals=self.residuals)
        state["model"] = None
        return state

    def __repr__(self) -> str:
        lines = [
            f"message: {self.message.splitlines()[0] if self.message else ''}",
            f"success: {self.success}",
            f" status: {self.status}",
            f"      t: {self.t[0]:g} to {self.t[-1]:g}, {self.t.size} points" if self.t.size else "      t: no points",
            f"      y: shape {self.y.shape}",
            f"    sol: {self.sol!r}",
            f"   nfev: {self.nfev}",
            f"   njev: {self.njev}",
        ]
        if self.t_events is not None:
            lines.append(f"t_events: {[len(t) for t in self.t_events]} events")
        return "\n".join(lines)
