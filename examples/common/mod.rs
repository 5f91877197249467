//! The pendulum of the examples, from its equations alone.

use geoms::layout::{Dimensions, Form};
use geoms::mechanism::dual::Real;
use geoms::mechanism::{Blocks, Mechanism, Model, Options};

/// Mass 1 on a massless rod of length 1.
#[derive(Clone)]
pub struct Pendulum;

impl Mechanism for Pendulum {
    fn dimensions(&self) -> Dimensions {
        Dimensions { np: 2, nv: 2, nl: 1, ..Dimensions::default() }
    }
    fn mass<T: Real>(&self, _t: T, _p: &[T], m: &mut [T]) {
        (m[0], m[3]) = (T::real(1.0), T::real(1.0));
    }
    fn force<T: Real>(&self, _t: T, _x: &Blocks<'_, T>, f: &mut [T]) {
        f[1] = T::real(-9.81);
    }
    fn holonomic<T: Real>(&self, _t: T, p: &[T], _s: &[T], g: &mut [T]) {
        g[0] = p[0].sq() + p[1].sq() - 1.0;
    }
}

/// At rest at the height of the support: λ, v, p.
pub const START: [f64; 5] = [0.0, 0.0, 0.0, 1.0, 0.0];

/// The model, with its derivatives.
pub fn pendulum() -> Model<Pendulum> {
    Model::new(Pendulum, Options::new(Form::StrangenessFree, true), 0.0, &START)
}
