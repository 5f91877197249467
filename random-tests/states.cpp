// Mutated saved states.
//
//   states COUNT [SEED]
//
// A saved state is changed by bits, bytes, whole fields, cuts and exchanges. Without a new checksum it must be refused. With a new
// one it may be accepted, since a field can have the value that it was given; then the run goes on, and must end with a code and
// finite numbers. A refused state leaves the run in the handle as it was: saved again it has the same bytes, and its next step is
// that of a twin.

#include "model.hpp"

#include <csignal>
#include <unistd.h>

namespace {

std::uint64_t seed_now = 0;

void hangs(int)
{
    const char text[] = "a restored run does not come back: FAIL\n";
    _exit(write(2, text, sizeof text - 1) > 0 ? 3 : 4);
}

[[noreturn]] void fail(const std::string &why)
{
    std::fprintf(stderr, "seed %llu: %s: FAIL\n", static_cast<unsigned long long>(seed_now), why.c_str());
    std::abort();
}

using bytes = std::vector<unsigned char>;

bytes save(geoms_solver *h)
{
    std::size_t length = 0;
    if (geoms_save(h, nullptr, &length) != 0) {
        fail("cannot be saved");
    }
    bytes saved(length);
    geoms_save(h, saved.data(), &length);
    return saved;
}

struct counts {
    long mutated = 0, sealed = 0, accepted = 0, refused = 0, reached = 0, compared = 0;
};

const double values[] = {NAN,  INFINITY, -INFINITY, 0.0,  -0.0,   -1.0, 1.0, 1e-320, 1e300, -1e300, 1e16,
                         1e-16, 5e-324,  0.5,       1e-8, 2.0,   1e154, -1e-3};
const std::uint64_t integers[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 63, 255, 1u << 31, 0xffffffffu, std::uint64_t{1} << 53,
                                  std::uint64_t{1} << 62, ~std::uint64_t{0}};

std::uint64_t field(const bytes &b, std::size_t k)
{
    std::uint64_t value;
    std::memcpy(&value, b.data() + 8 * k, 8);
    return value;
}

void set_field(bytes &b, std::size_t k, std::uint64_t value) { std::memcpy(b.data() + 8 * k, &value, 8); }

// One change; the header is left to those without a new checksum.
void mutate(random_numbers &dice, bytes &b, bool sealed)
{
    const std::size_t fields = b.size() / 8, first = sealed ? 3 : 0;
    const std::size_t k = first + dice.below(fields - first);
    switch (dice.below(9)) {
    case 0: case 1: b[8 * k + dice.below(8)] ^= static_cast<unsigned char>(1u << dice.below(8)); break;
    case 2: b[8 * k + dice.below(8)] = static_cast<unsigned char>(dice.next()); break;
    case 3: {
        const double value = dice.of(values);
        std::uint64_t bits;
        std::memcpy(&bits, &value, 8);
        set_field(b, k, bits);
        break;
    }
    case 4: set_field(b, k, dice.of(integers)); break;
    case 5: {
        const std::size_t other = first + dice.below(fields - first);
        const std::uint64_t value = field(b, k);
        set_field(b, k, field(b, other));
        set_field(b, other, value);
        break;
    }
    case 6: b.resize(sealed ? 8 * k : dice.below(b.size())); break;
    case 7: b.insert(b.end(), 8 * (1 + dice.below(4)), static_cast<unsigned char>(dice.next())); break;
    default: {
        // A number a little larger or smaller.
        const std::uint64_t value = field(b, k);
        set_field(b, k, dice.one_in(2) ? value + 1 : value - 1);
        break;
    }
    }
}

// A nested state has a seal of its own: that of method -1.
void seal_all(bytes &b)
{
    for (std::size_t at = 8; at + 24 < b.size(); at += 8) {
        if (std::memcmp(b.data() + at, "geoms", 6) == 0) {
            bytes inner(b.begin() + static_cast<std::ptrdiff_t>(at), b.end());
            seal(inner);
            std::copy(inner.begin(), inner.end(), b.begin() + static_cast<std::ptrdiff_t>(at));
            break;
        }
    }
    seal(b);
}

geoms_solver *make(user_data &u, std::uint64_t which, int method, int order, bool fixed)
{
    make_system(u, which);
    u.self = geoms_create(&u.dims, u.form);
    geoms_set_user(u.self, &u);
    geoms_set_eom(u.self, eom);
    geoms_set_mass(u.self, mass);
    geoms_set_jacobian(u.self, jacobian);
    geoms_set_int(u.self, "nmax", 100);
    geoms_set_int(u.self, "method", method);
    geoms_set_int(u.self, "order", order);
    geoms_set_int(u.self, "fixed", fixed);
    geoms_set_int(u.self, "ivcnsst", 1);
    geoms_set_real(u.self, "thet", 0.5); // Jacobians are kept: they are part of the state
    geoms_set_int(u.self, "nwtmat", 0);
    if (u.redundant) {
        geoms_set_int(u.self, "decompc", 3);
    }
    geoms_set_tolerance(u.self, 1e-5, 1e-5);
    geoms_set_events(u.self, 1, events<1>, nullptr, nullptr, 0);
    return u.self;
}

void round(random_numbers &dice, counts &all, long mutations)
{
    const std::uint64_t which = dice.below(4);
    static const int methods[] = {0, 1, 2, 3, 4, -1}, orders[] = {0, 9, 13, -1};
    const int method = dice.of(methods), order = dice.of(orders);
    const bool fixed = dice.one_in(4);
    user_data first, second;
    geoms_solver *h = make(first, which, method, order, fixed), *twin = make(second, which, method, order, fixed);
    const std::vector<double> x = make_system(first, which);
    if (geoms_start(h, 0, x.data(), 0.01) != 0) {
        fail("does not start");
    }
    const double between = dice.between(0.05, 0.4);
    if (geoms_integrate(h, between) < 0) {
        geoms_free(h);
        geoms_free(twin);
        return;
    }
    if (dice.one_in(4)) {
        geoms_reset(h, geoms_time(h) - dice.unit(), x.data());
    }
    const bytes saved = save(h);
    if (geoms_restore(twin, saved.data(), saved.size()) != 0) {
        geoms_error e;
        geoms_last_error(twin, &e);
        fail(std::string("its own state is refused: ") + e.detail);
    }
    std::vector<double> y(x), z(x);
    for (long k = 0; k < mutations; ++k) {
        bytes changed = saved;
        const bool sealed = !dice.one_in(3);
        for (std::uint64_t more = 1 + dice.below(dice.one_in(3) ? 4 : 1); more > 0 && changed.size() > 40; --more) {
            mutate(dice, changed, sealed);
        }
        if (sealed) {
            seal_all(changed);
        }
        if (changed == saved) {
            continue;
        }
        ++all.mutated;
        all.sealed += sealed;
        alarm(30);
        const bytes now = save(h);
        const int code = geoms_restore(h, changed.data(), changed.size());
        if (code == 0 && !sealed) {
            fail("accepted without its checksum");
        }
        if (code == GEOMS_IDID_INTERNAL) {
            fail("internal error");
        }
        if (code != 0) {
            ++all.refused;
            if (save(h) != now) {
                fail("refused, but not as before");
            }
            continue;
        }
        ++all.accepted;
        const double tend = geoms_time(h) + 0.1;
        const int ended = geoms_integrate(h, tend);
        if (ended == GEOMS_IDID_INTERNAL) {
            fail("internal error behind an accepted state");
        }
        geoms_state(h, y.data());
        bool finite = std::isfinite(geoms_time(h));
        for (const double v : y) {
            finite = finite && std::isfinite(v);
        }
        if (!finite || (ended == GEOMS_REACHED && geoms_time(h) != tend)) {
            fail("what is no number, after " + std::to_string(ended));
        }
        all.reached += ended >= 0;
        if (geoms_restore(h, saved.data(), saved.size()) != 0) {
            fail("the state itself is refused");
        }
    }
    // Whatever was refused or accepted and put back: the run is the one that was saved.
    const double tend = geoms_time(h) + 0.3;
    const int a = geoms_integrate(h, tend), b = geoms_integrate(twin, tend);
    geoms_state(h, y.data());
    geoms_state(twin, z.data());
    if (a != b || std::memcmp(y.data(), z.data(), y.size() * sizeof(double)) != 0 || save(h) != save(twin)) {
        fail("does not go on as its twin");
    }
    ++all.compared;
    alarm(0);
    geoms_free(h);
    geoms_free(twin);
}

} // namespace

int main(int argc, char **argv)
{
    const long total = argc > 1 ? std::atol(argv[1]) : 10000;
    const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
    std::signal(SIGALRM, hangs);
    counts all;
    for (std::uint64_t k = 0; all.mutated < total; ++k) {
        seed_now = seed + k;
        random_numbers dice{seed_now};
        round(dice, all, 100);
    }
    std::printf("count: mutated states: %ld, of them %ld with a right checksum; %ld refused and nothing changed, %ld accepted, "
                "of which %ld went on to the end; %ld runs compared with a twin\n",
                all.mutated, all.sealed, all.refused, all.accepted, all.reached, all.compared);
    return all.accepted == 0 || all.refused == 0 || all.compared == 0;
}
