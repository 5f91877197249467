//! Questions about the model of a handle at one point. They need no run and change none.

use super::functions::{Callbacks, Log, LogFunction, GEOMS_LOG_DEBUG, GEOMS_LOG_WARNING};
use super::handle::{call, not_null, Handle, Inner};
use super::run::store;
use crate::arguments::check_arguments;
use crate::check::check_model;
use crate::diagnosis::{
    check_jacobian, check_parts, constraint_forces, rank_report, JacobianReport, Suspicion,
};
use crate::error::{Code, Failure};
use std::ffi::c_int;

/// Ranks of the constraints at one point.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Ranks {
    /// Position level: rows of c and g.
    pub position_rows: i64,
    /// Their rank.
    pub position_rank: i64,
    /// Velocity level: rows of gI and h.
    pub velocity_rows: i64,
    /// Their rank.
    pub velocity_rank: i64,
    /// Smallest singular value that was kept, relative to the largest.
    pub smallest: f64,
}

impl Inner {
    /// The point to look at, which must be one.
    ///
    /// # Safety
    /// `x` is null or has N entries.
    unsafe fn point(&self, t: f64, x: *const f64) -> Result<(Vec<f64>, Callbacks), Failure> {
        self.ready()?;
        // SAFETY: the contract of this function.
        let x = unsafe { self.given("x", x) }?;
        // Any step size will do: none is made.
        check_arguments(&self.layout, &self.options, &self.tolerance, (t, &x, 1.0, t))?;
        Ok((x, self.model.clone()))
    }

    /// Where the findings go: to the function given, or to that of the handle.
    fn findings(&self, log: LogFunction) -> Log {
        match log {
            Some(_) => Log { function: log, level: GEOMS_LOG_DEBUG, user: self.model.user },
            None => self.log,
        }
    }
}

fn count(of: usize) -> c_int {
    c_int::try_from(of).unwrap_or(c_int::MAX)
}

/// Compare the rows of the model with each other at (t, x) and at moving points near it: gI the rate of g, gII that of gI with
/// v' = M⁻¹ f_dyn, hI that of h; the multipliers in f_dyn by -Zᵀ(Gᵀ, Hᵀ); f_kin linear in v; the mass matrix symmetric, positive and as
/// "masstrct" says; invariants constant; the Jacobian and the parts, if they are set. Neither is needed, and the point need not
/// be consistent. Returns the number of findings, or a negative code. Each is a message to `log` (null: that of geoms_set_log): the
/// row, both values and the likely slip; the cause comes before its consequences.
///
/// # Safety
/// As geoms_check_jacobian.
#[no_mangle]
pub unsafe extern "C" fn geoms_check_model(
    handle: *mut Handle,
    t: f64,
    x: *const f64,
    log: LogFunction,
) -> c_int {
    // SAFETY: the contract of this function.
    unsafe {
        call(handle, |_, inner| {
            let (x, mut model) = inner.point(t, x)?;
            let report = check_model(&mut model, &inner.options, &inner.tolerance, t, &x)?;
            let log = inner.findings(log);
            for finding in &report.findings {
                let _ = log.write(GEOMS_LOG_WARNING, || finding.to_string());
            }
            Ok(count(report.findings.len()))
        })
    }
}

/// Compare the Jacobian with differences of the equations of motion at (t, x). Returns the number of wrong entries, or
/// a negative code. Each one is a message to `log` (null: that of geoms_set_log), the classic mistakes, sign and
/// transposition, as well. A function of geoms_set_parts is compared with EOM, MAS and differences, and so is
/// what to set it says of the model; one of the two must be set.
///
/// # Safety
/// The handle is null or one of geoms_create; `x` is null or has N entries; the callbacks keep their contract.
#[no_mangle]
pub unsafe extern "C" fn geoms_check_jacobian(
    handle: *mut Handle,
    t: f64,
    x: *const f64,
    log: LogFunction,
) -> c_int {
    // SAFETY: the contract of this function.
    unsafe {
        call(handle, |_, inner| {
            let (x, mut model) = inner.point(t, x)?;
            if inner.model.jacobian.is_none() && inner.model.parts.is_none() {
                let missing = "no Jacobian and no parts: call geoms_set_jacobian or geoms_set_parts";
                return Err(Failure::new(Code::NotReady, missing));
            }
            let report = match inner.model.jacobian {
                Some(_) => check_jacobian(&mut model, &inner.tolerance, t, &x)?,
                None => JacobianReport::default(),
            };
            let log = inner.findings(log);
            for (block, suspicion) in &report.suspicions {
                let what = match suspicion {
                    Suspicion::Sign => "has the wrong sign: the NEGATIVE derivatives are asked for",
                    Suspicion::Transposed => "is transposed: it is stored column by column",
                };
                let _ = log.write(GEOMS_LOG_WARNING, || format!("FX{block} {what}"));
            }
            for mismatch in &report.mismatches {
                let _ = log.write(GEOMS_LOG_WARNING, || mismatch.to_string());
            }
            let parts = check_parts(&mut model, &inner.tolerance, t, &x)?.unwrap_or_default();
            for mismatch in &parts {
                let _ = log.write(GEOMS_LOG_WARNING, || mismatch.to_string());
            }
            Ok(count(report.mismatches.len() + parts.len()))
        })
    }
}

/// Ranks of the constraints at (t, x). Returns the number of groups of dependent constraints, in each of which one
/// can be dropped, or a negative code. Each group is a message to `log` (null: that of geoms_set_log), which names that
/// one; all that are named can be dropped together.
///
/// # Safety
/// As geoms_check_jacobian; `out` is null or points to ranks.
#[no_mangle]
pub unsafe extern "C" fn geoms_rank_report(
    handle: *mut Handle,
    t: f64,
    x: *const f64,
    out: *mut Ranks,
    log: LogFunction,
) -> c_int {
    // SAFETY: the contract of this function.
    unsafe {
        call(handle, |_, inner| {
            let (x, mut model) = inner.point(t, x)?;
            let report = rank_report(&mut model, &inner.tolerance, t, &x)?;
            let log = inner.findings(log);
            for (group, drop) in report.dependent.iter().zip(&report.droppable) {
                let names = || group.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
                let _ = log
                    .write(GEOMS_LOG_WARNING, || format!("dependent constraints: {}; drop {drop}", names()));
            }
            if !out.is_null() {
                let size = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
                out.write_unaligned(Ranks {
                    position_rows: size(report.position.0),
                    position_rank: size(report.position.1),
                    velocity_rows: size(report.velocity.0),
                    velocity_rank: size(report.velocity.1),
                    smallest: report.smallest,
                });
            }
            Ok(count(report.dependent.len()))
        })
    }
}

/// Constraint forces Zᵀ(Gᵀλ + Hᵀμ) at (t, x), NV of them: unique also where redundant constraints leave the multipliers
/// undetermined. They enter the dynamic equations with a minus sign.
///
/// # Safety
/// As geoms_check_jacobian; `force` is null or has NV entries.
#[no_mangle]
pub unsafe extern "C" fn geoms_constraint_forces(
    handle: *mut Handle,
    t: f64,
    x: *const f64,
    force: *mut f64,
) -> c_int {
    // SAFETY: the contract of this function.
    unsafe {
        call(handle, |_, inner| {
            let (x, mut model) = inner.point(t, x)?;
            not_null("force", force)?;
            let mut forces = vec![0.0; inner.layout.dims.nv];
            constraint_forces(&mut model, &inner.tolerance, t, &x, &mut forces)?;
            store(&forces, force);
            Ok(0)
        })
    }
}
