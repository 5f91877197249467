// Two pendulum rods glued in C++: equal to one model, and what a callback throws arrives at the call.

#include "geoms.hpp"

#include <cmath>
#include <cstdio>

namespace {

int failures = 0;

void check(const char *what, bool holds)
{
    std::printf("%-50s %s\n", what, holds ? "OK" : "FAIL");
    failures += !holds;
}

using in = geoms::view<const double>;
using out = geoms::view<double>;

const double length = 1.0, mass = 2.0, gravity = 9.81;

// A rod, x = [ lambda | v | p ], pinned to the origin or free. A free one throws behind a time.
geoms::solver rod(bool pinned, double throws = 1e9)
{
    geoms_dimensions dims{};
    dims.np = dims.nv = 3;
    dims.nl = pinned ? 2 : 0;
    geoms::solver solver(dims, geoms::form::index1);
    solver.set_eom([pinned, throws](double t, in x, out rda) {
        if (t > throws) {
            throw std::runtime_error("too late");
        }
        const std::size_t m = pinned ? 2 : 0;
        const double *v = x.data() + m, *p = v + 3;
        double *f = rda.data() + 2 * m;
        f[0] = f[2] = 0;
        f[1] = -mass * gravity;
        if (pinned) {
            const double a = -0.5 * length * std::cos(p[2]), b = -0.5 * length * std::sin(p[2]);
            rda[0] = v[0] - b * v[2];
            rda[1] = v[1] + a * v[2];
            rda[2] = p[0] + a;
            rda[3] = p[1] + b;
            f[0] -= x[0];
            f[1] -= x[1];
            f[2] -= a * x[1] - b * x[0];
        }
        for (int i = 0; i < 3; ++i) {
            f[3 + i] = v[i];
        }
    });
    solver.set_mass([](double, in, geoms::matrix m) {
        m(0, 0) = m(1, 1) = mass;
        m(2, 2) = mass * length * length / 12;
    });
    solver.set("masstrct", 4);
    return solver;
}

} // namespace

int main()
{
    const std::vector<double> first{0, 0, 0, 0, 0, 0.5 * length, 0, 0}, second{0, 0, 0, 1.5 * length, 0, 0};
    double reference[2] = {0, 0};
    for (const bool functions : {false, true}) {
        geoms::solver a = rod(true), b = rod(false);
        geoms::glue glue;
        glue.add(0, a, first);
        glue.add(0, b, second);
        const auto port = [&](int subdomain, double at) {
            if (!functions) {
                return glue.port_frame(subdomain, {0, 1, 2}, {at, 0.0});
            }
            return glue.port(subdomain, 2, [at](double, in p, out y, geoms::matrix jacobian) {
                y[0] = p[0] + at * std::cos(p[2]);
                y[1] = p[1] + at * std::sin(p[2]);
                jacobian(0, 0) = jacobian(1, 1) = 1;
                jacobian(0, 2) = -at * std::sin(p[2]);
                jacobian(1, 2) = at * std::cos(p[2]);
            });
        };
        const int joint = glue.coincide({1, port(1, -0.5 * length)}, {0, port(0, 0.5 * length)}, 2);
        glue.set("rtol", 1e-8).set("atol", 1e-8);
        glue.set_events(1, 1, [](double, in x, out value) { value[0] = x[3 + 1] + 1.0; });
        glue.start(0.0, 1e-3);
        check("event", glue.integrate(5.0) == geoms::status::event && glue.last_event() == std::make_pair(1, 0));
        check("events", glue.events() == std::vector<std::pair<int, int>>{{1, 0}});
        const double found[2] = {glue.time(), glue.state(1)[3]};
        std::printf("y of the second rod is -1 at t = %.9f, x = %.9f; joint force %.6f\n", found[0], found[1], glue.force(joint)[1]);
        if (functions) {
            check("the same by functions", std::fabs(found[0] - reference[0]) + std::fabs(found[1] - reference[1]) < 1e-6);
        }
        reference[0] = found[0];
        reference[1] = found[1];
        check("steps", glue.statistics().steps > 10);
        // Back with the velocities reversed: at rest where it began.
        for (int k = 0; k < 2; ++k) {
            std::vector<double> x = glue.state(k);
            for (std::size_t i = x.size() - 6; i < x.size() - 3; ++i) {
                x[i] = -x[i];
            }
            glue.set_state(k, x);
        }
        glue.restart();
        // The point is just behind the event, which is over: it is not met again on the way back.
        check("back", glue.integrate(2.0 * found[0]) == geoms::status::reached);
        check("where it began", std::fabs(glue.state(1)[3] - second[3]) + std::fabs(glue.state(1)[4]) < 1e-4);
    }
    geoms::solver a = rod(true), b = rod(false, 0.1);
    geoms::glue glue;
    glue.add(0, a, first);
    glue.add(0, b, second);
    glue.coincide({1, glue.port_frame(1, {0, 1, 2}, {-0.5 * length, 0.0})}, {0, glue.port_frame(0, {0, 1, 2}, {0.5 * length, 0.0})}, 2);
    glue.start(0.0, 1e-3);
    try {
        glue.integrate(1.0);
        check("thrown", false);
    } catch (const std::runtime_error &e) {
        check("what a model throws arrives", std::string(e.what()) == "too late");
    }
    try {
        glue.set("radius", 2.0);
        check("refused", false);
    } catch (const geoms::error &e) {
        check("what is refused", e.code() == GEOMS_IDID_BAD_ARGUMENT);
    }
    return failures != 0;
}
