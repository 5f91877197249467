//! The choice between the half-explicit method and Radau IIA, made by what the steps show.
//!
//! A run begins with the half-explicit method and goes over to Radau IIA, for good, when the problem is found to be
//! stiff ([`super::half_explicit`], `Stiffness`), or so far from t = 0 that its estimate would be noise. Models for which the half-explicit method is not made or not cheap begin with Radau
//! IIA. Work space of both is allocated at the start.
//!
//! METHOD=-1 tries that with every model and takes Radau IIA of automatic order; METHOD=-2 only if the
//! model supplies what the half-explicit method asks for ([`System::parts`]), and Radau IIA has the order of the options.

use super::half_explicit::HalfExplicit;
use super::radau::switching;
use super::save::{require, BadState, Reader, Writer};
use super::{Attempted, Constraints, Method, Plan, Setback, State};
use crate::error::{Failure, Rejection};
use crate::layout::{Form, Layout};
use crate::norm::Tolerance;
use crate::options::{MethodKind, Options, Order};
use crate::system::System;

/// Both methods, one of them in use.
#[derive(Debug)]
pub struct Automatic {
    layout: Layout,
    options: Options,
    explicit: HalfExplicit,
    implicit: Box<dyn Method>,
    stiff: bool,
    /// The model was asked whether it rests at its start (METHOD=-2).
    asked: bool,
}

/// True if the half-explicit method can do all that is asked for at one evaluation of each kind per stage: it does not impose
/// invariants, and without gII or with contact points a stage takes several. A constant step size is the user's, whatever its
/// stability.
pub(crate) fn suits(layout: &Layout, options: &Options) -> bool {
    let d = &layout.dims;
    layout.form == Form::StrangenessFree && d.ns == 0 && d.ni == 0 && !options.fixed_step
}

impl Automatic {
    /// At the initial point (t, x) with first step size h.
    pub fn new(
        layout: &Layout,
        options: &Options,
        tolerance: &Tolerance,
        analytic: bool,
        start: (f64, &[f64], f64),
    ) -> Self {
        let order = if options.method == MethodKind::ByModel { options.order } else { Order::Automatic };
        let options = Options { order, ..options.clone() };
        Automatic {
            explicit: HalfExplicit::new(layout, &options, tolerance, analytic, start),
            implicit: switching::begin::<8>(layout, &options, tolerance, analytic, start),
            stiff: !suits(layout, &options),
            asked: options.method != MethodKind::ByModel,
            layout: *layout,
            options,
        }
    }

    fn active(&self) -> &dyn Method {
        if self.stiff {
            &*self.implicit
        } else {
            &self.explicit
        }
    }

    fn active_mut(&mut self) -> &mut dyn Method {
        if self.stiff {
            &mut *self.implicit
        } else {
            &mut self.explicit
        }
    }

    /// Before the first step of all: to Radau IIA at once, if the system rests where it begins.
    fn ask(&mut self, system: &mut dyn System, h: f64) -> Result<(), Failure> {
        if std::mem::replace(&mut self.asked, true) || self.stiff || self.state().stats.naccpt > 0 {
            return Ok(());
        }
        match self.explicit.rests(system, h) {
            Ok(false) | Err(Setback::Reject { .. }) => {}
            Ok(true) => self.go_over(),
            Err(Setback::Fatal(failure)) => return Err(*failure),
        }
        Ok(())
    }

    /// To Radau IIA, at the point reached.
    fn go_over(&mut self) {
        let from = self.explicit.state();
        self.implicit.restart(from.t, &from.x);
        let to = self.implicit.state_mut();
        (to.h, to.stats, to.history) = (from.h, from.stats, from.history);
        (to.t_start, to.since_start, to.limit_from) = (from.t_start, from.since_start, from.limit_from);
        self.stiff = true;
    }
}

impl Method for Automatic {
    fn state(&self) -> &State {
        self.active().state()
    }

    fn state_mut(&mut self) -> &mut State {
        self.active_mut().state_mut()
    }

    fn choose_first_step(&mut self, system: &mut dyn System, tend: f64) -> Result<(), Failure> {
        self.ask(system, tend - self.state().t)?;
        self.active_mut().choose_first_step(system, tend)
    }

    /// Go over if there is reason to: now, so that the polynomial of the last step stayed until then.
    fn begin_step(&mut self) {
        let suspected = self.explicit.state().stats.stiffness_suspected > 0;
        if !self.stiff && (suspected || self.explicit.is_costly() || self.explicit.is_lost_in_rounding()) {
            self.go_over();
        }
    }

    fn attempt(&mut self, system: &mut dyn System, plan: &Plan) -> Result<Attempted, Setback> {
        if !self.asked {
            self.ask(system, plan.h).map_err(|failure| Setback::Fatal(Box::new(failure)))?;
        }
        self.active_mut().attempt(system, plan)
    }

    fn attempted(&self, x: &mut [f64]) {
        self.active().attempted(x);
    }

    fn accept(&mut self, plan: &Plan, attempted: &Attempted) {
        self.active_mut().accept(plan, attempted);
    }

    fn complete(&mut self, system: &mut dyn System, plan: &Plan) -> Result<(), Failure> {
        self.active_mut().complete(system, plan)
    }

    fn reject(&mut self, why: Rejection) -> bool {
        self.active_mut().reject(why)
    }

    fn gap(&self) -> Option<f64> {
        self.active().gap()
    }

    fn expect_output(&mut self, every_step: bool) {
        self.explicit.expect_output(every_step);
    }

    /// Radau IIA passes by itself.
    fn constraints(&self) -> Option<Constraints> {
        self.explicit.constraints().filter(|_| !self.stiff)
    }

    fn restart(&mut self, t: f64, x: &[f64]) {
        self.active_mut().restart(t, x);
    }

    fn begin_again(&mut self, start: (f64, &[f64], f64)) -> bool {
        self.stiff = !suits(&self.layout, &self.options);
        self.asked = self.options.method != MethodKind::ByModel;
        self.implicit.begin_again(start) && self.explicit.begin_again(start)
    }

    fn save(&self) -> Vec<u8> {
        let mut w = Writer::begin(&self.layout, &self.options);
        w.flag(self.stiff);
        w.nested(&self.active().save());
        w.seal()
    }

    fn restore(&mut self, saved: &[u8]) -> Result<(), BadState> {
        let mut r = Reader::begin(saved, &self.layout, &self.options)?;
        let stiff = r.flag("method")?;
        // Some models are never for the half-explicit method.
        require("method", stiff || !self.stiff)?;
        let saved = r.nested("state of the method")?;
        self.stiff = stiff;
        self.active_mut().restore(saved)?;
        r.end()
    }
}
