//! Derivatives of the model: JAC or differences, and (M a)_p.

use super::differences::{At, Differences};
use super::{all_finite, check, Calls, Mass, Result};
use crate::decompose::DecompositionKind;
use crate::error::Code;
use crate::layout::Layout;
use crate::options::Options;
use crate::system::JacobianBlocks;

/// How derivatives are had, and the work space for them.
#[derive(Debug)]
pub struct Derivatives {
    layout: Layout,
    central: bool,
    /// What is reported if EOM stops the run in a difference.
    code: Code,
    typical: Vec<f64>,
    /// None if the model supplies JAC.
    differences: Option<Differences>,
    /// What JAC writes, where blocks are stored by the pattern and it does not.
    whole: Option<Box<JacobianBlocks>>,
    /// For differences of MAS; none if the mass matrix is constant.
    moved: Option<Moved>,
}

#[derive(Debug)]
struct Moved {
    mass: Mass,
    x: Vec<f64>,
    base: Vec<f64>,
}

impl Derivatives {
    /// For a method; `typical` is the magnitude below which a component is small, ATOL/RTOL. Where ranks are decided by singular
    /// values differences are central.
    pub fn new(layout: &Layout, options: &Options, analytic: bool, typical: Vec<f64>) -> Self {
        let central = options.decompose_constraints == DecompositionKind::Svd;
        let moved = (!options.mass.is_constant()).then(|| Moved {
            mass: Mass::new(layout, options.mass),
            x: vec![0.0; layout.n],
            base: vec![0.0; layout.dims.nv],
        });
        Derivatives { moved, ..Self::of_rows(layout, analytic, central, typical) }
    }

    /// FX1..FX6 alone.
    pub fn of_rows(layout: &Layout, analytic: bool, central: bool, typical: Vec<f64>) -> Self {
        let differences = (!analytic).then(|| Differences::new(layout));
        let code = Code::StoppedByEomInDifferences;
        Derivatives { layout: *layout, central, code, typical, differences, whole: None, moved: None }
    }

    /// Differences do not trust the pattern of the model.
    pub fn by_columns(self) -> Self {
        let differences = self.differences.map(|_| Differences::by_columns(&self.layout));
        Derivatives { differences, ..self }
    }

    /// Another code if EOM stops the run in a difference.
    pub fn reporting(self, code: Code) -> Self {
        Derivatives { code, ..self }
    }

    /// True if the model supplies JAC.
    pub fn are_supplied(&self) -> bool {
        self.differences.is_none()
    }

    /// FX1..FX6 at (t, x).
    pub fn jacobian(&mut self, model: &mut Calls<'_>, t: f64, x: &[f64], fx: &mut JacobianBlocks) -> Result {
        let Some(differences) = &mut self.differences else {
            if fx.is_dense() || model.system.has_entries() {
                return super::jacobian(model, t, x, fx);
            }
            let whole = self.whole.get_or_insert_with(|| Box::new(JacobianBlocks::new(&self.layout)));
            super::jacobian(model, t, x, whole)?;
            fx.fx.iter_mut().zip(&whole.fx).for_each(|(block, whole)| block.take_from(whole));
            return Ok(());
        };
        model.stats.njac += 1;
        let (layout, typical) = (&self.layout, &self.typical[..]);
        let at = At { layout, code: self.code, central: self.central, t, x, typical };
        differences.evaluate(model, &at, fx)
    }

    /// ∂(M(p,t) a)/∂p, NV by NP, by the model or by differences of MAS; zero if M is constant.
    pub fn mass_times(
        &mut self,
        model: &mut Calls<'_>,
        (t, x): (f64, &[f64]),
        a: &[f64],
        out: &mut [f64],
    ) -> Result {
        let Calls { system, stats } = model;
        let Some(moved) = &mut self.moved else { return Ok(()) };
        if let Some(outcome) = system.mass_acceleration_dp(t, x, a, out) {
            return check(outcome, Code::StoppedByMas, || all_finite(out));
        }
        let nv = self.layout.dims.nv;
        moved.x.copy_from_slice(x);
        moved.mass.evaluate(*system, t, x, &mut stats.nmas)?;
        moved.mass.mul(1, a, &mut moved.base, &mut stats.mass_multiplications);
        for (j, column) in self.layout.x.p.range().zip(out.chunks_exact_mut(nv.max(1))) {
            moved.x[j] = x[j] + f64::EPSILON.sqrt() * x[j].abs().max(self.typical[j]);
            let width = moved.x[j] - x[j];
            moved.mass.evaluate(*system, t, &moved.x, &mut stats.nmas)?;
            moved.mass.mul(1, a, column, &mut stats.mass_multiplications);
            column.iter_mut().zip(&moved.base).for_each(|(c, b)| *c = (*c - b) / width);
            moved.x[j] = x[j];
        }
        Ok(())
    }
}
