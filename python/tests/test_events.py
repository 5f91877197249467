"""Events."""

import ctypes

import numpy
import pytest
from conftest import START, FullPendulum, needs_compiler, run_c

import geoms



def quarter():
    a, b = 1.0, numpy.cos(numpy.pi / 4)
    for _ in range(8):
        a, b = (a + b) / 2, numpy.sqrt(a * b)
    return numpy.pi / 2 / a / numpy.sqrt(9.81)


def bottom(t, x):
    return x[3]


def test_terminal_and_other_events():
    def stop(t, x):
        return x[3]

    stop.terminal = True
    half = lambda t, x: x[4] + 0.5  # noqa: E731
    r = geoms.solve(FullPendulum(), (0, 10), START, events=[stop, half], rtol=1e-10, atol=1e-10, dense_output=True)
    assert r.status == 1 and r.success and "termination event" in r.message
    assert abs(r.t[-1] - quarter()) < 1e-9 and r.t_events[0].tolist() == [r.t[-1]]
    assert numpy.array_equal(r.y_events[0][0], r.x) and r.y_events[1].shape == (1, 5)
    assert abs(r.y_events[1][0, 4] + 0.5) < 1e-9 and r.sol.t_max == r.t[-1]


@pytest.mark.parametrize("direction, count", [(0, 4), (1, 2), (-1, 2)])
def test_directions(direction, count):
    def crossing(t, x):
        return x[3]

    crossing.direction = direction
    r = geoms.solve(FullPendulum(), (0, 8 * quarter()), START, events=crossing)
    assert len(r.t_events[0]) == count and r.status == 0


def test_after_so_many_times():
    def third(t, x):
        return x[3]

    third.terminal = 3
    r = geoms.solve(FullPendulum(), (0, 100), START, events=third, rtol=1e-9, atol=1e-9)
    assert r.status == 1 and len(r.t_events[0]) == 3 and abs(r.t[-1] - 5 * quarter()) < 1e-7


def test_event_that_fails():
    with pytest.raises(ZeroDivisionError):
        geoms.solve(FullPendulum(), (0, 1), START, events=lambda t, x: 1 / 0)
    with pytest.raises(ValueError, match="event returned an array of shape"):
        geoms.solve(FullPendulum(), (0, 1), START, events=lambda t, x: x)
    r = geoms.solve(FullPendulum(), (0, 1), START, events=lambda t, x: numpy.nan)
    assert r.status == -1109
    with pytest.raises(TypeError, match=r"events\[1\]"):
        geoms.solve(FullPendulum(), (0, 1), START, events=[bottom, 3])


def test_impact_step_by_step():
    # A ball that keeps half of its speed: impacts at sqrt(2h/g) (1 + 2·(1/2 + 1/4 + ...)).
    ball = geoms.Model(1, eom=lambda t, x: [-9.81, x[0]], mass=[1.0])

    def ground(t, x):
        return x[1]

    ground.terminal, ground.direction = True, -1
    run = geoms.Solver(ball, 0, [0.0, 1.0], events=ground, rtol=1e-9, atol=1e-9)
    times = []
    for _ in range(4):
        assert run.integrate(10)
        times.append(run.t)
        run.reset(run.t, [-0.5 * run.x[0], 0.0])
    fall = numpy.sqrt(2 / 9.81)
    assert numpy.allclose(times, fall * numpy.array([1, 2, 2.5, 2.75]), atol=1e-8)


@needs_compiler
def test_compiled_events(tmp_path):
    text = "int f(double t, const double *x, double *v, void *u) { v[0] = x[3] - *(double *)u; v[1] = x[4] + 0.5; return 0; }"
    library = ctypes.CDLL(str(run_c(tmp_path, "events", text, "-shared")))
    events = geoms.CompiledEvents(library.f, 2, terminal=[True, False], user=[0.0])
    r = geoms.solve(FullPendulum(), (0, 10), START, events=events, rtol=1e-10, atol=1e-10)
    assert r.status == 1 and abs(r.t[-1] - quarter()) < 1e-9 and len(r.t_events[1]) == 1
    with pytest.raises(ValueError, match="terminal has 1 entries"):
        geoms.solve(FullPendulum(), (0, 1), START, events=geoms.CompiledEvents(library.f, 2, terminal=[True]))
