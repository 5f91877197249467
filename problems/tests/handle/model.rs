//! A problem of the library behind C functions, and a handle for it.

use geoms::capi::handle::*;
use geoms::capi::inspect::*;
use geoms::capi::settings::*;
use geoms::layout::{Form, Layout};
use geoms::system::{JacobianBlocks, Outcome, System};
use geoms_problems as testset;
use std::ffi::{c_char, c_int, c_void, CStr};
use std::ptr::null_mut;

pub const NULL: *mut Handle = null_mut();

pub fn text(from: *const c_char) -> String {
    // SAFETY: no string of an error is null, and each is terminated.
    unsafe { CStr::from_ptr(from) }.to_string_lossy().into_owned()
}

/// The last error of a handle.
pub fn error(handle: *const Handle) -> (c_int, String) {
    let mut info = std::mem::MaybeUninit::uninit();
    // SAFETY: `info` is written in any case: the handle is not in use.
    let info = unsafe {
        geoms_last_error(handle, info.as_mut_ptr());
        info.assume_init()
    };
    (info.code, text(info.detail))
}

/// A problem of the library behind C functions; the user pointer of the handle.
pub struct Problem {
    pub system: Box<dyn System + Send>,
    pub blocks: JacobianBlocks,
    pub n: usize,
    pub m: usize,
    pub warnings: usize,
    /// Calls of `parts`, and how often it was asked for force, M, C, γ, velocities and positions.
    pub calls: u64,
    pub asked: [u64; 6],
    /// What `parts` returns, and which part it spoils: from this call on, once.
    pub fault: Option<(u64, c_int, Fault)>,
    /// What the parts of a test shift, and what a log heard.
    pub shift: Fault,
    pub said: String,
}

/// What is spoilt: none, or one of the six parts.
pub type Fault = Option<usize>;

pub fn returned(outcome: Outcome) -> c_int {
    match outcome {
        Outcome::Continue => 0,
        Outcome::Retry => 1,
        Outcome::Stop => -1,
    }
}

// SAFETY (all four): the arrays have the lengths of the problem, and `user` is the problem.
pub unsafe extern "C" fn eom(t: f64, x: *const f64, rda: *mut f64, user: *mut c_void) -> c_int {
    let p = unsafe { &mut *user.cast::<Problem>() };
    let (x, rda) = unsafe { (std::slice::from_raw_parts(x, p.n), std::slice::from_raw_parts_mut(rda, p.m)) };
    returned(p.system.eom(t, x, rda))
}

pub unsafe extern "C" fn mass(t: f64, x: *const f64, mass: *mut f64, user: *mut c_void) -> c_int {
    let p = unsafe { &mut *user.cast::<Problem>() };
    let nv = p.system.dimensions().nv;
    let (x, mass) =
        unsafe { (std::slice::from_raw_parts(x, p.n), std::slice::from_raw_parts_mut(mass, nv * nv)) };
    returned(p.system.mass(t, x, mass))
}

pub unsafe extern "C" fn jacobian(t: f64, x: *const f64, fx: *const *mut f64, user: *mut c_void) -> c_int {
    let p = unsafe { &mut *user.cast::<Problem>() };
    p.blocks.clear();
    let x = unsafe { std::slice::from_raw_parts(x, p.n) };
    let outcome = p.system.jacobian(t, x, &mut p.blocks);
    for (k, block) in p.blocks.fx.iter().enumerate() {
        unsafe { std::ptr::copy_nonoverlapping(block.as_ptr(), *fx.add(k), block.len()) };
    }
    returned(outcome)
}

#[allow(clippy::too_many_arguments)] // the interface
pub unsafe extern "C" fn parts(
    t: f64,
    x: *const f64,
    force: *mut f64,
    mass: *mut f64,
    c: *mut f64,
    gamma: *mut f64,
    velocity: *mut f64,
    position: *mut f64,
    user: *mut c_void,
) -> c_int {
    let p = unsafe { &mut *user.cast::<Problem>() };
    let d = p.system.dimensions();
    let l = Layout::new(d, Form::StrangenessFree);
    let (nc, m2) = (d.nl + d.nm, l.m2());
    let lengths = [d.nv, d.nv * d.nv, nc * d.nv, nc, nc, d.nl];
    let pointers = [force, mass, c, gamma, velocity, position];
    assert!(pointers.iter().any(|part| !part.is_null()), "a question that the library answers itself");
    p.calls += 1;
    let x = unsafe { std::slice::from_raw_parts(x, p.n) };
    let mut free = x.to_vec();
    l.x.multipliers.of_mut(&mut free).fill(0.0);
    let mut rda = vec![0.0; p.m];
    let _ = p.system.eom(t, &free, &mut rda);
    p.blocks.clear();
    let _ = p.system.jacobian(t, &free, &mut p.blocks);
    let fx2 = &p.blocks.fx[1];
    for (k, pointer) in pointers.into_iter().enumerate().filter(|(_, pointer)| !pointer.is_null()) {
        p.asked[k] += 1;
        let part = unsafe { std::slice::from_raw_parts_mut(pointer, lengths[k]) };
        if k == 1 || k == 2 {
            assert!(part.iter().all(|v| *v == 0.0), "matrices come in as zeros");
        }
        match k {
            0 => part.copy_from_slice(l.rda.f_dyn.of(&rda)),
            1 => {
                let _ = p.system.mass(t, x, part);
            }
            2 => {
                for (c, fx) in part.chunks_exact_mut(nc).zip(fx2.chunks_exact(m2)) {
                    c.iter_mut().zip(fx).for_each(|(c, fx)| *c = -fx);
                }
            }
            3 => {
                // The constraints of these problems do not depend on time.
                part.fill(0.0);
                for (fx, v) in fx2[d.nv * m2..].chunks_exact(m2).zip(l.x.v.of(x)) {
                    part.iter_mut().zip(fx).for_each(|(rate, fx)| *rate -= fx * v);
                }
            }
            4 => part.copy_from_slice(&rda[l.rda.g_velocity.start..l.rda.h.end]),
            _ => part.copy_from_slice(l.rda.g.of(&rda)),
        }
        if p.shift == Some(k) {
            part[0] += 0.25;
        }
    }
    match p.fault {
        Some((at, returned, what)) if at <= p.calls && what.is_none_or(|k| !pointers[k].is_null()) => {
            if let Some(k) = what {
                unsafe { *pointers[k] = if k % 2 == 0 { f64::NAN } else { f64::INFINITY } };
            }
            p.fault = None;
            returned
        }
        _ => 0,
    }
}

pub unsafe extern "C" fn conditions(t: f64, x: *const f64, cond: *mut f64, user: *mut c_void) -> c_int {
    let p = unsafe { &mut *user.cast::<Problem>() };
    let count = p.system.initial_condition_count();
    let (x, cond) =
        unsafe { (std::slice::from_raw_parts(x, p.n), std::slice::from_raw_parts_mut(cond, count)) };
    returned(p.system.initial_conditions(t, x, cond))
}

/// A handle for a problem of the library.
pub fn handle(name: &str) -> (*mut Handle, Box<Problem>, testset::Problem) {
    let problem = testset::by_name(name).expect("problem");
    let system = problem.system(Form::StrangenessFree, true);
    let d = system.dimensions();
    let layout = Layout::new(d, Form::StrangenessFree);
    let [np, nv, nr, nw, ns, nl, nm, ni] =
        [d.np, d.nv, d.nr, d.nw, d.ns, d.nl, d.nm, d.ni].map(|v| i64::try_from(v).expect("small"));
    let dims = CDimensions { np, nv, nr, nw, ns, nl, nm, ni };
    let mut user = Box::new(Problem {
        system,
        blocks: JacobianBlocks::new(&layout),
        n: layout.n,
        m: layout.m,
        warnings: 0,
        calls: 0,
        asked: [0; 6],
        fault: None,
        shift: None,
        said: String::new(),
    });
    // SAFETY: `user` outlives the handle in every test.
    unsafe {
        let handle = geoms_create(&raw const dims, GEOMS_FORM_STRANGENESS_FREE);
        assert!(!handle.is_null());
        assert_eq!(geoms_set_user(handle, (&raw mut *user).cast()), 0);
        assert_eq!(geoms_set_eom(handle, Some(eom)), 0);
        assert_eq!(geoms_set_mass(handle, Some(mass)), 0);
        assert_eq!(geoms_set_jacobian(handle, Some(jacobian)), 0);
        let count = i64::try_from(user.system.initial_condition_count()).expect("small");
        assert_eq!(geoms_set_conditions(handle, count, Some(conditions)), 0);
        (handle, user, problem)
    }
}
