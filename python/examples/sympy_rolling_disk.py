"""An upright disk that rolls without slipping: its centre goes around a circle."""

import numpy
import sympy
from sympy.physics.mechanics import dynamicsymbols

import geoms

x, y, roll, heading = dynamicsymbols("x y roll heading")
m, R = sympy.symbols("m R")
model = geoms.from_sympy(
    T=m * (x.diff() ** 2 + y.diff() ** 2) / 2 + m * R**2 * roll.diff() ** 2 / 4 + m * R**2 * heading.diff() ** 2 / 8,
    q=[x, y, roll, heading],
    nonholonomic=[
        x.diff() - R * sympy.cos(heading) * roll.diff(),
        y.diff() - R * sympy.sin(heading) * roll.diff(),
    ],
    parameters={m: 2, R: 0.5},
)
spin, turn, tend = 3.0, 2.0, 10.0
result = geoms.solve(model, (0, tend), {"v": [0.5 * spin, 0, spin, turn]}, rtol=1e-10, atol=1e-10)
radius = 0.5 * spin / turn
exact = [radius * numpy.sin(turn * tend), radius * (1 - numpy.cos(turn * tend)), spin * tend, turn * tend]
error = max(abs(result.p[:, -1] - exact))
print(f"after {turn * tend / 2 / numpy.pi:.2f} turns: error {error:.1e}")
