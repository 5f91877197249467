"""Wrong input of every kind: a clear error, and nothing is changed."""

import numpy
import pytest
from conftest import START, FullPendulum, Pendulum

import geoms


def solve(**changed):
    arguments = dict(model=Pendulum(), t_span=(0, 0.1), x0=START)
    arguments.update(changed)
    return geoms.solve(**arguments)


@pytest.mark.parametrize(
    "changed, error, text",
    [
        (dict(x0=[0, 0, 0, 1]), ValueError, r"x0 has shape \(4,\); allowed: \(5,\)"),
        (dict(x0=numpy.zeros((5, 1))), ValueError, r"x0 has shape \(5, 1\)"),
        (dict(x0=[0, 0, numpy.nan, 1, 0]), ValueError, r"x0\[2\] = nan"),
        (dict(x0=[0, 0, 0, numpy.inf, 0]), ValueError, r"x0\[3\] = inf"),
        (dict(x0=[0, 0, 0, 1j, 0]), TypeError, "x0 has complex numbers"),
        (dict(x0=["a"] * 5), TypeError, "x0 has dtype"),
        (dict(x0=[[1, 2], [3]]), ValueError, "x0 is no array of numbers"),
        (dict(x0=None), TypeError, "x0 has dtype object"),
        (dict(x0={"p": [1, 0], "u": [0]}), TypeError, "no block 'u'"),
        (dict(x0={"p": [1, 0, 0]}), ValueError, r"p has shape \(3,\); allowed: \(2,\)"),
        (dict(t_span=(1, 0)), ValueError, "tend lies before t0"),
        (dict(t_span=(0, numpy.inf)), ValueError, r"t_span\[1\] = inf"),
        (dict(t_span=(0,)), ValueError, "t_span has 1 entries"),
        (dict(t_span=3.0), TypeError, "t_span = 3.0"),
        (dict(method="euler"), ValueError, "method = euler is not allowed; allowed: 0 \"radau\""),
        (dict(method=77), ValueError, "method = 77"),
        (dict(method=1.5), TypeError, "method is a float"),
        (dict(rtol=-1), ValueError, "RTOL = -1"),
        (dict(atol=0), ValueError, "ATOL = 0"),
        (dict(rtol=[1e-6, 1e-6]), ValueError, r"rtol has shape \(2,\)"),
        (dict(rtol="fine"), TypeError, "rtol has dtype"),
        (dict(t_eval=[0.05, 0.01]), ValueError, "t_eval is not sorted"),
        (dict(t_eval=[0.2]), ValueError, "t_eval is not allowed outside"),
        (dict(t_eval=[[0.01]]), ValueError, "t_eval has shape"),
        (dict(decomp=3), TypeError, "no option .decomp.; options: .*decompc"),
        (dict(decompc=9), ValueError, "DECOMPC = 9 is not allowed; allowed: 0, 1, 2, 3"),
        (dict(decompc=1.5), TypeError, "decompc = 1.5 is not allowed; allowed: an integer"),
        (dict(hmax="big"), TypeError, "hmax = 'big'"),
        (dict(form=1), TypeError, "form is said by the model"),
        (dict(max_step=-1), ValueError, "max_step = -1"),
        (dict(first_step=0), ValueError, "first_step = 0"),
        (dict(event_tolerance=-1), ValueError, "event_tolerance"),
        (dict(on_step=3), TypeError, "on_step is no function"),
        (dict(progress=3), TypeError, "progress is no function"),
        (dict(model=Pendulum), TypeError, "model is the class Pendulum"),
        (dict(model=object()), TypeError, "without eom"),
        (dict(model=None), TypeError, "without eom"),
    ],
)
def test_arguments(changed, error, text):
    with pytest.raises(error, match=text):
        solve(**changed)


@pytest.mark.parametrize(
    "arguments, error, text",
    [
        (dict(eom=None, mass=[1.0]), TypeError, "eom is missing"),
        (dict(eom=lambda t, x: x), TypeError, "mass is missing"),
        (dict(eom="f", mass=[1.0]), TypeError, "eom is a str"),
        (dict(eom=lambda x: x, mass=[1.0]), TypeError, "eom takes 1 arguments"),
        (dict(eom=0, mass=[1.0]), ValueError, "the address 0"),
        (dict(eom=lambda t, x: x, mass=numpy.eye(2)), ValueError, r"mass has shape \(2, 2\)"),
        (dict(eom=lambda t, x: x, mass=[numpy.nan]), ValueError, "not finite"),
        (dict(eom=lambda t, x: x, mass=[1j]), TypeError, "complex"),
        (dict(eom=lambda t, x: x, mass=[1.0], nl=-1), ValueError, "nl = -1"),
        (dict(eom=lambda t, x: x, mass=[1.0], nl=1.0), TypeError, "nl = 1.0"),
        (dict(eom=lambda t, x: x, mass=[1.0], form=2), ValueError, "form = 2"),
        (dict(eom=lambda t, x: x, mass=[1.0], n_ivcond=2), TypeError, "ivcond is missing"),
        (dict(eom=lambda t, x: x, mass=[1.0], ivcond=lambda t, x: x), ValueError, "n_ivcond = 0"),
        (dict(eom=lambda t, x: x, mass=[1.0], parts=lambda t, x: x), TypeError, "parts is no compiled function"),
        (dict(eom=lambda t, x: x, mass=[1.0], user="a"), TypeError, "user has dtype"),
    ],
)
def test_models(arguments, error, text):
    with pytest.raises(error, match=text):
        geoms.Model(1, **arguments)


def test_model_without_variables():
    with pytest.raises(ValueError, match="= 0 is not allowed"):
        geoms.Model(0, eom=lambda t, x: x)
    with pytest.raises(MemoryError):
        geoms.solve(geoms.Model(200_000, eom=lambda t, x: x, mass=lambda t, x: x), (0, 1), numpy.zeros(400_000))


class Bad(Pendulum):
    def __init__(self, answer):
        self.answer = answer

    def eom(self, t, x):
        return self.answer(t, x)


@pytest.mark.parametrize(
    "answer, error, text",
    [
        (lambda t, x: None, TypeError, "eom returned None"),
        (lambda t, x: [1.0, 2.0], ValueError, r"eom returned an array of shape \(2,\); allowed: \(7,\)"),
        (lambda t, x: numpy.zeros((7, 1)), ValueError, r"shape \(7, 1\)"),
        (lambda t, x: [1j] * 7, TypeError, "what eom returned has complex numbers"),
        (lambda t, x: ["a"] * 7, TypeError, "what eom returned has dtype"),
        (lambda t, x: x.fill(0), ValueError, "read-only"),
        (lambda t, x: 1 / 0, ZeroDivisionError, "division"),
    ],
)
def test_what_functions_return(answer, error, text):
    with pytest.raises(error, match=text):
        solve(model=Bad(answer))


def test_traceback_reaches_the_caller():
    def deep(t, x):
        raise LookupError("in the model")

    with pytest.raises(LookupError) as caught:
        solve(model=Bad(deep))
    assert any(entry.name == "deep" for entry in caught.traceback)


def test_forgotten_rows_and_nan():
    class Forgets(Pendulum):
        def eom(self, t, x, rda):
            rda[:5] = 0.0

    r = solve(model=Forgets())
    assert not r.success and "f_kin(1)" in r.message
    r = solve(model=Bad(lambda t, x: [numpy.nan] * 7))
    assert r.status == -2101 and "NaN" in r.message


def test_wrong_matrices():
    class WrongMass(Pendulum):
        def mass(self, t, x):
            return numpy.eye(3)

    with pytest.raises(ValueError, match=r"mass returned an array of shape \(3, 3\)"):
        solve(model=WrongMass())

    class WrongJac(Pendulum):
        def jac(self, t, x):
            return numpy.eye(5)

    with pytest.raises(ValueError, match=r"jac returned an array of shape \(5, 5\); allowed: \(7, 5\)"):
        solve(model=WrongJac())

    class WrongBlock(FullPendulum):
        def jac(self, t, x, fx):
            fx[0][3, 3] = 1

    with pytest.raises(IndexError):
        solve(model=WrongBlock())


def test_step_refused_makes_smaller_steps():
    refused = []

    class Edge(Pendulum):
        def eom(self, t, x):
            if x[3] < -0.2:
                refused.append(t)
                raise geoms.StepRefused
            return Pendulum.eom(self, t, x)

    r = solve(model=Edge(), t_span=(0, 2))
    assert refused and r.status == -1107 and -0.2 <= r.p[0, -1] < -0.19


@pytest.mark.parametrize(
    "x0",
    [
        [0, 0, 0, 1, 0],
        numpy.array([0, 0, 0, 1, 0]),
        numpy.array([0, 0, 0, 1, 0], dtype=numpy.float32),
        numpy.array([0, 9, 0, 9, 0, 9, 1, 9, 0], dtype=float)[::2],
        numpy.array([0, 1, 0, 0, 0], dtype=float)[::-1],
        numpy.array([0, 0, 0, 1, 0], dtype=">f8"),
    ],
)
def test_arrays_of_every_kind(x0):
    if isinstance(x0, numpy.ndarray):
        x0.setflags(write=False)
        before = x0.copy()
    r = solve(x0=x0, t_span=(0, 1), rtol=1e-8, atol=1e-8)
    expected = solve(t_span=(0, 1), rtol=1e-8, atol=1e-8)
    assert numpy.array_equal(r.y, expected.y)
    if isinstance(x0, numpy.ndarray):
        assert numpy.array_equal(x0, before)


def test_arrays_returned_of_every_kind():
    def eom(t, x):
        rows = numpy.zeros(14)
        rows[::2] = Pendulum().eom(t, x)
        return rows[::2]

    expected = solve(t_span=(0, 1)).y
    assert numpy.array_equal(solve(model=Bad(eom), t_span=(0, 1)).y, expected)
    assert numpy.array_equal(solve(model=Bad(lambda t, x: tuple(Pendulum().eom(t, x))), t_span=(0, 1)).y, expected)


def test_x_may_be_kept():
    kept = []

    class Keeps(Pendulum):
        def eom(self, t, x):
            kept.append((x, x.copy()))
            return Pendulum.eom(self, t, x)

    solve(model=Keeps(), t_span=(0, 1))
    assert len(kept) > 50 and all(numpy.array_equal(a, b) for a, b in kept)


def test_what_a_dict_gives_stays():
    right = geoms.solve(Pendulum(), (0, 0.1), {"p": [1, 0], "v": [0, 2]})
    assert right.success and right.y[1:, 0].tolist() == [0, 2, 1, 0]
    for wrong in ({"p": [1.3, 0], "v": [0, 1]}, {"p": [1, 0], "v": [1, 0]}):
        refused = geoms.solve(Pendulum(), (0, 0.1), wrong)
        assert refused.status == -1105 and not refused.success
        assert refused.y[3:, 0].tolist() == wrong["p"] and refused.y[1:3, 0].tolist() == wrong["v"]


def test_a_run_that_cannot_begin_is_its_initial_point():
    singular = geoms.Model(2, nl=1, eom=Pendulum().eom, mass=numpy.zeros((2, 2)))
    for method in (2, 4, -1):
        ended = geoms.solve(singular, (0, 1), START, method)
        assert not ended.success and ended.t.tolist() == [0.0], method
        assert ended.y[:, -1].tolist() == numpy.asarray(START, float).tolist(), method


class Table(Pendulum):
    """A moment that is looked up, from t = 0 on."""

    def eom(self, t, x):
        if t < 0:
            raise LookupError(f"t = {t} lies before the table")
        rows = super().eom(t, x)
        rows[3] += 0.1 * t
        rows[0] += 0.2 * t * x[3]
        return rows


def test_an_exception_before_the_start_is_no_reason_to_stop():
    run = geoms.solve(Table(), (0, 1), START)
    assert run.success and run.t[-1] == 1, run.message
