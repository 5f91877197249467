"""Points of the planar mechanisms among the problems, for animations: from the origin along the links."""

from __future__ import annotations

from typing import Callable

import numpy

Points = Callable[[float, numpy.ndarray], numpy.ndarray]
Links = list[tuple[int, int]]


def _chain(t: float, p: numpy.ndarray) -> numpy.ndarray:
    """Point masses in Cartesian coordinates, hung up at the origin."""
    return numpy.vstack([[0.0, 0.0], numpy.reshape(p, (-1, 2))])


def _rods(*lengths: float) -> Points:
    """Rods in the coordinates (x, y, angle) of their centres, the first one with an end at the origin."""

    def points(t: float, p: numpy.ndarray) -> numpy.ndarray:
        bodies = numpy.reshape(p, (-1, 3))[: len(lengths)]
        ends = [(x + 0.5 * length * numpy.cos(a), y + 0.5 * length * numpy.sin(a)) for (x, y, a), length in zip(bodies, lengths)]
        return numpy.array([(0.0, 0.0), *ends])

    return points


def _andrews(t: float, p: numpy.ndarray) -> numpy.ndarray:
    """Crank, coupler, and the three bars that meet at its end (Test Set for IVP Solvers)."""
    beta, theta, gamma, phi, delta, omega, epsilon = p
    polar = lambda length, angle: length * numpy.array([numpy.cos(angle), numpy.sin(angle)])  # noqa: E731
    crank = polar(0.007, beta)
    end = crank - polar(0.028, beta + theta)
    upper = end - polar(0.02, phi + delta - numpy.pi / 2)
    lower = end - polar(0.02, omega + epsilon)
    fixed = numpy.array([[-0.03635, 0.03273], [-0.06934, -0.00227]])
    return numpy.array([(0.0, 0.0), crank, end, fixed[0], upper, fixed[1], lower])


_ANDREWS_LINKS = [(0, 1), (1, 2), (2, 3), (2, 4), (4, 5), (2, 6), (6, 5)]


def points_of(name: str, np: int) -> tuple[Points, Links | None] | None:
    """The points of a problem and the links between them; None if they are not known."""
    if name == "andrews":
        return _andrews, _ANDREWS_LINKS
    if name == "slider-crank":
        return _rods(0.15, 0.56), None
    if name in ("double-pendulum-rods", "double-pendulum-stiff"):
        return _rods(1.0, 1.5), None
    if (name.startswith("pendulum-") and np == 2) or name == "double-pendulum" or name.startswith("chain-"):
        return _chain, None
    return None
