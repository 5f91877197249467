"""Arguments and what functions return, as arrays of doubles; or a sentence that says why not."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy


def _doubles(name: str, value: Any) -> numpy.ndarray:
    try:
        array = numpy.asarray(value)
    except (ValueError, TypeError) as error:
        raise ValueError(f"{name} is no array of numbers: {error}") from None
    if array.dtype.kind not in "biuf":
        kind = "complex numbers" if array.dtype.kind == "c" else f"dtype {array.dtype}"
        raise TypeError(f"{name} has {kind}; allowed: real numbers")
    return numpy.asarray(array, dtype=numpy.float64)


def returned(name: str, value: Any, shape: tuple[int, ...]) -> Any:
    """What a function of a model returned, in this shape; a number for the shape ()."""
    if value is None:
        raise TypeError(f"{name} returned None; allowed: {_words(shape)} (or let it take a third argument and write to that)")
    array = _doubles(f"what {name} returned", value)
    if not shape:
        if array.size != 1:
            raise ValueError(f"{name} returned an array of shape {array.shape}; allowed: a number")
        return float(array.reshape(()))
    if array.shape != tuple(shape):
        raise ValueError(f"{name} returned an array of shape {array.shape}; allowed: {tuple(shape)}")
    return array


def _words(shape: tuple[int, ...]) -> str:
    return f"an array of shape {tuple(shape)}" if shape else "a number"


def vector(name: str, value: Any, n: int | None = None, what: str = "") -> numpy.ndarray:
    """A finite vector of doubles, of length n if that is given: a copy that nobody else has."""
    array = _doubles(name, value)
    if array.ndim != 1 or (n is not None and array.shape[0] != n):
        allowed = f"({n},)" if n is not None else "one dimension"
        raise ValueError(f"{name} has shape {array.shape}; allowed: {allowed}{what}")
    if not numpy.isfinite(array).all():
        k = int(numpy.flatnonzero(~numpy.isfinite(array))[0])
        raise ValueError(f"{name}[{k}] = {array[k]} is not allowed; allowed: finite numbers")
    return numpy.array(array, dtype=numpy.float64, order="C")


def number(name: str, value: Any) -> float:
    """A finite number."""
    array = _doubles(name, value)
    if array.size != 1:
        raise ValueError(f"{name} has shape {array.shape}; allowed: a number")
    result = float(array.reshape(()))
    if not numpy.isfinite(result):
        raise ValueError(f"{name} = {result} is not allowed; allowed: finite numbers")
    return result


def span(value: Any) -> tuple[float, float]:
    """Begin and end of a run."""
    if not isinstance(value, Iterable):
        raise TypeError(f"t_span = {value!r} is not allowed; allowed: (t0, tend)")
    both = list(value)
    if len(both) != 2:
        raise ValueError(f"t_span has {len(both)} entries; allowed: (t0, tend)")
    t0, tend = number("t_span[0]", both[0]), number("t_span[1]", both[1])
    if tend < t0:
        raise ValueError(f"t_span = ({t0}, {tend}): tend lies before t0; runs go forward in time")
    return t0, tend


def tolerance(name: str, value: Any, n: int) -> list[float]:
    """One tolerance, or one for each component of x."""
    array = _doubles(name, value)
    if array.ndim == 0:
        return [float(array)]
    if array.shape != (n,):
        raise ValueError(f"{name} has shape {array.shape}; allowed: a number or ({n},)")
    return [float(v) for v in array]
