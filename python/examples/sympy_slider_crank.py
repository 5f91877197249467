"""A slider-crank without forces: its energy is constant, and the time for an angle of the crank is an integral."""

import numpy
import sympy
from sympy.physics.mechanics import dynamicsymbols

import geoms

crank, rod, slide = dynamicsymbols("crank rod slide")
r, length, J1, J2, m = 0.3, 0.5, 0.2, 0.05, 1.5
model = geoms.from_sympy(
    T=(J1 * crank.diff() ** 2 + J2 * rod.diff() ** 2 + m * slide.diff() ** 2) / 2,
    q=[crank, rod, slide],
    constraints=[r * sympy.sin(crank) + length * sympy.sin(rod), r * sympy.cos(crank) + length * sympy.cos(rod) - slide],
)
omega, tend = 4.0, 1.5 * numpy.pi
start = {"p": [0, 0, r + length], "v": [omega, -r * omega / length, 0]}
result = geoms.solve(model, (0, tend), start, rtol=1e-11, atol=1e-11)
# Kinetic energy is effective(angle) rate²/2; Simpson's rule for the time.
angle = numpy.linspace(0, result.p[0, -1], 20001)
s2 = -r / length * numpy.sin(angle)
rod_rate = -r * numpy.cos(angle) / (length * numpy.sqrt(1 - s2**2))
effective = J1 + J2 * rod_rate**2 + m * (-r * numpy.sin(angle) - length * s2 * rod_rate) ** 2
slowness = numpy.sqrt(effective / effective[0]) / omega
time = (slowness[0] + slowness[-1] + 4 * slowness[1::2].sum() + 2 * slowness[2:-1:2].sum()) * angle[1] / 3
error = abs(time - tend)
print(f"crank at {result.p[0, -1]:.10f} after {tend:.6f}: error {error:.1e}")
