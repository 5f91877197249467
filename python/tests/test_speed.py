"""Compiled functions from Python cost what they cost through C; what a function of Python costs more. Long form."""

import ctypes
import os
import shutil
import subprocess
import time

import numpy
import pytest
from conftest import START, FullPendulum, Pendulum, compiler, needs_sources, run_c, sources

import geoms

pytestmark = [pytest.mark.long, needs_sources]

#: The functions of fortran-tests/andrews.f with the signatures of geoms.h, and runs of them through the handle.
ANDREWS = """
#include <geoms.h>
void eom_(int *, int *, double *, const double *, double *, int *, double *, int *, double *, int *);
void mas_(double *, int *, const double *, int *, int *, double *, int *, double *, int *, double *, int *);
void jac_(int *, int *, int *, int *, int *, int *, int *, int *, int *, int *, int *, int *, double *, const double *, double *,
          double *, double *, double *, double *, double *, int *, double *, double *, int *, int *);
static int iopt[40], ipar[4];
static double ropt[40], rpar[8];
int eom(double t, const double *x, double *rda, void *u)
{
    int m = 32, n = 20, ierr = 0;
    eom_(&m, &n, &t, x, rda, iopt, ropt, ipar, rpar, &ierr);
    return ierr;
}
int mass(double t, const double *x, double *mass, void *u)
{
    int n = 20, v = 7, ierr = 0;
    mas_(&t, &n, x, &v, &v, mass, iopt, ropt, ipar, rpar, &ierr);
    return ierr;
}
int jac(double t, const double *x, double *const *fx, void *u)
{
    int six = 6, seven = 7, none = 0, m = 32, n = 20, ierr = 0;
    jac_(&six, &six, &six, &none, &seven, &seven, &six, &none, &seven, &seven, &m, &n, &t, x, fx[0], fx[1], fx[2], fx[3], fx[4],
         fx[5], iopt, ropt, rpar, ipar, &ierr);
    return ierr;
}
int run(int method, double *x, int64_t *steps)
{
    const geoms_dimensions dims = {7, 7, 0, 0, 0, 6, 0, 0};
    geoms_solver *h = geoms_create(&dims, 0);
    geoms_stats stats;
    geoms_set_eom(h, eom);
    geoms_set_mass(h, mass);
    geoms_set_jacobian(h, jac);
    geoms_set_int(h, "method", method);
    geoms_set_tolerance(h, 1e-8, 1e-8);
    int code = geoms_start(h, 0.0, x, 0.0);
    if (!code) code = geoms_integrate(h, 0.03);
    geoms_state(h, x);
    geoms_statistics(h, &stats);
    *steps = stats.naccpt;
    geoms_free(h);
    return code;
}
"""

SLIDER_CRANK = """
#include <math.h>
static const double r = 0.3, l = 0.5, J[3] = {0.2, 0.05, 1.5};
int eom(double t, const double *x, double *rda, void *u)
{
    const double w1 = x[2], w2 = x[3], vs = x[4];
    const double s1 = sin(x[5]), c1 = cos(x[5]), s2 = sin(x[6]), c2 = cos(x[6]);
    const double force[3] = {-r * c1 * x[0] + r * s1 * x[1], -l * c2 * x[0] + l * s2 * x[1], x[1]};
    const double a1 = force[0] / J[0], a2 = force[1] / J[1], as = force[2] / J[2];
    rda[0] = r * c1 * a1 + l * c2 * a2 - r * s1 * w1 * w1 - l * s2 * w2 * w2;
    rda[1] = -r * s1 * a1 - l * s2 * a2 - as - r * c1 * w1 * w1 - l * c2 * w2 * w2;
    rda[2] = r * c1 * w1 + l * c2 * w2;
    rda[3] = -r * s1 * w1 - l * s2 * w2 - vs;
    rda[4] = r * s1 + l * s2;
    rda[5] = r * c1 + l * c2 - x[7];
    for (int k = 0; k < 3; k++) rda[6 + k] = force[k], rda[9 + k] = x[2 + k];
    return 0;
}
int mass(double t, const double *x, double *m, void *u)
{
    for (int k = 0; k < 9; k++) m[k] = k % 4 ? 0 : J[k / 4];
    return 0;
}
int jac(double t, const double *x, double *const *fx, void *u)
{
    const double w1 = x[2], w2 = x[3], s1 = sin(x[5]), c1 = cos(x[5]), s2 = sin(x[6]), c2 = cos(x[6]);
    const double a1 = (-r * c1 * x[0] + r * s1 * x[1]) / J[0], a2 = (-l * c2 * x[0] + l * s2 * x[1]) / J[1];
    const double k1 = r * s1 * x[0] + r * c1 * x[1], k2 = l * s2 * x[0] + l * c2 * x[1];
    double *f = fx[0];
    f[0] = r * r * c1 * c1 / J[0] + l * l * c2 * c2 / J[1];
    f[1] = f[2] = -r * r * s1 * c1 / J[0] - l * l * s2 * c2 / J[1];
    f[3] = r * r * s1 * s1 / J[0] + l * l * s2 * s2 / J[1] + 1 / J[2];
    f[4] = 2 * r * s1 * w1, f[5] = 2 * r * c1 * w1, f[6] = 2 * l * s2 * w2, f[7] = 2 * l * c2 * w2;
    f[10] = r * s1 * a1 - r * c1 * k1 / J[0] + r * c1 * w1 * w1;
    f[11] = r * c1 * a1 + r * s1 * k1 / J[0] - r * s1 * w1 * w1;
    f[12] = l * s2 * a2 - l * c2 * k2 / J[1] + l * c2 * w2 * w2;
    f[13] = l * c2 * a2 + l * s2 * k2 / J[1] - l * s2 * w2 * w2;
    f = fx[1];
    f[0] = -r * c1, f[1] = r * s1, f[2] = -l * c2, f[3] = l * s2, f[5] = 1;
    f[6] = r * s1 * w1, f[7] = r * c1 * w1, f[8] = l * s2 * w2, f[9] = l * c2 * w2;
    f = fx[2];
    f[0] = -r * c1, f[1] = r * s1, f[2] = -l * c2, f[3] = l * s2, f[5] = 1;
    f = fx[4];
    f[0] = r * c1, f[1] = l * c2, f[3] = -r * s1, f[4] = -l * s2, f[5] = -1, f[15] = -k1, f[19] = -k2;
    f = fx[5];
    f[0] = f[4] = f[8] = -1;
    return 0;
}
"""


def fastest(*functions, repeat=15):
    """The least CPU time of each, taken in turns."""
    times = [[] for _ in functions]
    for _ in range(repeat):
        for function, found in zip(functions, times):
            begin = time.process_time()
            function()
            found.append(time.process_time() - begin)
    return [min(found) for found in times]


@pytest.fixture(scope="module")
def andrews(tmp_path_factory):
    folder = tmp_path_factory.mktemp("andrews")
    fortran = shutil.which(os.environ.get("FC", "gfortran"))
    if fortran is None:
        pytest.skip("no Fortran compiler")
    (folder / "shim.c").write_text(ANDREWS)
    shim = [*compiler(), "-O2", "-fPIC", f"-I{sources() / 'include'}", "-c", str(folder / "shim.c"), "-o", str(folder / "shim.o")]
    subprocess.run(shim, check=True)
    libraries = os.environ["GEOMS_LIBRARIES"]
    made = folder / "andrews.so"
    file = sources() / "fortran-tests" / "andrews.f"
    link = [fortran, "-O2", "-fPIC", "-shared", str(file), str(folder / "shim.o"), "-o", str(made), f"-L{libraries}", "-lgeoms"]
    subprocess.run([*link, f"-Wl,-rpath,{libraries}"], check=True)
    return ctypes.CDLL(str(made))


@pytest.mark.parametrize("kept", ["the end", "all points"])
@pytest.mark.parametrize("method", [m["number"] for m in geoms.methods()])
def test_andrews_as_fast_as_through_c(andrews, method, kept):
    problem = geoms.problems.get("andrews")
    model = geoms.Model(7, nl=6, eom=andrews.eom, mass=andrews.mass, jac=andrews.jac)
    x = numpy.array(problem.x0)
    steps = ctypes.c_int64()

    def through_c():
        x[:] = problem.x0
        code = andrews.run(method, ctypes.c_void_p(x.ctypes.data), ctypes.byref(steps))
        assert code == 0

    results = {}
    t_eval = [0.03] if kept == "the end" else None

    def from_python():
        results["last"] = geoms.solve(model, (0, 0.03), problem.x0, method, rtol=1e-8, atol=1e-8, t_eval=t_eval)

    c, python = fastest(through_c, from_python)
    # Bit for bit the same run.
    r = results["last"]
    assert numpy.array_equal(r.y[:, -1], x) and r.counters["naccpt"] == steps.value
    assert r.y.shape[1] == (1 if kept == "the end" else steps.value + 1)
    assert problem.errors(r)["p"] < 1e-4
    print(f"count: andrews, method {method}, {kept} kept: C {1e3 * c:.2f} ms, Python with the same functions {1e3 * python:.2f} ms, {python / c:.3f} times")
    assert python <= 1.1 * c


def test_cost_of_a_function_of_python(tmp_path):
    for name, model in (("returning a list", Pendulum()), ("in place", FullPendulum())):
        r = geoms.solve(model, (0, 20), START, rtol=1e-8, atol=1e-8, check=0, watch=0)
        point = r.x.copy()
        out = numpy.empty(7)
        call = (lambda: model.eom(0.0, point)) if name != "in place" else (lambda: model.eom(0.0, point, out))
        core = geoms.Model.of(model)
        points = numpy.tile(point, (5000, 1))
        inside, outside = fastest(lambda: core.rda(0.0, points), lambda: [call() for _ in range(5000)], repeat=5)
        print(f"count: eom {name}: {1e6 * inside / 5000:.2f} µs a call, {1e6 * outside / 5000:.2f} µs of them in the function itself")
        assert inside - outside < 5000 * 20e-6


def test_generated_slider_crank_against_c_by_hand(tmp_path):
    sympy = pytest.importorskip("sympy")
    from sympy.physics.mechanics import dynamicsymbols

    library = ctypes.CDLL(str(run_c(tmp_path, "crank", SLIDER_CRANK, "-shared", "-lm")))
    by_hand = geoms.Model(3, nl=2, eom=library.eom, mass=library.mass, jac=library.jac, masstrct=4)
    a, b, s = dynamicsymbols("a b s")
    generated = geoms.from_sympy(
        T=(0.2 * a.diff() ** 2 + 0.05 * b.diff() ** 2 + 1.5 * s.diff() ** 2) / 2,
        q=[a, b, s],
        constraints=[0.3 * sympy.sin(a) + 0.5 * sympy.sin(b), 0.3 * sympy.cos(a) + 0.5 * sympy.cos(b) - s],
    )
    start = by_hand.make_consistent(0, by_hand.state(p=[0, 0, 0.8], v=[4, -2.4, 0]))
    assert by_hand.check_jacobian(0.0, start + 0.1) == [] and generated.check_jacobian(0.0, start + 0.1) == []
    for method in geoms.methods():
        results = {}

        def run(name, model):
            results[name] = geoms.solve(model, (0, 20), start, method["number"], rtol=1e-8, atol=1e-8, t_eval=[20])

        hand, made = fastest(lambda: run("hand", by_hand), lambda: run("made", generated), repeat=10)
        assert numpy.abs(results["hand"].p - results["made"].p).max() < (1e-5 if max(method["orders"]) > 2 else 1e-3)
        print(f"count: slider-crank, method {method['number']}: by hand {1e3 * hand:.2f} ms, from SymPy {1e3 * made:.2f} ms, {made / hand:.3f} times")
        assert made <= 1.5 * hand
