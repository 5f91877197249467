"""Pictures."""

import numpy
import pytest
from conftest import START, FullPendulum

import geoms

matplotlib = pytest.importorskip("matplotlib")


def test_plot_of_everything():
    r = geoms.solve(FullPendulum(), (0, 1), START)
    axes = r.plot()
    assert [a.get_ylabel() for a in axes] == ["p", "v", "energy", "residuals", "step size"]
    assert numpy.array_equal(axes[0].lines[0].get_ydata(), r.p[0]) and len(axes[3].lines) == 3
    (one,) = r.plot("lambda")
    assert numpy.array_equal(one.lines[0].get_ydata(), r.lambda_[0])
    with pytest.raises(ValueError, match="no plot of 'q'; allowed: p, v"):
        r.plot("q")
    with pytest.raises(ValueError, match="has no energy"):
        geoms.problems.get("andrews").solve().plot("energy")
    with pytest.raises(ValueError, match="axes for 2 plots"):
        r.plot(["p", "v"], axes=one)
    matplotlib.pyplot.close("all")


def test_animation(tmp_path):
    r = geoms.solve(FullPendulum(), (0, 1), START, dense_output=True)
    movie = r.animate(lambda t, p: [[0, 0], p], duration=0.2)
    movie.save(tmp_path / "pendulum.gif", writer="pillow")
    assert (tmp_path / "pendulum.gif").stat().st_size > 1000
    with pytest.raises(ValueError, match="points of the mechanism are not known"):
        r.animate()
    with pytest.raises(ValueError, match=r"allowed: \(K, 2\)"):
        r.animate(lambda t, p: [1, 2, 3])
    matplotlib.pyplot.close("all")


@pytest.mark.parametrize("name", ["pendulum-2.8", "andrews", "slider-crank", "double-pendulum-rods", "double-pendulum", "chain-10"])
def test_points_of_problems(name):
    problem = geoms.problems.get(name)
    r = problem.solve(rtol=1e-8, atol=1e-8, t_span=(problem.t0, problem.t0 + 0.5 * (problem.tend - problem.t0)))
    links = r.model.links
    frames = numpy.array([r.model.points(t, p) for t, p in zip(r.t, r.p.T)])
    pairs = [(k, k + 1) for k in range(frames.shape[1] - 1)] if links is None else links
    lengths = numpy.array([numpy.linalg.norm(frames[:, a] - frames[:, b], axis=1) for a, b in pairs])
    # Links are rigid, and the points move.
    assert numpy.ptp(frames, axis=0).max() > 0 and numpy.ptp(lengths, axis=1).max() < 1e-6
    movie = r.animate(duration=0.1)
    movie._draw_frame(1)
    movie._draw_was_started = True  # no warning that it was never shown
    matplotlib.pyplot.close("all")
