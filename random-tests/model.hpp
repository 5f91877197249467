// Small systems behind C callbacks that can be told to misbehave, and random numbers.

#ifndef GEOMS_RANDOM_MODEL_HPP
#define GEOMS_RANDOM_MODEL_HPP

#include "geoms.h"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

// splitmix64
struct random_numbers {
    std::uint64_t state;
    std::uint64_t next()
    {
        std::uint64_t z = (state += 0x9e3779b97f4a7c15u);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }
    std::uint64_t below(std::uint64_t n) { return next() % n; }
    bool one_in(std::uint64_t n) { return below(n) == 0; }
    double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }
    double between(double a, double b) { return a + (b - a) * unit(); }
    template <class T, std::size_t N> const T &of(const T (&all)[N]) { return all[below(N)]; }
};

enum class called { eom, mass, jacobian, events, conditions, output, log, count };
enum class fault { none, retry, stop, nan, infinite, huge, calls_back, requests_stop, count };

// The user pointer of a handle.
struct user_data {
    geoms_dimensions dims{};
    int form = 0;
    int n = 0, m = 0;
    bool redundant = false; // the constraint twice
    geoms_solver *self = nullptr;
    called where = called::eom;
    fault what = fault::none;
    long countdown = 0; // calls of `where` before it
    bool once = true;
    random_numbers dice{1}; // for what a callback calls
    bool stop_requested = false;
    long inner_calls = 0, inner_refusals_missing = 0;

    bool constrained() const { return dims.nl > 0; }
    bool now(called function)
    {
        if (what == fault::none || function != where || countdown-- > 0) {
            return false;
        }
        return true;
    }
};

// A callback calls the functions of its own handle: all but a few are refused.
inline void call_back(user_data &u, bool output)
{
    double x[16] = {0};
    geoms_stats stats;
    geoms_error error;
    std::size_t length = 0;
    std::int64_t index = 0;
    int code = GEOMS_IDID_IN_USE;
    geoms_solver *h = u.self;
    ++u.inner_calls;
    switch (u.dice.below(24)) {
    case 0: code = geoms_set_user(h, nullptr); break;
    case 1: code = geoms_set_eom(h, nullptr); break;
    case 2: code = geoms_set_mass(h, nullptr); break;
    case 3: code = geoms_set_jacobian(h, nullptr); break;
    case 4: code = geoms_set_conditions(h, 0, nullptr); break;
    case 5: code = geoms_set_events(h, 0, nullptr, nullptr, nullptr, 0); break;
    case 6: code = geoms_set_output(h, nullptr); break;
    case 7: code = geoms_set_log(h, 0, nullptr); break;
    case 8: code = geoms_set_int(h, "nit", 3); break;
    case 9: code = geoms_set_real(h, "hmax", 1e-3); break;
    case 10: code = geoms_set_tolerance(h, 1e-3, 1e-3); break;
    case 11: code = geoms_start(h, 0, x, 0); break;
    case 12: code = geoms_integrate(h, 1); break;
    case 13: code = geoms_step(h, 1); break;
    case 14: code = geoms_reset(h, 0, x); break;
    case 15: code = geoms_state(h, x); break;
    case 16: code = geoms_statistics(h, &stats); break;
    case 17: code = geoms_save(h, nullptr, &length); break;
    case 18: code = geoms_restore(h, x, sizeof x); break;
    case 19: code = geoms_event(h, 0, &index, x); break;
    case 20: code = geoms_last_error(h, &error); break;
    case 21: geoms_free(h); break; // without effect
    case 22:
        // Allowed in the output function, within the step.
        code = geoms_dense(h, output ? geoms_time(h) : 0, x);
        if (output && code == 0) {
            code = GEOMS_IDID_IN_USE;
        }
        break;
    default: code = geoms_make_consistent(h, 0, x); break;
    }
    u.inner_refusals_missing += code != GEOMS_IDID_IN_USE;
}

// What a callback returns, and what it spoils in the numbers that it has written.
inline int misbehave(user_data &u, called function, double *values, long count)
{
    if (!u.now(function)) {
        return 0;
    }
    const fault what = u.what;
    if (u.once) {
        u.what = fault::none;
    }
    switch (what) {
    case fault::retry: return 1;
    case fault::stop: return -1;
    case fault::nan:
        if (count > 0) {
            values[count - 1] = NAN;
        }
        return 0;
    case fault::infinite:
        if (count > 0) {
            values[0] = -INFINITY;
        }
        return 0;
    case fault::huge:
        for (long i = 0; i < count; ++i) {
            values[i] = 1e300;
        }
        return 0;
    case fault::calls_back: call_back(u, function == called::output); return 0;
    case fault::requests_stop:
        geoms_request_stop(u.self);
        u.stop_requested = true;
        return 0;
    default: return 0;
    }
}

// A pendulum with its constraint once or twice, or an oscillator without constraints.
inline int eom(double t, const double *x, double *rda, void *user)
{
    user_data &u = *static_cast<user_data *>(user);
    if (!u.constrained()) {
        rda[0] = -4 * x[1] + 0.1 * std::cos(t);
        rda[1] = x[0];
    } else {
        const int nl = static_cast<int>(u.dims.nl);
        const double *v = x + nl, *p = v + 2;
        double lambda = 0;
        for (int k = 0; k < nl; ++k) {
            lambda += x[k];
        }
        const double a1 = -2 * p[0] * lambda, a2 = -9.81 - 2 * p[1] * lambda;
        int row = 0;
        if (u.form == GEOMS_FORM_STRANGENESS_FREE) {
            for (int k = 0; k < nl; ++k) {
                rda[row++] = 2 * (v[0] * v[0] + v[1] * v[1]) + 2 * (p[0] * a1 + p[1] * a2);
            }
        }
        for (int k = 0; k < nl; ++k) {
            rda[row++] = 2 * (p[0] * v[0] + p[1] * v[1]);
        }
        for (int k = 0; k < nl; ++k) {
            rda[row++] = p[0] * p[0] + p[1] * p[1] - 1;
        }
        rda[row++] = a1;
        rda[row++] = a2;
        rda[row++] = v[0];
        rda[row++] = v[1];
    }
    return misbehave(u, called::eom, rda, u.m);
}

inline int mass(double, const double *, double *matrix, void *user)
{
    user_data &u = *static_cast<user_data *>(user);
    const std::int64_t nv = u.dims.nv;
    for (std::int64_t i = 0; i < nv; ++i) {
        for (std::int64_t j = 0; j < nv; ++j) {
            matrix[i + nv * j] = i == j;
        }
    }
    return misbehave(u, called::mass, matrix, static_cast<long>(nv * nv));
}

// Differences of the equations, block by block.
inline int jacobian(double t, const double *x, double *const *fx, void *user)
{
    user_data &u = *static_cast<user_data *>(user);
    const auto size = [](std::int64_t v) { return static_cast<int>(v); };
    const int nl = size(u.dims.nl), nv = size(u.dims.nv), np = size(u.dims.np);
    const int m1 = u.form == GEOMS_FORM_INDEX1 ? 0 : nl;
    const int rows[6] = {m1, nl, nl, 0, nv, np};
    const int first[6] = {0, nl, nl + nv, 0, 0, nl}; // column of x with which a block begins
    user_data quiet = u;
    quiet.what = fault::none;
    std::vector<double> moved(x, x + u.n), plus(static_cast<std::size_t>(u.m)), minus(plus);
    for (int j = 0; j < u.n; ++j) {
        const double step = 1e-6 * (1 + std::fabs(x[j]));
        const std::size_t at = static_cast<std::size_t>(j);
        moved[at] = x[j] + step;
        eom(t, moved.data(), plus.data(), &quiet);
        moved[at] = x[j] - step;
        eom(t, moved.data(), minus.data(), &quiet);
        moved[at] = x[j];
        int row = 0;
        for (int k = 0; k < 6; ++k) {
            for (int i = 0; i < rows[k]; ++i, ++row) {
                const int column = j - first[k];
                if (column >= 0) {
                    const std::size_t r = static_cast<std::size_t>(row);
                    fx[k][i + rows[k] * column] = -(plus[r] - minus[r]) / (2 * step);
                }
            }
        }
    }
    return misbehave(u, called::jacobian, fx[4], static_cast<long>(nv));
}

// Exactly K values: a buffer of another length is overrun.
template <int K> int events(double t, const double *x, double *value, void *user)
{
    user_data &u = *static_cast<user_data *>(user);
    for (int k = 0; k < K; ++k) {
        value[k] = std::sin((5 + k) * t + 0.1 * k) + 0.3 * x[u.n - 1];
    }
    return misbehave(u, called::events, value, K);
}

// A jump: the slope is zero everywhere.
inline int jumps(double t, const double *, double *value, void *user)
{
    value[0] = std::fmod(t, 0.2) < 0.1 ? -1 : 1;
    return misbehave(*static_cast<user_data *>(user), called::events, value, 1);
}

template <int K> int conditions(double, const double *x, double *value, void *user)
{
    user_data &u = *static_cast<user_data *>(user);
    const double wanted[3] = {x[u.n - 2] - 0.6, x[u.n - 4 < 0 ? 0 : u.n - 4] - 0.1, x[0]};
    for (int k = 0; k < K; ++k) {
        value[k] = wanted[k % 3];
    }
    return misbehave(u, called::conditions, value, K);
}

inline int output(const geoms_step_info *, void *user)
{
    return misbehave(*static_cast<user_data *>(user), called::output, nullptr, 0);
}

inline int log_line(int, const char *text, void *user)
{
    user_data &u = *static_cast<user_data *>(user);
    return std::strlen(text) == 0 ? 0 : misbehave(u, called::log, nullptr, 0);
}

// A system by its number, with a consistent point.
inline std::vector<double> make_system(user_data &u, std::uint64_t which)
{
    u.form = GEOMS_FORM_STRANGENESS_FREE;
    if (which == 2) {
        u.dims.np = u.dims.nv = 1;
        u.n = u.m = 2;
        return {0.3, 0.5};
    }
    u.dims.np = u.dims.nv = 2;
    u.dims.nl = which == 1 ? 2 : 1;
    u.redundant = which == 1;
    u.form = which == 3 ? GEOMS_FORM_INDEX1 : GEOMS_FORM_STRANGENESS_FREE;
    const int nl = static_cast<int>(u.dims.nl);
    u.n = nl + 4;
    u.m = (u.form == GEOMS_FORM_INDEX1 ? 2 : 3) * nl + 4;
    const double v = 1.3, p1 = 0.6, p2 = -0.8;
    // 2|v|² + 2 p·a = 0
    const double lambda = (v * v - 9.81 * p2) / 2 / nl;
    std::vector<double> x(static_cast<std::size_t>(nl), lambda);
    for (const double more : {v * 0.8, v * 0.6, p1, p2}) {
        x.push_back(more);
    }
    return x;
}

// The checksum of a saved state: FNV-1a over all bytes but its own.
inline void seal(std::vector<unsigned char> &bytes)
{
    if (bytes.size() < 24) {
        return;
    }
    const std::uint64_t length = bytes.size();
    for (int k = 0; k < 8; ++k) {
        bytes[static_cast<std::size_t>(8 + k)] = static_cast<unsigned char>(length >> (8 * k));
    }
    std::uint64_t sum = 0xcbf29ce484222325u;
    for (std::size_t k = 0; k < bytes.size(); ++k) {
        if (k < 16 || k >= 24) {
            sum = (sum ^ bytes[k]) * 0x100000001b3u;
        }
    }
    for (int k = 0; k < 8; ++k) {
        bytes[static_cast<std::size_t>(16 + k)] = static_cast<unsigned char>(sum >> (8 * k));
    }
}

#endif
