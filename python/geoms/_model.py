"""Models: numbers of variables, and functions of Python or compiled ones."""

from __future__ import annotations

import ctypes
import inspect
from typing import TYPE_CHECKING, Any, Callable

import numpy

from . import _core
from ._convert import _doubles, vector

if TYPE_CHECKING:
    from typing_extensions import Self

#: What functions of ctypes are.
_FUNCTION_POINTER = ctypes.CFUNCTYPE(None).__mro__[1]
#: Numbers of variables in the order of the library.
DIMENSIONS = ("np", "nv", "nr", "nw", "ns", "nl", "nm", "ni")
_FUNCTIONS = ("eom", "mass", "jac", "ivcond", "parts")
_OTHERS = ("n_ivcond", "user", "masstrct", "form", "energy", "points", "names")


def address(function: Any) -> int | None:
    """The address of a compiled function: a number, a ctypes function or pointer, a numba cfunc; None for anything else."""
    if isinstance(function, bool):
        return None
    if isinstance(function, (int, numpy.integer)):
        return int(function)
    if isinstance(function, _FUNCTION_POINTER):
        return ctypes.cast(function, ctypes.c_void_p).value or 0  # type: ignore[arg-type]
    if isinstance(function, ctypes.c_void_p):
        return function.value or 0
    found = getattr(function, "address", None)
    return int(found) if isinstance(found, int) and not isinstance(found, bool) else None


def _required(function: Callable) -> int:
    """How many arguments a function must be given; 2 if that cannot be found out."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return 2
    plain = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return sum(1 for p in parameters if p.kind in plain and p.default is inspect.Parameter.empty)


def _given(name: str, function: Any) -> tuple[str, Any, bool]:
    at = address(function)
    if at is not None:
        if at <= 0:
            raise ValueError(f"{name}: the address {at} is not allowed; allowed: that of a function")
        return ("compiled", at, True)
    if not callable(function):
        raise TypeError(
            f"{name} is a {type(function).__name__}; allowed: a function, or the address of a compiled one "
            "(an integer, ctypes, a numba cfunc)"
        )
    count = _required(function)
    if count not in (2, 3):
        raise TypeError(f"{name} takes {count} arguments; allowed: (t, x), returning the result, or (t, x, result)")
    return ("python", function, count == 3)


class Model:
    """The equations of motion of a constrained mechanical system.

    Numbers of variables: ``np`` positions p, ``nv`` velocities v (as many if not given), ``nl`` holonomic constraints with
    multipliers λ, ``nm`` nonholonomic ones with μ, ``nr`` force elements r, ``nw`` auxiliary variables w, ``ns`` contact points s,
    ``ni`` invariants. The state is ``x = [w λ μ | r | v | s p]``.

    Functions, each ``f(t, x, result)``, which writes to its last argument, or ``f(t, x)``, which returns it:

    - ``eom``: the right-hand sides ``[d gII hI | gI h e | c g | b | f_dyn | f_kin]``;
    - ``mass``: the mass matrix, nv by nv; or an array, if it is constant;
    - ``jac``: ``jac(t, x)`` returns the derivatives of the right-hand sides by x, M by N; ``jac(t, x, fx)`` fills the six blocks of
      the reference, which hold the NEGATIVE derivatives;
    - ``ivcond``: ``n_ivcond`` conditions on the initial values, zero where they hold;
    - ``parts``: compiled only, the parts that the half-explicit method asks for.

    A compiled function is given by its address (an integer, ctypes, a numba cfunc) and has the signature of ``geoms.h``; ``user``, an
    array or an address, is its last argument. The interpreter is not held while only compiled functions are called.

    ``form`` is 1 if ``eom`` leaves out gII and hI. ``masstrct`` says what is known of the mass matrix (1 full, 2 diagonal, 3 full and
    constant, 4 diagonal and constant). ``energy(t, x)`` and ``points(t, p)`` are for plots and animations.
    """

    def __init__(
        self,
        np: int,
        nv: int | None = None,
        *,
        eom: Any,
        mass: Any = None,
        jac: Any = None,
        ivcond: Any = None,
        n_ivcond: int = 0,
        parts: Any = None,
        user: Any = None,
        nr: int = 0,
        nw: int = 0,
        ns: int = 0,
        nl: int = 0,
        nm: int = 0,
        ni: int = 0,
        form: int = 0,
        masstrct: int | None = None,
        energy: Callable | None = None,
        points: Callable | None = None,
        names: dict[str, list[str]] | None = None,
    ) -> None:
        nv = np if nv is None else nv
        sizes = dict(zip(DIMENSIONS, (np, nv, nr, nw, ns, nl, nm, ni)))
        self.dimensions = {name: _size(name, value) for name, value in sizes.items()}
        if sum(value for name, value in self.dimensions.items() if name != "ni") == 0:
            raise ValueError("np+nv+nr+nw+ns+nl+nm = 0 is not allowed; allowed: > 0")
        if form not in (0, 1):
            raise ValueError(f"form = {form} is not allowed; allowed: 0 (with gII and hI), 1 (without)")
        if eom is None:
            raise TypeError("eom is missing: the equations of motion")
        if mass is None and self.dimensions["nv"] > 0:
            raise TypeError("mass is missing: the mass matrix, a function or an array")
        self.form = int(form)
        self.masstrct = masstrct
        self.energy = energy
        self.points = points
        self.names = names or {}
        self.user = user
        self._given = dict(eom=eom, mass=mass, jac=jac, ivcond=ivcond, n_ivcond=n_ivcond, parts=parts)
        self._core = self._make(user)

    def _make(self, user: Any) -> _core.CoreModel:
        """The functions with this last argument of compiled ones."""
        given = self._given
        mass = given["mass"]
        if mass is not None:
            mass = self._mass(mass)
        jac = None if given["jac"] is None else _given("jac", given["jac"])
        conditions = None
        count = _size("n_ivcond", given["n_ivcond"])
        if given["ivcond"] is not None:
            if count == 0:
                raise ValueError("n_ivcond = 0 is not allowed with ivcond; allowed: the number of conditions")
            conditions = (count, _given("ivcond", given["ivcond"]))
        elif count:
            raise TypeError(f"ivcond is missing, n_ivcond = {count}")
        parts = 0
        if given["parts"] is not None:
            parts = address(given["parts"]) or 0
            if parts <= 0:
                raise TypeError("parts is no compiled function; allowed: an address, ctypes, a numba cfunc")
        self._user, at = _user(user)
        dims = [self.dimensions[name] for name in DIMENSIONS]
        return _core.CoreModel(dims, self.form, _given("eom", given["eom"]), mass, jac, parts, conditions, at)

    def _mass(self, mass: Any) -> tuple[str, Any, bool]:
        nv = self.dimensions["nv"]
        if callable(mass) or address(mass) is not None:
            return _given("mass", mass)
        array = _doubles("mass", mass)
        if array.ndim == 1:
            array = numpy.diag(array)
        if array.shape != (nv, nv):
            raise ValueError(f"mass has shape {numpy.shape(mass)}; allowed: ({nv}, {nv}), or ({nv},) for a diagonal")
        if not numpy.isfinite(array).all():
            raise ValueError("mass has entries that are not finite")
        if self.masstrct is None:
            diagonal = numpy.count_nonzero(array - numpy.diag(numpy.diagonal(array))) == 0
            self.masstrct = 4 if diagonal else 3
        return ("constant", numpy.array(array), False)

    @classmethod
    def of(cls, model: Any) -> Model:
        """The model that an object describes: its attributes are the arguments of Model, its methods the functions."""
        if isinstance(model, Model):
            return model
        made = getattr(model, "model", None)
        if isinstance(made, Model):
            return made
        if callable(made) and not isinstance(model, type) and not hasattr(model, "eom"):
            return cls.of(made())
        if isinstance(model, type):
            raise TypeError(f"model is the class {model.__name__}; allowed: an object of it")
        if not hasattr(model, "eom"):
            raise TypeError(f"model is a {type(model).__name__} without eom; allowed: a geoms.Model or an object with eom, mass, np, ...")
        if not hasattr(model, "np"):
            raise TypeError(f"model ({type(model).__name__}) has no np: the number of positions")
        names = DIMENSIONS + _FUNCTIONS + _OTHERS
        given = {name: getattr(model, name) for name in names if getattr(model, name, None) is not None}
        return cls(**given)

    def with_user(self, user: Any) -> Self:
        """The same with another last argument of compiled functions: other parameters."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other.user = user
        other._core = other._make(user)
        return other

    # What is known of x and RDA.

    @property
    def n(self) -> int:
        """Length of x."""
        return self._core.n

    @property
    def m(self) -> int:
        """Number of equations."""
        return self._core.m

    @property
    def blocks(self) -> dict[str, slice]:
        """Where w, lambda, mu, r, v, s, p are in x."""
        return {name: slice(a, b) for name, (a, b) in self._core.state_blocks.items()}

    @property
    def rows(self) -> dict[str, slice]:
        """Where d, gII, hI, gI, h, e, c, g, b, f_dyn, f_kin are in RDA."""
        return {name: slice(a, b) for name, (a, b) in self._core.residual_blocks.items()}

    def state(self, **parts: Any) -> numpy.ndarray:
        """x from its blocks, zero where none is given: ``model.state(p=[1, 0], v=[0, 1])``. ``lam`` is lambda."""
        x = numpy.zeros(self.n)
        blocks = self.blocks
        for name, value in parts.items():
            block = blocks.get("lambda" if name in ("lam", "lambda_") else name)
            if block is None:
                raise TypeError(f"there is no block {name!r} in x; allowed: w, lam, mu, r, v, s, p")
            x[block] = vector(name, value, block.stop - block.start)
        return x

    # The functions, to look at them.

    def rda(self, t: Any, x: Any) -> numpy.ndarray:
        """The right-hand sides at (t, x), or at many: K times and K rows of x give K rows."""
        single = numpy.ndim(x) == 1
        points = numpy.atleast_2d(_doubles("x", x))
        times = numpy.broadcast_to(_doubles("t", t), points.shape[:1])
        rows = self._core.rda(numpy.array(times), numpy.ascontiguousarray(points))
        return rows[0] if single else rows

    def mass_matrix(self, t: float, x: Any) -> numpy.ndarray:
        """The mass matrix at (t, x)."""
        return self._core.mass(float(t), vector("x", x, self.n))

    def jacobian(self, t: float, x: Any) -> list[numpy.ndarray] | None:
        """The blocks FX1 to FX6 at (t, x), negative derivatives; None if there is no ``jac``."""
        return self._core.jacobian(float(t), vector("x", x, self.n))

    def check(self, t: float, x: Any) -> list[str]:
        """Compare the rows of the model with each other near (t, x); one sentence for every slip that is found."""
        return _core.check_model(self._core, self._known(), float(t), vector("x", x, self.n))

    def check_jacobian(self, t: float, x: Any) -> list[str]:
        """Compare ``jac`` and ``parts`` with differences at (t, x); one sentence for every wrong entry."""
        return _core.check_jacobian(self._core, float(t), vector("x", x, self.n))

    def ranks(self, t: float, x: Any) -> dict[str, Any]:
        """Rows and ranks of the constraints at (t, x), and which of them depend on each other."""
        return _core.rank_report(self._core, float(t), vector("x", x, self.n))

    def constraint_forces(self, t: float, x: Any) -> numpy.ndarray:
        """Zᵀ(Gᵀλ + Hᵀμ) at (t, x), which enter the dynamic equations with a minus sign."""
        return _core.constraint_forces(self._core, float(t), vector("x", x, self.n))

    def make_consistent(self, t: float, x: Any) -> numpy.ndarray:
        """A consistent point near x: positions, then velocities, then multipliers, each with the smallest change."""
        return _core.make_consistent(self._core, self._known(), float(t), vector("x", x, self.n))

    def _known(self) -> dict[str, int]:
        return {} if self.masstrct is None else {"masstrct": self.masstrct}

    # Pickling: functions of Python that can be pickled, no addresses.

    def __reduce__(self):
        for name in _FUNCTIONS:
            function = self._given[name]
            if function is not None and address(function) is not None:
                raise TypeError(f"a model with a compiled {name} cannot be pickled: an address has no meaning in another process")
        given = dict(self._given, user=self.user, form=self.form, masstrct=self.masstrct, **self.dimensions)
        given.update(energy=self.energy, points=self.points, names=self.names)
        return _model_again, (given,)

    def __repr__(self) -> str:
        sizes = ", ".join(f"{name}={value}" for name, value in self.dimensions.items() if value)
        return f"<geoms.Model {sizes}, form={self.form}>"


def _model_again(given: dict) -> Model:
    return Model(**given)


def _size(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, numpy.integer)):
        raise TypeError(f"{name} = {value!r} is not allowed; allowed: an integer >= 0")
    if not 0 <= value < 2**31:
        raise ValueError(f"{name} = {value} is not allowed; allowed: an integer >= 0")
    return int(value)


def _user(user: Any) -> tuple[Any, int]:
    """What has to be kept, and the address that compiled functions get."""
    if user is None:
        return None, 0
    if isinstance(user, (int, numpy.integer)) and not isinstance(user, bool):
        return None, int(user)
    if isinstance(user, ctypes.c_void_p):
        return user, user.value or 0
    if isinstance(user, (ctypes.Structure, ctypes.Array)):
        return user, ctypes.addressof(user)
    kept = numpy.array(_doubles("user", user), order="C")
    return kept, kept.ctypes.data
