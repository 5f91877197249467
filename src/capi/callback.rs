//! The caller's subroutines as a [`System`] and an [`Observer`].
//!
//! Every call passes fresh copies of the scalars and of X and CONTX, so that a subroutine that overwrites what has
//! to remain unchanged harms nobody, and the caller's own IOPT, ROPT, IPAR, RPAR and IERR, so that a driver that keeps state there still works.
//! The order of IPAR and RPAR is not the same in all subroutines (manual, arguments IVCOND to SOLOUT).

use super::fortran::Arguments;
use super::FortranInteger;
use crate::layout::{Dimensions, Form, Layout};
use crate::system::{AcceptedStep, JacobianBlocks, Observer, Outcome, System};

/// The subroutines and the arrays that are handed through to them.
///
/// `System` and `Observer` are borrowed mutably at the same time; both have one of these.
#[derive(Clone)]
pub(super) struct Callbacks<I> {
    pub layout: Layout,
    /// X as it is passed, of length N.
    pub x: Vec<f64>,
    /// IOPT(20): a positive IERR asks for a smaller step.
    pub recover: bool,
    /// Conditions to be imposed.
    pub nivcond: usize,
    /// IJAC=1.
    pub has_jac: bool,
    pub arguments: Arguments<I>,
}

/// A dimension as the caller counts it. Dimensions came from the caller's INTEGER, so they fit.
fn int<I: FortranInteger>(value: usize) -> I {
    I::saturated(value as u64)
}

impl<I: FortranInteger> Callbacks<I> {
    /// What IERR says after a call.
    fn outcome(&self) -> Outcome {
        // SAFETY: IERR was checked for null and belongs to the caller for the whole call.
        let ierr = unsafe { self.arguments.ierr.read_unaligned() }.get();
        if ierr < 0 {
            return Outcome::Stop;
        }
        if ierr > 0 && self.recover {
            // SAFETY: as above.
            unsafe { self.arguments.ierr.write_unaligned(I::code(0)) };
            return Outcome::Retry;
        }
        Outcome::Continue
    }
}

impl<I: FortranInteger> System for Callbacks<I> {
    fn dimensions(&self) -> Dimensions {
        self.layout.dims
    }

    fn form(&self) -> Form {
        self.layout.form
    }

    fn eom(&mut self, mut t: f64, x: &[f64], rda: &mut [f64]) -> Outcome {
        let args = self.arguments;
        let Some(eom) = args.eom else { return Outcome::Stop };
        let (mut m, mut n) = (int::<I>(rda.len()), int::<I>(x.len()));
        self.x.copy_from_slice(x);
        // SAFETY: X(N) and RDA(M) have the lengths that are passed; the rest are the caller's own arrays.
        unsafe {
            eom(
                &raw mut m,
                &raw mut n,
                &raw mut t,
                self.x.as_mut_ptr(),
                rda.as_mut_ptr(),
                args.iopt,
                args.ropt,
                args.ipar,
                args.rpar,
                args.ierr,
            );
        }
        self.outcome()
    }

    fn mass(&mut self, mut t: f64, x: &[f64], mass: &mut [f64]) -> Outcome {
        let (args, nv) = (self.arguments, self.layout.dims.nv);
        let Some(mas) = args.mas else { return Outcome::Stop };
        debug_assert_eq!(mass.len(), nv * nv);
        let (mut nx, mut m, mut n) = (int::<I>(x.len()), int::<I>(nv), int::<I>(nv));
        self.x.copy_from_slice(x);
        // SAFETY: X(NX) and MA(NV,NV) have the lengths that are passed; the rest are the caller's own arrays.
        unsafe {
            mas(
                &raw mut t,
                &raw mut nx,
                self.x.as_mut_ptr(),
                &raw mut m,
                &raw mut n,
                mass.as_mut_ptr(),
                args.iopt,
                args.ropt,
                args.ipar,
                args.rpar,
                args.ierr,
            );
        }
        self.outcome()
    }

    fn has_jacobian(&self) -> bool {
        self.has_jac
    }

    fn jacobian(&mut self, mut t: f64, x: &[f64], fx: &mut JacobianBlocks) -> Outcome {
        let (l, args) = (&self.layout, self.arguments);
        let Some(jac) = args.jac.filter(|_| fx.is_dense()) else { return Outcome::Stop };
        let [mut m1, mut m2, mut m3, mut m4, mut m5, mut m6] = fx.shape.map(|(rows, _)| int::<I>(rows));
        let [mut n1, mut n2, mut n3, mut n4] = [l.n1(), l.n2(), l.n3(), l.n4()].map(int::<I>);
        let (mut m, mut n) = (int::<I>(l.m), int::<I>(x.len()));
        let [fx1, fx2, fx3, fx4, fx5, fx6] = fx.fx.each_mut().map(|block| block.as_mut_ptr());
        self.x.copy_from_slice(x);
        // SAFETY: the blocks have the shapes that follow from the M1.. and N1.. passed (Layout::fx_shapes); an empty
        // block is not touched by a subroutine that keeps to its dimensions; the rest are the caller's own arrays.
        unsafe {
            jac(
                &raw mut m1,
                &raw mut m2,
                &raw mut m3,
                &raw mut m4,
                &raw mut m5,
                &raw mut m6,
                &raw mut n1,
                &raw mut n2,
                &raw mut n3,
                &raw mut n4,
                &raw mut m,
                &raw mut n,
                &raw mut t,
                self.x.as_mut_ptr(),
                fx1,
                fx2,
                fx3,
                fx4,
                fx5,
                fx6,
                args.iopt,
                args.ropt,
                args.rpar,
                args.ipar,
                args.ierr,
            );
        }
        self.outcome()
    }

    fn initial_condition_count(&self) -> usize {
        self.nivcond
    }

    fn initial_conditions(&mut self, mut t: f64, x: &[f64], cond: &mut [f64]) -> Outcome {
        let args = self.arguments;
        let Some(ivcond) = args.ivcond else { return Outcome::Stop };
        let (mut n, mut ncond) = (int::<I>(x.len()), int::<I>(cond.len()));
        self.x.copy_from_slice(x);
        // SAFETY: X(N) and COND(NCOND) have the lengths that are passed; the rest are the caller's own arrays.
        unsafe {
            ivcond(
                &raw mut n,
                &raw mut t,
                self.x.as_mut_ptr(),
                &raw mut ncond,
                cond.as_mut_ptr(),
                args.ipar,
                args.rpar,
                args.ierr,
            );
        }
        self.outcome()
    }
}

/// SOLOUT as an observer.
pub(super) struct Output<I> {
    pub callbacks: Callbacks<I>,
    /// CONTX as it is passed, of length 4N.
    pub contx: Vec<f64>,
}

impl<I: FortranInteger> Observer for Output<I> {
    fn accepted(&mut self, step: &AcceptedStep<'_>) -> Outcome {
        let shared = &mut self.callbacks;
        let args = shared.arguments;
        let Some(solout) = args.solout else { return Outcome::Stop };
        let size = step.x.len();
        let [mut n, mut nn2, mut nn3, mut nn4] = [size, 2 * size, 3 * size, 4 * size].map(int::<I>);
        let mut naccpt = int::<I>(step.naccpt);
        let (mut told, mut t, mut h) = (step.t_old, step.t, step.dense.h);
        shared.x.copy_from_slice(step.x);
        let (mut c1m1, mut c2m1) = step.dense.as_cubic(&mut self.contx);
        // SAFETY: X(N) and CONTX(4N) have the lengths that are passed; the rest are the caller's own arrays.
        unsafe {
            solout(
                &raw mut naccpt,
                &raw mut told,
                &raw mut t,
                shared.x.as_mut_ptr(),
                &raw mut n,
                &raw mut nn2,
                &raw mut nn3,
                &raw mut nn4,
                self.contx.as_mut_ptr(),
                &raw mut h,
                &raw mut c1m1,
                &raw mut c2m1,
                args.rpar,
                args.ipar,
                args.ierr,
            );
        }
        shared.outcome()
    }
}
