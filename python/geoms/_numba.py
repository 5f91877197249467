"""Generated models without a C compiler: the same functions by numba. Parts are left out."""

from __future__ import annotations

from typing import Any

from ._build import Built
from ._generate import Derived, PyPrinter, kernel, names

_GLUE = '''
@njit
def factor(m):
    for j in range(NV):
        d = m[j * NV + j]
        for k in range(j):
            d -= m[j * NV + k] * m[j * NV + k]
        if not d > 0.0:
            return 1
        d = 1.0 / math.sqrt(d)
        m[j * NV + j] = d
        for i in range(j + 1, NV):
            s = m[i * NV + j]
            for k in range(j):
                s -= m[i * NV + k] * m[j * NV + k]
            m[i * NV + j] = s * d
    return 0


@njit
def solve(m, b):
    for i in range(NV):
        for k in range(i):
            b[i] -= m[i * NV + k] * b[k]
        b[i] *= m[i * NV + i]
    for r in range(NV):
        i = NV - 1 - r
        for k in range(i + 1, NV):
            b[i] -= m[k * NV + i] * b[k]
        b[i] *= m[i * NV + i]


@cfunc(types.int32(types.float64, P, P, P))
def eom(t, x, rda, c_):
    f, kin, g, vel = numpy.zeros(NV), numpy.zeros(NP), numpy.zeros(NL + 1), numpy.zeros(NC + 1)
    C, gamma, M = numpy.zeros(NC * NV + 1), numpy.zeros(NC + 1), numpy.zeros(NV * NV)
    evaluate(t, x, c_, f, kin, g, vel, C, gamma, M)
    for j in range(NV):
        for i in range(NC):
            f[j] -= C[i * NV + j] * x[i]
    row = 0
    if NC > 0 and FORM == 0:
        if factor(M) != 0:
            return 1
        a = f.copy()
        solve(M, a)
        for i in range(NC):
            s = gamma[i]
            for j in range(NV):
                s += C[i * NV + j] * a[j]
            rda[row] = s
            row += 1
    for i in range(NC):
        rda[row] = vel[i]
        row += 1
    for i in range(NL):
        rda[row] = g[i]
        row += 1
    for j in range(NV):
        rda[row] = f[j]
        row += 1
    for j in range(NP):
        rda[row] = kin[j]
        row += 1
    return 0


@cfunc(types.int32(types.float64, P, P, P))
def mass(t, x, m, c_):
    M = numpy.zeros(NV * NV)
    inertia(t, x, c_, M)
    for i in range(NV):
        for j in range(NV):
            m[i + j * NV] = M[i * NV + j]
    return 0


@cfunc(types.int32(types.float64, P, types.CPointer(P), P))
def jac(t, x, fx, c_):
    a, Dv, Dp = numpy.zeros(NV), numpy.zeros(NV * NV), numpy.zeros(NV * NP)
    Kv, Kp, C, Vp = numpy.zeros(NP * NV), numpy.zeros(NP * NP), numpy.zeros(NC * NV + 1), numpy.zeros(NC * NP + 1)
    Gp, M, Mp = numpy.zeros(NL * NP + 1), numpy.zeros(NV * NV), numpy.zeros(NV * NP)
    Av, Ap, b = numpy.zeros(NC * NV + 1), numpy.zeros(NC * NP + 1), numpy.zeros(NV)
    if NC > 0 and FORM == 0:
        kin, g, vel, gamma = numpy.zeros(NP), numpy.zeros(NL + 1), numpy.zeros(NC + 1), numpy.zeros(NC + 1)
        evaluate(t, x, c_, a, kin, g, vel, C, gamma, M)
        for j in range(NV):
            for i in range(NC):
                a[j] -= C[i * NV + j] * x[i]
        if factor(M) != 0:
            return 1
        solve(M, a)
    derive(t, x, c_, a, Dv, Dp, Kv, Kp, C, Vp, Gp, Mp, Av, Ap)
    f1, f2, f3, f5, f6 = fx[0], fx[1], fx[2], fx[4], fx[5]
    if NC > 0 and FORM == 0:
        for k in range(NC + NV + NP):
            for j in range(NV):
                if k < NC:
                    b[j] = -C[k * NV + j]
                elif k < NC + NV:
                    b[j] = Dv[j * NV + k - NC]
                else:
                    b[j] = Dp[j * NP + k - NC - NV] - Mp[j * NP + k - NC - NV]
            solve(M, b)
            for i in range(NC):
                s = 0.0
                if k >= NC + NV:
                    s = Ap[i * NP + k - NC - NV]
                elif k >= NC:
                    s = Av[i * NV + k - NC]
                for j in range(NV):
                    s += C[i * NV + j] * b[j]
                f1[i + k * NC] = -s
    for i in range(NC):
        for j in range(NV):
            f2[i + j * NC] = -C[i * NV + j]
        for j in range(NP):
            f2[i + (NV + j) * NC] = -Vp[i * NP + j]
    for i in range(NL):
        for j in range(NP):
            f3[i + j * NL] = -Gp[i * NP + j]
    for i in range(NV):
        for j in range(NC):
            f5[i + j * NV] = C[j * NV + i]
        for j in range(NV):
            f5[i + (NC + j) * NV] = -Dv[i * NV + j]
        for j in range(NP):
            f5[i + (NC + NV + j) * NV] = -Dp[i * NP + j]
    for i in range(NP):
        for j in range(NV):
            f6[i + j * NP] = -Kv[i * NV + j]
        for j in range(NP):
            f6[i + (NV + j) * NP] = -Kp[i * NP + j]
    return 0
'''


def _function(name: str, d: Derived, arguments: list[str], parts: dict[str, Any], inputs: list[str]) -> str:
    head = ", ".join(["t", "x", "c_", *inputs, *arguments])
    used = {"f" if key == "force" else key: matrix for key, matrix in parts.items()}
    # The arrays come in as zeros.
    lines = kernel(PyPrinter({"fully_qualified_modules": True}), used, names(d), "", "")
    return "\n".join(["@njit", f"def {name}({head}):", *("    " + line for line in lines), "    return 0", "", ""])


def source(d: Derived) -> str:
    """The whole module."""
    derivatives = d.derivatives()
    derivatives.pop("M", None)
    sizes = {"NP": d.np, "NV": d.nv, "NL": d.nl, "NC": d.nc, "FORM": d.e.form}
    return "\n".join(
        [
            "import math\nimport numpy\nfrom numba import cfunc, njit, types\nP = types.CPointer(types.float64)",
            *(f"{name} = {value}" for name, value in sizes.items()),
            _function("evaluate", d, ["f", "kin", "g", "vel", "C", "gamma", "M"], d.evaluation(), []),
            _function("inertia", d, ["M"], {"M": d.e.mass}, []),
            _function("derive", d, ["Dv", "Dp", "Kv", "Kp", "C", "Vp", "Gp", "Mp", "Av", "Ap"], derivatives, ["a"]),
            _GLUE,
        ]
    )


def build(d: Derived) -> Built:
    """The functions, compiled by numba."""
    try:
        import numba  # noqa: F401
    except ImportError:
        raise RuntimeError("there is neither a C compiler (set CC) nor numba (pip install numba)") from None
    text = source(d)
    module: dict[str, Any] = {}
    exec(compile(text, "<geoms model>", "exec"), module)
    return Built({name: module[name] for name in ("eom", "mass", "jac")}, text, [module])
