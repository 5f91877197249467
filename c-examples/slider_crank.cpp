// A slider-crank with lambdas. Coordinates: angle of the crank, angle of the rod, position of the slider. There are no applied
// forces, so the energy is constant and the time for an angle is an integral over the crank's angle.
//
// x = [ lambda1 lambda2 | w1 w2 vs | phi1 phi2 xs ].

#include "geoms.hpp"

#include <cmath>
#include <cstdio>

int main()
{
    const double r = 0.3, l = 0.5, omega = 4;
    const double inertia[3] = {0.2, 0.05, 1.5}; // crank, rod, slider
    int failures = 0, points = 0;
    const auto check = [&](const char *what, bool holds) {
        std::printf("%-50s %s\n", what, holds ? "OK" : "FAIL");
        failures += !holds;
    };

    geoms_dimensions dims{};
    dims.np = 3;
    dims.nv = 3;
    dims.nl = 2;
    geoms::solver solver(dims);
    solver.set_eom([=](double, geoms::view<const double> x, geoms::view<double> rda) {
        const double w1 = x[2], w2 = x[3], vs = x[4];
        const double s1 = std::sin(x[5]), c1 = std::cos(x[5]), s2 = std::sin(x[6]), c2 = std::cos(x[6]);
        const double force[3] = {-r * c1 * x[0] + r * s1 * x[1], -l * c2 * x[0] + l * s2 * x[1], x[1]}; // -G^T lambda
        const double a1 = force[0] / inertia[0], a2 = force[1] / inertia[1], as = force[2] / inertia[2];
        rda[0] = r * c1 * a1 + l * c2 * a2 - r * s1 * w1 * w1 - l * s2 * w2 * w2;
        rda[1] = -r * s1 * a1 - l * s2 * a2 - as - r * c1 * w1 * w1 - l * c2 * w2 * w2;
        rda[2] = r * c1 * w1 + l * c2 * w2;
        rda[3] = -r * s1 * w1 - l * s2 * w2 - vs;
        rda[4] = r * s1 + l * s2;
        rda[5] = r * c1 + l * c2 - x[7];
        for (std::size_t k = 0; k < 3; ++k) {
            rda[6 + k] = force[k];
            rda[9 + k] = x[2 + k];
        }
    });
    solver.set_mass([=](double, geoms::view<const double>, geoms::matrix mass) {
        for (std::size_t i = 0; i < 3; ++i) {
            for (std::size_t j = 0; j < 3; ++j) {
                mass(i, j) = i == j ? inertia[i] : 0;
            }
        }
    });
    solver.set_output([&](const geoms::accepted &step) {
        ++points;
        return step.x().size() == 8 && step.dense(step.t()).size() == 8 ? geoms::outcome::ok : geoms::outcome::stop;
    });
    solver.set("masstrct", 4).set("hmax", 0.1).set_tolerance(1e-10, 1e-10);

    const std::vector<double> guess{0, 0, omega, -r * omega / l, 0, 0, 0, r + l};
    geoms::solver moved = std::move(solver); // a solver can be moved, also in the middle of a run
    moved.start(0, moved.make_consistent(0, guess), 1e-3);
    check("three turns", moved.integrate(6 * 3.14159265358979 / omega) == geoms::status::reached);
    const std::vector<double> x = moved.state_vector();

    // Kinetic energy as a function of the crank's angle and rate: (1/2) effective(phi1) w1^2.
    const auto effective = [&](double phi) {
        const double s2 = -r / l * std::sin(phi), c2 = std::sqrt(1 - s2 * s2);
        const double rod = -r * std::cos(phi) / (l * c2), slider = -r * std::sin(phi) - l * s2 * rod;
        return inertia[0] + inertia[1] * rod * rod + inertia[2] * slider * slider;
    };
    const double energy = effective(0) * omega * omega;
    const int intervals = 20000;
    double t = 0;
    for (int k = 0; k <= intervals; ++k) {
        const double weight = k == 0 || k == intervals ? 1 : k % 2 ? 4 : 2;
        t += weight * std::sqrt(effective(x[5] * k / intervals) / energy);
    }
    t *= x[5] / intervals / 3;
    std::printf("phi1 = %.10f at t = %.10f, by quadrature %.10f\n", x[5], moved.time(), t);
    check("angle right to 1e-8", std::fabs(t - moved.time()) < 1e-8);
    check("constraints", std::fabs(r * std::sin(x[5]) + l * std::sin(x[6])) < 1e-12);
    const geoms_stats stats = moved.statistics();
    check("output at every point", points == static_cast<int>(stats.naccpt) + 1);
    check("dimensions", moved.dimension() == 8 && moved.equations() == 12 && moved.next_step() > 0);

    // Dead centre: the slider stands still. The crank's angle is then a multiple of pi.
    moved.set_events({{0, true}}, [](double, geoms::view<const double> y, geoms::view<double> value) { value[0] = y[4]; });
    check("dead centre", moved.integrate(100) == geoms::status::event);
    check("at a multiple of pi", std::fabs(std::sin(moved.state_vector()[5])) < 1e-8 && moved.events().size() == 1 &&
                                     moved.last_event().t == moved.time());
    moved.reset(moved.time(), moved.state_vector());

    // Forces on the slider, and what is said about a wrong call.
    const std::vector<unsigned char> saved = moved.save();
    const std::vector<double> here = moved.state_vector(), force = moved.constraint_forces(moved.time(), here);
    check("force on the slider", std::fabs(force[2] + here[1]) < 1e-6);
    check("no redundancy", moved.rank_report(moved.time(), here).dependent.empty());
    moved.step(200);
    moved.restore(saved);
    check("restored", moved.state_vector() == here && moved.dense(moved.time()) == here);
    try {
        moved.set("decompc", 7);
        check("refused", false);
    } catch (const geoms::error &e) {
        check("refused", e.code() == GEOMS_IDID_BAD_ARGUMENT && e.detail().find("DECOMPC") != std::string::npos);
    }
    return failures != 0;
}
