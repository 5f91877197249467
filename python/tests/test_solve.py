"""Runs in one call: results, dense output, options, failures."""

import pickle
import time

import numpy
import pytest
from conftest import START, FullPendulum, Pendulum

import geoms


def test_fields_of_scipy_and_views(pendulum):
    r = geoms.solve(pendulum, (0, 2), START, rtol=1e-8, atol=1e-8, dense_output=True)
    assert r.success and r.status == 0 and "end of the integration interval" in r.message
    assert r.t[0] == 0 and r.t[-1] == 2 and r.y.shape == (5, r.t.size)
    assert numpy.shares_memory(r.p, r.y) and numpy.array_equal(r.p, r.y[3:]) and numpy.array_equal(r.v, r.y[1:3])
    assert numpy.array_equal(r.lambda_, r.y[:1]) and r.lam is not None and r.mu.shape == (0, r.t.size)
    assert r.nfev == sum(v for k, v in r.counters.items() if k == "neom" or k.startswith("eom_for"))
    assert r.njev == r.counters["njac"] > 0 and r.counters["naccpt"] == r.t.size - 1
    assert r.t_events is None and r.sol.t_max == 2 and "success: True" in repr(r)
    assert set(r.residuals) == {"g", "gI", "gII"}
    assert max(abs(v).max() for v in r.residuals.values()) < 1e-6


def test_period_of_the_pendulum():
    # T = 4 K(sin²(α/2)) / sqrt(g) with α = π/2, by the arithmetic-geometric mean: back at the start after one period.
    a, b = 1.0, numpy.cos(numpy.pi / 4)
    for _ in range(8):
        a, b = (a + b) / 2, numpy.sqrt(a * b)
    period = 2 * numpy.pi / a / numpy.sqrt(9.81)
    r = geoms.solve(FullPendulum(), (0, period), START, rtol=1e-11, atol=1e-11)
    assert numpy.abs(r.x - START).max() < 1e-8
    assert numpy.ptp(r.energy if r.energy is not None else [0]) < 1e-8


@pytest.mark.parametrize("kind", [Pendulum, FullPendulum])
def test_functions_in_place_and_returning(kind, reference):
    r = geoms.solve(kind(), (0, 2), START, rtol=1e-8, atol=1e-8)
    assert numpy.abs(r.x - reference.x).max() < 1e-7


def test_full_jacobian_as_in_scipy(reference):
    class WithFull(Pendulum):
        def jac(self, t, x):
            full = numpy.zeros((7, 5))
            lam, v1, v2, p1, p2 = x
            full[0] = [-4 * (p1 * p1 + p2 * p2), 4 * v1, 4 * v2, -8 * p1 * lam, -2 * 9.81 - 8 * p2 * lam]
            full[1] = [0, 2 * p1, 2 * p2, 2 * v1, 2 * v2]
            full[2] = [0, 0, 0, 2 * p1, 2 * p2]
            full[3] = [-2 * p1, 0, 0, -2 * lam, 0]
            full[4] = [-2 * p2, 0, 0, 0, -2 * lam]
            full[5, 1] = full[6, 2] = 1
            return full

    model = geoms.Model.of(WithFull())
    assert model.check_jacobian(0.0, [3.0, 0.8, 0.6, 0.6, -0.8]) == []
    r = geoms.solve(model, (0, 2), START, rtol=1e-8, atol=1e-8)
    assert numpy.abs(r.x - reference.x).max() < 1e-7
    # Bit for bit as with the blocks: the same numbers come to the library.
    b = geoms.solve(FullPendulum(), (0, 2), START, rtol=1e-8, atol=1e-8, masstrct=4)
    assert r.counters == b.counters and numpy.array_equal(r.y, b.y)


def test_t_eval_and_dense_output(pendulum, reference):
    times = numpy.linspace(0, 2, 21)
    r = geoms.solve(pendulum, (0, 2), START, rtol=1e-9, atol=1e-9, t_eval=times, dense_output=True)
    assert numpy.array_equal(r.t, times)
    assert numpy.abs(r.y - r.sol(times)).max() < 1e-13
    assert numpy.abs(r.y[1:] - reference.sol(times)[1:]).max() < 1e-6
    assert r.sol(1.0).shape == (5,) and r.sol([0.5]).shape == (5, 1)
    assert r.steps.size == r.counters["naccpt"] + 1
    with pytest.raises(ValueError, match="outside of the run"):
        r.sol(2.5)
    with pytest.raises(ValueError, match="nan"):
        r.sol(numpy.nan)
    empty = geoms.solve(pendulum, (0, 2), START, t_eval=[])
    assert empty.success and empty.y.shape == (5, 0)


def test_nothing_to_do(pendulum):
    r = geoms.solve(pendulum, (1, 1), START)
    assert r.success and r.t.tolist() == [1.0] and numpy.array_equal(r.x, START)


def test_every_method_by_name_and_number(reference):
    for method in geoms.methods():
        tol = 1e-6
        a = geoms.solve(FullPendulum(), (0, 2), START, method["name"], rtol=tol, atol=tol)
        b = geoms.solve(FullPendulum(), (0, 2), START, method["number"], rtol=tol, atol=tol)
        assert a.success and numpy.array_equal(a.y, b.y), method["name"]
        low = max(method["orders"]) <= 2
        assert numpy.abs(a.p[:, -1] - reference.p[:, -1]).max() < (2e-2 if low else 1e-4), method["name"]


def test_options_by_name(pendulum):
    r = geoms.solve(pendulum, (0, 2), START, order=5, nwtmat=0, HMAX=0.01)
    assert r.counters["naccpt"] >= 200
    assert {"decompc", "hmax", "order", "method"} <= {o["name"] for o in geoms.options()}
    fixed = geoms.solve(pendulum, (0, 1), START, fixed=True, first_step=0.125)
    assert numpy.allclose(numpy.diff(fixed.t), 0.125)
    few = geoms.solve(pendulum, (0, 2), START, nmax=3)
    assert not few.success and few.status == -1117 and few.t[-1] < 2 and "NMAX" in few.message.upper()
    assert few.error.code == -1117 and few.error.advice and few.error.sentence
    with pytest.raises(geoms.GeomsError):
        few.raise_for_status()
    assert isinstance(pickle.loads(pickle.dumps(few.error)), geoms.GeomsError)


def test_max_step_and_tolerance_vectors(pendulum):
    r = geoms.solve(pendulum, (0, 1), START, rtol=1e-6, atol=[1e-6] * 5, max_step=0.05)
    assert numpy.diff(r.t).max() <= 0.05 * (1 + 1e-12)


def test_failed_start_is_a_result(pendulum):
    r = geoms.solve(pendulum, (0, 1), [0, 0, 0, 2, 0])
    assert r.status == -1105 and not r.success and r.t.tolist() == [0.0] and "g(1)" in r.message
    assert r.error.component == "g(1)" and "ivcond" in r.message and "geoms_" not in r.message


def test_initial_values_from_blocks(pendulum, reference):
    # λ at the angle of 45 degrees follows from p and v.
    s = numpy.sqrt(0.5)
    r = geoms.solve(pendulum, (0, 0), {"p": [s, -s], "v": [0, 0]})
    assert abs(r.lambda_[0, 0] - 9.81 * s / 2) < 1e-6
    model = geoms.Model.of(pendulum)
    assert numpy.array_equal(model.state(p=[1, 0]), START)
    with pytest.raises(TypeError, match="no block 'q'"):
        model.state(q=[1])


def test_conditions_correct_initial_values():
    class Conditions(Pendulum):
        n_ivcond = 2

        def ivcond(self, t, x):
            return [x[4] + 0.6, x[1]]

    r = geoms.solve(Conditions(), (0, 0), [1.0, 0.1, 0.1, 0.7, -0.5])
    assert r.success and numpy.allclose(r.x[3:], [0.8, -0.6], atol=1e-6) and numpy.allclose(r.x[1:3], 0, atol=1e-6)


def test_far_from_zero_and_start_again(pendulum):
    a = geoms.solve(pendulum, (0, 1), START, rtol=1e-8, atol=1e-8)
    b = geoms.solve(pendulum, (1e6, 1e6 + 1), START, rtol=1e-8, atol=1e-8)
    assert numpy.abs(a.x - b.x).max() < 1e-6
    c = geoms.solve(pendulum, (0, 1), START, rtol=1e-8, atol=1e-8)
    assert numpy.array_equal(a.y, c.y)


def test_at_rest_and_free():
    # In the equilibrium nothing moves; a free particle moves on a parabola.
    rest = geoms.solve(Pendulum(), (0, 100), [9.81 / 2, 0, 0, 0, -1])
    assert rest.success and numpy.abs(rest.p[:, -1] - [0, -1]).max() < 1e-12
    free = geoms.Model(1, eom=lambda t, x: [-9.81, x[0]], mass=[2.0])
    r = geoms.solve(free, (0, 1), [0.0, 0.0])
    assert numpy.allclose(r.x, [-9.81 / 2, -9.81 / 4])


def test_on_step_and_progress(pendulum, capsys):
    seen = []
    r = geoms.solve(pendulum, (0, 2), START, on_step=lambda t, x: seen.append((t, x.copy())))
    assert [t for t, _ in seen] == r.t.tolist() and numpy.array_equal(seen[-1][1], r.x)
    stopped = geoms.solve(pendulum, (0, 2), START, on_step=lambda t, x: t > 1)
    assert stopped.status == -1101 and 1 < stopped.t[-1] < 2

    # Nothing is shown of short runs: these take long enough, however fast the machine is.
    def slow(waits):
        return lambda t, x: time.sleep(next(waits, 0)) if t > 1 else None

    shown = []
    geoms.solve(pendulum, (0, 2), START, on_step=slow(iter([0.6] * 3)), progress=lambda t, steps, h: shown.append(t))
    assert shown and shown == sorted(shown)
    geoms.solve(pendulum, (0, 2), START, on_step=slow(iter([0.6] * 3)), progress=True)
    assert "steps" in capsys.readouterr().err


def test_warnings_of_a_wrong_model():
    class Wrong(Pendulum):
        def eom(self, t, x):
            rows = Pendulum.eom(self, t, x)
            rows[0] -= 2 * (x[1] ** 2 + x[2] ** 2)
            return rows

    model = geoms.Model.of(Wrong())
    assert any("velocity term" in text and "is missing" in text for text in model.check(0, [1, 0.6, 0.8, 0.8, -0.6]))
    assert geoms.Model.of(Pendulum()).check(0, [1, 0.6, 0.8, 0.8, -0.6]) == []


def test_diagnosis():
    model = geoms.Model.of(FullPendulum())
    assert model.ranks(0, START)["position"] == (1, 1)
    force = model.constraint_forces(0, [2.0, 0, 0, 0.6, -0.8])
    assert numpy.allclose(force, [2 * 0.6 * 2, -2 * 0.8 * 2])
    assert numpy.allclose(model.mass_matrix(0, START), numpy.eye(2))
    assert [b.shape for b in model.jacobian(0, START)] == [(1, 5), (1, 4), (1, 2), (0, 5), (2, 5), (2, 4)]


def test_results_are_pickled(pendulum):
    r = geoms.solve(pendulum, (0, 1), START, dense_output=True)
    again = pickle.loads(pickle.dumps(r))
    assert numpy.array_equal(again.y, r.y) and numpy.array_equal(again.sol(0.3), r.sol(0.3))
    assert numpy.array_equal(again.residuals["g"], r.residuals["g"]) and again.nfev == r.nfev
    state = list(r.sol._polynomials.__getstate__())
    state[6] = state[6][:-1]
    with pytest.raises(ValueError, match="damaged"):
        geoms._core.Polynomials().__setstate__(tuple(state))


def test_tables():
    assert [m["number"] for m in geoms.methods()].count(0) == 1
    assert geoms.codes()[-1117][0] == "TooManySteps" and "naccpt" in geoms.counters()
    numbers = {o["name"]: o for o in geoms.options()}
    assert numbers["method"]["slot"] == "IOPT(18)" and geoms.__version__
