//! A model behind the C functions of a handle.

use geoms::capi::functions::*;
use geoms::capi::handle::*;
use geoms::capi::inspect::*;
use geoms::capi::run::*;
use geoms::capi::settings::*;
use geoms::layout::{Form, Layout};
use geoms::system::{JacobianBlocks, Outcome, System};
use std::ffi::{c_char, c_int, c_void, CStr, CString};

pub struct Behind {
    system: Box<dyn System + Send>,
    blocks: JacobianBlocks,
    l: Layout,
    pub said: Vec<String>,
}

fn returned(outcome: Outcome) -> c_int {
    match outcome {
        Outcome::Continue => 0,
        Outcome::Retry => 1,
        Outcome::Stop => -1,
    }
}

// SAFETY (all): arrays have the lengths of the model, and `user` is the model.
unsafe extern "C" fn eom(t: f64, x: *const f64, rda: *mut f64, user: *mut c_void) -> c_int {
    let b = unsafe { &mut *user.cast::<Behind>() };
    let (x, rda) =
        unsafe { (std::slice::from_raw_parts(x, b.l.n), std::slice::from_raw_parts_mut(rda, b.l.m)) };
    returned(b.system.eom(t, x, rda))
}
unsafe extern "C" fn mass(t: f64, x: *const f64, mass: *mut f64, user: *mut c_void) -> c_int {
    let b = unsafe { &mut *user.cast::<Behind>() };
    let nv = b.l.dims.nv;
    let (x, mass) =
        unsafe { (std::slice::from_raw_parts(x, b.l.n), std::slice::from_raw_parts_mut(mass, nv * nv)) };
    returned(b.system.mass(t, x, mass))
}
unsafe extern "C" fn jacobian(t: f64, x: *const f64, fx: *const *mut f64, user: *mut c_void) -> c_int {
    let b = unsafe { &mut *user.cast::<Behind>() };
    b.blocks.clear();
    let x = unsafe { std::slice::from_raw_parts(x, b.l.n) };
    let outcome = b.system.jacobian(t, x, &mut b.blocks);
    for (k, block) in b.blocks.fx.iter().enumerate() {
        unsafe { std::ptr::copy_nonoverlapping(block.as_ptr(), *fx.add(k), block.len()) };
    }
    returned(outcome)
}
unsafe extern "C" fn log(_level: c_int, text: *const c_char, user: *mut c_void) -> c_int {
    let b = unsafe { &mut *user.cast::<Behind>() };
    b.said.push(unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned());
    0
}

/// A handle that frees itself.
pub struct Solver {
    pub handle: *mut Handle,
    pub behind: Box<Behind>,
}

impl Drop for Solver {
    fn drop(&mut self) {
        // SAFETY: made by geoms_create.
        unsafe { geoms_free(self.handle) };
    }
}

impl Solver {
    pub fn new(system: Box<dyn System + Send>, form: Form) -> Self {
        let d = system.dimensions();
        let l = Layout::new(d, form);
        let [np, nv, nr, nw, ns, nl, nm, ni] =
            [d.np, d.nv, d.nr, d.nw, d.ns, d.nl, d.nm, d.ni].map(|v| i64::try_from(v).expect("small"));
        let dims = CDimensions { np, nv, nr, nw, ns, nl, nm, ni };
        let has = system.has_jacobian();
        let mut behind = Box::new(Behind { system, blocks: JacobianBlocks::new(&l), l, said: Vec::new() });
        let form = if form == Form::Index1 { GEOMS_FORM_INDEX1 } else { GEOMS_FORM_STRANGENESS_FREE };
        // SAFETY: `behind` lives as long as the handle.
        let handle = unsafe {
            let handle = geoms_create(&raw const dims, form);
            geoms_set_user(handle, (&raw mut *behind).cast());
            geoms_set_eom(handle, Some(eom));
            geoms_set_mass(handle, Some(mass));
            geoms_set_jacobian(handle, if has { Some(jacobian) } else { None });
            geoms_set_log(handle, GEOMS_LOG_WARNING, Some(log));
            handle
        };
        Solver { handle, behind }
    }

    pub fn set(&self, name: &str, value: i64) -> c_int {
        let name = CString::new(name).expect("name");
        // SAFETY: a handle and a string.
        unsafe { geoms_set_int(self.handle, name.as_ptr(), value) }
    }

    pub fn start(&self, t: f64, x: &[f64]) -> c_int {
        // SAFETY: x has N entries.
        unsafe { geoms_start(self.handle, t, x.as_ptr(), 0.0) }
    }

    pub fn integrate(&self, tend: f64) -> c_int {
        // SAFETY: a handle.
        unsafe { geoms_integrate(self.handle, tend) }
    }

    pub fn state(&self) -> Vec<f64> {
        let mut x = vec![0.0; self.behind.l.n];
        // SAFETY: N entries.
        unsafe { geoms_state(self.handle, x.as_mut_ptr()) };
        x
    }

    pub fn counter(&self, name: &str) -> u64 {
        let (name, mut count) = (CString::new(name).expect("name"), 0);
        // SAFETY: a handle, a string, a number.
        assert_eq!(unsafe { geoms_counter(self.handle, name.as_ptr(), &raw mut count) }, 0);
        count
    }

    /// The callbacks may mean something else from now on.
    pub fn set_user_again(&mut self) {
        // SAFETY: `behind` lives as long as the handle.
        unsafe { geoms_set_user(self.handle, (&raw mut *self.behind).cast()) };
    }

    pub fn warnings(&self) -> Vec<String> {
        // SAFETY: no text is null.
        unsafe {
            let text = |k| CStr::from_ptr(geoms_warning(self.handle, k)).to_string_lossy().into_owned();
            (0..geoms_warning_count(self.handle)).map(text).collect()
        }
    }

    /// Code, detail, advice, report.
    pub fn error(&self) -> (c_int, String, String, String) {
        let mut info = std::mem::MaybeUninit::<ErrorInfo>::uninit();
        // SAFETY: written in any case.
        unsafe {
            geoms_last_error(self.handle, info.as_mut_ptr());
            let info = info.assume_init();
            let text = |from: *const c_char| CStr::from_ptr(from).to_string_lossy().into_owned();
            (info.code, text(info.detail), text(info.advice), text(info.report))
        }
    }
}
