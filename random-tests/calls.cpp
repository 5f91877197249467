// Random sequences of all functions of the handle with random and hostile arguments.
//
//   calls COUNT [SEED]
//
// Two handles live side by side. The first gets every call. The second gets the same call only if the first accepted it, or if it
// was a run that ended on its way: so it has never heard of what was refused. After every call both must look the same, saved
// states included; whatever a refused call leaves behind ends in a difference, and what it writes where it must not in a report
// of the address sanitizer. A call that does not come back is ended by an alarm.

#include "model.hpp"

#include <csignal>
#include <unistd.h>

namespace {

std::uint64_t seed_now = 0;
long call_now = 0;
const char *name_now = "";

void hangs(int)
{
    // No more than a signal handler may do: digits by hand.
    char text[160] = "a call does not come back, seed ";
    std::size_t at = std::strlen(text);
    char digits[24];
    std::size_t count = 0;
    std::uint64_t left = seed_now;
    do {
        digits[count++] = static_cast<char>('0' + left % 10);
        left /= 10;
    } while (left > 0);
    while (count > 0) {
        text[at++] = digits[--count];
    }
    for (const char *part : {": ", name_now, ": FAIL\n"}) {
        for (; *part; ++part) {
            text[at++] = *part;
        }
    }
    _exit(write(2, text, at) > 0 ? 3 : 4);
}

[[noreturn]] void fail(const std::string &why)
{
    std::fprintf(stderr, "seed %llu, call %ld, %s: %s: FAIL\n", static_cast<unsigned long long>(seed_now), call_now,
                 name_now, why.c_str());
    std::abort();
}

const double hostile[] = {NAN,   INFINITY, -INFINITY, 0.0, -0.0,  -1.0, 1.0,    1e-320, 1e300,
                          -1e300, 1e16,    1e-16,     0.5, 1e-8, 1e-3, 1e-12, 2.0};
const std::int64_t hostile_int[] = {0, 1, 2, 3, 4, 5, 7, 9, 13, -1, -2, 100, 1000, 65534, 65537, INT32_MAX, INT32_MIN,
                                    std::int64_t{1} << 32, (std::int64_t{1} << 32) - 1, std::int64_t{1} << 34, INT64_MAX,
                                    INT64_MIN};
// All options of the table, and what is none.
const std::vector<std::string> &names()
{
    static const std::vector<std::string> list = [] {
        std::vector<std::string> all{"", "nonsense", "Method"};
        for (std::int64_t k = 0; const char *name = geoms_option_text(k, "name"); ++k) {
            all.emplace_back(name);
        }
        return all;
    }();
    return list;
}

// All that can be seen of a handle.
struct seen {
    double t = 0, h = 0;
    std::vector<double> numbers;
    std::vector<unsigned char> saved;

    bool operator==(const seen &other) const
    {
        const auto same = [](double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; };
        return same(t, other.t) && same(h, other.h) && numbers.size() == other.numbers.size() &&
               (numbers.empty() ||
                std::memcmp(numbers.data(), other.numbers.data(), numbers.size() * sizeof(double)) == 0) &&
               saved == other.saved;
    }
};

seen look(geoms_solver *h, int n)
{
    seen s;
    s.t = geoms_time(h);
    s.h = geoms_next_step(h);
    std::vector<double> x(static_cast<std::size_t>(n));
    if (geoms_state(h, x.data()) == 0) {
        s.numbers = x;
        if (geoms_dense(h, s.t, x.data()) == 0) {
            s.numbers.insert(s.numbers.end(), x.begin(), x.end());
        }
        geoms_stats stats;
        std::memset(&stats, 0, sizeof stats);
        if (geoms_statistics(h, &stats) == 0) {
            for (const std::uint64_t v : {stats.naccpt, stats.neom, stats.nmas, stats.njac, stats.nstep, stats.nerjct,
                                          stats.ncrjct, stats.eom_for_initial_values, stats.eom_for_differences}) {
                s.numbers.push_back(static_cast<double>(v));
            }
        }
        const std::int64_t events = geoms_event_count(h);
        for (std::int64_t k = 0; k < events; ++k) {
            std::int64_t index = 0;
            double t = 0;
            geoms_event(h, k, &index, &t);
            s.numbers.push_back(static_cast<double>(index));
            s.numbers.push_back(t);
        }
        std::size_t length = 0;
        if (geoms_save(h, nullptr, &length) == 0) {
            s.saved.resize(length);
            geoms_save(h, s.saved.data(), &length);
        }
        if (!std::isfinite(s.t)) {
            fail("there is a run, but its time is no number");
        }
        for (const double v : x) {
            if (!std::isfinite(v)) {
                fail("there is a run, but its point is no number");
            }
        }
    }
    return s;
}

struct counts {
    long accepted = 0, refused = 0, ended = 0, inner = 0, compared = 0;
};

// One pair of handles and what has been set.
class pair {
  public:
    pair(random_numbers &dice, counts &all) : dice_(dice), all_(all)
    {
        const std::uint64_t which = dice.below(4);
        for (user_data &u : user_) {
            x0_ = make_system(u, which);
            u.self = geoms_create(&u.dims, u.form);
            if (!u.self) {
                fail("no handle");
            }
            geoms_set_user(u.self, &u);
            geoms_set_eom(u.self, eom);
            geoms_set_mass(u.self, mass);
            geoms_set_int(u.self, "nmax", 60);
            if (u.redundant) {
                geoms_set_int(u.self, "decompc", 3);
            }
        }
        last_ = look(user_[0].self, user_[0].n);
    }
    pair(const pair &) = delete;
    pair &operator=(const pair &) = delete;
    ~pair()
    {
        for (user_data &u : user_) {
            all_.inner += u.inner_calls;
            if (u.inner_refusals_missing) {
                std::fprintf(stderr, "a call from a callback was not refused\n");
                std::abort();
            }
            geoms_free(u.self);
        }
    }

    void call_one();

  private:
    enum class kind { setting, run };

    // Call both as told above. `must` is 1 if the call must be accepted, -1 if it must be refused, 0 if either may be.
    template <class F> int both(const char *name, kind of, int must, F f)
    {
        name_now = name;
        ++call_now;
        alarm(30);
        choose_fault();
        user_data before[2] = {user_[0], user_[1]};
        const int code = f(user_[0]);
        if (must > 0 && code < 0 && fault_.what == fault::none) {
            fail("refused with " + std::to_string(code));
        }
        if (must < 0 && code >= 0) {
            fail("accepted");
        }
        if (code == GEOMS_IDID_INTERNAL) {
            fail("internal error");
        }
        const bool refused =
            code < 0 && (of == kind::setting || code == GEOMS_IDID_BAD_ARGUMENT || code == GEOMS_IDID_NOT_READY ||
                         code == GEOMS_IDID_TEND_BEFORE_T);
        user_[0].what = fault::none;
        const seen now = look(user_[0].self, user_[0].n);
        if (refused) {
            ++all_.refused;
            // To ask for a stop is a call of its own, which is never refused.
            if (user_[0].stop_requested) {
                geoms_request_stop(user_[1].self);
            }
            if (!(now == last_)) {
                fail("refused with " + std::to_string(code) + ", but not as before");
            }
        } else {
            restore_faults(before[1]);
            const int twin = f(user_[1]);
            if (twin != code) {
                fail("returned " + std::to_string(code) + ", its twin " + std::to_string(twin));
            }
            code < 0 ? ++all_.ended : ++all_.accepted;
        }
        clear_faults();
        // The twin has not heard of what was refused.
        if (!(look(user_[1].self, user_[1].n) == now)) {
            fail("returned " + std::to_string(code) + ", and differs from its twin");
        }
        ++all_.compared;
        last_ = now;
        alarm(0);
        return code;
    }

    void choose_fault()
    {
        fault_ = {};
        if (dice_.one_in(3)) {
            fault_.where = static_cast<called>(dice_.below(static_cast<std::uint64_t>(called::count)));
            fault_.what = static_cast<fault>(1 + dice_.below(static_cast<std::uint64_t>(fault::count) - 1));
            fault_.countdown = static_cast<long>(dice_.one_in(2) ? dice_.below(4) : dice_.below(200));
            fault_.once = !dice_.one_in(4);
        }
        const std::uint64_t inner = dice_.next();
        for (user_data &u : user_) {
            u.where = fault_.where;
            u.what = fault_.what;
            u.countdown = fault_.countdown;
            u.once = fault_.once;
            u.dice.state = inner;
        }
    }
    void clear_faults()
    {
        for (user_data &u : user_) {
            u.what = fault::none;
            u.stop_requested = false;
        }
    }
    void restore_faults(const user_data &before)
    {
        user_[1].where = before.where;
        user_[1].what = before.what;
        user_[1].countdown = before.countdown;
        user_[1].once = before.once;
        user_[1].dice = before.dice;
    }

    // The consistent point, sometimes moved a little or much, sometimes with what is no number; or null.
    std::vector<double> point(int &must)
    {
        std::vector<double> x = x0_;
        must = 0;
        switch (dice_.below(8)) {
        case 0: x[dice_.below(x.size())] = dice_.of(hostile); break;
        case 1: x[dice_.below(x.size())] = NAN; must = -1; break;
        case 2:
            for (double &v : x) {
                v += dice_.between(-0.1, 0.1);
            }
            break;
        case 3: geoms_state(user_[0].self, x.data()); break;
        default: break;
        }
        return x;
    }

    bool running() const { return !last_.numbers.empty(); }

    void set_functions();
    void set_numbers();
    void set_events();
    void run();
    void restart();
    void ask();
    void keep();

    random_numbers &dice_;
    counts &all_;
    user_data user_[2];
    user_data fault_;
    std::vector<double> x0_;
    seen last_;
    std::vector<unsigned char> saved_;
};

void pair::set_functions()
{
    const bool none = dice_.one_in(6);
    switch (dice_.below(7)) {
    case 0: both("geoms_set_eom", kind::setting, 1, [&](user_data &u) { return geoms_set_eom(u.self, none ? nullptr : eom); }); break;
    case 1: both("geoms_set_mass", kind::setting, 1, [&](user_data &u) { return geoms_set_mass(u.self, none ? nullptr : mass); }); break;
    case 2: both("geoms_set_jacobian", kind::setting, 1, [&](user_data &u) { return geoms_set_jacobian(u.self, dice_.state % 2 ? nullptr : jacobian); }); break;
    case 3: both("geoms_set_output", kind::setting, 1, [&](user_data &u) { return geoms_set_output(u.self, none ? nullptr : output); }); break;
    case 4: {
        const int level = static_cast<int>(dice_.below(6));
        both("geoms_set_log", kind::setting, 1, [&](user_data &u) { return geoms_set_log(u.self, level, none ? nullptr : log_line); });
        break;
    }
    case 5: {
        const std::int64_t n = dice_.of(hostile_int);
        const bool fits = n >= 0 && n <= 3;
        const auto f = n == 1 ? conditions<1> : n == 2 ? conditions<2> : conditions<3>;
        // A number that does not fit its function must not be accepted by chance.
        if (fits || n < 0 || n > 1000) {
            both("geoms_set_conditions", kind::setting, fits && !(none && n > 0) ? 1 : -1,
                 [&](user_data &u) { return geoms_set_conditions(u.self, n, none ? nullptr : f); });
        }
        break;
    }
    default:
        both("geoms_set_parts", kind::setting, 1, [&](user_data &u) { return geoms_set_parts(u.self, nullptr); });
        break;
    }
}

void pair::set_events()
{
    static const int sizes[] = {0, 1, 2, 5, 64};
    std::int64_t n = dice_.of(sizes);
    const bool jump = n == 1 && dice_.one_in(2);
    const auto f = jump ? jumps : n == 1 ? events<1> : n == 2 ? events<2> : n == 5 ? events<5> : events<64>;
    std::vector<int> direction(static_cast<std::size_t>(n)), terminal(direction);
    for (std::size_t k = 0; k < direction.size(); ++k) {
        direction[k] = static_cast<int>(dice_.below(3)) - 1;
        terminal[k] = dice_.one_in(4);
    }
    int must = 0;
    if (n > 0 && dice_.one_in(6)) {
        direction[dice_.below(direction.size())] = dice_.one_in(2) ? 2 : INT32_MIN;
        must = -1;
    }
    double tolerance = dice_.one_in(2) ? 0 : 1e-6;
    if (dice_.one_in(8)) {
        tolerance = dice_.of(hostile);
        must = tolerance >= 0 && std::isfinite(tolerance) ? must : -1;
    }
    const bool none = dice_.one_in(12), arrays = !dice_.one_in(6);
    if (none && n > 0) {
        must = -1;
    }
    if (!arrays && must < 0 && !none && tolerance >= 0 && std::isfinite(tolerance)) {
        must = 0;
    }
    if (dice_.one_in(12)) {
        static const std::int64_t numbers[] = {-1, INT64_MIN, INT64_MAX, std::int64_t{1} << 40, 1000001};
        n = dice_.of(numbers);
        must = -1;
        both("geoms_set_events", kind::setting, must,
             [&](user_data &u) { return geoms_set_events(u.self, n, f, nullptr, nullptr, tolerance); });
        return;
    }
    both("geoms_set_events", kind::setting, must, [&](user_data &u) {
        return geoms_set_events(u.self, n, none ? nullptr : f, arrays ? direction.data() : nullptr,
                                arrays ? terminal.data() : nullptr, tolerance);
    });
}

void pair::set_numbers()
{
    const char *name = dice_.one_in(20) ? nullptr : names()[dice_.below(names().size())].c_str();
    switch (dice_.below(4)) {
    case 0: {
        const std::int64_t value = dice_.of(hostile_int);
        // Runs must stay short.
        if (!name || (std::strcmp(name, "nmax") != 0 && std::strcmp(name, "NMAX") != 0) || (value > 0 && value <= 100)) {
            both("geoms_set_int", kind::setting, name ? 0 : -1, [&](user_data &u) { return geoms_set_int(u.self, name, value); });
        }
        break;
    }
    case 1: {
        const double value = dice_.of(hostile);
        both("geoms_set_real", kind::setting, name && !std::isnan(value) ? 0 : -1,
             [&](user_data &u) { return geoms_set_real(u.self, name, value); });
        break;
    }
    case 2: {
        const double rtol = dice_.one_in(3) ? dice_.of(hostile) : std::pow(10, dice_.between(-9, -3));
        const double atol = dice_.one_in(3) ? dice_.of(hostile) : std::pow(10, dice_.between(-9, -3));
        both("geoms_set_tolerance", kind::setting, rtol > 0 && atol > 0 ? 0 : -1,
             [&](user_data &u) { return geoms_set_tolerance(u.self, rtol, atol); });
        break;
    }
    default: {
        std::vector<double> rtol(x0_.size(), 1e-6), atol(x0_.size(), 1e-6);
        if (dice_.one_in(2)) {
            rtol[dice_.below(rtol.size())] = dice_.of(hostile);
            atol[dice_.below(rtol.size())] = dice_.of(hostile);
        }
        const bool none = dice_.one_in(6);
        both("geoms_set_tolerances", kind::setting, none ? -1 : 0,
             [&](user_data &u) { return geoms_set_tolerances(u.self, none ? nullptr : rtol.data(), atol.data()); });
        break;
    }
    }
}

void pair::run()
{
    double tend = (running() ? last_.t : 0) + dice_.between(0, 0.5);
    if (dice_.one_in(8)) {
        tend = dice_.of(hostile);
    }
    const int must = running() && std::isfinite(tend) && tend >= last_.t ? 0 : -1;
    if (dice_.one_in(2)) {
        both("geoms_integrate", kind::run, must, [&](user_data &u) { return geoms_integrate(u.self, tend); });
    } else {
        both("geoms_step", kind::run, must, [&](user_data &u) { return geoms_step(u.self, tend); });
    }
}

void pair::restart()
{
    int must = 0;
    const std::vector<double> x = point(must);
    const bool none = dice_.one_in(12);
    const double t = dice_.one_in(8) ? dice_.of(hostile) : dice_.between(0, 3);
    if (none || !std::isfinite(t)) {
        must = -1;
    }
    if (dice_.one_in(3)) {
        both("geoms_reset", kind::setting, running() ? must : -1,
             [&](user_data &u) { return geoms_reset(u.self, t, none ? nullptr : x.data()); });
    } else {
        const double h = dice_.one_in(6) ? dice_.of(hostile) : dice_.one_in(2) ? 0 : 0.01;
        both("geoms_start", kind::setting, std::isnan(h) ? -1 : must,
             [&](user_data &u) { return geoms_start(u.self, t, none ? nullptr : x.data(), h); });
    }
}

void pair::ask()
{
    int must = 0;
    std::vector<double> x = point(must), y(x);
    const bool none = dice_.one_in(6);
    double *to = none ? nullptr : y.data();
    const double t = dice_.one_in(4) ? dice_.of(hostile) : last_.t;
    const int needs_run = none || !running() ? -1 : 0, needs_point = none || !std::isfinite(t) ? -1 : must;
    switch (dice_.below(11)) {
    case 0: both("geoms_state", kind::setting, needs_run, [&](user_data &u) { return geoms_state(u.self, to); }); break;
    case 1: both("geoms_dense", kind::setting, needs_run, [&](user_data &u) { return geoms_dense(u.self, t, to); }); break;
    case 2:
        both("geoms_make_consistent", kind::setting, needs_point, [&](user_data &u) {
            y = x;
            const int code = geoms_make_consistent(u.self, t, to);
            if (code < 0 && std::memcmp(x.data(), y.data(), x.size() * sizeof(double)) != 0) {
                fail("refused, but x is another");
            }
            return code;
        });
        break;
    case 3:
        both("geoms_check_jacobian", kind::setting, needs_point,
             [&](user_data &u) { return geoms_check_jacobian(u.self, t, none ? nullptr : x.data(), nullptr); });
        break;
    case 4: {
        geoms_ranks ranks;
        both("geoms_rank_report", kind::setting, needs_point, [&](user_data &u) {
            return geoms_rank_report(u.self, t, none ? nullptr : x.data(), dice_.state % 2 ? &ranks : nullptr, nullptr);
        });
        break;
    }
    case 5: {
        std::vector<double> force(static_cast<std::size_t>(user_[0].dims.nv));
        both("geoms_constraint_forces", kind::setting, needs_point, [&](user_data &u) {
            return geoms_constraint_forces(u.self, t, none ? nullptr : x.data(), force.data());
        });
        break;
    }
    case 6:
        both("geoms_statistics", kind::setting, running() ? 0 : -1, [&](user_data &u) {
            geoms_stats stats;
            return geoms_statistics(u.self, &stats);
        });
        break;
    case 7: {
        const std::int64_t k = dice_.of(hostile_int);
        std::int64_t index;
        both("geoms_event", kind::setting, k >= geoms_event_count(user_[0].self) || k < 0 ? -1 : 1,
             [&](user_data &u) { return geoms_event(u.self, k, none ? nullptr : &index, to); });
        break;
    }
    case 8:
        both("geoms_last_event", kind::setting, geoms_event_count(user_[0].self) > 0 ? 1 : -1, [&](user_data &u) {
            std::int64_t index;
            return geoms_last_event(u.self, none ? nullptr : &index, to);
        });
        break;
    case 9:
        both("geoms_request_stop", kind::setting, 1, [&](user_data &u) {
            geoms_request_stop(u.self);
            return 0;
        });
        break;
    default:
        both("null", kind::setting, -1, [&](user_data &) {
            geoms_free(nullptr);
            return geoms_integrate(nullptr, t);
        });
        break;
    }
}

void pair::keep()
{
    if (dice_.one_in(2) || saved_.empty()) {
        std::vector<unsigned char> bytes(4096 * 8);
        std::size_t room = dice_.one_in(4) ? dice_.below(200) : bytes.size();
        const std::size_t given = room;
        const int code = both("geoms_save", kind::setting, running() ? 0 : -1, [&](user_data &u) {
            room = given;
            return geoms_save(u.self, bytes.data(), &room);
        });
        if (code == 0) {
            bytes.resize(room);
            saved_ = bytes;
        }
        return;
    }
    std::vector<unsigned char> bytes = saved_;
    int must = 0;
    switch (dice_.below(6)) {
    case 0: bytes[dice_.below(bytes.size())] ^= static_cast<unsigned char>(1 + dice_.below(255)); must = -1; break;
    case 1: bytes.resize(dice_.below(bytes.size())); must = -1; break;
    case 2: bytes.insert(bytes.end(), 8, 0); must = -1; break;
    default: break;
    }
    const bool none = dice_.one_in(10);
    both("geoms_restore", kind::setting, none ? -1 : must,
         [&](user_data &u) { return geoms_restore(u.self, none ? nullptr : bytes.data(), bytes.size()); });
}

void pair::call_one()
{
    switch (dice_.below(16)) {
    case 0: set_functions(); break;
    case 1: case 2: set_events(); break;
    case 3: set_numbers(); break;
    case 4: case 5: case 6: restart(); break;
    case 7: case 8: case 9: case 10: case 11: run(); break;
    case 12: case 13: keep(); break;
    default: ask(); break;
    }
}

} // namespace

int main(int argc, char **argv)
{
    const long total = argc > 1 ? std::atol(argv[1]) : 10000;
    const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
    std::signal(SIGALRM, hangs);
    counts all;
    for (std::uint64_t sequence = 0; call_now < total; ++sequence) {
        seed_now = seed + sequence;
        random_numbers dice{seed_now};
        pair handles(dice, all);
        const long length = 20 + static_cast<long>(dice.below(150));
        // What no fault of a callback can leave: the model is put back now and then.
        for (long k = 0; k < length; ++k) {
            handles.call_one();
        }
    }
    std::printf("count: random calls: %ld, of them %ld accepted, %ld refused and nothing changed, %ld runs ended by a fault; "
                "%ld calls from callbacks\n",
                call_now, all.accepted, all.refused, all.ended, all.inner);
    return all.accepted == 0 || all.refused == 0;
}
