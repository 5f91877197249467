//! Accelerations and multipliers of a stage with the matrices of the first point of the step: no Jacobian at stages.
//!
//! The rows d, gII, hI determine w, λ, μ and are nearly affine in them. The block of FX1 at the first point differs from that of the
//! stage by a part that shrinks with the step, so corrections with it converge, sped up by Broyden's updates, while the same
//! evaluations of EOM assemble the dependent coordinates. Then a = M⁻¹ f_dyn.

use super::Rosenbrock;
use crate::decompose::DecompositionKind;
use crate::layout::{Form, Layout};
use crate::linalg::cholesky::Cholesky;
use crate::linalg::products;
use crate::methods::motion::broyden::Broyden;
use crate::methods::motion::saddle::Defect;
use crate::methods::motion::{factored, Halt, Source};
use crate::model::Mass;
use crate::options::Options;
use crate::system::System;

/// What may be left in w, λ, μ, relative to the largest of them, before the last evaluation corrects them once more.
const NEARLY: f64 = 1e-9;
/// Likewise in units of what is enough for positions: that correction leaves a tenth.
const LOOSE: f64 = 10.0;
/// The last correction of w is at most this part of the tolerance.
const NEGLIGIBLE: f64 = 0.1;
/// Updates begin when what the assembly still moves is less than this part of what they are made of.
const SHARE: f64 = 0.1;

/// Work space.
#[derive(Debug)]
pub struct Frozen {
    broyden: Broyden,
    updates: usize,
    step: Vec<f64>,
    /// M and its factor at the stage, unless it is constant.
    mass: Option<(Mass, Cholesky)>,
    /// The matrices in hand are not those of the first point.
    pub spoiled: bool,
}

impl Frozen {
    /// For a layout.
    pub fn new(layout: &Layout, options: &Options) -> Self {
        let varies = !options.mass.is_constant();
        Frozen {
            broyden: Broyden::new(layout.n1()),
            updates: 0,
            step: vec![0.0; layout.n1()],
            mass: varies.then(|| (Mass::new(layout, options.mass), Cholesky::new(layout.dims.nv))),
            spoiled: true,
        }
    }

    /// Before the iteration of a stage.
    pub fn begin(&mut self) {
        self.updates = 0;
    }
}

impl Rosenbrock {
    /// True if stages are evaluated in this way: with gII, a definite M, and matrices that were decomposed at the first point.
    /// Contact points have an iteration of their own; multipliers of least norm need the matrix of their point.
    pub(super) fn is_frozen(&self) -> bool {
        !self.frozen.spoiled
            && self.layout.form == Form::StrangenessFree
            && self.layout.n1() > 0
            && self.layout.dims.ns == 0
            && !self.motion.saddle.is_whole()
            && self.motion.source != Source::Supplied
            && self.options.decompose_constraints != DecompositionKind::Svd
    }

    /// Correct w, λ, μ with the rows in hand; true once they are nearly right. `moved` is the last correction of the assembly, `enough`
    /// what is small.
    pub(super) fn correct_algebraic(&mut self, moved: f64, enough: f64) -> Result<bool, Halt> {
        self.algebraic_step()?;
        let (frozen, x) = (&mut self.frozen, self.layout.x.algebraic.of(&self.motion.x));
        let largest = |v: &[f64]| v.iter().fold(f64::MIN_POSITIVE, |m, v| m.max(v.abs()));
        if moved <= SHARE * largest(&frozen.step) / largest(x) {
            frozen.broyden.correct(&mut frozen.updates, NEARLY, &mut frozen.step);
        }
        let x = self.layout.x.algebraic.of_mut(&mut self.motion.x);
        let (mut size, mut largest) = (0.0f64, f64::MIN_POSITIVE);
        for (x, d) in x.iter_mut().zip(&frozen.step) {
            *x += d;
            size = size.max(d.abs());
            largest = largest.max(x.abs());
        }
        Ok(size <= NEARLY.max(LOOSE * enough) * largest.max(size))
    }

    /// What the rows d, gII, hI ask for, with the matrix of the first point.
    fn algebraic_step(&mut self) -> Result<(), Halt> {
        let step = &mut self.frozen.step;
        step.copy_from_slice(self.layout.rda.rows1.of(&self.motion.rda));
        if self.coupled {
            self.motion.algebraic.solve(step);
        } else {
            factored(&mut self.motion.saddle)?.multipliers(step);
        }
        self.state.stats.nbsub += 1;
        Ok(())
    }

    /// What the last evaluation asks of w is small. Updates that made steps short where d bends much may have looked like convergence.
    fn check_auxiliary(&self) -> Result<(), Halt> {
        let (w, enough) = (self.layout.x.w, NEGLIGIBLE * self.least_rtol);
        for ((x, d), typical) in w.of(&self.motion.x).iter().zip(&self.frozen.step).zip(w.of(&self.typical)) {
            if d.abs() > enough.max(NEARLY) * (x.abs() + typical) || d.is_nan() {
                return Err(Halt::Diverged);
            }
        }
        Ok(())
    }

    /// The rate at the assembled point in `y_new`, after a last correction of w, λ, μ, which forces follow linearly.
    pub(super) fn rate_with_frozen(&mut self, system: &mut dyn System, t: f64) -> Result<(), Halt> {
        let l = self.layout;
        self.motion.place(&self.y_new);
        self.motion.evaluate(&mut self.state.counted(system), t)?;
        self.algebraic_step()?;
        self.check_auxiliary()?;
        let (motion, step) = (&mut self.motion, &self.frozen.step);
        l.x.algebraic.of_mut(&mut motion.x).iter_mut().zip(step).for_each(|(x, d)| *x += d);
        for (k, rows) in [(3, l.rda.b), (4, l.rda.f_dyn)] {
            let n = rows.len();
            products::add_mul_vec(n, l.n1(), -1.0, &motion.fx.fx[k], step, rows.of_mut(&mut motion.rda));
        }
        let f = l.rda.f_dyn;
        if let Some((mass, factor)) = &mut self.frozen.mass {
            mass.evaluate(system, t, &motion.x, &mut self.state.stats.nmas)?;
            mass.copy_to(factor.matrix_mut());
            factor.factor().map_err(|_| Defect::Constraints(None))?;
            let f = f.of_mut(&mut motion.rda);
            factor.solve_lower(f);
            factor.solve_lower_transposed(f);
        } else {
            factored(&mut motion.saddle)?.solve_mass(f.of_mut(&mut motion.rda));
        }
        motion.write_rate(&mut self.rate_new);
        Ok(())
    }
}
