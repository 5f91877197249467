//! A model of functions, each of Python or compiled.

use crate::failure::Trap;
use crate::python::{Pulse, PythonFunction};
use geoms::layout::{Dimensions, Form, Layout};
use geoms::system::{JacobianBlocks, Outcome, Parts, System};
use std::ffi::{c_int, c_void};

type Compiled = unsafe extern "C" fn(t: f64, x: *const f64, out: *mut f64, user: *mut c_void) -> c_int;
type CompiledJacobian =
    unsafe extern "C" fn(t: f64, x: *const f64, fx: *const *mut f64, user: *mut c_void) -> c_int;
type CompiledParts = unsafe extern "C" fn(
    t: f64,
    x: *const f64,
    force: *mut f64,
    mass: *mut f64,
    c: *mut f64,
    gamma: *mut f64,
    velocity: *mut f64,
    position: *mut f64,
    user: *mut c_void,
) -> c_int;

/// What a compiled function returned (geoms.h).
fn outcome(returned: c_int) -> Outcome {
    match returned {
        0 => Outcome::Continue,
        1.. => Outcome::Retry,
        _ => Outcome::Stop,
    }
}

/// A compiled function with the signature of geoms.h that fills an array.
#[derive(Clone, Copy)]
pub struct CompiledFunction(Compiled);

impl CompiledFunction {
    /// At an address that is not zero.
    ///
    /// # Safety
    /// There is such a function.
    pub unsafe fn at(address: usize) -> Option<Self> {
        // SAFETY: the contract; a zero becomes None.
        unsafe { std::mem::transmute::<usize, Option<Compiled>>(address) }.map(CompiledFunction)
    }

    /// Call it.
    pub fn call(self, t: f64, x: &[f64], out: &mut [f64], user: usize) -> Outcome {
        // SAFETY: who gave the address says that the function keeps to the lengths of the model.
        outcome(unsafe { (self.0)(t, x.as_ptr(), out.as_mut_ptr(), user as *mut c_void) })
    }
}

/// A function that fills a vector or a matrix.
pub enum Function {
    /// By address.
    Compiled(CompiledFunction),
    /// Of Python.
    Python(PythonFunction),
}

/// The mass matrix.
pub enum Mass {
    /// The same everywhere.
    Constant(Vec<f64>),
    /// A function.
    Function(Function),
}

/// The derivatives.
pub enum Jacobian {
    /// By address, the blocks FX.
    Compiled(usize),
    /// Of Python, the blocks FX.
    Blocks(PythonFunction),
    /// Of Python, all derivatives of RDA by x, with their own sign.
    Full(PythonFunction, Vec<f64>),
}

/// The model.
pub struct Functions {
    /// Of x and RDA.
    pub layout: Layout,
    /// EOM.
    pub eom: Function,
    /// MAS.
    pub mass: Mass,
    /// JAC.
    pub jacobian: Option<Jacobian>,
    /// PARTS by address, 0: none.
    pub parts: usize,
    /// IVCOND and how many conditions there are.
    pub conditions: Option<(usize, Function)>,
    /// What compiled functions get as their last argument.
    pub user: usize,
    /// Looks for Ctrl-C where no Python function would.
    pub pulse: Pulse,
}

impl Function {
    fn vector(&mut self, t: f64, x: &[f64], out: &mut [f64], user: usize) -> Outcome {
        match self {
            Function::Compiled(function) => function.call(t, x, out, user),
            Function::Python(function) => function.vector(t, x, out),
        }
    }
}

impl Functions {
    /// A model without a Jacobian and conditions.
    pub fn new(layout: Layout, eom: Function, mass: Mass, user: usize, trap: &Trap) -> Self {
        let pulse = Pulse::new(trap.clone());
        Functions { layout, eom, mass, jacobian: None, parts: 0, conditions: None, user, pulse }
    }
}

impl System for Functions {
    fn dimensions(&self) -> Dimensions {
        self.layout.dims
    }

    fn form(&self) -> Form {
        self.layout.form
    }

    fn eom(&mut self, t: f64, x: &[f64], rda: &mut [f64]) -> Outcome {
        if self.pulse.beat() == Outcome::Stop {
            return Outcome::Stop;
        }
        self.eom.vector(t, x, rda, self.user)
    }

    fn mass(&mut self, t: f64, x: &[f64], mass: &mut [f64]) -> Outcome {
        match &mut self.mass {
            Mass::Constant(values) => {
                mass.copy_from_slice(values);
                Outcome::Continue
            }
            Mass::Function(Function::Compiled(function)) => function.call(t, x, mass, self.user),
            Mass::Function(Function::Python(function)) => {
                let nv = self.layout.dims.nv;
                function.matrix(t, x, (nv, nv), mass)
            }
        }
    }

    fn has_jacobian(&self) -> bool {
        self.jacobian.is_some()
    }

    fn jacobian(&mut self, t: f64, x: &[f64], fx: &mut JacobianBlocks) -> Outcome {
        match &mut self.jacobian {
            None => Outcome::Stop,
            Some(Jacobian::Compiled(address)) => {
                let blocks: [*mut f64; 6] = fx.fx.each_mut().map(|block| block.as_mut_ptr());
                // SAFETY: as for CompiledFunction.
                outcome(unsafe {
                    let function = std::mem::transmute::<usize, CompiledJacobian>(*address);
                    function(t, x.as_ptr(), blocks.as_ptr(), self.user as *mut c_void)
                })
            }
            Some(Jacobian::Blocks(function)) => {
                let shapes = fx.shape;
                function.blocks(t, x, &shapes, &mut fx.fx)
            }
            Some(Jacobian::Full(function, full)) => {
                full.resize(self.layout.m * self.layout.n, 0.0);
                let shape = (self.layout.m, self.layout.n);
                let said = function.matrix(t, x, shape, full);
                fx.set_from_full(&self.layout, full);
                said
            }
        }
    }

    fn initial_condition_count(&self) -> usize {
        self.conditions.as_ref().map_or(0, |(count, _)| *count)
    }

    fn initial_conditions(&mut self, t: f64, x: &[f64], cond: &mut [f64]) -> Outcome {
        match &mut self.conditions {
            Some((_, function)) => function.vector(t, x, cond, self.user),
            None => Outcome::Continue,
        }
    }

    fn parts(&mut self, t: f64, x: &[f64], parts: Parts<'_>) -> Option<Outcome> {
        if self.parts == 0 || !Parts::suit(&self.layout.dims) {
            return None;
        }
        if parts.is_empty() {
            return Some(Outcome::Continue);
        }
        if self.pulse.beat() == Outcome::Stop {
            return Some(Outcome::Stop);
        }
        let at = |part: Option<&mut [f64]>| part.map_or(std::ptr::null_mut(), <[f64]>::as_mut_ptr);
        // SAFETY: as for CompiledFunction.
        Some(outcome(unsafe {
            let function = std::mem::transmute::<usize, CompiledParts>(self.parts);
            function(
                t,
                x.as_ptr(),
                at(parts.force),
                at(parts.mass),
                at(parts.constraint),
                at(parts.at_rest),
                at(parts.velocity),
                at(parts.position),
                self.user as *mut c_void,
            )
        }))
    }
}
