"""Models from SymPy: an energy, forces and constraints, or a KanesMethod or LagrangesMethod of sympy.physics.mechanics.

With C = d(gI, h)/dv and γ the rate of (gI, h) at v' = 0 the rows are

    f_dyn = f - Cᵀ(λ, μ),   (gII, hI) = C a + γ,   a = M⁻¹ f_dyn,

and their derivatives follow from those of M a, f_dyn and C a + γ at constant a; only these are formed by SymPy.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Any, Iterable, Mapping

import numpy
import sympy
from sympy.physics.mechanics import KanesMethod, LagrangesMethod, dynamicsymbols

from . import _build, _generate
from ._convert import number
from ._core import __version__
from ._model import Model


@dataclass
class Equations:
    """The equations in plain symbols: p' = kin(p, v, t), M v' = f - Cᵀ(λ, μ), g = 0, h = 0."""

    t: sympy.Symbol
    p: list[sympy.Symbol]
    v: list[sympy.Symbol]
    kin: sympy.Matrix
    mass: sympy.Matrix
    force: sympy.Matrix
    g: sympy.Matrix
    h: sympy.Matrix
    parameters: list[sympy.Symbol]
    form: int = 0
    energy: sympy.Expr | None = None
    points: sympy.Matrix | None = None
    names: dict[str, list[str]] = field(default_factory=dict)

    def key(self) -> str:
        """The same for the same equations."""
        parts = [self.p, self.v, self.kin, self.mass, self.force, self.g, self.h, self.parameters, self.form]
        text = "\n".join([__version__, _generate.VERSION, *map(sympy.srepr, parts)])
        return hashlib.sha256(text.encode()).hexdigest()

    def rate(self, rows: sympy.Matrix) -> sympy.Matrix:
        """d/dt of rows, v' left out."""
        if not rows.rows:
            return rows
        return rows.jacobian(self.p) * self.kin + rows.diff(self.t)


class SymbolicModel(Model):
    """A model whose functions were generated; ``parameters`` are the values of its symbols, ``source`` is the code."""

    parameters: dict[str, float]
    source: str
    _built: _build.Built
    _equations: Equations

    def with_parameters(self, values: Mapping[Any, float] | None = None, **more: float) -> SymbolicModel:
        """The same with other values of some parameters; nothing is generated anew."""
        changed = dict(self.parameters)
        for name, value in {**{str(k): v for k, v in (values or {}).items()}, **more}.items():
            if name not in changed:
                raise ValueError(f"there is no parameter {name!r}; parameters: {', '.join(changed) or 'none'}")
            changed[name] = number(name, value)
        other = self.with_user(list(changed.values()) or None)
        other.parameters = changed
        _looks(other, self._equations)
        return other


def from_sympy(
    T: Any,
    V: Any = 0,
    q: Iterable[Any] = (),
    *,
    constraints: Iterable[Any] = (),
    nonholonomic: Iterable[Any] = (),
    forces: Any = None,
    parameters: Mapping[Any, float] | None = None,
    points: Iterable[Any] | None = None,
    form: int = 0,
    backend: str | None = None,
) -> SymbolicModel:
    """A model from the kinetic energy ``T`` and the potential ``V`` in the coordinates ``q``, which are dynamicsymbols.

    ``constraints``: expressions g(q, t) that vanish; ``nonholonomic``: expressions in q, q' and t, linear in q', that vanish; ``forces``:
    generalised forces, a list in the order of q or a dict. ``parameters``: values of all other symbols; they can be changed
    later without generating anew. ``points``: pairs (x, y) for animations. ``form=1`` leaves out gII, for singular mass
    matrices. T may also be a KanesMethod or LagrangesMethod, which brings its own q, forces and constraints.

    The functions, the Jacobian among them, are generated as C with common subexpressions and compiled by ``$CC`` or ``cc``,
    or by numba if there is no compiler (``backend``: "c" or "numba"), and kept in ``$GEOMS_CACHE`` or ``~/.cache/geoms``.
    """
    if isinstance(T, KanesMethod):
        return from_kane(T, parameters=parameters, points=points, form=form, backend=backend)
    if isinstance(T, LagrangesMethod):
        return from_lagrange(T, parameters=parameters, points=points, form=form, backend=backend)
    t = dynamicsymbols._t
    q = _coordinates(q, t)
    qd = [c.diff(t) for c in q]
    plain = _Plain(q, qd, t)
    # In plain symbols derivatives are partial ones, and quick.
    T, V = plain(sympy.sympify(T)), plain(sympy.sympify(V))
    p, v = plain.p, sympy.Matrix(plain.v)
    momenta = sympy.Matrix([T - V]).jacobian(v).T
    rate = momenta.jacobian(p) * v + momenta.diff(plain.t)
    force = sympy.Matrix([T - V]).jacobian(p).T - rate + plain(_forces(forces, q))
    return _model(plain, v, momenta.jacobian(v), force, _column(constraints, "constraints"),
                  _column(nonholonomic, "nonholonomic"), T + V, parameters, points, form, backend)  # fmt: skip


def from_lagrange(
    method: LagrangesMethod,
    *,
    parameters: Mapping[Any, float] | None = None,
    points: Iterable[Any] | None = None,
    form: int = 0,
    backend: str | None = None,
) -> SymbolicModel:
    """A model from a LagrangesMethod with its constraints and forces; arguments as for :func:`from_sympy`."""
    if method.eom is None:
        method.form_lagranges_equations()
    t = dynamicsymbols._t
    q, qd = list(method.q), list(method._qdots)
    holonomic = method._hol_coneqs if method._hol_coneqs else sympy.Matrix()
    nonholonomic = sympy.Matrix(list(method.coneqs)[len(holonomic) :])
    return _model(_Plain(q, qd, t), method._qdots, method._m_d, method._f_d, holonomic, nonholonomic, None, parameters, points,
                  form, backend)  # fmt: skip


def from_kane(
    method: KanesMethod,
    *,
    parameters: Mapping[Any, float] | None = None,
    points: Iterable[Any] | None = None,
    form: int = 0,
    backend: str | None = None,
) -> SymbolicModel:
    """A model from a KanesMethod whose ``kanes_equations`` have been formed; arguments as for :func:`from_sympy`.

    Dependent coordinates and speeds are kept, and the constraints are imposed with multipliers: configuration constraints are g, and
    those velocity constraints that are not their derivatives are h.
    """
    if not method.bodies:
        raise ValueError("the KanesMethod has no equations yet: call kanes_equations(bodies, loads) first")
    t = dynamicsymbols._t
    q, u = list(method.q), list(method.u)
    kinematics = method.kindiffdict()
    free = KanesMethod(method._inertial, q, u, [qd - value for qd, value in kinematics.items()])
    free.kanes_equations(method.bodies, method.loads or [])
    kin = sympy.Matrix([kinematics[c.diff(t)] for c in q])
    holonomic = method._f_h if method._f_h else sympy.Matrix()
    rows = method._f_nh + method._k_nh * sympy.Matrix(u) if method._k_nh else sympy.Matrix()
    plain = _Plain(q, u, t, kinematics)
    nonholonomic = _independent(plain, kin, holonomic, rows)
    return _model(plain, kin, free.mass_matrix, free.forcing, holonomic, nonholonomic, None, parameters, points, form, backend)


class _Plain:
    """Replaces coordinates, velocities and time by plain symbols."""

    def __init__(self, q: list, u: list, t: sympy.Symbol, rates: Mapping | None = None) -> None:
        self.t = sympy.Symbol("t_", real=True)
        self.p = [sympy.Symbol(f"p_{i}", real=True) for i in range(len(q))]
        self.v = [sympy.Symbol(f"v_{i}", real=True) for i in range(len(u))]
        self.names = {"p": [_short(c) for c in q], "v": [_short(c) for c in u]}
        self._rates = dict(rates or {})
        self._first = dict(zip(u, self.v))
        self._second = dict(zip(q, self.p))
        self._time = {t: self.t}

    def __call__(self, expression: Any) -> Any:
        expression = sympy.Matrix(expression) if isinstance(expression, (list, tuple)) else expression
        # Derivatives first: they contain the coordinates.
        for replacement in (self._rates, self._first, self._second, self._time):
            expression = expression.xreplace(replacement) if replacement else expression
        return expression


def _short(symbol: Any) -> str:
    if isinstance(symbol, sympy.Derivative):
        return f"{symbol.expr.func.__name__}'"
    return getattr(symbol.func, "__name__", str(symbol)) if symbol.args else str(symbol)


def _coordinates(q: Any, t: sympy.Symbol) -> list:
    found = [q] if isinstance(q, sympy.Basic) and not isinstance(q, sympy.Tuple) else list(q)
    if not found:
        raise ValueError("q is empty; allowed: the coordinates, dynamicsymbols")
    for c in found:
        if not (isinstance(c, sympy.Expr) and c.is_Function and c.args == (t,)):
            raise TypeError(f"q: {c!r} is no coordinate; allowed: dynamicsymbols, functions of {t}")
    if len(set(found)) != len(found):
        raise ValueError("q has a coordinate twice")
    return found


def _column(rows: Any, name: str) -> sympy.Matrix:
    rows = [rows] if isinstance(rows, sympy.Expr) else list(rows)
    for row in rows:
        if not isinstance(row, (sympy.Expr, int, float)):
            raise TypeError(f"{name}: {row!r} is no expression; allowed: expressions that vanish")
    return sympy.Matrix(rows)


def _forces(forces: Any, q: list) -> sympy.Matrix:
    if forces is None:
        return sympy.zeros(len(q), 1)
    if isinstance(forces, Mapping):
        unknown = [c for c in forces if c not in q]
        if unknown:
            raise ValueError(f"forces: {unknown[0]} is none of the coordinates")
        return sympy.Matrix([forces.get(c, 0) for c in q])
    listed = sympy.Matrix(list(forces))
    if len(listed) != len(q):
        raise ValueError(f"forces has {len(listed)} entries; allowed: {len(q)}, one for each coordinate, or a dict")
    return listed


def _independent(plain: _Plain, kin: sympy.Matrix, holonomic: sympy.Matrix, rows: sympy.Matrix) -> sympy.Matrix:
    """The velocity constraints that are not consequences of the derivatives of the holonomic ones, found at a random point."""
    if not rows.rows:
        return sympy.Matrix()
    stack = sympy.Matrix()
    if holonomic.rows:
        stack = (plain(holonomic).jacobian(plain.p) * plain(kin)).jacobian(plain.v)
    rows_plain = plain(rows)
    every = sympy.Matrix.vstack(stack, rows_plain.jacobian(plain.v)) if stack.rows else rows_plain.jacobian(plain.v)
    random = numpy.random.default_rng(1)
    values = {s: sympy.Float(random.uniform(0.5, 1.5)) for s in sorted(every.free_symbols, key=str)}
    numbers = numpy.array(every.xreplace(values).evalf().tolist(), dtype=float)
    kept, chosen = list(range(stack.rows)), []
    for k in range(rows.rows):
        tried = [*kept, stack.rows + k]
        if numpy.linalg.matrix_rank(numbers[tried], tol=1e-9) == len(tried):
            kept = tried
            chosen.append(k)
    return sympy.Matrix([rows[k] for k in chosen])


def _model(
    plain: _Plain,
    kin: Any,
    mass: Any,
    force: Any,
    g: Any,
    h: Any,
    energy: Any,
    parameters: Mapping[Any, float] | None,
    points: Any,
    form: int,
    backend: str | None,
) -> SymbolicModel:
    if form not in (0, 1):
        raise ValueError(f"form = {form} is not allowed; allowed: 0 (with gII and hI), 1 (without)")
    values = {str(name): number(str(name), value) for name, value in (parameters or {}).items()}
    pairs = None if points is None else plain(sympy.Matrix([list(pair) for pair in points]))
    rows = {"kin": kin, "mass": mass, "force": force, "g": g, "h": h}
    made = {name: plain(sympy.Matrix(part)) for name, part in rows.items()}
    known = {plain.t, *plain.p, *plain.v}
    found = set().union(*(part.free_symbols for part in made.values())) - known
    for name, part in made.items():
        left = part.atoms(sympy.Derivative) | {f for f in part.atoms(sympy.Function) if f.is_Function and _applied(f)}
        if left:
            raise ValueError(f"{name} contains {sorted(map(str, left))[0]}, which is no coordinate or velocity")
    missing = sorted(str(s) for s in found if str(s) not in values)
    if missing:
        raise ValueError(f"no value for {', '.join(missing)}; allowed: parameters={{symbol: value}} for all symbols but the coordinates")
    energy = None if energy is None else plain(energy)
    extra = (energy.free_symbols if energy is not None else set()) | (pairs.free_symbols if pairs is not None else set())
    symbols = sorted((s for s in (found | (extra - known)) if str(s) in values), key=str)
    equations = Equations(
        plain.t, plain.p, plain.v, parameters=symbols, form=form, energy=energy, points=pairs, names=plain.names, **made
    )
    if equations.h.rows:
        by_v = equations.h.jacobian(equations.v)
        if any(sympy.simplify(entry) != 0 for v in equations.v for entry in by_v.diff(v)):
            raise ValueError("nonholonomic constraints are not linear in the velocities")
    built = _build.build(equations, backend)
    model = SymbolicModel(
        len(equations.p),
        len(equations.v),
        nl=equations.g.rows,
        nm=equations.h.rows,
        form=form,
        masstrct=_structure(equations),
        user=[values[str(s)] for s in symbols] or None,
        names=plain.names,
        **built.functions,
    )
    model.parameters = {str(s): values[str(s)] for s in symbols}
    model.source = built.source
    model._built = built
    model._equations = equations
    _looks(model, equations)
    return model


def _applied(f: Any) -> bool:
    return isinstance(f, sympy.core.function.AppliedUndef)


def _structure(e: Equations) -> int:
    constant = not (e.mass.free_symbols & {e.t, *e.p, *e.v})
    return (4 if constant else 2) if e.mass.is_diagonal() else (3 if constant else 1)


def _looks(model: SymbolicModel, e: Equations) -> None:
    """Energy and points, for plots."""
    values = model.parameters
    fill = {s: values[str(s)] for s in e.parameters}
    nv = len(e.v)
    if e.energy is not None:
        energy = sympy.lambdify([e.t, e.v, e.p], e.energy.xreplace(fill), "numpy", cse=True)
        model.energy = lambda t, x: energy(t, x[-nv - len(e.p) : -len(e.p)], x[-len(e.p) :])
    if e.points is not None:
        points = sympy.lambdify([e.t, e.p], e.points.xreplace(fill), "numpy", cse=True)
        model.points = lambda t, p: numpy.asarray(points(t, p), dtype=float)
