"""The functions of geoms.h for generated models, in C."""

from __future__ import annotations

from ._generate import CPrinter, Derived, kernel, names

_SOLVE = """
/* M = L L^T in place; 0, or 1 if M is not positive definite. */
static int factor(double *restrict m)
{
    for (int j = 0; j < NV; j++) {
        double d = m[j * NV + j];
        for (int k = 0; k < j; k++) d -= m[j * NV + k] * m[j * NV + k];
        if (!(d > 0.0)) return 1;
        d = 1.0 / sqrt(d);
        m[j * NV + j] = d;
        for (int i = j + 1; i < NV; i++) {
            double s = m[i * NV + j];
            for (int k = 0; k < j; k++) s -= m[i * NV + k] * m[j * NV + k];
            m[i * NV + j] = s * d;
        }
    }
    return 0;
}

static void solve(const double *restrict m, double *restrict b)
{
    for (int i = 0; i < NV; i++) {
        for (int k = 0; k < i; k++) b[i] -= m[i * NV + k] * b[k];
        b[i] *= m[i * NV + i];
    }
    for (int i = NV; i-- > 0;) {
        for (int k = i + 1; k < NV; k++) b[i] -= m[k * NV + i] * b[k];
        b[i] *= m[i * NV + i];
    }
}
"""

_SOLVE_DIAGONAL = """
static int factor(double *restrict m)
{
    for (int i = 0; i < NV; i++) {
        if (m[i * NV + i] == 0.0) return 1;
        m[i * NV + i] = 1.0 / m[i * NV + i];
    }
    return 0;
}

static void solve(const double *restrict m, double *restrict b)
{
    for (int i = 0; i < NV; i++) b[i] *= m[i * NV + i];
}
"""

_EOM = """
EXPORT int eom(double t, const double *x, double *rda, void *user)
{
    double f[NV], kin[NP], g[NL + 1], vel[NC + 1], C[NC * NV + 1];
    double M[NV * NV], gamma[NC + 1];
    evaluate(t, x, user, f, kin, g, vel, C, gamma, M);
    for (int j = 0; j < NV; j++)
        for (int i = 0; i < NC; i++) f[j] -= C[i * NV + j] * x[i];
    double *row = rda;
#if NC > 0 && FORM == 0
    double a[NV];
    if (factor(M)) return 1;
    for (int j = 0; j < NV; j++) a[j] = f[j];
    solve(M, a);
    for (int i = 0; i < NC; i++) {
        double s = gamma[i];
        for (int j = 0; j < NV; j++) s += C[i * NV + j] * a[j];
        *row++ = s;
    }
#endif
    for (int i = 0; i < NC; i++) *row++ = vel[i];
    for (int i = 0; i < NL; i++) *row++ = g[i];
    for (int j = 0; j < NV; j++) *row++ = f[j];
    for (int j = 0; j < NP; j++) *row++ = kin[j];
    return 0;
}

EXPORT int mass(double t, const double *x, double *m, void *user)
{
    double M[NV * NV];
    inertia(t, x, user, M);
    for (int i = 0; i < NV; i++)
        for (int j = 0; j < NV; j++) m[i + j * NV] = M[i * NV + j];
    return 0;
}

EXPORT int jac(double t, const double *x, double *const *fx, void *user)
{
    double a[NV], Dv[NV * NV], Dp[NV * NP], Kv[NP * NV], Kp[NP * NP];
    double C[NC * NV + 1], Vp[NC * NP + 1], Gp[NL * NP + 1];
    double M[NV * NV], Mp[NV * NP], Av[NC * NV + 1], Ap[NC * NP + 1];
#if NC > 0 && FORM == 0
    {
        double kin[NP], g[NL + 1], vel[NC + 1], gamma[NC + 1];
        evaluate(t, x, user, a, kin, g, vel, C, gamma, M);
        for (int j = 0; j < NV; j++)
            for (int i = 0; i < NC; i++) a[j] -= C[i * NV + j] * x[i];
        if (factor(M)) return 1;
        solve(M, a);
    }
#endif
    derive(t, x, user, a, Dv, Dp, Kv, Kp, C, Vp, Gp, Mp, Av, Ap);
#if NC > 0 && FORM == 0
    for (int k = 0; k < N; k++) {
        double b[NV];
        for (int j = 0; j < NV; j++)
            b[j] = k < NC ? -C[k * NV + j] : k < NC + NV ? Dv[j * NV + k - NC] : Dp[j * NP + k - NC - NV] - Mp[j * NP + k - NC - NV];
        solve(M, b);
        for (int i = 0; i < NC; i++) {
            double s = k < NC ? 0.0 : k < NC + NV ? Av[i * NV + k - NC] : Ap[i * NP + k - NC - NV];
            for (int j = 0; j < NV; j++) s += C[i * NV + j] * b[j];
            fx[0][i + k * NC] = -s;
        }
    }
#endif
    for (int i = 0; i < NC; i++) {
        for (int j = 0; j < NV; j++) fx[1][i + j * NC] = -C[i * NV + j];
        for (int j = 0; j < NP; j++) fx[1][i + (NV + j) * NC] = -Vp[i * NP + j];
    }
    for (int i = 0; i < NL; i++)
        for (int j = 0; j < NP; j++) fx[2][i + j * NL] = -Gp[i * NP + j];
    for (int i = 0; i < NV; i++) {
        for (int j = 0; j < NC; j++) fx[4][i + j * NV] = C[j * NV + i];
        for (int j = 0; j < NV; j++) fx[4][i + (NC + j) * NV] = -Dv[i * NV + j];
        for (int j = 0; j < NP; j++) fx[4][i + (NC + NV + j) * NV] = -Dp[i * NP + j];
    }
    for (int i = 0; i < NP; i++) {
        for (int j = 0; j < NV; j++) fx[5][i + j * NP] = -Kv[i * NV + j];
        for (int j = 0; j < NP; j++) fx[5][i + (NV + j) * NP] = -Kp[i * NP + j];
    }
    return 0;
}
"""

_PARTS = """
EXPORT int parts(double t, const double *x, double *force, double *m, double *c, double *gamma, double *velocity, double *position,
                 void *user)
{
    if (force) part_force(t, x, user, force);
    if (m) {
        double M[NV * NV];
        inertia(t, x, user, M);
        for (int i = 0; i < NV; i++)
            for (int j = 0; j < NV; j++) m[i + j * NV] = M[i * NV + j];
    }
    if (c) {
        double C[NC * NV];
        part_constraint(t, x, user, C);
        for (int i = 0; i < NC; i++)
            for (int j = 0; j < NV; j++) c[i + j * NC] = C[i * NV + j];
    }
    if (gamma) part_gamma(t, x, user, gamma);
    if (velocity) part_velocity(t, x, user, velocity);
    if (position) part_position(t, x, user, position);
    return 0;
}
"""


def _function(name: str, d: Derived, arguments: list[tuple[str, int]], parts: dict, inputs: str = "") -> str:
    """A kernel as a function; entries that are zero are written too."""
    names_of = {"force": "f", "M": "M"}
    listed = "".join(f", double *restrict {argument}" for argument, _ in arguments)
    lines = [f"static void {name}(double t, const double *restrict x, const double *restrict c_{inputs}{listed})", "{"]
    used = {names_of.get(key, key): matrix for key, matrix in parts.items()}
    unused = ["t", "x", "c_"] + ([inputs.split("*restrict ")[-1]] if inputs else [])
    lines += [f"    (void){argument};" for argument in unused + [a for a, _ in arguments]]
    for argument, size in arguments:
        matrix = used.get(argument)
        if matrix is not None and any(entry == 0 for entry in matrix):
            lines.append(f"    for (int k_ = 0; k_ < {size}; k_++) {argument}[k_] = 0.0;")
    lines += ["    " + line for line in kernel(CPrinter(), used, names(d), ";", "const double ")]
    return "\n".join([*lines, "}", ""])


def source(d: Derived) -> str:
    """The whole file."""
    np, nv, nl, nc = d.np, d.nv, d.nl, d.nc
    n = np + nv + nc
    head = [
        "#include <math.h>",
        f"enum {{ N = {n} }};",
        *(f"#define {name} {value}" for name, value in (("NP", np), ("NV", nv), ("NL", nl), ("NC", nc), ("FORM", d.e.form))),
        "#define EXPORT __attribute__((visibility(\"default\")))",
        "",
    ]
    everything = [("f", nv), ("kin", np), ("g", nl), ("vel", nc), ("C", nc * nv), ("gamma", nc), ("M", nv * nv)]
    derived = [
        ("Dv", nv * nv), ("Dp", nv * np), ("Kv", np * nv), ("Kp", np * np), ("C", nc * nv), ("Vp", nc * np),
        ("Gp", nl * np), ("Mp", nv * np), ("Av", nc * nv), ("Ap", nc * np),
    ]  # fmt: skip
    derivatives = d.derivatives()
    derivatives.pop("M", None)
    blocks = [
        _function("evaluate", d, everything, d.evaluation()),
        _function("inertia", d, [("M", nv * nv)], {"M": d.e.mass}),
        _function("derive", d, derived, derivatives, ", const double *restrict a"),
    ]
    if nc and d.e.form == 0:
        blocks.insert(0, _SOLVE_DIAGONAL if d.diagonal() else _SOLVE)
    text = "\n".join(head + blocks) + _EOM
    if has_parts(d):
        kernels = [
            ("part_force", "f", nv, {"f": d.e.force}),
            ("part_constraint", "C", nc * nv, {"C": d.c}),
            ("part_gamma", "gamma", nc, {"gamma": d.gamma}),
            ("part_velocity", "vel", nc, {"vel": d.velocity}),
            ("part_position", "g", nl, {"g": d.e.g}),
        ]
        text += "".join(_function(name, d, [(to, size)], part) for name, to, size, part in kernels) + _PARTS
    return text


def has_parts(d: Derived) -> bool:
    """Parts are for p' = v and constraints."""
    return d.nc > 0 and d.np == d.nv and list(d.e.kin) == list(d.e.v)
