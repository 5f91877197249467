"""A closed chain of five rods under gravity, in the angles of the rods and in Cartesian coordinates: both agree."""

import numpy
from sympy import cos, sin
from sympy.physics.mechanics import dynamicsymbols

import geoms

L, g, t = [1.0, 0.8, 1.2, 0.9, 1.1], 9.81, dynamicsymbols._t
q, x, y = (dynamicsymbols(f"{name}1:6") for name in "qxy")
ends = [sum(numpy.array([L[j] * cos(q[j]), L[j] * sin(q[j])], dtype=object) for j in range(i + 1)) for i in range(5)]
centres = [end - numpy.array([L[i] * cos(q[i]), L[i] * sin(q[i])]) / 2 for i, end in enumerate(ends)]
T = sum(L[i] * (c[0].diff(t) ** 2 + c[1].diff(t) ** 2) / 2 + L[i] ** 3 * q[i].diff(t) ** 2 / 24 for i, c in enumerate(centres))
closure = [ends[4][0] - 1.5, ends[4][1]]
angles = geoms.from_sympy(T, sum(L[i] * g * c[1] for i, c in enumerate(centres)), q, constraints=closure)
start = angles.make_consistent(0, angles.state(p=[2.2, 0.9, 0.1, -1.2, -2.0]))
one = geoms.solve(angles, (0, 1), start, "half_explicit", rtol=1e-11, atol=1e-11)

T = sum(L[i] * (x[i].diff(t) ** 2 + y[i].diff(t) ** 2) / 2 + L[i] ** 3 * q[i].diff(t) ** 2 / 24 for i in range(5))
half = [numpy.array([L[i] * cos(q[i]), L[i] * sin(q[i])]) / 2 for i in range(5)]
tips = [numpy.zeros(2), *(numpy.array([x[i], y[i]]) + half[i] for i in range(5))]
joints = [row for i in range(5) for row in numpy.array([x[i], y[i]]) - half[i] - tips[i]] + [tips[5][0] - 1.5, tips[5][1]]
bodies = geoms.from_sympy(T, sum(L[i] * g * y[i] for i in range(5)), [*x, *y, *q], constraints=joints)
place = numpy.cumsum([[L[i] * numpy.cos(a), L[i] * numpy.sin(a)] for i, a in enumerate(start[-5:])], axis=0)
middle = place - [[L[i] * numpy.cos(a) / 2, L[i] * numpy.sin(a) / 2] for i, a in enumerate(start[-5:])]
two = geoms.solve(bodies, (0, 1), {"p": [*middle[:, 0], *middle[:, 1], *start[-5:]]}, "radau", rtol=1e-11, atol=1e-11)
error = max(abs(one.p[:, -1] - two.p[10:, -1]))
print(f"angles and bodies: difference {error:.1e}")
