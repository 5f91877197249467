// An exception thrown by any callback arrives where the library was called, and the solver can be used again.

#include "geoms.hpp"

#include <cmath>
#include <cstdio>

namespace {

// Not derived from anything, and with something to leak.
struct thrown {
    std::string where;
    std::vector<double> payload = std::vector<double>(1000);
};

int failures = 0;

void check(const char *what, bool holds)
{
    std::printf("%-50s %s\n", what, holds ? "OK" : "FAIL");
    failures += !holds;
}

const double gravity = 13.75;

} // namespace

int main()
{
    std::string fails; // the callback that throws
    double from = 0;   // and from which time on
    const auto maybe = [&](const char *name, double t) {
        if (fails == name && t >= from) {
            throw thrown{name};
        }
    };
    geoms_dimensions dims{};
    dims.np = dims.nv = 2;
    dims.nl = 1;
    geoms::solver solver(dims);
    using in = geoms::view<const double>;
    using out = geoms::view<double>;
    solver.set_eom([&](double t, in x, out rda) {
        maybe("eom", t);
        const double lambda = x[0], v1 = x[1], v2 = x[2], p1 = x[3], p2 = x[4];
        rda[0] = 2 * (v1 * v1 + v2 * v2) - 2 * gravity * p2 - 4 * (p1 * p1 + p2 * p2) * lambda;
        rda[1] = 2 * (p1 * v1 + p2 * v2);
        rda[2] = p1 * p1 + p2 * p2 - 1;
        rda[3] = -2 * p1 * lambda;
        rda[4] = -gravity - 2 * p2 * lambda;
        rda[5] = v1;
        rda[6] = v2;
    });
    solver.set_mass([&](double t, in, geoms::matrix mass) {
        maybe("mass", t);
        mass(0, 0) = mass(1, 1) = 1;
        mass(0, 1) = mass(1, 0) = 0;
    });
    solver.set_jacobian([&](double t, in x, geoms::blocks &fx) {
        maybe("jacobian", t);
        const double lambda = x[0], v1 = x[1], v2 = x[2], p1 = x[3], p2 = x[4];
        const double row[5] = {4 * (p1 * p1 + p2 * p2), -4 * v1, -4 * v2, 8 * p1 * lambda, 2 * gravity + 8 * p2 * lambda};
        for (std::size_t j = 0; j < 5; ++j) {
            fx[0](0, j) = row[j];
        }
        const double level[4] = {-2 * p1, -2 * p2, -2 * v1, -2 * v2};
        for (std::size_t j = 0; j < 4; ++j) {
            fx[1](0, j) = level[j];
        }
        fx[2](0, 0) = -2 * p1;
        fx[2](0, 1) = -2 * p2;
        fx[4](0, 0) = 2 * p1;
        fx[4](1, 0) = 2 * p2;
        fx[4](0, 3) = fx[4](1, 4) = 2 * lambda;
        fx[5](0, 0) = fx[5](1, 1) = -1;
    });
    // Called by the half-explicit method and the default only.
    solver.set_parts([&](double t, in x, geoms::parts &p) {
        maybe("parts", t);
        const double v1 = x[1], v2 = x[2], p1 = x[3], p2 = x[4];
        if (p.force) {
            p.force[0] = 0;
            p.force[1] = -gravity;
        }
        if (p.mass) {
            p.mass(0, 0) = p.mass(1, 1) = 1;
        }
        if (p.c) {
            p.c(0, 0) = 2 * p1;
            p.c(0, 1) = 2 * p2;
        }
        if (p.gamma) {
            p.gamma[0] = 2 * (v1 * v1 + v2 * v2);
        }
        if (p.velocity) {
            p.velocity[0] = 2 * (p1 * v1 + p2 * v2);
        }
        if (p.position) {
            p.position[0] = p1 * p1 + p2 * p2 - 1;
        }
    });
    solver.set_conditions(2, [&](double t, in x, out cond) {
        maybe("conditions", t);
        cond[0] = x[3];
        cond[1] = x[1] - 2.8;
    });
    solver.set_events({{0, false}}, [&](double t, in x, out value) {
        maybe("events", t);
        value[0] = x[3];
    });
    solver.set_output([&](const geoms::accepted &step) { maybe("output", step.t()); });
    // Messages come at the start, with every step, at the end and with every failure: each kind throws on its own.
    int debug = 0;
    solver.set_log(GEOMS_LOG_DEBUG, [&](int level, const char *text) {
        const std::string message = text;
        debug += level == GEOMS_LOG_DEBUG;
        maybe("log of the start", level == GEOMS_LOG_INFO && message.find("starts") == 0 ? 1e300 : -1);
        maybe("log of the first step", level == GEOMS_LOG_DEBUG ? 1e300 : -1);
        maybe("log of a later step", level == GEOMS_LOG_DEBUG && debug == 10 ? 1e300 : -1);
        maybe("log of the end", level == GEOMS_LOG_INFO && message.find("next h") != std::string::npos ? 1e300 : -1);
        maybe("log of a failure", level == GEOMS_LOG_ERROR ? 1e300 : -1);
    });
    solver.set_tolerance(1e-8, 1e-8);
    // JAC is to be called as well, which the default does not do where there are parts.
    solver.set("method", 0);

    const std::vector<double> x0{0, 2.8, 0, 0, -1};
    const auto run = [&] {
        solver.start(0, x0, 0.01);
        solver.integrate(2);
        return solver.state_vector();
    };
    check("the Jacobian is right, and the parts are", solver.check_jacobian(0, x0).empty());
    check("the model is right", solver.check_model(0, x0).empty());
    const std::vector<double> undisturbed = run();
    check("nothing to warn of", solver.warnings().empty());

    // name, and from which time on it throws
    const std::pair<const char *, double> cases[] = {
        {"eom", 0}, {"eom", 1}, {"mass", 0}, {"jacobian", 0}, {"jacobian", 1}, {"conditions", 0},
        {"events", 0}, {"events", 1}, {"output", 0}, {"output", 1},
        {"log of the start", 0}, {"log of the first step", 0}, {"log of a later step", 0}, {"log of the end", 0}};
    for (const auto &[name, begin] : cases) {
        fails = name;
        from = begin;
        debug = 0;
        std::string arrived;
        std::size_t carried = 0;
        try {
            run();
        } catch (const thrown &e) {
            arrived = e.where;
            carried = e.payload.size();
        } catch (const geoms::error &e) {
            arrived = e.what();
        }
        check((fails + (begin > 0 ? ", in the run" : "")).c_str(), arrived == name && carried == 1000);
        fails.clear();
        check("  and the solver can be used again", run() == undisturbed);
    }

    // With a mass matrix that changes it is asked for in every step.
    solver.set("masstrct", 1);
    const std::vector<double> changing = run();
    fails = "mass";
    from = 1;
    try {
        run();
        check("mass, in the run", false);
    } catch (const thrown &e) {
        check("mass, in the run", e.where == "mass" && solver.time() > 0.5);
    }
    fails.clear();
    check("  and the solver can be used again", run() == changing);

    // The half-explicit method, which has a function of its own.
    solver.set("method", 4);
    const std::vector<double> explicit_run = run();
    check("half-explicit", std::fabs(explicit_run[3] - undisturbed[3]) < 1e-6 && explicit_run != undisturbed);
    for (const double begin : {0.0, 1.0}) {
        fails = "parts";
        from = begin;
        try {
            run();
            check("parts", false);
        } catch (const thrown &e) {
            check("parts", e.where == "parts" && (begin == 0 || solver.time() > 0.5));
        }
        fails.clear();
        check("  and the solver can be used again", run() == explicit_run);
    }
    solver.set("method", 0);

    // Single steps, a reset, the diagnosis, initial values: whatever calls callbacks passes their exceptions on.
    const auto throws = [&](const char *what, const char *name, const auto &call) {
        solver.start(0, x0, 0.01);
        solver.integrate(1);
        fails = name;
        from = 0;
        try {
            call();
            check(what, false);
        } catch (const thrown &e) {
            check(what, e.where == name);
        }
        fails.clear();
        check("  and the solver can be used again", run() == changing);
    };
    std::vector<double> x = x0;
    throws("eom in a single step", "eom", [&] { solver.step(2); });
    throws("log in a single step", "log of the first step", [&] { solver.step(2); });
    throws("events in a single step", "events", [&] { solver.step(2); });
    throws("output in a single step", "output", [&] { solver.step(2); });
    throws("eom in a reset", "eom", [&] { solver.reset(1, x0); });
    throws("events in a reset", "events", [&] { solver.reset(1, x0); });
    throws("eom in the initial values", "eom", [&] { solver.make_consistent(0, x); });
    throws("jacobian in its check", "jacobian", [&] { solver.check_jacobian(0, x0); });
    throws("jacobian in the forces", "jacobian", [&] { solver.constraint_forces(0, x0); });
    throws("log of a failure", "log of a failure", [&] { solver.integrate(0.5); });
    solver.set("masstrct", 4);

    // In the middle of a run: it goes on from the last accepted point.
    solver.start(0, x0, 0.01);
    fails = "eom";
    from = 1;
    try {
        solver.integrate(2);
        check("stopped", false);
    } catch (const thrown &) {
        check("stopped", solver.time() > 0 && solver.time() < 1.2);
    }
    fails.clear();
    solver.integrate(2);
    check("and gone on", std::fabs(solver.state_vector()[3] - undisturbed[3]) < 1e-6);

    // Failures of the library are exceptions with what is known about them.
    solver.set_eom([](double t, in x, out rda) {
        for (double &value : rda) {
            value = t > 0.5 ? NAN : 0;
        }
        rda[5] = x[1];
        return t > 0.5 ? geoms::outcome::retry : geoms::outcome::ok;
    });
    try {
        solver.set("ivcnsst", 1);
        run();
        check("error", false);
    } catch (const geoms::error &e) {
        std::printf("%s\n", e.what());
        check("error", e.code() < 0 && !e.advice().empty() && !e.sentence().empty());
    }

    // Callbacks cannot be exchanged while they run; the refusal arrives at the call, too.
    solver.set_output([&](const geoms::accepted &) { solver.set_output([](const geoms::accepted &) {}); });
    try {
        run();
        check("refused", false);
    } catch (const geoms::error &e) {
        check("refused", e.code() == GEOMS_IDID_IN_USE);
    }
    try {
        geoms::solver none(geoms_dimensions{});
        check("no dimensions", false);
    } catch (const geoms::error &e) {
        check("no dimensions", e.code() == GEOMS_IDID_BAD_ARGUMENT);
    }
    try {
        solver.start(0, std::vector<double>(3));
        check("wrong length", false);
    } catch (const std::invalid_argument &) {
        check("wrong length", true);
    }
    return failures != 0;
}
