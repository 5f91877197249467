"""Runs step by step, saved, interrupted, many beside each other."""

import os
import pickle
import signal
import subprocess
import sys
import threading
import time

import numpy
import pytest
from conftest import START, FullPendulum, Pendulum

import geoms


def test_step_by_step_is_the_run():
    whole = geoms.solve(FullPendulum(), (0, 2), START)
    run = geoms.Solver(FullPendulum(), 0, START)
    points = [run.x]
    while run.t < 2:
        run.step(2)
        points.append(run.x)
        assert numpy.allclose(run(run.t), run.x, atol=1e-13)
    assert numpy.array_equal(numpy.array(points).T, whole.y)
    assert run.counters == whole.counters and run.h > 0 and run.warnings == []
    with pytest.raises(ValueError, match="the last step"):
        run(-1.0)
    with pytest.raises(ValueError, match="lies before"):
        run.integrate(1.0)
    run.integrate(3)
    assert run.t == 3


@pytest.mark.parametrize("method", [m["name"] for m in geoms.methods()])
def test_saved_pickled_resumed(method):
    problem = geoms.problems.get("pendulum-2.8")
    through = geoms.Solver(problem.model(), 0, problem.x0, method=method)
    for _ in range(5):
        through.step(2)
    again = pickle.loads(pickle.dumps(through))
    saved = pickle.loads(pickle.dumps(through.save()))
    resumed = saved.resume(problem.model())
    for run in (through, again, resumed):
        run.integrate(2)
    assert numpy.array_equal(through.x, again.x) and numpy.array_equal(through.x, resumed.x)
    assert again.counters == through.counters


def test_saved_in_another_process(tmp_path):
    problem = geoms.problems.get("andrews")
    run = geoms.Solver(problem.model(), 0, problem.x0)
    run.integrate(0.01)
    (tmp_path / "run").write_bytes(pickle.dumps(run))
    code = f"import pickle; r = pickle.load(open({str(tmp_path / 'run')!r}, 'rb')); r.integrate(0.03); print(r.x.tobytes().hex())"
    there = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
    run.integrate(0.03)
    assert there == run.x.tobytes().hex()


def test_damaged_states_are_refused():
    problem = geoms.problems.get("pendulum-2.8")
    run = geoms.Solver(problem.model(), 0, problem.x0)
    saved = run.save()
    broken = geoms.SavedRun(saved.state[:-3], saved.settings, saved.event_tolerance, saved.t)
    with pytest.raises(ValueError):
        broken.resume(problem.model())
    other = geoms.problems.get("andrews").model()
    with pytest.raises(ValueError):
        saved.resume(other)


def test_models_with_addresses_are_not_pickled():
    model = geoms.Model(1, eom=12345, mass=[1.0])
    with pytest.raises(TypeError, match="compiled eom cannot be pickled"):
        pickle.dumps(model)


def test_the_run_is_not_used_from_its_functions():
    class Nosy(Pendulum):
        def eom(self, t, x):
            if self.run is not None:
                self.run.step(2)
            return Pendulum.eom(self, t, x)

    model = Nosy()
    model.run = None
    run = geoms.Solver(model, 0, START)
    model.run = run
    with pytest.raises(RuntimeError, match="in use"):
        run.step(2)
    model.run = None
    run.integrate(2)
    assert run.t == 2


def test_stopped_from_another_thread():
    problem = geoms.problems.get("chain-100")
    run = geoms.Solver(problem.model(), 0, problem.x0, rtol=1e-10, atol=1e-10, nmax=10**9)
    stopper = threading.Timer(0.2, run.request_stop)
    stopper.start()
    begin = time.monotonic()
    with pytest.raises(geoms.GeomsError) as caught:
        run.integrate(1e6)
    assert caught.value.code == -1108 and time.monotonic() - begin < 30
    before = run.t
    run.step(1e6)
    assert run.t > before


@pytest.mark.parametrize("kind", ["problem", "python", "many"])
def test_ctrl_c(kind):
    if kind != "python":
        problem = geoms.problems.get("pendulum-2.8")
        model, x0 = problem.model(), problem.x0
    else:
        model, x0 = Pendulum(), START
    # A shell starts what is in the background with SIGINT ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        if kind == "many":
            geoms.solve_many(model, (0, 1e9), [x0] * 5, nmax=10**9, t_eval=[], threads=2)
        geoms.solve(model, (0, 1e9), x0, nmax=10**9, t_eval=[])
    signal.signal(signal.SIGINT, before)
    assert time.monotonic() - begin < 30


def test_many_are_as_alone():
    problem = geoms.problems.get("pendulum-2.8")
    starts = []
    for k in range(8):
        angle = -0.1 * k
        starts.append(problem.model().make_consistent(0, problem.model().state(p=[numpy.cos(angle), numpy.sin(angle)])))
    together = geoms.solve_many(problem.model(), (0, 2), starts, rtol=1e-8, atol=1e-8, threads=4)
    for x0, r in zip(starts, together):
        assert numpy.array_equal(r.y, geoms.solve(problem.model(), (0, 2), x0, rtol=1e-8, atol=1e-8).y)
    by_python = geoms.solve_many(Pendulum(), (0, 1), [START] * 3, threads=3)
    assert all(numpy.array_equal(r.y, by_python[0].y) for r in by_python)
    assert geoms.solve_many(Pendulum(), (0, 1), []) == []


def test_many_with_wrong_arguments():
    with pytest.raises(ValueError, match="users has 1 entries"):
        geoms.solve_many(Pendulum(), (0, 1), [START] * 2, users=[[1.0]])
    with pytest.raises(ValueError, match="threads = 0"):
        geoms.solve_many(Pendulum(), (0, 1), [START], threads=0)
    with pytest.raises(ValueError, match="2 models for 1"):
        geoms.solve_many([Pendulum()] * 2, (0, 1), [START])
    with pytest.raises(ValueError, match="DECOMPC"):
        geoms.solve_many(Pendulum(), (0, 1), [START], decompc=9)

    class Raises(Pendulum):
        def eom(self, t, x):
            raise LookupError("one of many")

    with pytest.raises(LookupError, match="one of many"):
        geoms.solve_many([Pendulum(), Raises()], (0, 1), [START] * 2)


def test_the_interpreter_is_free_during_compiled_runs():
    problem = geoms.problems.get("chain-10")
    count, done = [0], threading.Event()

    def tick():
        while not done.is_set():
            count[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    time.sleep(0.01)
    before = count[0]
    geoms.solve(problem.model(), (0, 3), problem.x0, rtol=1e-10, atol=1e-10, nmax=10**7)
    ticked = count[0] - before
    done.set()
    thread.join()
    assert ticked > 3
