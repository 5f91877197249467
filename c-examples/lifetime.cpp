// A setter that is refused changes nothing; a solver may be destroyed or overwritten by its own callbacks; one that has been
// moved from throws. To be run with the address sanitizer, too.

#include "geoms.hpp"

#include <cmath>
#include <cstdio>
#include <optional>

namespace {

using in = geoms::view<const double>;
using out = geoms::view<double>;

int failures = 0;

void check(const std::string &what, bool holds)
{
    std::printf("%-70s %s\n", what.c_str(), holds ? "OK" : "FAIL");
    failures += !holds;
}

const double gravity = 13.75;
const std::vector<double> x0{(2.8 * 2.8 + gravity) / 2, 2.8, 0, 0, -1};

geoms_dimensions dimensions()
{
    geoms_dimensions dims{};
    dims.np = dims.nv = 2;
    dims.nl = 1;
    return dims;
}

void equations(in x, out rda)
{
    const double lambda = x[0], v1 = x[1], v2 = x[2], p1 = x[3], p2 = x[4];
    rda[0] = 2 * (v1 * v1 + v2 * v2) - 2 * gravity * p2 - 4 * (p1 * p1 + p2 * p2) * lambda;
    rda[1] = 2 * (p1 * v1 + p2 * v2);
    rda[2] = p1 * p1 + p2 * p2 - 1;
    rda[3] = -2 * p1 * lambda;
    rda[4] = -gravity - 2 * p2 * lambda;
    rda[5] = v1;
    rda[6] = v2;
}

// Every callback has something on the heap that must live as long as it is called.
geoms::solver pendulum(const std::function<void(const char *, double)> &called)
{
    geoms::solver solver(dimensions());
    const std::vector<double> kept(100, 1.0);
    solver.set_eom([=](double t, in x, out rda) {
        called("eom", t);
        equations(x, rda);
        rda[5] *= kept[99];
    });
    solver.set_mass([=](double t, in, geoms::matrix mass) {
        called("mass", t);
        mass(0, 0) = mass(1, 1) = kept[98];
    });
    solver.set_events({{0, false}}, [=](double t, in x, out value) {
        called("events", t);
        value[0] = x[3] * kept[97];
    });
    solver.set_output([=](const geoms::accepted &step) { called("output", step.t() * kept[96]); });
    solver.set_log(GEOMS_LOG_DEBUG, [=](int, const char *) { called("log", kept[95]); });
    solver.set_conditions(2, [=](double t, in x, out value) {
        called("conditions", t);
        value[0] = x[3];
        value[1] = x[1] - 2.8 * kept[94];
    });
    return solver;
}

void nothing(const char *, double) {}

template <class F> bool refused(F f, int code = GEOMS_IDID_BAD_ARGUMENT)
{
    try {
        f();
    } catch (const geoms::error &e) {
        return e.code() == code;
    }
    return false;
}

// What a run does from here on.
std::vector<double> rest(geoms::solver &solver)
{
    std::vector<double> all;
    while (solver.time() < 2) {
        solver.step(2);
        const std::vector<double> x = solver.state_vector();
        all.insert(all.end(), x.begin(), x.end());
        for (const geoms::event &e : solver.events()) {
            all.push_back(e.t);
        }
    }
    return all;
}

// Refuse a setter in the middle of one of two equal runs.
template <class F> void unchanged(const char *what, F disturb)
{
    std::vector<double> whole;
    for (const bool disturbed : {false, true}) {
        geoms::solver solver = pendulum(nothing);
        solver.start(0, x0, 0.01);
        solver.integrate(0.7);
        if (disturbed) {
            check(what, disturb(solver));
            check("  the run goes on", rest(solver) == whole);
            solver.start(0, x0, 0.01);
            solver.integrate(2);
            check("  and can be begun again", std::fabs(solver.time() - 2) == 0);
        } else {
            whole = rest(solver);
        }
    }
}

void setters()
{
    const auto nan = [](double, in, out value) {
        for (double &v : value) {
            v = NAN;
        }
    };
    const std::vector<geoms::rule> many(64);
    unchanged("events that have no value", [&](geoms::solver &s) {
        return refused([&] { s.set_events(many, nan); }, GEOMS_IDID_ROOT_FUNCTION_FAILED);
    });
    unchanged("events in a direction that there is not", [&](geoms::solver &s) {
        return refused([&] { s.set_events({{0, false}, {5, false}, {0, true}}, nan); });
    });
    unchanged("events located to a tolerance that is none", [&](geoms::solver &s) {
        return refused([&] { s.set_events(many, nan, NAN); });
    });
    unchanged("events that throw", [&](geoms::solver &s) {
        try {
            s.set_events(many, [](double, in, out) { throw 5; });
        } catch (int thrown) {
            return thrown == 5;
        }
        return false;
    });
    unchanged("too many conditions", [&](geoms::solver &s) {
        return refused([&] { s.set_conditions(65537, nan); });
    });
    unchanged("an option that there is not", [](geoms::solver &s) { return refused([&] { s.set("nonsense", 1); }); });
    unchanged("a tolerance that is none", [](geoms::solver &s) { return refused([&] { s.set_tolerance(-1, 1); }); });
    unchanged("a start from nowhere", [](geoms::solver &s) {
        return refused([&] { s.start(0, std::vector<double>(5, NAN)); });
    });
    unchanged("a reset to nowhere", [](geoms::solver &s) {
        return refused([&] { s.reset(0, std::vector<double>(5, NAN)); });
    });
    unchanged("bytes that are no state", [](geoms::solver &s) {
        return refused([&] { s.restore(std::vector<unsigned char>(500, 'g')); });
    });
    unchanged("a number that the library cannot count", [](geoms::solver &s) {
        try {
            s.set("nit", ~std::uint64_t{0});
        } catch (const std::out_of_range &) {
            return true;
        }
        return false;
    });
}

void destroyed()
{
    for (const std::string name : {"eom", "mass", "events", "output", "log", "conditions"}) {
        for (const char *how : {"destroyed", "overwritten", "moved away"}) {
            std::optional<geoms::solver> solver, other;
            int left = name == "eom" ? 200 : 20; // calls before it: in the run, not at its start
            solver = pendulum([&](const char *called, double) {
                if (!solver || called != name || left-- > 0) {
                    return;
                }
                const std::string what = how;
                if (what == "destroyed") {
                    solver.reset();
                } else if (what == "overwritten") {
                    *solver = pendulum(nothing);
                } else if (!other) {
                    other = std::move(*solver);
                }
            });
            solver->set("masstrct", 1); // so that the mass matrix is asked for
            int code = 0;
            try {
                std::vector<double> x = x0;
                for (int k = 0; k < 3 && solver; ++k) {
                    x[1] += 1e-3; // not what the conditions want
                    solver->start(0, x, 0.01);
                    if (solver) {
                        solver->integrate(2);
                    }
                }
            } catch (const geoms::error &e) {
                code = e.code();
            } catch (const std::logic_error &) {
                code = 1;
            }
            const bool away = std::string(how) == "moved away";
            const bool gone = name == "conditions" || code == GEOMS_IDID_STOP_REQUESTED;
            check(name + ": " + how + " while it runs", left < 0 && (away ? code >= 0 && other : gone));
            if (away && other) {
                other->start(0, x0, 0.01);
                other->integrate(1);
                check("  and used where it is now", other->time() == 1);
            }
        }
    }
}

void moved()
{
    geoms::solver solver = pendulum(nothing);
    solver.start(0, x0, 0.01);
    geoms::solver other = std::move(solver);
    other.integrate(1);
    int clear = 0, asked = 0;
    const auto throws = [&](auto call) {
        ++asked;
        try {
            call();
        } catch (const std::logic_error &e) {
            clear += std::string(e.what()).find("moved from") != std::string::npos;
        }
    };
    const std::vector<unsigned char> bytes(10);
    throws([&] { solver.set_eom([](double, in, out) {}); });
    throws([&] { solver.set_mass([](double, in, geoms::matrix) {}); });
    throws([&] { solver.set_jacobian([](double, in, geoms::blocks &) {}); });
    throws([&] { solver.set_parts([](double, in, geoms::parts &) {}); });
    throws([&] { solver.set_pattern(0, {{0, 0}}); });
    throws([&] { solver.clear_pattern(0); });
    throws([&] { solver.set_conditions(1, [](double, in, out) {}); });
    throws([&] { solver.set_events({{}}, [](double, in, out) {}); });
    throws([&] { solver.set_output([](const geoms::accepted &) {}); });
    throws([&] { solver.set_log(1, [](int, const char *) {}); });
    throws([&] { solver.set("nit", 7); });
    throws([&] { solver.set("hmax", 1.0); });
    throws([&] { solver.set_tolerance(1e-6, 1e-6); });
    throws([&] { solver.set_tolerance(x0, x0); });
    throws([&] { solver.start(0, x0); });
    throws([&] { solver.make_consistent(0, x0); });
    throws([&] { solver.integrate(1); });
    throws([&] { solver.step(1); });
    throws([&] { solver.reset(0, x0); });
    throws([&] { solver.time(); });
    throws([&] { solver.next_step(); });
    throws([&] { solver.dimension(); });
    throws([&] { solver.equations(); });
    throws([&] { solver.state_vector(); });
    throws([&] { solver.dense(0); });
    throws([&] { solver.statistics(); });
    throws([&] { solver.events(); });
    throws([&] { solver.last_event(); });
    throws([&] { solver.save(); });
    throws([&] { solver.restore(bytes); });
    throws([&] { solver.check_jacobian(0, x0); });
    throws([&] { solver.rank_report(0, x0); });
    throws([&] { solver.constraint_forces(0, x0); });
    solver.request_stop();
    check("a solver that was moved from says so", clear == asked && asked == 33 && !solver.get());
    solver = std::move(other);
    solver.integrate(2);
    geoms::solver &self = solver;
    solver = std::move(self);
    check("and is one again when something is moved to it", solver.time() == 2);
}

} // namespace

int main()
{
    setters();
    destroyed();
    moved();
    return failures != 0;
}
