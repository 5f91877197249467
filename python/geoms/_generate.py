"""Code of a model from its equations: the expressions by SymPy with common subexpressions, the linear algebra around them by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sympy
from sympy.printing.c import C99CodePrinter
from sympy.printing.pycode import PythonCodePrinter

if TYPE_CHECKING:
    from .symbolic import Equations

#: Changed with the code that is generated, so that what is cached of another version is not taken.
VERSION = "1"


def _product(printer: Any, base: Any, exponent: Any) -> str | None:
    """Small integer powers as products."""
    if exponent.is_Integer and 2 <= abs(int(exponent)) <= 8 and base.is_Symbol:
        product = "*".join([printer._print(base)] * abs(int(exponent)))
        return f"({product})" if exponent > 0 else f"(1.0/({product}))"
    return None


class CPrinter(C99CodePrinter):
    def _print_Pow(self, expr: Any) -> str:
        return _product(self, expr.base, expr.exp) or super()._print_Pow(expr)


class PyPrinter(PythonCodePrinter):
    def _print_Pow(self, expr: Any, rational: bool = False, sqrt: str = "math.sqrt") -> str:
        return _product(self, expr.base, expr.exp) or super()._print_Pow(expr, rational=rational, sqrt=sqrt)


class Derived:
    """What the functions are put together from. Matrices are by rows; names are those in the code."""

    def __init__(self, e: Equations) -> None:
        self.e = e
        self.np, self.nv, self.nl, self.nm = len(e.p), len(e.v), e.g.rows, e.h.rows
        self.nc = self.nl + self.nm
        velocity = sympy.Matrix([*e.rate(e.g), *e.h])
        self.velocity = velocity
        self.c = velocity.jacobian(e.v) if self.nc else sympy.zeros(0, self.nv)
        self.gamma = e.rate(velocity) if self.nc else sympy.Matrix()
        self.a = [sympy.Symbol(f"a_{i}") for i in range(self.nv)]
        self.l = [sympy.Symbol(f"l_{i}") for i in range(self.nc)]

    def evaluation(self) -> dict[str, Any]:
        """All that EOM needs."""
        e = self.e
        parts = {"force": e.force, "kin": e.kin, "g": e.g, "vel": self.velocity, "C": self.c}
        if e.form == 0 and self.nc:
            parts.update(gamma=self.gamma, M=e.mass)
        return parts

    def derivatives(self) -> dict[str, Any]:
        """All that JAC needs, at given a and multipliers."""
        e = self.e
        pull = self.c.T * sympy.Matrix(self.l) if self.nc else sympy.zeros(self.nv, 1)
        dynamic = e.force - pull
        parts = {
            "Dv": dynamic.jacobian(e.v),
            "Dp": dynamic.jacobian(e.p),
            "Kv": e.kin.jacobian(e.v),
            "Kp": e.kin.jacobian(e.p),
        }
        if self.nc:
            parts.update(C=self.c, Vp=self.velocity.jacobian(e.p))
        if self.nl:
            parts["Gp"] = e.g.jacobian(e.p)
        if self.nc and e.form == 0:
            a = sympy.Matrix(self.a)
            acceleration = self.c * a + self.gamma
            parts.update(
                M=e.mass, Mp=(e.mass * a).jacobian(e.p), Av=acceleration.jacobian(e.v), Ap=acceleration.jacobian(e.p)
            )
        return parts

    def diagonal(self) -> bool:
        return bool(self.e.mass.is_diagonal())


def kernel(printer: Any, parts: dict[str, Any], names: dict[Any, str], end: str, declare: str) -> list[str]:
    """Assignments of all nonzero entries of the parts, with common subexpressions."""
    places, expressions = [], []
    for name, matrix in parts.items():
        for i in range(matrix.rows):
            for j in range(matrix.cols):
                if matrix[i, j] != 0:
                    places.append(f"{name}[{i * matrix.cols + j}]")
                    expressions.append(matrix[i, j])
    # Renamed first: no symbol of the user is left that could be taken for a common subexpression.
    rename = {symbol: sympy.Symbol(text, real=True) for symbol, text in names.items()}
    expressions = [expression.xreplace(rename) for expression in expressions]
    common, reduced = sympy.cse(expressions, symbols=sympy.numbered_symbols("s_"), order="none")
    lines = [f"{declare}{symbol} = {printer.doprint(value)}{end}" for symbol, value in common]
    lines += [f"{place} = {printer.doprint(value)}{end}" for place, value in zip(places, reduced)]
    return lines


def names(d: Derived) -> dict[Any, str]:
    """Where the symbols are in the arguments: x = [λ μ | v | p], parameters in the last one."""
    e, at = d.e, {}
    at.update({s: f"x[{d.nc + i}]" for i, s in enumerate(e.v)})
    at.update({s: f"x[{d.nc + d.nv + i}]" for i, s in enumerate(e.p)})
    at.update({s: f"x[{i}]" for i, s in enumerate(d.l)})
    at.update({s: f"a[{i}]" for i, s in enumerate(d.a)})
    at.update({s: f"c_[{i}]" for i, s in enumerate(e.parameters)})
    at[e.t] = "t"
    return at


def zeros(parts: dict[str, Any]) -> dict[str, bool]:
    """True for the parts that have zeros, which have to be written."""
    return {name: any(entry == 0 for entry in matrix) for name, matrix in parts.items()}
