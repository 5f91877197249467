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
