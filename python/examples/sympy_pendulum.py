"""A pendulum in Cartesian coordinates: after one period it is back where it began."""

from math import cos, pi, sqrt

import sympy
from sympy.physics.mechanics import dynamicsymbols

import geoms

x, y = dynamicsymbols("x y")
m, g, length = sympy.symbols("m g length")
model = geoms.from_sympy(
    T=m * (x.diff() ** 2 + y.diff() ** 2) / 2,
    V=m * g * y,
    q=[x, y],
    constraints=[x**2 + y**2 - length**2],
    parameters={m: 1, g: 9.81, length: 1},
    points=[(0, 0), (x, y)],
)
# The complete elliptic integral by the arithmetic-geometric mean.
a, b = 1.0, cos(pi / 4)
for _ in range(6):
    a, b = (a + b) / 2, sqrt(a * b)
period = 2 * pi / sqrt(9.81) / a
result = geoms.solve(model, (0, period), {"p": [1, 0], "v": [0, 0]}, rtol=1e-11, atol=1e-11, dense_output=True)
error = max(abs(result.p[:, -1] - [1, 0]))
print(f"after one period of {period:.6f}: error {error:.1e}")
