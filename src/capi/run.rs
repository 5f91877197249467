//! Running with a handle: start, integrate, step, interpolate, restart, save, restore, stop.

use super::functions::{Output, GEOMS_LOG_INFO, GEOMS_LOG_WARNING};
use super::handle::{call, look, not_null, refused, Handle, Inner};
use crate::arguments::check_arguments;
use crate::error::{Code, Failure};
use crate::events::Hit;
use crate::initial::move_to_constraints;
use crate::methods::features::cautions;
use crate::norm::Scaling;
use crate::options::in_names;
use crate::polynomial::DenseOutput;
use crate::solver::{Ending, Solver};
use crate::stats::Stats;
use crate::system::{Observer, Outcome};
use std::ffi::{c_int, c_void, CString};

/// geoms_integrate and geoms_step: the end was reached, the step was made.
pub const GEOMS_REACHED: c_int = 0;
/// geoms_integrate and geoms_step: stopped at a terminal event.
pub const GEOMS_EVENT: c_int = 1;

impl Inner {
    /// The run.
    pub fn run(&self) -> Result<&Solver, Failure> {
        self.solver.as_ref().ok_or_else(not_started)
    }

    /// Refuse to go on without a model.
    pub fn ready(&self) -> Result<(), Failure> {
        match self.model.missing() {
            Some(what) => Err(Failure::new(Code::NotReady, what)),
            None => Ok(()),
        }
    }

    /// Keep the warnings of the run, and hand them to the log.
    fn hear_solver(&mut self) {
        for text in self.solver.as_mut().map(Solver::take_warnings).unwrap_or_default() {
            let text = in_names(&text);
            let _ = self.log.write(GEOMS_LOG_WARNING, || format!("warning: {text}"));
            self.warnings.push(CString::new(text).unwrap_or_default());
        }
    }

    fn opening(&self, t: f64) -> String {
        let (l, d) = (&self.layout, &self.layout.dims);
        format!(
            "starts at t = {t:e} with NP={} NV={} NR={} NW={} NS={} NL={} NM={} NI={} M={} N={}",
            d.np, d.nv, d.nr, d.nw, d.ns, d.nl, d.nm, d.ni, l.m, l.n
        )
    }

    /// Integrate to `tend`, or make one step towards it, and say what there is to say.
    fn go_on(&mut self, handle: &Handle, tend: f64, whole: bool) -> Result<c_int, Failure> {
        let result = self.drive(handle, tend, whole);
        self.hear_solver();
        result
    }

    fn drive(&mut self, handle: &Handle, tend: f64, whole: bool) -> Result<c_int, Failure> {
        let Inner { solver, running, output, log, events, .. } = self;
        let solver = solver.as_mut().ok_or_else(not_started)?;
        if !tend.is_finite() {
            return Err(refused("tend", tend, "finite numbers"));
        }
        if tend < solver.t() {
            let detail = format!("T = {:e}, TEND = {tend:e}", solver.t());
            return Err(Failure::new(Code::TendBeforeT, detail).at(solver.t(), solver.h()));
        }
        let mut observer = Output { handle, function: *output, log: *log, user: running.user };
        let observer: &mut dyn Observer = &mut observer;
        let watched = events.watched().map(|watched| watched.roots);
        let event: Option<Hit> = if whole {
            match solver.integrate(running, Some(observer), watched, tend)? {
                Ending::Event(hit) => Some(hit),
                Ending::Reached => None,
            }
        } else {
            solver.advance(running, Some(observer), watched, tend)?
        };
        let told = log.write(GEOMS_LOG_INFO, || match event {
            Some(hit) => format!("event {} at t = {:.15e}\n{}", hit.index, hit.t, solver.stats()),
            None => format!("t = {:.15e}, next h = {:e}\n{}", solver.t(), solver.h(), solver.stats()),
        });
        if told == Outcome::Stop {
            return Err(stopped_by_log().at(solver.t(), solver.h()));
        }
        Ok(if event.is_some() { GEOMS_EVENT } else { GEOMS_REACHED })
    }
}

fn not_started() -> Failure {
    Failure::new(Code::NotReady, "there is no run: call geoms_start")
}

fn stopped_by_log() -> Failure {
    Failure::new(Code::StoppedBySolout, "the log function returned a negative number")
}

/// Begin a run at (t, x), with the settings made so far. The initial values are checked and, if there are
/// conditions, corrected; with the option "ivcnsst" = 1 they are taken as they are. A first step h0 that is not positive is
/// chosen by the library. If it fails the run of before, if there is one, can go on. Begun again with the same settings, method 0 uses the memory that it has.
///
/// # Safety
/// The handle is null or one of geoms_create; `x` is null or has N entries.
#[no_mangle]
pub unsafe extern "C" fn geoms_start(handle: *mut Handle, t: f64, x: *const f64, h0: f64) -> c_int {
    // SAFETY: the contract of this function.
    unsafe {
        call(handle, |handle, inner| {
            inner.ready()?;
            let x = inner.given("x", x)?;
            if inner.log.write(GEOMS_LOG_INFO, || inner.opening(t)) == Outcome::Stop {
                return Err(stopped_by_log().at(t, h0));
            }
            for caution in cautions(&inner.options, &inner.layout.dims) {
                let _ = inner.log.write(GEOMS_LOG_WARNING, || caution);
            }
            let first = if h0 > 0.0 || h0.is_nan() { h0 } else { 0.0 };
            let Inner { solver, model, options, tolerance, events, .. } = inner;
            let mut model = model.clone();
            Solver::begin_run(solver, &mut model, options, tolerance, (t, &x, first), events.watched())?;
            inner.running = model;
            if let Some(solver) = &mut inner.solver {
                solver.stop_with(handle.stop().clone());
            }
            inner.warnings.clear();
            inner.hear_solver();
            Ok(0)
        })
    }
}

/// Move x to a consistent point nearby: the smallest change of positions that satisfies the constraints, then of the
/// velocities, then of multipliers and auxiliary variables. Needs no run and changes none. After a failure x is
/// unchanged.
///
/// # Safety
/// As geoms_start.
#[no_mangle]
pub unsafe extern "C" fn geoms_make_consistent(handle: *mut Handle, t: f64, x: *mut f64) -> c_int {
    // SAFETY: the contract of this function.
    unsafe {
        call(handle, |_, inner| {
            inner.ready()?;
            let mut y = inner.given("x", x)?;
            let Inner { layout, options, tolerance, .. } = &*inner;
            check_arguments(layout, options, tolerance, (t, &y, 1.0, t))?;
            let scaling = Scaling::new(tolerance, layout.n);
            let (mut model, mut stats) = (inner.model.clone(), Stats::default());
            move_to_constraints(&mut model, layout, options, &scaling, t, &mut y, &mut stats)?;
            store(&y, x);
            Ok(0)
        })
    }
}

/// Integrate to `tend`: GEOMS_REACHED, GEOMS_EVENT at a terminal event, or a negative code. The handle then stands
/// at the last accepted point, also after a failure, and can go on from there.
///
/// # Safety
/// The handle is null or one of geoms_create; the callbacks keep their contract.
#[no_mangle]
pub unsafe extern "C" fn geoms_integrate(handle: *mut Handle, tend: f64) -> c_int {
    // SAFETY: the contract of this function.
    unsafe { call(handle, |handle, inner| inner.go_on(handle, tend, true)) }
}

/// One accepted step, not beyond `tend`; none at `tend`. Returns as geoms_integrate.
///
/// # Safety
/// As geoms_integrate.
#[no_mangle]
pub unsafe extern "C" fn geoms_step(handle: *mut Handle, tend: f64) -> c_int {
    // SAFETY: the contract of this function.
    unsafe { call(handle, |handle, inner| inner.go_on(handle, tend, false)) }
}

/// Go on from another point, for example after an impact. It is made consistent as by geoms_make_consistent; read it
/// with geoms_state. Events are watched and "nmax" steps are counted from there on. If it fails the run stays where it was.
///
/// # Safety
/// As geoms_start.
#[no_mangle]
pub unsafe extern "C" fn geoms_reset(handle: *mut Handle, t: f64, x: *const f64) -> c_int {
    // SAFETY: the contract of this function.
    unsafe {
        call(handle, |_, inner| {
            let x = inner.given("x", x)?;
            let solver = inner.solver.as_mut().ok_or_else(not_started)?;
            solver.move_watching(&mut inner.running, t, &x, inner.events.watched())?;
            Ok(0)
        })
    }
}

/// The solution at a time within the last step. May be called from the output function.
///
/// # Safety
/// The handle is null or one of geoms_create; `x` is null or has N entries.
#[no_mangle]
pub unsafe extern "C" fn geoms_dense(handle: *const Handle, t: f64, x: *mut f64) -> c_int {
    // SAFETY: the contract of this function.
    if let Some(view) = unsafe { handle.as_ref() }.and_then(Handle::view) {
        if x.is_null() || !(view.t_old <= t && t <= view.t) {
            return Code::BadArgument.idid();
        }
        // SAFETY: the step is shown while its coefficients live.
        let contx = unsafe { std::slice::from_raw_parts(view.contx, (view.nodes.len() + 2) * view.n) };
        let dense = DenseOutput { t: view.t, h: view.h, contx, nodes: view.nodes };
        for i in 0..view.n {
            // SAFETY: x has N entries.
            unsafe { x.add(i).write_unaligned(dense.component(i, t)) };
        }
        return 0;
    }
    // SAFETY: the contract of this function.
    unsafe {
        call(handle, |_, inner| {
            not_null("x", x)?;
            let last = inner.run()?.last_step();
            if !(last.t_old <= t && t <= last.t) {
                return Err(refused("t", t, format!("{:e} to {:e}, the last step", last.t_old, last.t)));
            }
            let mut y = vec![0.0; inner.layout.n];
            last.dense.all(t, &mut y);
            store(&y, x);
            Ok(0)
        })
    }
}

/// Degree of the polynomial that geoms_dense evaluates: with its values at one more point than that the last step is known
/// throughout. -1 if there is no run. May be called from the output function.
///
/// # Safety
/// The handle is null or one of geoms_create.
#[no_mangle]
pub unsafe extern "C" fn geoms_dense_degree(handle: *const Handle) -> c_int {
    let degree = |nodes: &[f64]| c_int::try_from(nodes.len() + 1).unwrap_or(-1);
    // SAFETY: the contract of this function.
    if let Some(view) = unsafe { handle.as_ref() }.and_then(Handle::view) {
        return degree(view.nodes);
    }
    // SAFETY: the contract of this function.
    let found =
        unsafe { look(handle, |inner| inner.run().ok().map(|run| degree(run.last_step().dense.nodes))) };
    found.flatten().unwrap_or(-1)
}

/// Write numbers to the caller's array.
///
/// # Safety
/// `to` has as many entries.
pub(super) unsafe fn store(values: &[f64], to: *mut f64) {
    for (i, value) in values.iter().enumerate() {
        // SAFETY: the contract of this function.
        unsafe { to.add(i).write_unaligned(*value) };
    }
}

/// Ask the run to stop after the current step, with the code GEOMS_IDID_STOP_REQUESTED; it can be resumed by
/// another geoms_integrate. The only function that may be called while another call on the handle runs: from a callback,
/// another thread or a signal handler. If no call runs the next one stops.
///
/// # Safety
/// The handle is null or one of geoms_create, and not freed meanwhile.
#[no_mangle]
pub unsafe extern "C" fn geoms_request_stop(handle: *const Handle) {
    // SAFETY: the contract of this function; the flag is atomic and lies outside of what a call borrows.
    if let Some(handle) = unsafe { handle.as_ref() } {
        handle.stop().request();
    }
}

/// Save all that the rest of the run depends on. `length` holds the size of the buffer and gets the size used; with a
/// null buffer it gets the size needed.
///
/// # Safety
/// The handle is null or one of geoms_create; `buffer` is null or has `*length` bytes.
#[no_mangle]
pub unsafe extern "C" fn geoms_save(handle: *mut Handle, buffer: *mut c_void, length: *mut usize) -> c_int {
    // SAFETY: the contract of this function.
    unsafe {
        call(handle, |_, inner| {
            not_null("length", length)?;
            let saved = inner.run()?.save();
            let room = length.read_unaligned();
            length.write_unaligned(saved.len());
            if buffer.is_null() {
                return Ok(0);
            }
            if room < saved.len() {
                return Err(refused("length", room, format!(">= {}", saved.len())));
            }
            std::ptr::copy_nonoverlapping(saved.as_ptr(), buffer.cast(), saved.len());
            Ok(0)
        })
    }
}

/// Go on where a saved run was, in a handle with the same dimensions, callbacks, options and tolerances: the rest is
/// identical, bit for bit. Takes the place of geoms_start. If the bytes are refused the handle stays as it was.
///
/// # Safety
/// The handle is null or one of geoms_create; `buffer` is null or has `length` bytes.
#[no_mangle]
pub unsafe extern "C" fn geoms_restore(handle: *mut Handle, buffer: *const c_void, length: usize) -> c_int {
    // SAFETY: the contract of this function.
    unsafe {
        call(handle, |handle, inner| {
            inner.ready()?;
            not_null("buffer", buffer)?;
            if isize::try_from(length).is_err() {
                return Err(refused("length", length, "the size of the buffer"));
            }
            let saved = std::slice::from_raw_parts(buffer.cast::<u8>(), length);
            let mut model = inner.model.clone();
            let mut solver = Solver::resume(&mut model, &inner.options, &inner.tolerance, saved)?;
            solver.stop_with(handle.stop().clone());
            if let Some(watched) = inner.events.watched() {
                solver.watch(watched.roots, watched.rules, watched.tolerance)?;
            }
            (inner.solver, inner.running) = (Some(solver), model);
            inner.warnings.clear();
            Ok(0)
        })
    }
}
