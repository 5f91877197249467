"""Pictures of runs, with matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Sequence

import numpy

if TYPE_CHECKING:
    from ._result import Result

#: What :func:`plot` can show.
KINDS = ("p", "v", "lambda", "mu", "r", "w", "s", "energy", "residuals", "steps")


def _pyplot() -> Any:
    try:
        import matplotlib.pyplot as pyplot
    except ImportError:
        raise ImportError("plots need matplotlib: pip install matplotlib") from None
    return pyplot


def plot(result: Result, what: str | Sequence[str] | None = None, axes: Any = None) -> Any:
    """Draw coordinates, energy, constraint residuals and step sizes over time; the axes, one below the other.

    ``what``: one or several of ``p``, ``v``, ``lambda``, ``mu``, ``r``, ``w``, ``s``, ``energy``, ``residuals``, ``steps``; by default positions,
    velocities, the energy if the model has one, residuals and steps.
    """
    energy = result.energy
    if what is None:
        what = ["p", "v", *(["energy"] if energy is not None else []), "residuals", "steps"]
    what = [what] if isinstance(what, str) else list(what)
    for kind in what:
        if kind not in KINDS:
            raise ValueError(f"there is no plot of {kind!r}; allowed: {', '.join(KINDS)}")
    if "energy" in what and energy is None:
        raise ValueError("the model has no energy: Model(..., energy=function of (t, x))")
    if axes is None:
        figure, grid = _pyplot().subplots(len(what), 1, sharex=True, squeeze=False, figsize=(7, 2.2 * len(what) + 0.6))
        axes = list(grid[:, 0])
        figure.align_ylabels()
    axes = list(numpy.atleast_1d(axes))
    if len(axes) != len(what):
        raise ValueError(f"there are {len(axes)} axes for {len(what)} plots")
    for ax, kind in zip(axes, what):
        _one(ax, result, kind, energy)
    axes[-1].set_xlabel("t")
    return axes


def _one(ax: Any, result: Result, kind: str, energy: Any) -> None:
    if kind == "energy":
        ax.plot(result.t, energy)
        ax.set_ylabel("energy")
    elif kind == "residuals":
        for name, rows in result.residuals.items():
            largest = numpy.abs(rows).max(axis=0)
            ax.semilogy(result.t, numpy.maximum(largest, 1e-17), label=name)
        ax.set_ylabel("residuals")
        if result.residuals:
            ax.legend(fontsize="small", ncol=4)
    elif kind == "steps":
        if result.steps.size > 1:
            ax.semilogy(result.steps[1:], numpy.diff(result.steps), ".-", markersize=3)
        ax.set_ylabel("step size")
    else:
        rows = result.y[result.blocks[kind]]
        names = result.model.names.get(kind, []) if result.model is not None else []
        for k, row in enumerate(rows):
            ax.plot(result.t, row, label=names[k] if k < len(names) else f"{kind}{k + 1}")
        ax.set_ylabel({"lambda": "λ", "mu": "μ"}.get(kind, kind))
        if 0 < len(rows) <= 8:
            ax.legend(fontsize="small", ncol=4)


def animate(
    result: Result,
    points: Callable[[float, numpy.ndarray], Any] | None = None,
    *,
    links: Sequence[tuple[int, int]] | None = None,
    duration: float | None = None,
    fps: int = 25,
    ax: Any = None,
) -> Any:
    """A mechanism in the plane that moves; a ``matplotlib.animation.FuncAnimation`` (keep it, or ``save`` it).

    ``points(t, p)`` gives the points of the mechanism, K by 2; by default those of the model. ``links`` are the pairs of points to be
    joined by lines, by default each with the next. ``duration`` in seconds, by default that of the run. Between the points of
    the run the dense output is taken if there is one.
    """
    pyplot = _pyplot()
    from matplotlib.animation import FuncAnimation

    if points is None and result.model is not None:
        points, links = result.model.points, links or getattr(result.model, "links", None)
    if points is None:
        raise ValueError("the points of the mechanism are not known: give points, a function of (t, p), or Model(..., points=...)")
    if not result.t.size:
        raise ValueError("the run has no points")
    t0, t1 = float(result.t[0]), float(result.t[-1])
    seconds = (t1 - t0) if duration is None else float(duration)
    times = numpy.linspace(t0, t1, max(2, int(round(seconds * fps)) + 1))
    block = result.blocks["p"]
    if result.sol is not None:
        positions = result.sol(numpy.clip(times, result.sol.t_min, result.sol.t_max))[block]
    else:
        positions = numpy.array([numpy.interp(times, result.t, row) for row in result.y[block]])
    frames = numpy.array([numpy.asarray(points(t, p), dtype=float) for t, p in zip(times, positions.T)])
    if frames.ndim != 3 or frames.shape[2] != 2:
        raise ValueError(f"points returned an array of shape {frames.shape[1:]}; allowed: (K, 2)")
    count = frames.shape[1]
    pairs = [(k, k + 1) for k in range(count - 1)] if links is None else [(int(a), int(b)) for a, b in links]
    if ax is None:
        _, ax = pyplot.subplots()
    low, high = frames.min(axis=(0, 1)), frames.max(axis=(0, 1))
    margin = 0.1 * max(*(high - low), 1e-3)
    ax.set(xlim=(low[0] - margin, high[0] + margin), ylim=(low[1] - margin, high[1] + margin), aspect="equal")
    lines = [ax.plot([], [], "-", color="C0", linewidth=2)[0] for _ in pairs]
    (dots,) = ax.plot([], [], "o", color="C1", markersize=5)
    label = ax.set_title("")

    def draw(k: int) -> list:
        for line, (a, b) in zip(lines, pairs):
            line.set_data(frames[k, [a, b], 0], frames[k, [a, b], 1])
        dots.set_data(frames[k, :, 0], frames[k, :, 1])
        label.set_text(f"t = {times[k]:.3f}")
        return [*lines, dots, label]

    return FuncAnimation(ax.figure, draw, frames=len(times), interval=1000 / fps, blit=False)
