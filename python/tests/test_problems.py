"""The problem library: references are met by all methods that support the problem. The short form has a selection."""

import numpy
import pytest

import geoms

SHORT = ("pendulum-2.8", "knife-edge", "coupler", "andrews", "car-axis", "bricard", "slider-crank", "maxwell-element", "friction-bead")
METHODS = [m["name"] for m in geoms.methods()]
#: What the methods say they need, by their table of features, and where.
NEEDED = {"hht": ({"project": 3}, ""), "newmark": ({"scheme": 3}, "stiff")}


def cases():
    for name in geoms.problems.names():
        for method in METHODS:
            problem = geoms.problems.get(name)
            if problem.at_end() is not None and problem.supported_by(method) and not problem.rank_deficient:
                marks = () if name in SHORT else (pytest.mark.long,)
                yield pytest.param(name, method, marks=marks)


def declared(method):
    """Its order, and the blocks whose error it controls."""
    of = next(m for m in geoms.methods() if m["name"] == method)
    controls_v = of["features"]["error control of v"] == "yes"
    return max(of["orders"]), ("p", "v", "r", "s") if controls_v else ("p", "r", "s")


@pytest.mark.parametrize("name, method", list(cases()))
def test_references_are_met(name, method):
    problem = geoms.problems.get(name)
    order, blocks = declared(method)
    needed, where = NEEDED.get(method, ({}, ""))
    tol = 1e-8 if order > 2 else 1e-6
    if problem.tend >= 1000:
        tol *= 1e-3  # the phase is to be right after hundreds of periods
    r = problem.solve(method, rtol=tol, atol=tol, nmax=10**7, check=0, t_eval=[problem.tend], **(needed if where in name else {}))
    assert r.success, r.message
    errors = problem.errors(r)
    # The global error is the tolerance times what the problem makes of it in its interval; of second order it is larger.
    allowed = 1e-5 if order > 2 else 2e-2
    print(f"count: {name} by {method}: " + ", ".join(f"{k} {v:.1e}" for k, v in errors.items()))
    assert max(errors.get(k, 0.0) for k in blocks) < allowed, errors


def test_what_is_known():
    problem = geoms.problems.get("andrews")
    assert problem.dimensions["np"] == 7 and problem.tend == 0.03 and "andrews" in repr(problem) and problem.source
    assert not problem.has_exact and len(problem.references) > 0
    with pytest.raises(ValueError, match="no closed form"):
        problem.exact(0.0)
    exact = geoms.problems.get("knife-edge")
    assert numpy.allclose(exact.exact(0.0), exact.x0)
    assert len(geoms.problems.all()) == len(geoms.problems.names()) > 30
    with pytest.raises(ValueError, match="there is no problem .andrew.; problems: .*andrews"):
        geoms.problems.get("andrew")
    with pytest.raises(TypeError):
        geoms.problems.get(3)
    with pytest.raises(ValueError, match="the run ends at"):
        problem.errors(problem.solve(t_span=(0, 0.01)))


def test_methods_in_three_lines():
    problem = geoms.problems.get("slider-crank")
    for method in geoms.methods():
        assert problem.solve(method["name"]).success


def test_formulations_and_conditions():
    problem = geoms.problems.get("pendulum-2.8")
    for form, jacobian in ((0, False), (1, True), (1, False)):
        r = problem.solve(form=form, jacobian=jacobian, rtol=1e-8, atol=1e-8)
        assert problem.errors(r)["p"] < 1e-6
        assert problem.model(form=form, jacobian=jacobian).m == (7 if form == 0 else 6)
    with pytest.raises(ValueError, match="form = 5"):
        problem.model(form=5)
    assert problem.supported_by("radau") and not geoms.problems.get("stiff-spring-1e8").supported_by("half_explicit")
