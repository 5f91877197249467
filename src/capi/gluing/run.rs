//! The run: start, integrate, save and resume, and what has become of it.

use super::{call, number, numbers, text, Glue};
use crate::capi::handle::{null, refused};
use crate::capi::run::store;
use crate::error::{Code, Failure};
use crate::gluing::save::Saving;
use crate::gluing::Glued;
use std::ffi::{c_char, c_int};
use std::path::PathBuf;

/// Counters of a participant of a glued run.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct GlueStatistics {
    /// Accepted steps.
    pub steps: u64,
    /// Steps taken back because of their error.
    pub rejected_error: u64,
    /// Steps taken back because Newton's method did not converge or a model could not be evaluated.
    pub rejected_newton: u64,
    /// Steps taken back to land on an event.
    pub rejected_event: u64,
    /// Newton iterations of accepted steps.
    pub iterations: u64,
    /// Most of them in one step.
    pub most_iterations: u64,
    /// New matrices.
    pub refreshes: u64,
    /// Numbers between the subdomains of this participant and the interface, in either direction.
    pub interface_doubles: u64,
    /// Messages sent to other participants.
    pub messages: u64,
    /// Numbers of the interface in them.
    pub doubles: u64,
    /// Undetermined directions of the forces of redundant joints in the last step.
    pub deficiency: u64,
    /// Nanoseconds of interface equations and exchange, waiting included.
    pub coordination_ns: u64,
}

/// Save the run to the files PREFIX.RANK.SLOT at its start, after every so many steps, and where it fails; acts with the next start or resume.
/// A null prefix ends it.
///
/// # Safety
/// The pointer is null or one of geoms_glue_create; `prefix` is null or a string.
#[no_mangle]
pub unsafe extern "C" fn geoms_glue_save_to(
    glue: *mut Glue,
    prefix_or_null: *const c_char,
    every: i64,
) -> c_int {
    // SAFETY: the contract of this function.
    unsafe {
        call(glue, |inner| {
            inner.saving = None;
            if !prefix_or_null.is_null() {
                let every = u64::try_from(every)
                    .ok()
                    .filter(|&n| n > 0)
                    .ok_or_else(|| refused("every", every, "> 0"))?;
                inner.saving = Some(Saving { prefix: PathBuf::from(text("prefix", prefix_or_null)?), every });
            }
            Ok(0)
        })
    }
}

/// Begin at time t with a first step h: accelerations and forces are computed, positions and velocities must be consistent. All participants
/// call this together.
///
/// # Safety
/// The pointer is null or one of geoms_glue_create.
#[no_mangle]
pub unsafe extern "C" fn geoms_glue_start(glue: *mut Glue, t: f64, h: f64) -> c_int {
    // SAFETY: the contract of this function.
    unsafe {
        call(glue, |inner| {
            inner.run = None;
            inner.changed.clear();
            let (assembly, transport) = inner.assembly();
            let mut run = Glued::start(assembly, transport, inner.settings.clone(), t, h)?;
            if let Some(saving) = inner.saving.clone() {
                run.save_to(saving)?;
            }
            inner.run = Some(run);
            Ok(0)
        })
    }
}

/// Go on from the newest point that all participants have saved under PREFIX, instead of geoms_glue_start and with the same description. All
/// participants call this together. geoms_glue_time says where.
///
/// # Safety
/// The pointer is null or one of geoms_glue_create; `prefix` is null or a string.
#[no_mangle]
pub unsafe extern "C" fn geoms_glue_resume(glue: *mut Glue, prefix: *const c_char) -> c_int {
    // SAFETY: the contract of this function.
    unsafe {
        call(glue, |inner| {
            let from = Saving { prefix: PathBuf::from(text("prefix", prefix)?), every: 1 };
            inner.run = None;
            inner.changed.clear();
            let (assembly, transport) = inner.assembly();
            let mut run = Glued::prepare(assembly, transport, inner.settings.clone(), 0.0, 1.0)?;
            run.resume(&from)?;
            if let Some(saving) = inner.saving.clone() {
                run.save_to(saving)?;
            }
            inner.run = Some(run);
            Ok(0)
        })
    }
}

/// Integrate to tend or to an event: GEOMS_REACHED, GEOMS_EVENT or a code. All participants call this together and get the same.
///
/// # Safety
/// The pointer is null or one of geoms_glue_create.
#[no_mangle]
pub unsafe extern "C" fn geoms_glue_integrate(glue: *mut Glue, tend: f64) -> c_int {
    // SAFETY: the contract of this function.
    unsafe {
        call(glue, |inner| {
            let stop = inner.run()?.integrate(tend)?;
            Ok(inner.stopped(stop))
        })
    }
}

/// Make one step, not beyond tend; otherwise as geoms_glue_integrate.
///
/// # Safety
/// The pointer is null or one of geoms_glue_create.
#[no_mangle]
pub unsafe extern "C" fn geoms_glue_step(glue: *mut Glue, tend: f64) -> c_int {
    // SAFETY: the contract of this function.
    unsafe {
        call(glue, |inner| {
            let stop = inner.run()?.step(tend)?;
            Ok(inner.stopped(stop))
        })
    }
}

/// Current time; NaN if there is no run.
///
/// # Safety
/// The pointer is null or one of geoms_glue_create.
#[no_mangle]
pub unsafe extern "C" fn geoms_glue_time(glue: *const Glue) -> f64 {
    let mut t = f64::NAN;
    // SAFETY: the contract of this function.
    let _ = unsafe {
        call(glue, |inner| {
            t = inner.run()?.time();
            Ok(0)
        })
    };
    t
}

/// The current x of a subdomain of this participant, as many numbers as geoms_dimension of its model says.
///
/// # Safety
/// The pointer is null or one of geoms_glue_create; `x` is null or long enough.
#[no_mangle]
pub unsafe extern "C" fn geoms_glue_state(glue: *mut Glue, subdomain: c_int, x: *mut f64) -> c_int {
    // SAFETY: the contract of this function.
    unsafe {
        call(glue, |inner| {
            let run = inner.run()?;
            let found = usize::try_from(subdomain).ok().and_then(|k| run.state(k));
            let found =
                found.ok_or_else(|| refused("subdomain", subdomain, "a subdomain of this participant"))?;
            if x.is_null() {
                return Err(null("x"));
            }
            store(found, x);
            Ok(0)
        })
    }
}

/// Give a subdomain of this participant another x, after an impact, say; acts with geoms_glue_restart. x has as many numbers as geoms_glue_state gives;
/// multipliers are computed.
///
/// # Safety
/// The pointer is null or one of geoms_glue_create; `x` is null or long enough.
#[no_mangle]
pub unsafe extern "C" fn geoms_glue_set_state(glue: *mut Glue, subdomain: c_int, x: *const f64) -> c_int {
    // SAFETY: the contract of this function.
    unsafe {
        call(glue, |inner| {
            let run = inner.run()?;
            let found = usize::try_from(subdomain).ok().and_then(|k| run.state(k).map(|x| (k, x.len())));
            let (k, n) =
                found.ok_or_else(|| refused("subdomain", subdomain, "a subdomain of this participant"))?;
            let x = if n == 0 { Vec::new() } else { numbers("x", x, number(n))? };
            inner.changed.retain(|c| c.0 != k);
            inner.changed.push((k, x));
            Ok(0)
        })
    }
}

/// Go on from what geoms_glue_set_state has given: positions and velocities must be consistent, accelerations and forces are computed anew. All
/// participants call this together, also those that change nothing. What is refused changes nothing.
///
/// # Safety
/// The pointer is null or one of geoms_glue_create.
#[no_mangle]
pub unsafe extern "C" fn geoms_glue_restart(glue: *mut Glue) -> c_int {
    // SAFETY: the contract of this function.
    unsafe {
        call(glue, |inner| {
            let changed = std::mem::take(&mut inner.changed);
            let states: Vec<(usize, &[f64])> = changed.iter().map(|(k, x)| (*k, &x[..])).collect();
            inner.run()?.restart(&states)?;
            Ok(0)
        })
    }
}

/// The force of a joint along its relative coordinates, if one of its ends is here: -force acts on end a along y_a - y_b, force on end b. Returns
/// how many numbers there are; at most n of them are written.
///
/// # Safety
/// The pointer is null or one of geoms_glue_create; `force` is null or has n entries.
#[no_mangle]
pub unsafe extern "C" fn geoms_glue_force(glue: *mut Glue, joint: c_int, n: c_int, force: *mut f64) -> c_int {
    // SAFETY: the contract of this function.
    unsafe {
        call(glue, |inner| {
            let run = inner.run()?;
            let found = usize::try_from(joint).ok().and_then(|j| run.joint_force(j));
            let found =
                found.ok_or_else(|| refused("joint", joint, "a joint with an end at this participant"))?;
            let most = usize::try_from(n).unwrap_or(0).min(found.len());
            if force.is_null() && most > 0 {
                return Err(null("force"));
            }
            if most > 0 {
                store(&found[..most], force);
            }
            Ok(number(found.len()))
        })
    }
}

/// The event at which the run has stopped: subdomain, and number of its function from 0. If there are several at that instant it is the first one of
/// the first subdomain; see geoms_glue_events.
///
/// # Safety
/// The pointer is null or one of geoms_glue_create; the others are null or point to a number.
#[no_mangle]
pub unsafe extern "C" fn geoms_glue_event(
    glue: *mut Glue,
    subdomain: *mut c_int,
    index: *mut c_int,
) -> c_int {
    // SAFETY: the contract of this function.
    unsafe {
        call(glue, |inner| {
            let none = || Failure::new(Code::NotReady, "there was no event");
            let (s, i) = inner.event.ok_or_else(none)?;
            if !subdomain.is_null() {
                subdomain.write_unaligned(number(s));
            }
            if !index.is_null() {
                index.write_unaligned(number(i));
            }
            Ok(0)
        })
    }
}

/// All events at the instant at which the last geoms_glue_integrate or geoms_glue_step has stopped, of all participants: subdomain, and number of the function
/// from 0, in this order. Returns how many there are, 0 if there is none; at most n of them are written.
///
/// # Safety
/// The pointer is null or one of geoms_glue_create; `subdomains` and `indices` are null or have n entries.
#[no_mangle]
pub unsafe extern "C" fn geoms_glue_events(
    glue: *mut Glue,
    n: c_int,
    subdomains_or_null: *mut c_int,
    indices_or_null: *mut c_int,
) -> c_int {
    // SAFETY: the contract of this function.
    unsafe {
        call(glue, |inner| {
            let events = inner.run()?.events();
            let most = usize::try_from(n).unwrap_or(0).min(events.len());
            for (k, (subdomain, index)) in events[..most].iter().enumerate() {
                if !subdomains_or_null.is_null() {
                    subdomains_or_null.add(k).write_unaligned(number(*subdomain));
                }
                if !indices_or_null.is_null() {
                    indices_or_null.add(k).write_unaligned(number(*index));
                }
            }
            Ok(number(events.len()))
        })
    }
}

/// The counters of this participant.
///
/// # Safety
/// The pointer is null or one of geoms_glue_create; `out` is null or points to statistics.
#[no_mangle]
pub unsafe extern "C" fn geoms_glue_statistics(glue: *mut Glue, out: *mut GlueStatistics) -> c_int {
    // SAFETY: the contract of this function.
    unsafe {
        call(glue, |inner| {
            let s = inner.run()?.statistics();
            if out.is_null() {
                return Err(null("out"));
            }
            out.write_unaligned(GlueStatistics {
                steps: s.steps,
                rejected_error: s.rejected_error,
                rejected_newton: s.rejected_newton,
                rejected_event: s.rejected_event,
                iterations: s.iterations,
                most_iterations: s.most_iterations,
                refreshes: s.refreshes,
                interface_doubles: s.interface_doubles,
                messages: s.messages,
                doubles: s.doubles,
                deficiency: s.deficiency,
                coordination_ns: s.coordination_ns,
            });
            Ok(0)
        })
    }
}
