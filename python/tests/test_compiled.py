"""Compiled functions: by address, bit for bit as through C."""

import ctypes
import os
import subprocess

import numpy
import pytest
from conftest import START, FullPendulum, Pendulum, needs_compiler, needs_sources, run_c, sources

import geoms

PENDULUM = """
#include "pendulum_model.h"
int eom(double t, const double *x, double *rda, void *u) { return pendulum_eom(t, x, rda, u); }
int mass(double t, const double *x, double *m, void *u) { return pendulum_mass(t, x, m, u); }
int jac(double t, const double *x, double *const *fx, void *u) { return pendulum_jacobian(t, x, fx, u); }
"""

PROGRAM = """
#include <geoms.h>
#include <stdio.h>
#include <stdlib.h>
geoms_eom_fn eom; geoms_mass_fn mass; geoms_jacobian_fn jac;
int eom(double, const double *, double *, void *);
int mass(double, const double *, double *, void *);
int jac(double, const double *, double *const *, void *);
static int show(const geoms_step_info *s, void *user)
{
    printf("%a", s->t);
    for (int i = 0; i < s->n; i++) printf(" %a", s->x[i]);
    printf("\\n");
    return 0;
}
int main(int argc, char **argv)
{
    const geoms_dimensions dims = {2, 2, 0, 0, 0, 1, 0, 0};
    double x[5] = {0, 0, 0, 1, 0}, gravity = 9.81;
    geoms_solver *h = geoms_create(&dims, 0);
    geoms_set_user(h, &gravity);
    geoms_set_eom(h, eom);
    geoms_set_mass(h, mass);
    if (atoi(argv[2])) geoms_set_jacobian(h, jac);
    geoms_set_int(h, "method", atoi(argv[1]));
    geoms_set_int(h, "masstrct", 4);
    geoms_set_tolerance(h, 1e-8, 1e-8);
    geoms_set_output(h, show);
    if (geoms_start(h, 0.0, x, 0.0) || geoms_integrate(h, 3.0)) return 1;
    geoms_free(h);
    return argc != 3;
}
"""


@pytest.fixture(scope="module")
def pendulum(tmp_path_factory):
    if "GEOMS_SOURCES" not in os.environ:
        pytest.skip("no sources")
    folder = tmp_path_factory.mktemp("pendulum")
    include = [f"-I{sources() / 'include'}", f"-I{sources() / 'c-examples'}"]
    made = run_c(folder, "pendulum", PENDULUM, "-shared", "-Wno-unused-function", *include)
    return made, ctypes.CDLL(str(made))


def model(library, **more):
    arguments = dict(eom=library.eom, mass=library.mass, jac=library.jac, nl=1, user=[9.81], masstrct=4)
    return geoms.Model(2, **{**arguments, **more})


@needs_sources
@pytest.mark.parametrize("jacobian", [1, 0])
def test_same_digits_as_c(pendulum, tmp_path, jacobian):
    made, library = pendulum
    folder = os.environ["GEOMS_LIBRARIES"]
    text = PROGRAM.replace("geoms_eom_fn eom; geoms_mass_fn mass; geoms_jacobian_fn jac;\n", "")
    flags = [f"-I{sources() / 'include'}", str(made), f"-L{folder}", "-lgeoms", f"-Wl,-rpath,{folder}", f"-Wl,-rpath,{made.parent}"]
    program = run_c(tmp_path, "program", text, *flags)
    for method in geoms.methods():
        call = [str(program), str(method["number"]), str(jacobian)]
        printed = subprocess.run(call, capture_output=True, text=True, check=True).stdout.split("\n")
        c = numpy.array([[float.fromhex(v) for v in line.split()] for line in printed if line])
        here = model(library) if jacobian else model(library, jac=None)
        r = geoms.solve(here, (0, 3), START, method["number"], rtol=1e-8, atol=1e-8)
        assert c.shape == (r.t.size, 6), method["name"]
        assert numpy.array_equal(c[:, 0], r.t) and numpy.array_equal(c[:, 1:].T, r.y), method["name"]
        # Written in Python the same within 10 TOL.
        mine = FullPendulum() if jacobian else Pendulum()
        p = geoms.solve(mine, (0, 3), START, method["number"], rtol=1e-8, atol=1e-8, masstrct=4)
        assert numpy.abs(p.x - r.x).max() < 10 * 1e-8, method["name"]


@needs_sources
def test_addresses_of_every_kind(pendulum):
    _, library = pendulum
    first = geoms.solve(model(library), (0, 1), START).y
    cast = lambda f: ctypes.cast(f, ctypes.c_void_p)  # noqa: E731
    for convert in (cast, lambda f: cast(f).value, lambda f: numpy.int64(cast(f).value)):
        made = model(library, eom=convert(library.eom), mass=convert(library.mass), jac=convert(library.jac))
        assert numpy.array_equal(geoms.solve(made, (0, 1), START).y, first)
    assert model(library).check_jacobian(0, [3.0, 0.8, 0.6, 0.6, -0.8]) == []
    mixed = model(library, jac=FullPendulum().jac)
    assert numpy.allclose(geoms.solve(mixed, (0, 1), START).y, first, atol=1e-12)


@needs_sources
def test_parameters_of_many_runs(pendulum):
    _, library = pendulum
    gravities = [[1.62], [3.72], [9.81], [24.8]]
    results = geoms.solve_many(model(library), (0, 1), [START] * 4, users=gravities, threads=2)
    for (gravity,), r in zip(gravities, results):
        mine = FullPendulum()
        mine.gravity = gravity
        expected = geoms.solve(mine, (0, 1), START, rtol=1e-9, atol=1e-9)
        assert numpy.abs(r.x[1:] - expected.x[1:]).max() < 1e-4


@needs_compiler
def test_returned_codes(tmp_path):
    text = """
    int retry(double t, const double *x, double *rda, void *u) { if (t > 0.5) return 1; rda[0] = -9.81; rda[1] = x[0]; return 0; }
    int stop(double t, const double *x, double *rda, void *u) { if (t > 0.5) return -1; rda[0] = -9.81; rda[1] = x[0]; return 0; }
    """
    library = ctypes.CDLL(str(run_c(tmp_path, "codes", text, "-shared")))
    # The end may be asked for in a step or while differences are taken.
    for function, codes in ((library.retry, [-1107]), (library.stop, [-1102, -1201])):
        r = geoms.solve(geoms.Model(1, eom=function, mass=[1.0]), (0, 1), [0.0, 0.0], max_step=0.01)
        assert r.status in codes and r.t[-1] <= 0.5


def test_python_behind_ctypes():
    doubles = ctypes.POINTER(ctypes.c_double)

    @ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_double, doubles, doubles, ctypes.c_void_p)
    def fall(t, x, rda, user):
        rda[0], rda[1] = -9.81, x[0]
        return 0

    r = geoms.solve(geoms.Model(1, eom=fall, mass=[1.0]), (0, 1), [0.0, 0.0])
    assert numpy.allclose(r.x, [-9.81, -9.81 / 2])


def test_numba():
    numba = pytest.importorskip("numba")
    pointer = numba.types.CPointer(numba.float64)

    @numba.cfunc(numba.int32(numba.float64, pointer, pointer, pointer))
    def eom(t, x, rda, user):
        lam, v1, v2, p1, p2 = x[0], x[1], x[2], x[3], x[4]
        g = user[0]
        rda[0] = 2 * (v1 * v1 + v2 * v2) - 2 * g * p2 - 4 * (p1 * p1 + p2 * p2) * lam
        rda[1] = 2 * (p1 * v1 + p2 * v2)
        rda[2] = p1 * p1 + p2 * p2 - 1
        rda[3] = -2 * p1 * lam
        rda[4] = -g - 2 * p2 * lam
        rda[5] = v1
        rda[6] = v2
        return 0

    made = geoms.Model(2, nl=1, eom=eom, mass=[1.0, 1.0], user=[9.81])
    r = geoms.solve(made, (0, 2), START, rtol=1e-9, atol=1e-9)
    expected = geoms.solve(FullPendulum(), (0, 2), START, rtol=1e-9, atol=1e-9)
    assert numpy.abs(r.x[1:] - expected.x[1:]).max() < 1e-7
