#!/usr/bin/env python3
"""Constants of Radau IIA with 3, 5 and 7 stages, to the last bit of a double (needs mpmath).

    python3 derivations/radau.py > src/methods/radau/coefficients.rs

Nodes are the zeros of d^(s-1)/dx^(s-1) [x^(s-1) (x-1)^s]; A follows from the collocation conditions C(s)
(Hairer & Wanner II, IV.5); T puts the inverse of A into real block-diagonal form; the error weights are those of
Hairer & Wanner (IV.8.19) for any s: e = -(V^-T e_1)^T A^-1 with the Vandermonde matrix V_iq = c_i^(q-1); the rows of D are
the divided differences of the collocation polynomial on 0, c_(s-1)-1, ..., c_1-1, -1.
"""

from mpmath import mp, mpf, matrix, lu_solve, polyroots, binomial, eig, re, im

mp.dps = 60


def nodes(s):
    # x^(s-1) (x-1)^s expanded, then differentiated s-1 times.
    coefficients = [mpf(0)] * (2 * s)
    for k in range(s + 1):
        coefficients[k + s - 1] = binomial(s, k) * (-1) ** (s - k)
    for _ in range(s - 1):
        coefficients = [k * c for k, c in enumerate(coefficients)][1:]
    roots = polyroots(coefficients[::-1], maxsteps=500, extraprec=500)
    return sorted(re(r) for r in roots)


def runge_kutta(c):
    s = len(c)
    v = matrix(s, s)
    w = matrix(s, s)
    for i in range(s):
        for q in range(s):
            v[i, q] = c[i] ** q
            w[i, q] = c[i] ** (q + 1) / (q + 1)
    return w * v**-1, v


def transformation(a_inverse):
    s = a_inverse.rows
    values, vectors = eig(a_inverse)
    order = sorted(range(s), key=lambda k: (abs(im(values[k])), im(values[k])))
    real = [k for k in order if abs(im(values[k])) < mpf(10) ** -40]
    pairs = sorted((k for k in order if im(values[k]) > mpf(10) ** -40), key=lambda k: im(values[k]))
    assert len(real) == 1 and len(pairs) == (s - 1) // 2
    t = matrix(s, s)
    for i in range(s):
        t[i, 0] = re(vectors[i, real[0]] / vectors[s - 1, real[0]])
        for j, k in enumerate(pairs):
            # A^-1 (u - i w) = (alpha + i beta)(u - i w), last components u = 1, w = 0.
            z = vectors[i, k] / vectors[s - 1, k]
            t[i, 1 + 2 * j] = re(z)
            t[i, 2 + 2 * j] = -im(z)
    return re(values[real[0]]), [(re(values[k]), im(values[k])) for k in pairs], t


def differences(c):
    """Rows k = 1..s: coefficient of the k-th Newton term as a combination of z_1..z_s (value 0 at -1)."""
    s = len(c)
    at = [x - 1 for x in reversed(c)] + [mpf(-1)]
    d = matrix(s, s)
    for j in range(s):
        column = [mpf(1) if i == s - 1 - j else mpf(0) for i in range(s)] + [mpf(0)]
        for k in range(1, s + 1):
            column = [(column[i + 1] - column[i]) / (at[i + k] - at[i]) for i in range(len(column) - 1)]
            d[k - 1, j] = column[0]
    return d


def number(x):
    return repr(float(mp.nstr(x, 25)))


def row(values):
    return "[" + ", ".join(number(v) for v in values) + "]"


def array(name, m):
    s = m.rows
    print(f"    {name}: &[")
    for i in range(s):
        print("        &" + row([m[i, j] for j in range(m.cols)]) + ",")
    print("    ],")


def main():
    print("//! Made by derivations/radau.py; not to be edited.")
    print()
    print("use super::tableau::Coefficients;")
    for s in (3, 5, 7):
        c = nodes(s)
        a, v = runge_kutta(c)
        a_inverse = a**-1
        gamma, pairs, t = transformation(a_inverse)
        one = matrix(s, 1)
        one[0] = 1
        e = -(lu_solve(v.T, one).T * a_inverse)
        print()
        print(f"/// {s} stages, order {2 * s - 1}.")
        print(f"pub(super) static STAGES{s}: Coefficients = Coefficients {{")
        print(f"    nodes: &{row(c)},")
        print(f"    newton_nodes: &{row([x - 1 for x in reversed(c[:-1])])},")
        print(f"    gamma: {number(gamma)},")
        print("    pairs: &[" + ", ".join(f"({number(x)}, {number(y)})" for x, y in pairs) + "],")
        print(f"    error_weights: &{row(e)},")
        array("a", a)
        array("a_inverse", a_inverse)
        array("t", t)
        array("t_inverse", t**-1)
        array("differences", differences(c))
        print("};")


if __name__ == "__main__":
    main()
