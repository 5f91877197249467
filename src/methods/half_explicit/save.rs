//! What method 4 saves beside the common state: the rate at the point, which is not evaluated again, and decisions.

use super::{differential, HalfExplicit};
use crate::methods::save::{require, BadState, Reader, Writer};

impl HalfExplicit {
    /// The state as bytes.
    pub(super) fn saved(&self) -> Vec<u8> {
        let nd = self.y.len();
        let mut w = Writer::begin(&self.layout, &self.options);
        w.int(u64::from(self.tableau.order));
        w.state(&self.state);
        w.flag(self.begun);
        w.reals(if self.begun { &self.k[..nd] } else { &[] });
        w.real(self.contraction);
        w.int(u64::from(self.stiffness.steps));
        w.real(self.stiffness.mean);
        self.motion.save(&mut w);
        w.seal()
    }

    /// Put a saved state back. The integrator must have been made for the same system and options. After an error it must
    /// not be used.
    pub(super) fn put_back(&mut self, saved: &[u8]) -> Result<(), BadState> {
        let nd = self.y.len();
        let mut r = Reader::begin(saved, &self.layout, &self.options)?;
        if r.at_most("order", u64::from(u32::MAX))? != u64::from(self.tableau.order) {
            return Err(BadState::Different);
        }
        r.state(&mut self.state)?;
        self.y.copy_from_slice(&differential(&self.layout, &self.state.x));
        self.begun = r.flag("rate")?;
        let given = r.optional("rate", &mut self.k[..nd])?;
        require("rate", given == self.begun || nd == 0)?;
        self.contraction = r.not_negative("rate of convergence")?;
        self.stiffness.steps = r.small("steps of the test for stiffness", u32::MAX - 1)?;
        self.stiffness.mean = r.finite("mean of the test for stiffness")?;
        self.motion.put_back(&mut r)?;
        self.interpolation.keep(0, &self.state.x);
        r.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::{Form, Layout};
    use crate::mechanism::samples::Circle;
    use crate::mechanism::Mechanism;
    use crate::norm::Tolerance;
    use crate::options::Options;

    /// A rate that is said to be there and is not.
    #[test]
    fn a_state_without_its_rate_is_refused() {
        let layout = Layout::new(Circle.dimensions(), Form::StrangenessFree);
        let (options, tolerance, x0) = (Options::of_call(), Tolerance::scalar(1e-6, 1e-6), Circle::x0());
        let make = || HalfExplicit::new(&layout, &options, &tolerance, true, (0.0, &x0, 0.1));
        let mut other = make();
        assert_eq!(make().put_back(&other.saved()), Ok(()));
        other.begun = true;
        assert_eq!(make().put_back(&other.saved()), Ok(()));
        other.y.clear();
        assert_eq!(make().put_back(&other.saved()), Err(BadState::Field("rate")));
    }
}
