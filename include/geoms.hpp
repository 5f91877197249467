/* geoms for C++17: the handle of geoms.h as a class.
 *
 * Callbacks are lambdas or other callable objects. They return nothing, an int or a geoms::outcome. What they throw stops
 * the run and is thrown again by the function that was called; the solver can be used again. Failures of the library are
 * thrown as geoms::error. There is no code of this header in the library. */

#ifndef GEOMS_HPP
#define GEOMS_HPP

#if (defined(_MSVC_LANG) ? _MSVC_LANG : __cplusplus) < 201703L
#error "geoms.hpp needs C++17: compile with -std=c++17, or use geoms.h"
#endif

// With clang -Weverything: what a class in a header, an int beside a double and a pointer with a size cannot be without.
#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wweak-vtables"
#pragma clang diagnostic ignored "-Wpadded"
#if __has_warning("-Wunsafe-buffer-usage")
#pragma clang diagnostic ignored "-Wunsafe-buffer-usage"
#endif
#endif

#include "geoms.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <new>
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

class glue;

/// A solver. It can be moved and not copied; one that has been moved from throws std::logic_error when it is used.
///
/// A call that throws has changed nothing, unless the run was on its way: then it stands at the last accepted point. A solver
/// may be destroyed or overwritten by one of its own callbacks: the run is asked to stop, and its memory is given back when the
/// call has returned.
class solver {
  public:
    explicit solver(const geoms_dimensions &dims, form as = form::strangeness_free)
        : core_(std::make_shared<core>(dims, as))
    {
        if (!core_->handle) {
            geoms_error e;
            geoms_last_error(nullptr, &e);
            throw error(e);
        }
        core_->idle();
    }

    solver(solver &&) noexcept = default;
    solver &operator=(solver &&other) noexcept
    {
        if (this != &other) {
            leave();
            core_ = std::move(other.core_);
        }
        return *this;
    }
    solver(const solver &) = delete;
    solver &operator=(const solver &) = delete;
    ~solver() { leave(); }

    /// The handle, for functions of geoms.h; null if the solver has been moved from. Its callbacks and user pointer belong to
    /// this class.
    geoms_solver *get() const noexcept { return core_ ? core_->handle.get() : nullptr; }

    /// f(t, x, rda)
    template <class F> solver &set_eom(F f)
    {
        use()->replace(&core::eom, wrap<vector>(std::move(f)), [](geoms_solver *handle) {
            return geoms_set_eom(handle, [](double t, const double *x, double *rda, void *user) {
                return guarded(user, [&](core &c) { return c.eom(t, c.in(x), view<double>(rda, c.m)); });
            });
        });
        return *this;
    }

    /// f(t, x, mass), mass a matrix of NV by NV
    template <class F> solver &set_mass(F f)
    {
        auto wrapped = wrap<void(double, view<const double>, matrix)>(std::move(f));
        use()->replace(&core::mass, std::move(wrapped), [](geoms_solver *handle) {
            return geoms_set_mass(handle, [](double t, const double *x, double *mass, void *user) {
                return guarded(user, [&](core &c) { return c.mass(t, c.in(x), matrix(mass, c.nv, c.nv)); });
            });
        });
        return *this;
    }

    /// f(t, x, fx): the NEGATIVE derivatives in six blocks, which come in as zeros
    template <class F> solver &set_jacobian(F f)
    {
        auto wrapped = wrap<void(double, view<const double>, blocks &)>(std::move(f));
        use()->replace(&core::jacobian, std::move(wrapped), [](geoms_solver *handle) {
            return geoms_set_jacobian(handle, [](double t, const double *x, double *const *fx, void *user) {
                return guarded(user, [&](core &c) {
                    blocks b;
                    for (std::size_t k = 0; k < b.size(); ++k) {
                        b[k] = matrix(fx[k], c.shape[k].first, c.shape[k].second);
                    }
                    return c.jacobian(t, c.in(x), b);
                });
            });
        });
        return *this;
    }

    /// f(t, x, p): the parts of the equations of motion that p asks for
    template <class F> solver &set_parts(F f)
    {
        auto wrapped = wrap<void(double, view<const double>, parts &)>(std::move(f));
        use()->replace(&core::parts, std::move(wrapped), [](geoms_solver *handle) {
            return geoms_set_parts(handle, [](double t, const double *x, double *force, double *mass, double *c_matrix,
                                              double *gamma, double *velocity, double *position, void *user) {
                return guarded(user, [&](core &c) {
                    const auto rows = [](double *at, std::size_t n) { return view<double>(at, at ? n : 0); };
                    geoms::parts p{rows(force, c.nv), matrix(mass, c.nv, c.nv), matrix(c_matrix, c.nc, c.nv),
                                   rows(gamma, c.nc), rows(velocity, c.nc),     rows(position, c.nl)};
                    return c.parts(t, c.in(x), p);
                });
            });
        });
        return *this;
    }

    /// where a matrix may have entries other than zero: 0 is M, 1 to 6 are FX1 to FX6; positions (row, column) from 0 on
    solver &set_pattern(int block, const std::vector<std::pair<std::int64_t, std::int64_t>> &positions)
    {
        std::vector<std::int64_t> rows, columns;
        for (const auto &position : positions) {
            rows.push_back(position.first);
            columns.push_back(position.second);
        }
        const auto c = use();
        c->check(geoms_set_pattern(c->handle.get(), block, number(positions.size()), rows.data(), columns.data()));
        return *this;
    }

    /// the matrix may have entries anywhere
    solver &clear_pattern(int block)
    {
        const auto c = use();
        c->check(geoms_set_pattern(c->handle.get(), block, -1, nullptr, nullptr));
        return *this;
    }

    /// f(t, x, cond) with n conditions on the initial values
    template <class F> solver &set_conditions(std::size_t n, F f)
    {
        use()->replace(&core::conditions, counted{wrap<vector>(std::move(f)), n}, [n](geoms_solver *handle) {
            return geoms_set_conditions(handle, number(n), [](double t, const double *x, double *value, void *user) {
                return guarded(user, [&](core &c) { return c.conditions.at(t, c.in(x), value); });
            });
        });
        return *this;
    }

    /// f(t, x, value) with one value for each rule
    template <class F> solver &set_events(const std::vector<rule> &rules, F f, double tolerance = 0)
    {
        std::vector<int> direction, terminal;
        for (const rule &r : rules) {
            direction.push_back(r.direction);
            terminal.push_back(r.terminal ? 1 : 0);
        }
        use()->replace(&core::events, counted{wrap<vector>(std::move(f)), rules.size()}, [&](geoms_solver *handle) {
            const auto call = [](double t, const double *x, double *value, void *user) {
                return guarded(user, [&](core &c) { return c.events.at(t, c.in(x), value); });
            };
            return geoms_set_events(handle, number(rules.size()), call, direction.data(), terminal.data(), tolerance);
        });
        return *this;
    }

    /// f(step), told of the initial point and of every accepted step
    template <class F> solver &set_output(F f)
    {
        use()->replace(&core::output, wrap<void(const accepted &)>(std::move(f)), [](geoms_solver *handle) {
            return geoms_set_output(handle, [](const geoms_step_info *step, void *user) {
                return guarded(user, [&](core &c) { return c.output(accepted(*step)); });
            });
        });
        return *this;
    }

    /// f(level, text)
    template <class F> solver &set_log(int level, F f)
    {
        use()->replace(&core::log, wrap<void(int, const char *)>(std::move(f)), [level](geoms_solver *handle) {
            return geoms_set_log(handle, level, [](int at, const char *text, void *user) {
                return guarded(user, [&](core &c) { return c.log(at, text); });
            });
        });
        return *this;
    }

    /// Set an option by its name: set("decompc", 3), set("hmax", 0.1).
    template <class T> solver &set(const std::string &name, T value)
    {
        static_assert(std::is_arithmetic<T>::value, "options are numbers");
        const auto c = use();
        if constexpr (std::is_floating_point<T>::value) {
            c->check(geoms_set_real(c->handle.get(), name.c_str(), value));
        } else {
            if constexpr (std::is_unsigned<T>::value) {
                number(value);
            }
            c->check(geoms_set_int(c->handle.get(), name.c_str(), static_cast<std::int64_t>(value)));
        }
        return *this;
    }

    solver &set_tolerance(double rtol, double atol)
    {
        const auto c = use();
        c->check(geoms_set_tolerance(c->handle.get(), rtol, atol));
        return *this;
    }

    solver &set_tolerance(view<const double> rtol, view<const double> atol)
    {
        const auto c = use();
        c->fits(rtol.size(), "rtol");
        c->fits(atol.size(), "atol");
        c->check(geoms_set_tolerances(c->handle.get(), rtol.data(), atol.data()));
        return *this;
    }

    /// Begin a run at (t, x).
    void start(double t, view<const double> x, double h0 = 0)
    {
        const auto c = use();
        c->fits(x.size(), "x");
        c->check(geoms_start(c->handle.get(), t, x.data(), h0));
    }

    /// A consistent point near x.
    std::vector<double> make_consistent(double t, view<const double> x)
    {
        const auto c = use();
        c->fits(x.size(), "x");
        std::vector<double> y(x.begin(), x.end());
        c->check(geoms_make_consistent(c->handle.get(), t, y.data()));
        return y;
    }

    status integrate(double tend)
    {
        const auto c = use();
        return static_cast<status>(c->check(geoms_integrate(c->handle.get(), tend)));
    }

    status step(double tend)
    {
        const auto c = use();
        return static_cast<status>(c->check(geoms_step(c->handle.get(), tend)));
    }

    /// Go on from another point.
    void reset(double t, view<const double> x)
    {
        const auto c = use();
        c->fits(x.size(), "x");
        c->check(geoms_reset(c->handle.get(), t, x.data()));
    }

    /// Ask the run to stop: from any thread, callback or signal handler.
    void request_stop() const noexcept { geoms_request_stop(get()); }

    double time() const { return geoms_time(use()->handle.get()); }
    double next_step() const { return geoms_next_step(use()->handle.get()); }
    std::size_t dimension() const { return use()->n; }
    std::size_t equations() const { return use()->m; }

    std::vector<double> state_vector() const
    {
        const auto c = use();
        std::vector<double> x(c->n);
        c->check(geoms_state(c->handle.get(), x.data()));
        return x;
    }

    /// The solution at a time within the last step.
    std::vector<double> dense(double t) const
    {
        const auto c = use();
        std::vector<double> x(c->n);
        c->check(geoms_dense(c->handle.get(), t, x.data()));
        return x;
    }

    geoms_stats statistics() const
    {
        const auto c = use();
        geoms_stats s;
        c->check(geoms_statistics(c->handle.get(), &s));
        return s;
    }

    /// What the method measures, by its name: "frequency", "largest_frequency", "stable_step" of method 3.
    double measure(const std::string &name) const
    {
        const auto c = use();
        double value = 0;
        c->check(geoms_measure(c->handle.get(), name.c_str(), &value));
        return value;
    }

    /// Events of the last call of integrate or step.
    std::vector<event> events() const
    {
        const auto c = use();
        std::vector<event> all(static_cast<std::size_t>(geoms_event_count(c->handle.get())));
        for (std::size_t k = 0; k < all.size(); ++k) {
            c->check(geoms_event(c->handle.get(), number(k), &all[k].index, &all[k].t));
        }
        return all;
    }

    /// The last of them.
    event last_event() const
    {
        const auto c = use();
        event e{};
        c->check(geoms_last_event(c->handle.get(), &e.index, &e.t));
        return e;
    }

    std::vector<unsigned char> save() const
    {
        const auto c = use();
        std::size_t length = 0;
        c->check(geoms_save(c->handle.get(), nullptr, &length));
        std::vector<unsigned char> bytes(length);
        c->check(geoms_save(c->handle.get(), bytes.data(), &length));
        return bytes;
    }

    void restore(view<const unsigned char> bytes)
    {
        const auto c = use();
        c->check(geoms_restore(c->handle.get(), bytes.data(), bytes.size()));
    }

    /// What is wrong with the Jacobian at (t, x).
    std::vector<std::string> check_jacobian(double t, view<const double> x)
    {
        const auto c = use();
        c->fits(x.size(), "x");
        c->idle();
        c->findings.clear();
        c->check(geoms_check_jacobian(c->handle.get(), t, x.data(), collect));
        return std::move(c->findings);
    }

    /// What does not fit in the model at (t, x) and near it, with the likely slip; the cause comes before its consequences.
    std::vector<std::string> check_model(double t, view<const double> x)
    {
        const auto c = use();
        c->fits(x.size(), "x");
        c->idle();
        c->findings.clear();
        c->check(geoms_check_model(c->handle.get(), t, x.data(), collect));
        return std::move(c->findings);
    }

    /// Warnings since the start of the run.
    std::vector<std::string> warnings() const
    {
        const auto c = use();
        std::vector<std::string> all;
        for (std::int64_t k = 0; k < geoms_warning_count(c->handle.get()); ++k) {
            all.emplace_back(geoms_warning(c->handle.get(), k));
        }
        return all;
    }

    /// Which constraints depend on each other at (t, x).
    redundancy rank_report(double t, view<const double> x)
    {
        const auto c = use();
        c->fits(x.size(), "x");
        c->idle();
        redundancy r{};
        c->findings.clear();
        c->check(geoms_rank_report(c->handle.get(), t, x.data(), &r.ranks, collect));
        r.dependent = std::move(c->findings);
        return r;
    }

    std::vector<double> constraint_forces(double t, view<const double> x)
    {
        const auto c = use();
        c->fits(x.size(), "x");
        std::vector<double> force(c->nv);
        c->check(geoms_constraint_forces(c->handle.get(), t, x.data(), force.data()));
        return force;
    }

  private:
    using vector = void(double, view<const double>, view<double>);

    template <class Signature> struct returning_int;
    template <class... A> struct returning_int<void(A...)> {
        using type = std::function<int(A...)>;

        template <class F> static type wrap(F given)
        {
            using result = std::invoke_result_t<F &, A...>;
            if constexpr (std::is_void<result>::value) {
                return [f = std::move(given)](A... a) mutable {
                    f(a...);
                    return 0;
                };
            } else {
                return [f = std::move(given)](A... a) mutable { return static_cast<int>(f(a...)); };
            }
        }
    };

    template <class Signature, class F> static typename returning_int<Signature>::type wrap(F f)
    {
        return returning_int<Signature>::wrap(std::move(f));
    }

    /// A count for the library.
    static std::int64_t number(std::size_t n)
    {
        if (n > static_cast<std::size_t>(INT64_MAX)) {
            throw std::out_of_range("geoms: " + std::to_string(n) + " is more than the library can count");
        }
        return static_cast<std::int64_t>(n);
    }

    /// A function and how many values it has: one thing, so that no part of it is replaced alone.
    struct counted {
        typename returning_int<vector>::type function;
        std::size_t count = 0;

        int at(double t, view<const double> x, double *value) { return function(t, x, view<double>(value, count)); }
    };

    struct deleter {
        void operator()(geoms_solver *handle) const noexcept { geoms_free(handle); }
    };

    /// The handle and what its callbacks need. Every call holds it: it outlives a solver that is destroyed meanwhile.
    struct core {
        core(const geoms_dimensions &d, form as) : handle(geoms_create(&d, static_cast<int>(as)))
        {
            const auto size = [](std::int64_t v) { return v > 0 ? static_cast<std::size_t>(v) : std::size_t{0}; };
            const std::size_t nr = size(d.nr), nw = size(d.nw), ns = size(d.ns),
                              nm = size(d.nm), ni = size(d.ni);
            np = size(d.np);
            nv = size(d.nv);
            nl = size(d.nl);
            nc = nl + nm;
            n = np + nv + nr + nw + ns + nl + nm;
            const std::size_t m1 = as == form::index1 ? nw : nw + nl + nm, m2 = nl + nm + ni, m3 = ns + nl;
            m = m1 + m2 + m3 + nr + nv + np;
            shape = {{{m1, n}, {m2, nv + ns + np}, {m3, ns + np}, {nr, n}, {nv, n}, {np, nv + ns + np}}};
        }

        view<const double> in(const double *x) const noexcept { return {x, n}; }

        /// Put a callback in the place of another one; if the library or the callback itself refuses, put that one back.
        template <class T, class Call> void replace(T core::*slot, T callback, Call call)
        {
            idle();
            std::swap(this->*slot, callback);
            const int code = call(handle.get());
            if (code < 0) {
                std::swap(this->*slot, callback);
            }
            check(code);
        }

        /// Throw what a callback has thrown, or a failure.
        int check(int code)
        {
            // From within a callback nothing is thrown again: that is for the outer call.
            if (thrown && code != GEOMS_IDID_IN_USE) {
                std::rethrow_exception(std::exchange(thrown, nullptr));
            }
            if (code >= 0) {
                return code;
            }
            geoms_error e;
            if (geoms_last_error(handle.get(), &e) == code && code != GEOMS_IDID_IN_USE) {
                throw error(e);
            }
            throw error(code);
        }

        /// Refuse to go on while a call runs, which may be the one of the callback to be replaced.
        void idle() { check(geoms_set_user(handle.get(), this)); }

        void fits(std::size_t size, const char *name) const
        {
            if (size != n) {
                throw std::invalid_argument(std::string("geoms: ") + name + " has " + std::to_string(size) +
                                            " entries instead of " + std::to_string(n));
            }
        }

        std::unique_ptr<geoms_solver, deleter> handle;
        std::size_t n = 0, m = 0, np = 0, nv = 0, nl = 0, nc = 0;
        std::array<std::pair<std::size_t, std::size_t>, 6> shape{};
        typename returning_int<vector>::type eom;
        counted conditions, events;
        typename returning_int<void(double, view<const double>, matrix)>::type mass;
        typename returning_int<void(double, view<const double>, blocks &)>::type jacobian;
        typename returning_int<void(double, view<const double>, geoms::parts &)>::type parts;
        typename returning_int<void(const accepted &)>::type output;
        typename returning_int<void(int, const char *)>::type log;
        std::vector<std::string> findings;
        std::exception_ptr thrown;
    };

    /// Nothing may be thrown through the library: it is kept, and the run stopped.
    template <class F> static int guarded(void *user, F f) noexcept
    {
        core &c = *static_cast<core *>(user);
        if (c.thrown) {
            return static_cast<int>(outcome::stop);
        }
        try {
            return f(c);
        } catch (...) {
            c.thrown = std::current_exception();
            return static_cast<int>(outcome::stop);
        }
    }

    static int collect(int, const char *text, void *user)
    {
        return guarded(user, [&](core &c) {
            c.findings.emplace_back(text);
            return 0;
        });
    }

    /// What a call needs, held until it returns.
    std::shared_ptr<core> use() const
    {
        if (!core_) {
            throw std::logic_error("geoms: this solver has been moved from; only assignment and destruction are allowed");
        }
        return core_;
    }

    /// Give up the handle; if one of its calls runs, that one stops and is the last to hold it.
    void leave() noexcept
    {
        if (core_ && core_.use_count() > 1) {
            geoms_request_stop(core_->handle.get());
        }
        core_.reset();
    }

    friend class glue;
    std::shared_ptr<core> core_;
};

/// A glued run: subdomains, each a solver with its equations, coupled at joints. See docs/gluing.md.
///
/// What a callback of a model, a port or an event function throws ends the run and is thrown again by the function that was called. The
/// solvers must live as long as the run; they are only asked for their equations.
class glue {
  public:
    glue() : handle_(geoms_glue_create())
    {
        if (!handle_) {
            throw std::bad_alloc();
        }
    }

    /// The run, for functions of geoms.h and geoms_mpi.h.
    geoms_glue *get() const noexcept { return handle_.get(); }

    /// A subdomain of participant `owner`, which is this one; its number.
    int add(int owner, solver &model, view<const double> x)
    {
        const auto held = model.use();
        held->fits(x.size(), "x");
        const int k = check(geoms_glue_add(get(), owner, model.get(), x.data()));
        models_.resize(static_cast<std::size_t>(k) + 1);
        models_[static_cast<std::size_t>(k)] = held;
        return k;
    }

    /// A subdomain of another participant.
    int add_elsewhere(int owner)
    {
        const int k = check(geoms_glue_add(get(), owner, nullptr, nullptr));
        models_.resize(static_cast<std::size_t>(k) + 1);
        return k;
    }

    /// A point of a planar body and its angle; indices of the body's x, y and angle among the positions.
    int port_frame(int subdomain, std::array<int, 3> body, std::array<double, 2> at)
    {
        return check(geoms_glue_port_frame(get(), subdomain, body[0], body[1], body[2], at[0], at[1]));
    }

    /// A point of a body in space and its axes; indices of the body's origin and quaternion, the real part first, among the positions.
    int port_spatial(int subdomain, std::array<int, 3> origin, std::array<int, 4> attitude, std::array<double, 3> at)
    {
        return check(geoms_glue_port_spatial(get(), subdomain, origin.data(), attitude.data(), at.data()));
    }

    /// Some of the positions.
    int port_coordinates(int subdomain, const std::vector<int> &indices)
    {
        return check(geoms_glue_port_coordinates(get(), subdomain, static_cast<int>(indices.size()), indices.data()));
    }

    /// f(t, p, y, jacobian): n components and their derivatives by p, which come in as zeros
    template <class F> int port(int subdomain, int n, F f, bool depends_on_time = false)
    {
        functions_.push_back(std::make_unique<function>());
        function &own = *functions_.back();
        const auto k = static_cast<std::size_t>(subdomain);
        own.inputs = k < models_.size() && models_[k] ? models_[k]->np : 0;
        own.outputs = static_cast<std::size_t>(n);
        own.port = wrapped<double, view<const double>, view<double>, matrix>(std::move(f));
        return check(geoms_glue_port(
            get(), subdomain, n, depends_on_time,
            [](double t, const double *p, double *y, double *jacobian, void *user) {
                function &o = *static_cast<function *>(user);
                return o.guarded([&] {
                    return o.port(t, view<const double>(p, o.inputs), view<double>(y, o.outputs), matrix(jacobian, o.outputs, o.inputs));
                });
            },
            &own));
    }

    /// One end of a joint.
    struct end {
        int subdomain, port;
    };

    /// The first n components of both ports differ by constants, zero if not given: revolute (2) and rigid (3) joints of frames.
    int coincide(end a, end b, int n, const std::vector<double> &offset = {})
    {
        if (!offset.empty() && offset.size() != static_cast<std::size_t>(n)) {
            throw std::invalid_argument("geoms: offset has " + std::to_string(offset.size()) + " entries");
        }
        return check(geoms_glue_coincide(get(), a.subdomain, a.port, b.subdomain, b.port, n, offset.empty() ? nullptr : offset.data()));
    }

    /// Forces k (u - rest) + c u' in the first components, u = y_a - y_b.
    int bushing(end a, end b, const std::vector<double> &k, const std::vector<double> &c, const std::vector<double> &rest = {})
    {
        if (c.size() != k.size() || (!rest.empty() && rest.size() != k.size())) {
            throw std::invalid_argument("geoms: stiffness, damping and rest have different lengths");
        }
        return check(geoms_glue_bushing(get(), a.subdomain, a.port, b.subdomain, b.port, static_cast<int>(k.size()), k.data(), c.data(),
                                        rest.empty() ? nullptr : rest.data()));
    }

    /// Two points at a constant distance.
    int distance(end a, end b, int dimension, double length)
    {
        return check(geoms_glue_distance(get(), a.subdomain, a.port, b.subdomain, b.port, dimension, length));
    }

    /// The frame b slides along a direction that is fixed in the frame a.
    int prismatic(end a, end b, double direction, double offset, double angle)
    {
        return check(geoms_glue_prismatic(get(), a.subdomain, a.port, b.subdomain, b.port, direction, offset, angle));
    }

    /// A joint of frames in space: GEOMS_REVOLUTE, GEOMS_CYLINDRICAL, GEOMS_PRISMATIC, GEOMS_UNIVERSAL, GEOMS_FIXED.
    int spatial(int kind, end a, end b) { return check(geoms_glue_spatial(get(), kind, a.subdomain, a.port, b.subdomain, b.port)); }

    /// A spring-damper along the line between two points.
    int spring(end a, end b, int dimension, double stiffness, double damping, double rest)
    {
        return check(geoms_glue_spring(get(), a.subdomain, a.port, b.subdomain, b.port, dimension, stiffness, damping, rest));
    }

    /// f(t, x, value) with n values, of a subdomain that is here; the run stops where one changes its sign.
    template <class F> glue &set_events(int subdomain, int n, F f)
    {
        functions_.push_back(std::make_unique<function>());
        function &own = *functions_.back();
        const auto k = static_cast<std::size_t>(subdomain);
        own.inputs = k < models_.size() && models_[k] ? models_[k]->n : 0;
        own.outputs = static_cast<std::size_t>(n);
        own.events = wrapped<double, view<const double>, view<double>>(std::move(f));
        check(geoms_glue_set_events(
            get(), subdomain, n,
            [](double t, const double *x, double *value, void *user) {
                function &o = *static_cast<function *>(user);
                return o.guarded([&] { return o.events(t, view<const double>(x, o.inputs), view<double>(value, o.outputs)); });
            },
            &own));
        return *this;
    }

    /// Set an option by its name: set("fixed", 1), set("rtol", 1e-8).
    template <class T> glue &set(const std::string &name, T value)
    {
        static_assert(std::is_arithmetic<T>::value, "options are numbers");
        if constexpr (std::is_floating_point<T>::value) {
            check(geoms_glue_set_real(get(), name.c_str(), value));
        } else {
            check(geoms_glue_set_int(get(), name.c_str(), static_cast<int>(value)));
        }
        return *this;
    }

    glue &save_to(const std::string &prefix, std::int64_t every = 1)
    {
        check(geoms_glue_save_to(get(), prefix.c_str(), every));
        return *this;
    }

    void start(double t, double h) { check(geoms_glue_start(get(), t, h)); }
    void resume(const std::string &prefix) { check(geoms_glue_resume(get(), prefix.c_str())); }
    status integrate(double tend) { return static_cast<status>(check(geoms_glue_integrate(get(), tend))); }
    status step(double tend) { return static_cast<status>(check(geoms_glue_step(get(), tend))); }
    double time() const noexcept { return geoms_glue_time(get()); }

    /// x of a subdomain that is here.
    std::vector<double> state(int subdomain) const
    {
        const auto k = static_cast<std::size_t>(subdomain);
        std::vector<double> x(k < models_.size() && models_[k] ? models_[k]->n : 0);
        check(geoms_glue_state(get(), subdomain, x.data()));
        return x;
    }

    /// Another x of a subdomain that is here, for restart().
    glue &set_state(int subdomain, view<const double> x)
    {
        const auto k = static_cast<std::size_t>(subdomain);
        if (k < models_.size() && models_[k] && x.size() != models_[k]->n) {
            throw error(GEOMS_IDID_BAD_ARGUMENT);
        }
        check(geoms_glue_set_state(get(), subdomain, x.data()));
        return *this;
    }
    /// Go on from what set_state has given; all participants together.
    void restart() { check(geoms_glue_restart(get())); }

    /// The force of a joint with an end here.
    std::vector<double> force(int joint) const
    {
        std::vector<double> f(static_cast<std::size_t>(check(geoms_glue_force(get(), joint, 0, nullptr))));
        check(geoms_glue_force(get(), joint, static_cast<int>(f.size()), f.data()));
        return f;
    }

    /// Subdomain and event function at which the run has stopped.
    std::pair<int, int> last_event() const
    {
        std::pair<int, int> e{};
        check(geoms_glue_event(get(), &e.first, &e.second));
        return e;
    }

    /// Subdomain and number of the function of every event at the instant at which the last call has stopped.
    std::vector<std::pair<int, int>> events() const
    {
        const int n = check(geoms_glue_events(get(), 0, nullptr, nullptr));
        std::vector<int> subdomains(static_cast<std::size_t>(n)), indices(subdomains.size());
        check(geoms_glue_events(get(), n, subdomains.data(), indices.data()));
        std::vector<std::pair<int, int>> found;
        for (std::size_t k = 0; k < indices.size(); ++k) {
            found.emplace_back(subdomains[k], indices[k]);
        }
        return found;
    }

    geoms_glue_stats statistics() const
    {
        geoms_glue_stats s;
        check(geoms_glue_statistics(get(), &s));
        return s;
    }

  private:
    struct function {
        std::size_t inputs = 0, outputs = 0;
        std::function<int(double, view<const double>, view<double>, matrix)> port;
        std::function<int(double, view<const double>, view<double>)> events;
        std::exception_ptr thrown;

        template <class F> int guarded(F f) noexcept
        {
            try {
                return f();
            } catch (...) {
                thrown = std::current_exception();
                return static_cast<int>(outcome::stop);
            }
        }
    };

    /// A function that returns nothing, an int or an outcome, as one that returns an int.
    template <class... A, class F> static std::function<int(A...)> wrapped(F f)
    {
        return [own = std::move(f)](A... a) mutable -> int {
            using result = decltype(own(a...));
            if constexpr (std::is_void<result>::value) {
                own(a...);
                return 0;
            } else {
                return static_cast<int>(own(a...));
            }
        };
    }

    /// Throw what a callback has thrown, or a failure.
    int check(int code) const
    {
        if (code >= 0) {
            return code;
        }
        if (code != GEOMS_IDID_IN_USE) {
            for (const auto &f : functions_) {
                if (f->thrown) {
                    std::rethrow_exception(std::exchange(f->thrown, nullptr));
                }
            }
            for (const auto &s : models_) {
                if (s && s->thrown) {
                    std::rethrow_exception(std::exchange(s->thrown, nullptr));
                }
            }
            geoms_error e;
            if (geoms_glue_last_error(get(), &e) == code) {
                throw error(e);
            }
        }
        throw error(code);
    }

    struct deleter {
        void operator()(geoms_glue *handle) const noexcept { geoms_glue_free(handle); }
    };

    std::vector<std::shared_ptr<solver::core>> models_;
    std::vector<std::unique_ptr<function>> functions_;
    std::unique_ptr<geoms_glue, deleter> handle_;
};

} // namespace geoms

#if defined(__clang__)
#pragma clang diagnostic pop
#endif

#endif
