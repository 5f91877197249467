"""What can go wrong in a run."""

from __future__ import annotations


class GeomsError(RuntimeError):
    """A run that failed.

    ``code`` is the IDID of the reference, ``name`` its name; ``sentence`` says what happened, ``detail`` the case at hand and
    ``advice`` what to try; ``t`` and ``h`` are the last accepted time and the last step size; ``component`` is the component of x or
    the row of RDA concerned, ``theta`` the rate of convergence of Newton's method. ``report`` is all of it in several lines.
    """

    def __init__(
        self,
        report: str = "",
        *,
        code: int = 0,
        name: str = "",
        sentence: str = "",
        advice: str = "",
        detail: str = "",
        t: float = float("nan"),
        h: float = float("nan"),
        component: str | None = None,
        theta: float | None = None,
    ) -> None:
        super().__init__(report)
        self.report = report
        self.code = code
        self.name = name
        self.sentence = sentence
        self.advice = advice
        self.detail = detail
        self.t = t
        self.h = h
        self.component = component
        self.theta = theta

    def __reduce__(self):
        return _again, (self.report, {k: v for k, v in self.__dict__.items() if k != "report"})


def _again(report: str, facts: dict) -> GeomsError:
    return GeomsError(report, **facts)


class StepRefused(Exception):
    """Raised by a function of a model that cannot be evaluated at this point: a smaller step is tried."""
