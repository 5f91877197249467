//! A model with |q|² = 1 added as a constraint, as a beginner does with quaternions.

use geoms::layout::{Dimensions, Form, Layout};
use geoms::system::{Outcome, System};

pub struct WithUnit {
    inner: Box<dyn System + Send>,
    old: Layout,
    new: Layout,
}

impl WithUnit {
    pub fn new(inner: Box<dyn System + Send>) -> Self {
        let d = inner.dimensions();
        let form = inner.form();
        let old = Layout::new(d, form);
        let new = Layout::new(Dimensions { nl: d.nl + 1, ..d }, form);
        WithUnit { inner, old, new }
    }

    /// x without the multiplier of the added constraint.
    fn shorter(&self, x: &[f64]) -> Vec<f64> {
        let at = self.new.x.lambda.end - 1;
        x.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, v)| *v).collect()
    }

    /// The last four positions are the quaternion.
    pub fn longer(x: &[f64], old: &Layout) -> Vec<f64> {
        let mut y = x.to_vec();
        y.insert(old.x.lambda.end, 0.0);
        y
    }
}

impl System for WithUnit {
    fn dimensions(&self) -> Dimensions {
        self.new.dims
    }
    fn form(&self) -> Form {
        self.new.form
    }
    fn eom(&mut self, t: f64, x: &[f64], rda: &mut [f64]) -> Outcome {
        let (o, n) = (self.old.rda, self.new.rda);
        let mut rows = vec![0.0; self.old.m];
        let y = self.shorter(x);
        let outcome = self.inner.eom(t, &y, &mut rows);
        rda.fill(0.0);
        for (from, to) in [
            (o.d, n.d),
            (o.g_acceleration, n.g_acceleration),
            (o.h_acceleration, n.h_acceleration),
            (o.g_velocity, n.g_velocity),
            (o.h, n.h),
            (o.e, n.e),
            (o.c, n.c),
            (o.g, n.g),
            (o.b, n.b),
            (o.f_dyn, n.f_dyn),
            (o.f_kin, n.f_kin),
        ] {
            rda[to.start..to.start + from.len()].copy_from_slice(from.of(&rows));
        }
        let p = self.new.x.p.of(x);
        let q = &p[p.len() - 4..];
        let qd: Vec<f64> = rda[n.f_kin.end - 4..n.f_kin.end].to_vec();
        rda[n.g.end - 1] = q.iter().map(|q| q * q).sum::<f64>() - 1.0;
        rda[n.g_velocity.end - 1] = 2.0 * q.iter().zip(&qd).map(|(q, d)| q * d).sum::<f64>();
        outcome
    }
    fn mass(&mut self, t: f64, x: &[f64], mass: &mut [f64]) -> Outcome {
        let y = self.shorter(x);
        self.inner.mass(t, &y, mass)
    }
}
