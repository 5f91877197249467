"""Event functions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Sequence

from ._model import _user, address


@dataclass
class CompiledEvents:
    """``count`` event functions in one compiled function with the signature of geoms.h.

    ``direction``: 0 any change of sign, 1 rising, -1 falling; ``terminal``: False, True, or after how many times the run ends. Each is a
    value for all of them or a list.
    """

    function: Any
    count: int
    direction: Any = 0
    terminal: Any = False
    user: Any = None


@dataclass
class GivenEvents:
    """As the extension takes them."""

    callables: list[Callable] = field(default_factory=list)
    address: int = 0
    user: int = 0
    direction: list[int] = field(default_factory=list)
    terminal: list[int] = field(default_factory=list)
    kept: Any = None


def _terminal(value: Any) -> int:
    if value is None or value is False:
        return 0
    if value is True:
        return 1
    count = int(value)
    if count != value or count < 0:
        raise ValueError(f"terminal = {value!r} is not allowed; allowed: True, False, or a number of times")
    return count


def _direction(value: Any) -> int:
    number = float(value or 0)
    if number != number:
        raise ValueError("direction = nan is not allowed; allowed: negative, 0, positive numbers")
    return (number > 0) - (number < 0)


def _each(value: Any, count: int, name: str) -> list:
    if isinstance(value, (list, tuple)):
        if len(value) != count:
            raise ValueError(f"{name} has {len(value)} entries; allowed: {count}")
        return list(value)
    return [value] * count


def given_events(events: Any) -> GivenEvents:
    """One function, several, or compiled ones; as in SciPy they have the attributes ``terminal`` and ``direction``."""
    if events is None:
        return GivenEvents()
    if isinstance(events, CompiledEvents):
        at = address(events.function)
        if not at or at < 0:
            raise TypeError("the function of CompiledEvents is no compiled function; allowed: an address, ctypes, a numba cfunc")
        if events.count <= 0:
            raise ValueError(f"count = {events.count} is not allowed; allowed: > 0")
        kept, user = _user(events.user)
        return GivenEvents(
            address=at,
            user=user,
            direction=[_direction(v) for v in _each(events.direction, events.count, "direction")],
            terminal=[_terminal(v) for v in _each(events.terminal, events.count, "terminal")],
            kept=kept,
        )
    functions: Sequence = [events] if callable(events) else list(events)
    for k, function in enumerate(functions):
        if not callable(function):
            raise TypeError(f"events[{k}] is a {type(function).__name__}; allowed: functions of (t, x)")
    return GivenEvents(
        callables=list(functions),
        direction=[_direction(getattr(f, "direction", 0)) for f in functions],
        terminal=[_terminal(getattr(f, "terminal", False)) for f in functions],
    )
