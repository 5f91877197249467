/* geoms for C++17: the handle of geoms.h as a class.
 *
 * Callbacks are lambdas or other callable objects. They return nothing, an int or a geoms::outcome. What they throw stops
 * the run and is thrown again by the function that was called; the solver can be used again. Failures of the library are
 * thrown as geoms::error. There is no code of this header in the library. */

#ifndef GEOMS_HPP
#define GEOMS_HPP

#include "geoms.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace geoms {

/// What a callback may say.
enum class outcome : int { ok = 0, retry = 1, stop = -1 };

/// How integrate and step ended.
enum class status : int { reached = GEOMS_REACHED, event = GEOMS_EVENT };

/// How the equations are given: with or without gII and hI.
enum class form : int { strangeness_free = GEOMS_FORM_STRANGENESS_FREE, index1 = GEOMS_FORM_INDEX1 };

/// A pointer and a size.
template <class T> class view {
  public:
    view(T *data, std::size_t size) noexcept : data_(data), size_(size) {}
    /// From anything that has data() and size(), such as std::vector, std::array or std::span.
    template <class C, class = decltype(static_cast<T *>(std::declval<C &>().data())),
              class = decltype(std::declval<C &>().size())>
    view(C &&container) noexcept : data_(container.data()), size_(container.size()) {}

    T *data() const noexcept { return data_; }
    std::size_t size() const noexcept { return size_; }
    T *begin() const noexcept { return data_; }
    T *end() const noexcept { return data_ + size_; }
    /// False where there is nothing to be written.
    explicit operator bool() const noexcept { return data_ != nullptr; }
    T &operator[](std::size_t i) const noexcept { return data_[i]; }

  private:
    T *data_;
    std::size_t size_;
};

/// A column-major matrix.
class matrix {
  public:
    matrix() noexcept = default;
    matrix(double *data, std::size_t rows, std::size_t columns) noexcept : data_(data), rows_(rows), columns_(columns) {}

    double *data() const noexcept { return data_; }
    std::size_t rows() const noexcept { return rows_; }
    std::size_t columns() const noexcept { return columns_; }
    /// False where there is no matrix to be written.
    explicit operator bool() const noexcept { return data_ != nullptr; }
    double &operator()(std::size_t i, std::size_t j) const noexcept { return data_[i + j * rows_]; }

  private:
    double *data_ = nullptr;
    std::size_t rows_ = 0, columns_ = 0;
};

/// FX1 to FX6.
using blocks = std::array<matrix, 6>;

/// Parts of the equations of motion; each is false where it is not asked for. Matrices come in as zeros. The multipliers in x have no
/// meaning for them. To supply them says that p' = v, and that f_dyn depends on the multipliers by -C^T (lambda, mu) alone.
struct parts {
    /// f_dyn without the constraint forces
    view<double> force;
    /// the mass matrix; not asked for where it is constant and known
    matrix mass;
    /// C: NL+NM rows, the derivatives of gI and h by v
    matrix c;
    /// gII and hI for v' = 0
    view<double> gamma;
    /// gI and h
    view<double> velocity;
    /// g
    view<double> position;
};

/// A failure of the library; what() is a report of several lines.
class error : public std::runtime_error {
  public:
    explicit error(const geoms_error &e)
        : std::runtime_error(e.report), code_(e.code), sentence_(e.sentence), advice_(e.advice), detail_(e.detail),
          component_(e.index > 0 ? std::string(e.block) + "(" + std::to_string(e.index) + ")" : std::string()),
          block_(e.block), index_(e.index), t_(e.t), h_(e.h), theta_(e.theta)
    {
    }
    explicit error(int code) : std::runtime_error(geoms_strerror(code)), code_(code), sentence_(geoms_strerror(code)),
                               advice_(geoms_advice(code))
    {
    }

    /// One of GEOMS_IDID_*.
    int code() const noexcept { return code_; }
    /// What the code means.
    const std::string &sentence() const noexcept { return sentence_; }
    /// What to try.
    const std::string &advice() const noexcept { return advice_; }
    /// The case at hand.
    const std::string &detail() const noexcept { return detail_; }
    /// Block and number concerned, such as v(7), or empty.
    const std::string &component() const noexcept { return component_; }
    const std::string &block() const noexcept { return block_; }
    /// From 1; 0 if there is none.
    std::int64_t index() const noexcept { return index_; }
    /// Last accepted time.
    double t() const noexcept { return t_; }
    /// Step size of the last attempt.
    double h() const noexcept { return h_; }
    /// Rate of convergence of Newton's method.
    double theta() const noexcept { return theta_; }

  private:
    int code_;
    std::string sentence_, advice_, detail_, component_, block_;
    std::int64_t index_ = 0;
    double t_ = 0, h_ = 0, theta_ = 0;
};

/// An accepted point, as an output function sees it.
class accepted {
  public:
    explicit accepted(const geoms_step_info &info) noexcept : info_(info) {}

    std::int64_t naccpt() const noexcept { return info_.naccpt; }
    double t_old() const noexcept { return info_.t_old; }
    double t() const noexcept { return info_.t; }
    double h() const noexcept { return info_.h; }
    view<const double> x() const noexcept { return {info_.x, static_cast<std::size_t>(info_.n)}; }
    /// The solution at a time within the step.
    std::vector<double> dense(double t) const
    {
        std::vector<double> x(static_cast<std::size_t>(info_.n));
        const int code = geoms_dense(info_.solver, t, x.data());
        if (code < 0) {
            throw error(code);
        }
        return x;
    }

  private:
    const geoms_step_info &info_;
};

/// An event.
struct event {
    std::int64_t index;
    double t;
};

/// How an event function is treated.
struct rule {
    int direction = 0; ///< 0 any, 1 rising, -1 falling
    bool terminal = true;
};

/// Redundant constraints at one point.
struct redundancy {
    geoms_ranks ranks;
    std::vector<std::string> dependent;
};

/// A solver. It can be moved and not copied.
class solver {
  public:
    explicit solver(const geoms_dimensions &dims, form as = form::strangeness_free)
        : state_(std::make_unique<state>(dims, as)), handle_(geoms_create(&dims, static_cast<int>(as)))
    {
        if (!handle_) {
            geoms_error e;
            geoms_last_error(nullptr, &e);
            throw error(e);
        }
        idle();
    }

    /// The handle, for functions of geoms.h. Its callbacks and user pointer belong to this class.
    geoms_solver *get() const noexcept { return handle_.get(); }

    /// f(t, x, rda)
    template <class F> solver &set_eom(F f)
    {
        idle();
        state_->eom = wrap<vector>(std::move(f));
        check(geoms_set_eom(get(), [](double t, const double *x, double *rda, void *user) {
            return guarded(user, [&](state &s) { return s.eom(t, s.in(x), view<double>(rda, s.m)); });
        }));
        return *this;
    }

    /// f(t, x, mass), mass a matrix of NV by NV
    template <class F> solver &set_mass(F f)
    {
        idle();
        state_->mass = wrap<void(double, view<const double>, matrix)>(std::move(f));
        check(geoms_set_mass(get(), [](double t, const double *x, double *mass, void *user) {
            return guarded(user, [&](state &s) { return s.mass(t, s.in(x), matrix(mass, s.nv, s.nv)); });
        }));
        return *this;
    }

    /// f(t, x, fx): the NEGATIVE derivatives in six blocks, which come in as zeros
    template <class F> solver &set_jacobian(F f)
    {
        idle();
        state_->jacobian = wrap<void(double, view<const double>, blocks &)>(std::move(f));
        check(geoms_set_jacobian(get(), [](double t, const double *x, double *const *fx, void *user) {
            return guarded(user, [&](state &s) {
                blocks b;
                for (std::size_t k = 0; k < b.size(); ++k) {
                    b[k] = matrix(fx[k], s.shape[k].first, s.shape[k].second);
                }
                return s.jacobian(t, s.in(x), b);
            });
        }));
        return *this;
    }

    /// f(t, x, p): the parts of the equations of motion that p asks for
    template <class F> solver &set_parts(F f)
    {
        idle();
        state_->parts = wrap<void(double, view<const double>, parts &)>(std::move(f));
        check(geoms_set_parts(get(), [](double t, const double *x, double *force, double *mass, double *c, double *gamma,
                                        double *velocity, double *position, void *user) {
            return guarded(user, [&](state &s) {
                const auto rows = [](double *at, std::size_t n) { return view<double>(at, at ? n : 0); };
                parts p{rows(force, s.nv),    matrix(mass, s.nv, s.nv),  matrix(c, s.nc, s.nv),
                        rows(gamma, s.nc),    rows(velocity, s.nc),      rows(position, s.nl)};
                return s.parts(t, s.in(x), p);
            });
        }));
        return *this;
    }

    /// f(t, x, cond) with n conditions on the initial values
    template <class F> solver &set_conditions(std::size_t n, F f)
    {
        idle();
        state_->conditions = wrap<vector>(std::move(f));
        state_->condition_count = n;
        check(geoms_set_conditions(get(), static_cast<std::int64_t>(n), [](double t, const double *x, double *c, void *user) {
            return guarded(user, [&](state &s) { return s.conditions(t, s.in(x), view<double>(c, s.condition_count)); });
        }));
        return *this;
    }

    /// f(t, x, value) with one value for each rule
    template <class F> solver &set_events(const std::vector<rule> &rules, F f, double tolerance = 0)
    {
        idle();
        std::vector<int> direction, terminal;
        for (const rule &r : rules) {
            direction.push_back(r.direction);
            terminal.push_back(r.terminal ? 1 : 0);
        }
        state_->events = wrap<vector>(std::move(f));
        state_->event_count = rules.size();
        check(geoms_set_events(
            get(), static_cast<std::int64_t>(rules.size()),
            [](double t, const double *x, double *value, void *user) {
                return guarded(user, [&](state &s) { return s.events(t, s.in(x), view<double>(value, s.event_count)); });
            },
            direction.data(), terminal.data(), tolerance));
        return *this;
    }

    /// f(step), told of the initial point and of every accepted step
    template <class F> solver &set_output(F f)
    {
        idle();
        state_->output = wrap<void(const accepted &)>(std::move(f));
        check(geoms_set_output(get(), [](const geoms_step_info *step, void *user) {
            return guarded(user, [&](state &s) { return s.output(accepted(*step)); });
        }));
        return *this;
    }

    /// f(level, text)
    template <class F> solver &set_log(int level, F f)
    {
        idle();
        state_->log = wrap<void(int, const char *)>(std::move(f));
        check(geoms_set_log(get(), level, [](int at, const char *text, void *user) {
            return guarded(user, [&](state &s) { return s.log(at, text); });
        }));
        return *this;
    }

    /// Set an option by its name: set("decompc", 3), set("hmax", 0.1).
    template <class T> solver &set(const std::string &name, T value)
    {
        static_assert(std::is_arithmetic<T>::value, "options are numbers");
        if constexpr (std::is_floating_point<T>::value) {
            check(geoms_set_real(get(), name.c_str(), value));
        } else {
            check(geoms_set_int(get(), name.c_str(), static_cast<std::int64_t>(value)));
        }
        return *this;
    }

    solver &set_tolerance(double rtol, double atol)
    {
        check(geoms_set_tolerance(get(), rtol, atol));
        return *this;
    }

    solver &set_tolerance(view<const double> rtol, view<const double> atol)
    {
        fits(rtol.size(), "rtol");
        fits(atol.size(), "atol");
        check(geoms_set_tolerances(get(), rtol.data(), atol.data()));
        return *this;
    }

    /// Begin a run at (t, x).
    void start(double t, view<const double> x, double h0 = 0)
    {
        fits(x.size(), "x");
        check(geoms_start(get(), t, x.data(), h0));
    }

    /// A consistent point near x.
    std::vector<double> make_consistent(double t, view<const double> x)
    {
        fits(x.size(), "x");
        std::vector<double> y(x.begin(), x.end());
        check(geoms_make_consistent(get(), t, y.data()));
        return y;
    }

    status integrate(double tend) { return static_cast<status>(check(geoms_integrate(get(), tend))); }
    status step(double tend) { return static_cast<status>(check(geoms_step(get(), tend))); }

    /// Go on from another point.
    void reset(double t, view<const double> x)
    {
        fits(x.size(), "x");
        check(geoms_reset(get(), t, x.data()));
    }

    /// Ask the run to stop: from any thread, callback or signal handler.
    void request_stop() const noexcept { geoms_request_stop(get()); }

    double time() const noexcept { return geoms_time(get()); }
    double next_step() const noexcept { return geoms_next_step(get()); }
    std::size_t dimension() const noexcept { return state_->n; }
    std::size_t equations() const noexcept { return state_->m; }

    std::vector<double> state_vector() const
    {
        std::vector<double> x(state_->n);
        check(geoms_state(get(), x.data()));
        return x;
    }

    /// The solution at a time within the last step.
    std::vector<double> dense(double t) const
    {
        std::vector<double> x(state_->n);
        check(geoms_dense(get(), t, x.data()));
        return x;
    }

    geoms_stats statistics() const
    {
        geoms_stats s;
        check(geoms_statistics(get(), &s));
        return s;
    }

    /// Events of the last call of integrate or step.
    std::vector<event> events() const
    {
        std::vector<event> all(static_cast<std::size_t>(geoms_event_count(get())));
        for (std::size_t k = 0; k < all.size(); ++k) {
            check(geoms_event(get(), static_cast<std::int64_t>(k), &all[k].index, &all[k].t));
        }
        return all;
    }

    /// The last of them.
    event last_event() const
    {
        event e{};
        check(geoms_last_event(get(), &e.index, &e.t));
        return e;
    }

    std::vector<unsigned char> save() const
    {
        std::size_t length = 0;
        check(geoms_save(get(), nullptr, &length));
        std::vector<unsigned char> bytes(length);
        check(geoms_save(get(), bytes.data(), &length));
        return bytes;
    }

    void restore(view<const unsigned char> bytes) { check(geoms_restore(get(), bytes.data(), bytes.size())); }

    /// What is wrong with the Jacobian at (t, x).
    std::vector<std::string> check_jacobian(double t, view<const double> x)
    {
        fits(x.size(), "x");
        state_->findings.clear();
        check(geoms_check_jacobian(get(), t, x.data(), collect));
        return std::move(state_->findings);
    }

    /// Which constraints depend on each other at (t, x).
    redundancy rank_report(double t, view<const double> x)
    {
        fits(x.size(), "x");
        redundancy r{};
        state_->findings.clear();
        check(geoms_rank_report(get(), t, x.data(), &r.ranks, collect));
        r.dependent = std::move(state_->findings);
        return r;
    }

    std::vector<double> constraint_forces(double t, view<const double> x)
    {
        fits(x.size(), "x");
        std::vector<double> force(state_->nv);
        check(geoms_constraint_forces(get(), t, x.data(), force.data()));
        return force;
    }

  private:
    using vector = void(double, view<const double>, view<double>);

    template <class Signature> struct returning_int;
    template <class... A> struct returning_int<void(A...)> {
        using type = std::function<int(A...)>;

        template <class F> static type wrap(F f)
        {
            using result = std::invoke_result_t<F &, A...>;
            if constexpr (std::is_void<result>::value) {
                return [f = std::move(f)](A... a) mutable { return f(a...), 0; };
            } else {
                return [f = std::move(f)](A... a) mutable { return static_cast<int>(f(a...)); };
            }
        }
    };

    template <class Signature, class F> static typename returning_int<Signature>::type wrap(F f)
    {
        return returning_int<Signature>::wrap(std::move(f));
    }

    /// What the callbacks need; its address does not change when the solver is moved.
    struct state {
        state(const geoms_dimensions &d, form as)
        {
            const auto size = [](std::int64_t v) { return v > 0 ? static_cast<std::size_t>(v) : std::size_t{0}; };
            const std::size_t np = size(d.np), nr = size(d.nr), nw = size(d.nw), ns = size(d.ns),
                              nm = size(d.nm), ni = size(d.ni);
            nv = size(d.nv);
            nl = size(d.nl);
            nc = nl + nm;
            n = np + nv + nr + nw + ns + nl + nm;
            const std::size_t m1 = as == form::index1 ? nw : nw + nl + nm, m2 = nl + nm + ni, m3 = ns + nl;
            m = m1 + m2 + m3 + nr + nv + np;
            shape = {{{m1, n}, {m2, nv + ns + np}, {m3, ns + np}, {nr, n}, {nv, n}, {np, nv + ns + np}}};
        }

        view<const double> in(const double *x) const noexcept { return {x, n}; }

        std::size_t n = 0, m = 0, nv = 0, nl = 0, nc = 0, condition_count = 0, event_count = 0;
        std::array<std::pair<std::size_t, std::size_t>, 6> shape{};
        returning_int<vector>::type eom, conditions, events;
        returning_int<void(double, view<const double>, matrix)>::type mass;
        returning_int<void(double, view<const double>, blocks &)>::type jacobian;
        returning_int<void(double, view<const double>, geoms::parts &)>::type parts;
        returning_int<void(const accepted &)>::type output;
        returning_int<void(int, const char *)>::type log;
        std::vector<std::string> findings;
        std::exception_ptr thrown;
    };

    /// Nothing may be thrown through the library: it is kept, and the run stopped.
    template <class F> static int guarded(void *user, F f) noexcept
    {
        state &s = *static_cast<state *>(user);
        if (s.thrown) {
            return static_cast<int>(outcome::stop);
        }
        try {
            return f(s);
        } catch (...) {
            s.thrown = std::current_exception();
            return static_cast<int>(outcome::stop);
        }
    }

    static int collect(int, const char *text, void *user)
    {
        return guarded(user, [&](state &s) { return s.findings.emplace_back(text), 0; });
    }

    /// Throw what a callback has thrown, or a failure.
    int check(int code) const
    {
        // From within a callback nothing is thrown again: that is for the outer call.
        if (state_->thrown && code != GEOMS_IDID_IN_USE) {
            std::rethrow_exception(std::exchange(state_->thrown, nullptr));
        }
        if (code >= 0) {
            return code;
        }
        geoms_error e;
        if (geoms_last_error(get(), &e) == code && code != GEOMS_IDID_IN_USE) {
            throw error(e);
        }
        throw error(code);
    }

    /// Refuse to replace a callback while a call runs, which may be this very callback.
    void idle() const { check(geoms_set_user(get(), state_.get())); }

    void fits(std::size_t size, const char *name) const
    {
        if (size != state_->n) {
            throw std::invalid_argument(std::string("geoms: ") + name + " has " + std::to_string(size) +
                                        " entries instead of " + std::to_string(state_->n));
        }
    }

    struct deleter {
        void operator()(geoms_solver *handle) const noexcept { geoms_free(handle); }
    };

    std::unique_ptr<state> state_;
    std::unique_ptr<geoms_solver, deleter> handle_;
};

} // namespace geoms

#endif
