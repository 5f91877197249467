"""Coefficients of method 4 (src/methods/half_explicit/tableau.rs).

Stages solve the saddle point problem for acceleration and multipliers, so that with the multipliers as functions of
(t, p, v, r) every stage is one of the ordinary differential equation on the manifold's neighbourhood: the order
conditions are the classical ones (Hairer, Lubich, Roche 1989, half-explicit methods of index 1), and the projection at the
end of a step changes the solution by no more than its local error.

Order 5: derived here from the nodes alone (J.R. Dormand, P.J. Prince 1980; Hairer, Norsett, Wanner I, II.5), in rational
numbers. Order 8: published coefficients (Dormand and Prince's method 8(5,3) with the dense output of Hairer and Wanner;
HNW I, II.5, II.6), checked here against all 200 order conditions.

    python3 derivations/half_explicit.py          check, print the derived numbers
    python3 derivations/half_explicit.py FILE     check the numbers in tableau.rs too

Needs sympy.
"""
import re
import sys
from fractions import Fraction as F
from itertools import combinations_with_replacement
from sympy import Matrix, Rational, linsolve, symbols


# Rooted trees as sorted tuples of subtrees; order, density and weights by recursion (HNW I, II.2).
def trees(n):
    if n == 1:
        return [()]
    out = set()
    def grow(left, limit, chosen):
        if left == 0:
            out.add(tuple(sorted(chosen)))
            return
        for k in range(min(left, limit), 0, -1):
            for t in trees(k):
                grow(left - k, k, chosen + [t])
    grow(n - 1, n - 1, [])
    return sorted(out)

def order(t):
    return 1 + sum(order(s) for s in t)

def density(t):
    g = order(t)
    for s in t:
        g *= density(s)
    return g

def weights(t, a):
    """Phi_i: the product over subtrees of sum_j a_ij Phi_j."""
    n = len(a)
    phi = [1] * n
    for s in t:
        inner = weights(s, a)
        for i in range(n):
            phi[i] *= sum(a[i][j] * inner[j] for j in range(len(a[i])))
    return phi

def defect(t, a, b, theta=1):
    phi = weights(t, a)
    return sum(x * y for x, y in zip(b, phi)) - (F(1) * theta ** order(t)) / density(t)


def derive_order_5():
    """b2 = 0, C(2) from the third stage on, D(1), and what is left: all linear once the nodes are given. C(3) at the
    fourth stage takes the freedom that remains."""
    c = [Rational(x) for x in ("0", "1/5", "3/10", "4/5", "8/9", "1")]
    s = 6
    b = symbols("b0:6")
    quadrature = [sum(b[i] * c[i] ** k for i in range(s)) - Rational(1, k + 1) for k in range(5)]
    (b,) = linsolve(quadrature + [b[1]], b)
    unknown = {(i, j): symbols(f"a{i}_{j}") for i in range(1, s) for j in range(i)}
    a = [[unknown.get((i, j), 0) for j in range(s)] for i in range(s)]
    eqs = [sum(a[i]) - c[i] for i in range(1, s)]
    eqs += [sum(a[i][j] * c[j] for j in range(s)) - c[i] ** 2 / 2 for i in range(2, s)]
    eqs += [sum(b[i] * a[i][j] for i in range(s)) - b[j] * (1 - c[j]) for j in range(1, 5)]
    eqs += [sum(b[i] * c[i] * a[i][1] for i in range(s))]
    eqs += [sum(b[i] * c[i] * a[i][j] * c[j] ** 2 for i in range(s) for j in range(s)) - Rational(1, 15)]
    eqs += [sum(a[3][j] * c[j] ** 2 for j in range(s)) - c[3] ** 3 / 3]
    names = list(unknown.values())
    (solution,) = linsolve(eqs, names)
    value = dict(zip(names, solution))
    assert all(v.is_Rational for v in solution), "not unique"
    as_fraction = lambda x: F(int(Rational(x).p), int(Rational(x).q))
    a = [[as_fraction(value[unknown[i, j]]) for j in range(i)] for i in range(s)]
    b = [as_fraction(x) for x in b]
    a.append(b)  # the seventh stage is the new point
    return a, b

def derive_embedded(a):
    """Order 4 with the new point: one parameter is free; 1/40 makes the fifth-order terms small (DP 1980)."""
    e = symbols("e0:7")
    flat = [[Rational(x.numerator, x.denominator) for x in row] + [0] * (7 - len(row)) for row in a]
    eqs = []
    for n in range(1, 5):
        for t in trees(n):
            phi = weights(t, flat)
            eqs.append(sum(x * p for x, p in zip(e, phi)) - Rational(1, density(t)))
    (solution,) = linsolve(eqs + [e[1], e[6] - Rational(1, 40)], e)
    assert all(v.is_Rational for v in solution)
    return [F(int(v.p), int(v.q)) for v in solution]

def derive_dense(a, b):
    """Cubic Hermite plus theta^2 (1-theta)^2 sum d_i k_i, of order 4 for all theta. One parameter is free: Shampine's
    choice of d_7 (HNW I, II.6)."""
    d = symbols("d0:7")
    flat = [[Rational(x.numerator, x.denominator) for x in row] + [0] * (7 - len(row)) for row in a]
    full_b = [Rational(x.numerator, x.denominator) for x in b] + [0]
    one, last = [1] + [0] * 6, [0] * 6 + [1]
    eqs = []
    for theta in (Rational(1, 3), Rational(1, 2), Rational(3, 4)):
        hermite = [full_b[i] * theta ** 2 * (3 - 2 * theta) + one[i] * theta * (1 - theta) ** 2
                   - last[i] * theta ** 2 * (1 - theta) for i in range(7)]
        w = [hermite[i] + theta ** 2 * (1 - theta) ** 2 * d[i] for i in range(7)]
        for n in range(1, 5):
            for t in trees(n):
                phi = weights(t, flat)
                eqs.append(sum(x * p for x, p in zip(w, phi)) - theta ** n / Rational(density(t)))
    (solution,) = linsolve(eqs + [d[1], d[6] - Rational(69997945, 29380423)], d)
    assert all(v.is_Rational for v in solution), solution
    return [F(int(v.p), int(v.q)) for v in solution]


def show(name, rows):
    print(name)
    for row in rows:
        print("   ", ", ".join(str(x) for x in row))

def check_numbers(path):
    """All tables of tableau.rs against the order conditions, in double precision."""
    text = open(path).read()
    def table(name):
        body = re.search(rf"const {name}:[^=]*= &?\[(.*?)\n?\];", text, re.S).group(1)
        number = r"-?\d[\d_]*\.?[\d_]*(?:e-?\d+)?(?: / \d[\d_]*\.?\d*)?"
        value = lambda s: eval(s.replace("_", ""))
        if "&[" in body:
            return [[value(x) for x in re.findall(number, row)] for row in re.findall(r"&\[(.*?)\]", body, re.S)]
        return [value(x) for x in re.findall(number, body)]
    for p, name in ((5, "FIVE"), (8, "EIGHT")):
        a, b = table(name + "_A"), table(name + "_B")
        a = a[: len(b)]
        worst, count = 0.0, 0
        for n in range(1, p + 1):
            for t in trees(n):
                phi = weights(t, a)
                worst = max(worst, abs(sum(x * y for x, y in zip(b, phi)) - 1 / density(t)))
                count += 1
        print(f"order {p}: {count} conditions, largest defect {worst:.1e}")
        assert worst < 1e-14

if __name__ == "__main__":
    a, b = derive_order_5()
    for n in range(1, 6):
        assert all(defect(t, a[:6], b) == 0 for t in trees(n))
    assert any(defect(t, a[:6], b) != 0 for t in trees(6))
    embedded = derive_embedded(a)
    error = [x - y for x, y in zip(b + [F(0)], embedded)]
    dense = derive_dense(a, b)
    show("A", a)
    show("B - B^", [error])
    show("D", [dense])
    if len(sys.argv) > 1:
        check_numbers(sys.argv[1])
