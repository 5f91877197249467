"""Models from SymPy."""

import os
import runpy
import shutil
from pathlib import Path

import numpy
import pytest
from conftest import FullPendulum, needs_compiler

import geoms

sympy = pytest.importorskip("sympy")
from sympy.physics.mechanics import (  # noqa: E402
    KanesMethod,
    Lagrangian,
    LagrangesMethod,
    Particle,
    Point,
    ReferenceFrame,
    dynamicsymbols,
)

EXAMPLES = Path(__file__).parent / "examples"
x, y = dynamicsymbols("x y")
m, g, length = sympy.symbols("m g length")
VALUES = {m: 2.0, g: 9.81, length: 1.0}
START = {"p": [1, 0], "v": [0, 0]}


def pendulum(**changed):
    arguments = dict(
        T=m * (x.diff() ** 2 + y.diff() ** 2) / 2, V=m * g * y, q=[x, y], constraints=[x**2 + y**2 - length**2], parameters=VALUES
    )
    return geoms.from_sympy(**{**arguments, **changed})


def checked(model, t, state):
    assert model.check(t, state) == []
    assert model.check_jacobian(t, state) == []
    return model


@needs_compiler
@pytest.mark.parametrize("name", ["pendulum", "slider_crank", "rolling_disk", "five_link"])
def test_examples_are_short_and_right(name):
    file = EXAMPLES / f"sympy_{name}.py"
    assert len(file.read_text().splitlines()) < 30
    assert runpy.run_path(str(file))["error"] < 1e-8


@needs_compiler
def test_rows_and_jacobian_fit_each_other():
    checked(pendulum(), 0.3, [3.0, 0.8, 0.6, 0.6, -0.8])
    a, b = dynamicsymbols("a b")
    t = dynamicsymbols._t
    # A mass matrix that depends on the position, a rheonomic constraint, damping, a nonholonomic constraint.
    model = geoms.from_sympy(
        T=(x.diff() ** 2 + (1 + x**2) * y.diff() ** 2 + a.diff() ** 2 + sympy.cos(x) * x.diff() * a.diff()) / 2 + b.diff() ** 2,
        V=sympy.sin(x) * y**2,
        q=[x, y, a, b],
        constraints=[x**2 + y**2 - 1 - sympy.sin(2 * t) / 3],
        nonholonomic=[b.diff() - sympy.sin(a) * a.diff() - t],
        forces={x: -x.diff() * g, b: sympy.cos(t)},
        parameters={g: 0.3},
    )
    checked(model, 0.4, numpy.linspace(0.2, 1.1, model.n))
    free = geoms.from_sympy(T=x.diff() ** 2 / 2, V=2 * x**2, q=[x])
    r = geoms.solve(free, (0, 1), {"p": [1.0]}, rtol=1e-10, atol=1e-10)
    assert abs(r.p[0, -1] - numpy.cos(2)) < 1e-8 and numpy.ptp(r.energy) < 1e-8


@needs_compiler
def test_same_as_written_by_hand():
    r = geoms.solve(pendulum(), (0, 2), START, rtol=1e-10, atol=1e-10)
    expected = geoms.solve(FullPendulum(), (0, 2), [0, 0, 0, 1, 0], rtol=1e-10, atol=1e-10)
    assert numpy.abs(r.p[:, -1] - expected.p[:, -1]).max() < 1e-8
    one = geoms.solve(pendulum(form=1), (0, 2), START, rtol=1e-10, atol=1e-10)
    assert numpy.abs(r.p[:, -1] - one.p[:, -1]).max() < 1e-8


def test_numba_instead_of_a_compiler(monkeypatch):
    pytest.importorskip("numba")
    model = checked(pendulum(backend="numba"), 0.3, [3.0, 0.8, 0.6, 0.6, -0.8])
    expected = geoms.solve(FullPendulum(), (0, 2), [0, 0, 0, 1, 0], rtol=1e-10, atol=1e-10)
    r = geoms.solve(model, (0, 2), START, rtol=1e-10, atol=1e-10)
    assert numpy.abs(r.p[:, -1] - expected.p[:, -1]).max() < 1e-8
    # Taken by itself where there is no compiler.
    monkeypatch.setenv("CC", "/no/such/compiler")
    monkeypatch.setattr("geoms._numba.build", lambda derived: model._built)
    assert "numba" in pendulum().source
    with pytest.raises(RuntimeError, match="no C compiler"):
        pendulum(backend="c")


@needs_compiler
def test_parameters_without_generating_anew():
    model = pendulum()
    assert model.parameters == {"g": 9.81, "length": 1.0, "m": 2.0}
    moon = model.with_parameters({g: 1.62})
    expected = FullPendulum()
    expected.gravity = 1.62
    r = geoms.solve(moon, (0, 2), START, rtol=1e-10, atol=1e-10)
    e = geoms.solve(expected, (0, 2), [0, 0, 0, 1, 0], rtol=1e-10, atol=1e-10)
    assert numpy.abs(r.p[:, -1] - e.p[:, -1]).max() < 1e-8 and numpy.ptp(r.energy) < 1e-7
    assert model.parameters["g"] == 9.81
    with pytest.raises(ValueError, match="no parameter 'G'"):
        model.with_parameters(G=1)
    many = geoms.solve_many([model.with_parameters(g=value) for value in (1.0, 9.81)], (0, 2), [[0, 0, 0, 1, 0]] * 2)
    assert many[0].success and abs(many[0].p[0, -1] - many[1].p[0, -1]) > 0.1


@needs_compiler
def test_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("GEOMS_CACHE", str(tmp_path / "cache"))
    pendulum()
    files = sorted((tmp_path / "cache").iterdir())
    assert [f.suffix for f in files].count(".c") == 1 and [f.suffix for f in files].count(".so") == 1
    assert os.stat(tmp_path / "cache").st_mode & 0o077 == 0
    before = [f.stat().st_mtime_ns for f in files]
    monkeypatch.setattr("geoms._build.Derived", None)  # nothing is derived again
    pendulum(parameters={m: 3, g: 1, length: 2})
    assert [f.stat().st_mtime_ns for f in files] == before and sorted((tmp_path / "cache").iterdir()) == files
    shutil.rmtree(tmp_path / "cache")


def kane():
    q1, q2, u1, u2 = dynamicsymbols("q1 q2 u1 u2")
    N, O = ReferenceFrame("N"), Point("O")
    O.set_vel(N, 0)
    P = O.locatenew("P", q1 * N.x + q2 * N.y)
    # Speeds that are not the derivatives: q1' = 2 u1.
    P.set_vel(N, 2 * u1 * N.x + u2 * N.y)
    method = KanesMethod(
        N,
        [q1],
        [u1],
        [q1.diff() - 2 * u1, q2.diff() - u2],
        q_dependent=[q2],
        u_dependent=[u2],
        configuration_constraints=[q1**2 + q2**2 - length**2],
        velocity_constraints=[2 * q1 * u1 + q2 * u2],
    )
    return method, [Particle("P", P, m)], [(P, -m * g * N.y)]


@needs_compiler
def test_kanes_method():
    method, bodies, loads = kane()
    with pytest.raises(ValueError, match="call kanes_equations"):
        geoms.from_sympy(method, parameters=VALUES)
    method.kanes_equations(bodies, loads)
    model = checked(geoms.from_sympy(method, parameters=VALUES), 0.0, [3.0, 0.4, 0.6, 0.6, -0.8])
    assert model.dimensions["nl"] == 1 and model.dimensions["nm"] == 0
    r = geoms.solve(model, (0, 2), START, rtol=1e-10, atol=1e-10)
    expected = geoms.solve(FullPendulum(), (0, 2), [0, 0, 0, 1, 0], rtol=1e-10, atol=1e-10)
    assert numpy.abs(r.p[:, -1] - expected.p[:, -1]).max() < 1e-8


@needs_compiler
def test_lagranges_method():
    q1, q2 = dynamicsymbols("q1 q2")
    N, O = ReferenceFrame("N"), Point("O")
    O.set_vel(N, 0)
    P = O.locatenew("P", q1 * N.x + q2 * N.y)
    P.set_vel(N, q1.diff() * N.x + q2.diff() * N.y)
    ball = Particle("P", P, m)
    method = LagrangesMethod(
        Lagrangian(N, ball), [q1, q2], hol_coneqs=[q1**2 + q2**2 - length**2], forcelist=[(P, -m * g * N.y)], frame=N
    )
    model = checked(geoms.from_sympy(method, parameters=VALUES), 0.0, [3.0, 0.8, 0.6, 0.6, -0.8])
    r = geoms.solve(model, (0, 2), START, rtol=1e-10, atol=1e-10)
    expected = geoms.solve(FullPendulum(), (0, 2), [0, 0, 0, 1, 0], rtol=1e-10, atol=1e-10)
    assert numpy.abs(r.p[:, -1] - expected.p[:, -1]).max() < 1e-8


@pytest.mark.parametrize(
    "changed, error, text",
    [
        (dict(parameters={m: 1, g: 9.81}), ValueError, "no value for length"),
        (dict(parameters={m: numpy.nan, g: 1, length: 1}), ValueError, "m = nan"),
        (dict(q=[]), ValueError, "q is empty"),
        (dict(q=[sympy.Symbol("x"), y]), TypeError, "is no coordinate"),
        (dict(q=[x, x]), ValueError, "twice"),
        (dict(q=[x]), ValueError, "is no coordinate or velocity"),
        (dict(constraints=["x"]), TypeError, "constraints: 'x' is no expression"),
        (dict(nonholonomic=[x.diff() ** 2]), ValueError, "not linear in the velocities"),
        (dict(forces=[1]), ValueError, "forces has 1 entries"),
        (dict(forces={m: 1}), ValueError, "none of the coordinates"),
        (dict(form=3), ValueError, "form = 3"),
        (dict(backend="java"), ValueError, "backend = 'java'"),
    ],
)
def test_wrong_input(changed, error, text):
    with pytest.raises(error, match=text):
        pendulum(**changed)
