//! The life of a linear system that is solved again and again: room is made for it once (analyse), it is factored for values and
//! a shift, and then solved with. Solving is written for [`Factored`] alone, so nothing can be solved with factors that are
//! not there or belong to other values.

use std::ops::Deref;

/// A system with its room, and the shift for which it is factored, if it is.
#[derive(Debug)]
pub struct Linear<F, K = ()> {
    system: F,
    factored_for: Option<K>,
}

/// A system whose factors are in hand.
#[derive(Debug)]
pub struct Factored<'a, F> {
    /// The system.
    pub(crate) system: &'a mut F,
}

impl<F, K: Copy> Linear<F, K> {
    /// A system for which room has been made, and its structure found.
    pub fn analysed(system: F) -> Self {
        Linear { system, factored_for: None }
    }

    /// The shift for which it is factored.
    pub fn factored_for(&self) -> Option<K> {
        self.factored_for
    }

    /// The system, to change its values: factors in hand are lost.
    pub fn values(&mut self) -> &mut F {
        self.factored_for = None;
        &mut self.system
    }

    /// The system, for what needs its work space and changes none of its values.
    pub fn work_space(&mut self) -> &mut F {
        &mut self.system
    }

    /// Factor the values in hand for this shift.
    pub fn factor<E>(
        &mut self,
        shift: K,
        by: impl FnOnce(&mut F) -> Result<(), E>,
    ) -> Result<Factored<'_, F>, E> {
        self.factored_for = None;
        by(&mut self.system)?;
        self.factored_for = Some(shift);
        Ok(Factored { system: &mut self.system })
    }

    /// The factors, if there are any.
    pub fn factored(&mut self) -> Option<Factored<'_, F>> {
        self.factored_for.is_some().then_some(Factored { system: &mut self.system })
    }

    /// They are not to be used again.
    pub fn discard(&mut self) {
        self.factored_for = None;
    }
}

impl<F, K> Deref for Linear<F, K> {
    type Target = F;

    fn deref(&self) -> &F {
        &self.system
    }
}
