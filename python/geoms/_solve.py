"""Runs: in one call, step by step, many beside each other."""

from __future__ import annotations

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from threading import Event
from typing import Any, Callable, Iterable, Mapping, Sequence

import numpy

from . import _core
from ._convert import number, span, tolerance, vector
from ._errors import GeomsError
from ._events import GivenEvents, given_events
from ._model import Model
from ._result import DenseSolution, Result

_REACHED = "The solver successfully reached the end of the integration interval."
_EVENT = "A termination event occurred."


@dataclass
class Settings:
    """What a run is made with, beside the model; can be pickled."""

    options: dict[str, Any] = field(default_factory=dict)
    rtol: list[float] = field(default_factory=list)
    atol: list[float] = field(default_factory=list)

    @classmethod
    def of(cls, model: Model, method: Any, rtol: Any, atol: Any, max_step: Any, options: dict[str, Any]) -> Settings:
        options = {name.lower(): value for name, value in options.items()}
        for name, value in options.items():
            if name == "form":
                raise TypeError("form is said by the model: Model(..., form=1)")
            _core.check_option(name, value)
        if method is not None:
            if "method" in options:
                raise TypeError("method is given twice")
            options["method"] = _core.method_number(method)
        if max_step is not None and max_step != numpy.inf:
            options["hmax"] = number("max_step", max_step)
            if options["hmax"] <= 0:
                raise ValueError(f"max_step = {max_step} is not allowed; allowed: > 0")
        if model.masstrct is not None:
            options.setdefault("masstrct", model.masstrct)
        relative, absolute = tolerance("rtol", rtol, model.n), tolerance("atol", atol, model.n)
        # The library takes both as numbers or both as vectors.
        if len(relative) != len(absolute):
            relative, absolute = (a * model.n if len(a) == 1 else a for a in (relative, absolute))
        return cls(options, relative, absolute)


class Solver:
    """A run step by step: it can be stopped, looked at, changed, saved and resumed.

    Arguments as for :func:`solve`; failures are raised as :class:`GeomsError`, and the run can go on from where it is.
    """

    def __init__(
        self,
        model: Any,
        t0: float,
        x0: Any,
        *,
        method: Any = None,
        rtol: Any = 1e-6,
        atol: Any = 1e-6,
        events: Any = None,
        event_tolerance: float = 0.0,
        first_step: float | None = None,
        max_step: float | None = None,
        **options: Any,
    ) -> None:
        self.model = Model.of(model)
        self.settings = Settings.of(self.model, method, rtol, atol, max_step, options)
        self._events = given_events(events)
        self._event_argument = events
        #: Events of the last call: function and time.
        self.events: list[tuple[int, float]] = []
        self.event_tolerance = number("event_tolerance", event_tolerance)
        if self.event_tolerance < 0:
            raise ValueError(f"event_tolerance = {event_tolerance} is not allowed; allowed: >= 0")
        h = 0.0 if first_step is None else number("first_step", first_step)
        if first_step is not None and h <= 0:
            raise ValueError(f"first_step = {first_step} is not allowed; allowed: > 0")
        x = _initial(self.model, number("t0", t0), x0)
        self._run = _core.Run.start(*self._begin(), number("t0", t0), x, h)

    def _begin(self) -> tuple[_core.CoreModel, dict[str, Any], list[float], list[float], GivenEvents, float]:
        s = self.settings
        return (self.model._core, s.options, s.rtol, s.atol, self._events, self.event_tolerance)

    @property
    def t(self) -> float:
        """Current time."""
        return self._run.t

    @property
    def x(self) -> numpy.ndarray:
        """Current point, a copy."""
        return self._run.x

    @property
    def h(self) -> float:
        """Step size proposed for the next step."""
        return self._run.h

    @property
    def counters(self) -> dict[str, int]:
        """All counters by name (:func:`geoms.counters`)."""
        return self._run.counters

    @property
    def warnings(self) -> list[str]:
        """What may need attention, since the start."""
        return self._run.warnings

    def integrate(self, tend: float, record: _core.Record | None = None) -> bool:
        """Integrate to ``tend`` or to a terminal event; True at an event."""
        return self._go(tend, record, True)

    def step(self, tend: float, record: _core.Record | None = None) -> bool:
        """One accepted step, not beyond ``tend``; True at a terminal event."""
        return self._go(tend, record, False)

    def _go(self, tend: float, record: _core.Record | None, whole: bool) -> bool:
        if record is None:
            # Points are not kept.
            record = _core.Record(self.model.n, [], False, None, None)
        event = self._run.integrate(record, number("tend", tend), whole)
        self.events, _ = record.take_events()
        return event

    def __call__(self, t: float) -> numpy.ndarray:
        """The solution at a time within the last step."""
        return self._run.dense(number("t", t))

    def reset(self, t: float, x: Any) -> None:
        """Go on from another point, for example after an impact; it is made consistent. Read it from ``x``."""
        self._run.reset(number("t", t), vector("x", x, self.model.n))

    def request_stop(self) -> None:
        """Ask the run to stop after the current step, from any thread; it can go on afterwards."""
        self._run.request_stop()

    def save(self) -> SavedRun:
        """All that the rest of the run depends on, except the model: can be pickled."""
        return SavedRun(self._run.save(), self.settings, self.event_tolerance, self.t)

    def __reduce__(self):
        return _resumed, (self.save(), self.model, self._event_argument)


@dataclass(frozen=True)
class SavedRun:
    """A run that waits to go on: bit for bit as if it had not been interrupted."""

    state: bytes
    settings: Settings
    event_tolerance: float
    t: float

    def resume(self, model: Any, events: Any = None) -> Solver:
        """Go on with the same model and the same events."""
        return _resumed(self, model, events)


def _resumed(saved: SavedRun, model: Any, events: Any) -> Solver:
    solver = object.__new__(Solver)
    solver.model = Model.of(model)
    solver.settings = saved.settings
    solver._events = given_events(events)
    solver._event_argument = events
    solver.events = []
    solver.event_tolerance = saved.event_tolerance
    solver._run = _core.Run.resume(*solver._begin(), saved.state)
    return solver


def _order(model: Model) -> str:
    there = [f"{name}({b.stop - b.start})" for name, b in model.blocks.items() if b.stop > b.start]
    return f"x = [{' '.join(there)}]"


def _initial(model: Model, t0: float, x0: Any) -> numpy.ndarray:
    """x from a vector, or from blocks: what is given stays, what follows from positions and velocities is computed if it is not given."""
    if not isinstance(x0, Mapping):
        return vector("x0", x0, model.n, f", {_order(model)}")
    x = model.state(**x0)
    given = {"lambda" if name in ("lam", "lambda_") else name for name in x0}
    left = [name for name in ("w", "lambda", "mu") if name not in given]
    blocks = model.blocks
    if any(blocks[name].stop > blocks[name].start for name in left):
        consistent = model.make_consistent(t0, x)
        for name in given:
            consistent[blocks[name]] = x[blocks[name]]
        return consistent
    return x


def _times(t_eval: Any, t0: float, tend: float) -> list[float] | None:
    if t_eval is None:
        return None
    times = vector("t_eval", t_eval)
    if times.size and (times.min() < t0 or times.max() > tend):
        raise ValueError(f"t_eval is not allowed outside of t_span; allowed: {t0} to {tend}")
    if (numpy.diff(times) <= 0).any():
        raise ValueError("t_eval is not sorted; allowed: increasing times")
    return times.tolist()


def _show(tend: float, t0: float) -> Callable[[float, int, float], None]:
    def show(t: float, naccpt: int, h: float) -> None:
        part = (t - t0) / (tend - t0) if tend > t0 else 1.0
        print(f"\r{100 * part:5.1f} %  t = {t:<12.6g} {naccpt} steps, h = {h:.3g}   ", end="", file=sys.stderr, flush=True)

    return show


def solve(
    model: Any,
    t_span: Sequence[float],
    x0: Any,
    method: Any = None,
    *,
    rtol: Any = 1e-6,
    atol: Any = 1e-6,
    t_eval: Any = None,
    dense_output: bool = False,
    events: Any = None,
    event_tolerance: float = 0.0,
    first_step: float | None = None,
    max_step: float | None = None,
    on_step: Callable[[float, numpy.ndarray], Any] | None = None,
    progress: bool | Callable[[float, int, float], Any] = False,
    **options: Any,
) -> Result:
    """Integrate the equations of motion from ``t_span[0]`` to ``t_span[1]``.

    ``model``: a :class:`Model`, a problem of :mod:`geoms.problems`, or an object with the attributes of a Model. ``x0``: initial
    values in the order of x, or a dict of its blocks, ``{"p": ..., "v": ...}``, to which multipliers and auxiliary variables are
    computed; they are checked, and corrected if the model has conditions. ``method``: number or name (:func:`geoms.methods`), Radau IIA if none is given. ``rtol``, ``atol``: numbers or
    vectors. Without ``t_eval`` the accepted points are returned. ``events``: functions of (t, x) with the attributes ``terminal``
    and ``direction``, as in SciPy, or :class:`CompiledEvents`. ``on_step(t, x)`` is called at every accepted point and
    ends the run if it returns True. ``progress``: True shows it on stderr, a function is called as ``progress(t, steps, h)``. Any
    option of the library is an argument by its name: ``decompc=3`` (:func:`geoms.options`).

    Wrong arguments raise ValueError or TypeError, an exception of a function of the model comes through, Ctrl-C raises
    KeyboardInterrupt. A run that fails returns what it has reached, with ``success`` False and the reason in ``message``.
    """
    return _solve(_Job(model, t_span, x0, method, rtol, atol, t_eval, dense_output, events, event_tolerance,
                       first_step, max_step, on_step, progress, options))  # fmt: skip


@dataclass
class _Job:
    model: Any
    t_span: Any
    x0: Any
    method: Any
    rtol: Any
    atol: Any
    t_eval: Any
    dense_output: bool
    events: Any
    event_tolerance: float
    first_step: float | None
    max_step: float | None
    on_step: Callable | None
    progress: Any
    options: dict[str, Any]
    started: Callable[[Solver], None] | None = None


def _solve(job: _Job) -> Result:
    model = Model.of(job.model)
    t0, tend = span(job.t_span)
    times = _times(job.t_eval, t0, tend)
    x0 = _initial(model, t0, job.x0)
    if job.on_step is not None and not callable(job.on_step):
        raise TypeError("on_step is no function; allowed: a function of (t, x)")
    progress = _show(tend, t0) if job.progress is True else (job.progress or None)
    if progress is not None and not callable(progress):
        raise TypeError("progress is no function; allowed: True, False, a function of (t, steps, h)")
    record = _core.Record(model.n, times, bool(job.dense_output), job.on_step, progress)
    solver, error, event = None, None, False
    try:
        solver = Solver(
            model, t0, x0, method=job.method, rtol=job.rtol, atol=job.atol, events=job.events,
            event_tolerance=job.event_tolerance, first_step=job.first_step, max_step=job.max_step, **job.options,
        )  # fmt: skip
        if job.started is not None:
            job.started(solver)
        event = solver._run.integrate(record, tend, True)
    except GeomsError as failure:
        error = failure
    finally:
        if job.progress is True:
            print(file=sys.stderr)
    return _result(model, solver, record, given_events(job.events), error, event, x0, t0, times is None)


def _result(
    model: Model,
    solver: Solver | None,
    record: _core.Record,
    events: GivenEvents,
    error: GeomsError | None,
    event: bool,
    x0: numpy.ndarray,
    t0: float,
    whole: bool,
) -> Result:
    t, x = record.take_points()
    if solver is None or (t.size == 0 and whole):
        t, x = numpy.array([t0]), x0
    t_events, y_events = None, None
    hits, points = record.take_events()
    if events.direction:
        points = points.reshape(-1, model.n)
        t_events = [numpy.array([t for i, t in hits if i == k]) for k in range(len(events.direction))]
        y_events = [points[[j for j, (i, _) in enumerate(hits) if i == k]] for k in range(len(events.direction))]
    dense = record.take_dense()
    status = error.code if error is not None else int(event)
    return Result(
        model,
        t=t,
        y=x.reshape(-1, model.n).T,
        sol=DenseSolution(dense) if dense is not None and len(dense) else None,
        t_events=t_events,
        y_events=y_events,
        status=status,
        message=error.report if error is not None else (_EVENT if event else _REACHED),
        error=error,
        counters=solver.counters if solver is not None else {},
        warnings=solver.warnings if solver is not None else [],
        steps=record.take_grid(),
    )


def solve_many(
    model: Any,
    t_span: Sequence[float],
    x0: Iterable[Any],
    method: Any = None,
    *,
    users: Iterable[Any] | None = None,
    threads: int | None = None,
    **arguments: Any,
) -> list[Result]:
    """Runs of many initial values on threads, each bit for bit as alone; the results in the order of ``x0``.

    ``model`` is one for all of them, or a list. ``users`` are the last arguments of compiled functions, one for each run: other
    parameters. With compiled functions and problems of the library the runs go on at the same time; with functions of Python
    they take turns. Ctrl-C ends all of them.
    """
    points = list(x0)
    models = [Model.of(m) for m in model] if isinstance(model, (list, tuple)) else [Model.of(model)] * len(points)
    if len(models) != len(points):
        raise ValueError(f"there are {len(models)} models for {len(points)} initial values")
    if users is not None:
        users = list(users)
        if len(users) != len(points):
            raise ValueError(f"users has {len(users)} entries; allowed: {len(points)}, one for each run")
        models = [m.with_user(user) for m, user in zip(models, users)]
    if threads is not None and threads < 1:
        raise ValueError(f"threads = {threads} is not allowed; allowed: > 0")
    running: dict[int, Solver] = {}
    ended = Event()

    def begun(k: int, solver: Solver) -> None:
        running[k] = solver
        if ended.is_set():
            solver.request_stop()

    def one(k: int) -> Result:
        defaults: dict[str, Any] = dict(rtol=1e-6, atol=1e-6, t_eval=None, dense_output=False, events=None, event_tolerance=0.0,
                        first_step=None, max_step=None, on_step=None, progress=False)  # fmt: skip
        given = {name: arguments.get(name, value) for name, value in defaults.items()}
        options = {name: value for name, value in arguments.items() if name not in defaults}
        try:
            return _solve(_Job(models[k], t_span, points[k], method, options=options, started=partial(begun, k), **given))
        finally:
            running.pop(k, None)

    pool = ThreadPoolExecutor(threads or os.cpu_count() or 1)
    try:
        futures = [pool.submit(one, k) for k in range(len(points))]
        return [future.result() for future in futures]
    finally:
        # After Ctrl-C or an exception: the others end too.
        ended.set()
        pool.shutdown(wait=False, cancel_futures=True)
        for solver in list(running.values()):
            solver.request_stop()
        pool.shutdown(wait=True)
