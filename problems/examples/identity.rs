//! The cases of `fortran-tests/identity/callbacks.c` through the Rust API, printed bit by bit in the format of the
//! Fortran and C programs beside it. The argument is the shared object with the subroutines;
//! `fortran-tests/run.sh --identity` builds it and compares the three outputs.

// Subroutines of another language are called through raw pointers.
#![allow(unsafe_code)]

use geoms::integrate::{integrate, Integration};
use geoms::layout::{Dimensions, Layout};
use geoms::norm::Tolerance;
use geoms::options::Options;
use geoms::stats::Stats;
use geoms::system::{AcceptedStep, JacobianBlocks, Outcome, System};
use std::ffi::{CStr, CString};
use std::mem::transmute_copy;

type Int = *mut i32;
type Real = *mut f64;
type Setup = unsafe extern "C" fn(Int, Int, Real, Int, Real, Int, Real, Int);
type Eom = unsafe extern "C" fn(Int, Int, Real, *const f64, Real, Int, Real, Int, Real, Int);
type Mas = unsafe extern "C" fn(Real, Int, *const f64, Int, Int, Real, Int, Real, Int, Real, Int);
#[rustfmt::skip]
type Jac = unsafe extern "C" fn(
    Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Real, *const f64,
    Real, Real, Real, Real, Real, Real, Int, Real, Real, Int, Int,
);
#[rustfmt::skip]
type Solout = unsafe extern "C" fn(
    Int, Real, Real, *const f64, Int, Int, Int, Int, *const f64, Real, Real, Real, Real, Int, Int,
);

/// The shared object.
struct Object(*mut libc::c_void);

impl Object {
    fn open(path: &str) -> Result<Object, String> {
        let name = CString::new(path).map_err(|e| e.to_string())?;
        // SAFETY: the name is a string; the object has no initializers.
        let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW) };
        if handle.is_null() {
            Err(format!("{path} cannot be loaded"))
        } else {
            Ok(Object(handle))
        }
    }

    /// A subroutine of the type that it has in the C file.
    fn get<F: Copy>(&self, name: &CStr) -> Result<F, String> {
        // SAFETY: the handle is open, the name is a string.
        let pointer = unsafe { libc::dlsym(self.0, name.as_ptr()) };
        if pointer.is_null() || size_of::<F>() != size_of_val(&pointer) {
            return Err(format!("{name:?} is missing"));
        }
        // SAFETY: F is the pointer type of this function, of the size of a pointer.
        Ok(unsafe { transmute_copy(&pointer) })
    }
}

/// What is passed on to every subroutine. System and observer use it in turn, so it is behind raw pointers as it
/// is for a program in C.
struct Data {
    iopt: [i32; 40],
    ropt: [f64; 40],
    ipar: [i32; 1],
    rpar: [f64; 2],
    ierr: i32,
}

struct Model {
    layout: Layout,
    eom: Eom,
    mas: Mas,
    jac: Option<Jac>,
    data: *mut Data,
}

impl System for Model {
    fn dimensions(&self) -> Dimensions {
        self.layout.dims
    }

    fn eom(&mut self, mut t: f64, x: &[f64], rda: &mut [f64]) -> Outcome {
        let (mut m, mut n) = (rda.len() as i32, x.len() as i32);
        // SAFETY: lengths as passed; `data` outlives the run and is not borrowed elsewhere during the call.
        unsafe {
            let d = &mut *self.data;
            (self.eom)(
                &mut m,
                &mut n,
                &mut t,
                x.as_ptr(),
                rda.as_mut_ptr(),
                d.iopt.as_mut_ptr(),
                d.ropt.as_mut_ptr(),
                d.ipar.as_mut_ptr(),
                d.rpar.as_mut_ptr(),
                &mut d.ierr,
            );
        }
        Outcome::Continue
    }

    fn mass(&mut self, mut t: f64, x: &[f64], mass: &mut [f64]) -> Outcome {
        let nv = self.layout.dims.nv as i32;
        let (mut nx, mut m, mut n) = (x.len() as i32, nv, nv);
        // SAFETY: as above.
        unsafe {
            let d = &mut *self.data;
            (self.mas)(
                &mut t,
                &mut nx,
                x.as_ptr(),
                &mut m,
                &mut n,
                mass.as_mut_ptr(),
                d.iopt.as_mut_ptr(),
                d.ropt.as_mut_ptr(),
                d.ipar.as_mut_ptr(),
                d.rpar.as_mut_ptr(),
                &mut d.ierr,
            );
        }
        Outcome::Continue
    }

    fn has_jacobian(&self) -> bool {
        self.jac.is_some()
    }

    fn jacobian(&mut self, mut t: f64, x: &[f64], fx: &mut JacobianBlocks) -> Outcome {
        let Some(jac) = self.jac else { return Outcome::Stop };
        let l = &self.layout;
        let mut rows = fx.shape.map(|(rows, _)| rows as i32);
        let mut columns = [l.n1(), l.n2(), l.n3(), l.n4()].map(|n| n as i32);
        let (mut m, mut n) = (l.m as i32, l.n as i32);
        let [m1, m2, m3, m4, m5, m6] = rows.each_mut();
        let [n1, n2, n3, n4] = columns.each_mut();
        let [f1, f2, f3, f4, f5, f6] = fx.fx.each_mut().map(|b| b.as_mut_ptr());
        // SAFETY: as above; the blocks have these shapes.
        unsafe {
            let d = &mut *self.data;
            jac(
                m1,
                m2,
                m3,
                m4,
                m5,
                m6,
                n1,
                n2,
                n3,
                n4,
                &mut m,
                &mut n,
                &mut t,
                x.as_ptr(),
                f1,
                f2,
                f3,
                f4,
                f5,
                f6,
                d.iopt.as_mut_ptr(),
                d.ropt.as_mut_ptr(),
                d.rpar.as_mut_ptr(),
                d.ipar.as_mut_ptr(),
                &mut d.ierr,
            );
        }
        Outcome::Continue
    }
}

fn solout(solout: Solout, data: *mut Data, step: &AcceptedStep<'_>) -> Outcome {
    let mut sizes = [1, 2, 3, 4].map(|k| k * step.x.len() as i32);
    let [n, nn2, nn3, nn4] = sizes.each_mut();
    let (mut naccpt, mut told, mut t, mut h) = (step.naccpt as i32, step.t_old, step.t, step.dense.h);
    let [mut c2m1, mut c1m1] = *step.dense.nodes else { return Outcome::Stop };
    // SAFETY: as above.
    unsafe {
        let d = &mut *data;
        solout(
            &mut naccpt,
            &mut told,
            &mut t,
            step.x.as_ptr(),
            n,
            nn2,
            nn3,
            nn4,
            step.dense.contx.as_ptr(),
            &mut h,
            &mut c1m1,
            &mut c2m1,
            d.rpar.as_mut_ptr(),
            d.ipar.as_mut_ptr(),
            &mut d.ierr,
        );
    }
    Outcome::Continue
}

fn main() -> Result<(), String> {
    let path = std::env::args().nth(1).ok_or("which shared object?")?;
    let object = Object::open(&path)?;
    for number in 1..=8 {
        case(&object, number)?;
    }
    Ok(())
}

fn case(object: &Object, mut number: i32) -> Result<(), String> {
    let mut data = Data { iopt: [0; 40], ropt: [0.0; 40], ipar: [0], rpar: [0.0; 2], ierr: 0 };
    let (mut dims, mut x, mut ijac) = ([0; 10], vec![0.0; 7], 0);
    let setup: Setup = object.get(c"setup_")?;
    // SAFETY: the arrays have the lengths that setup_ asks for.
    unsafe {
        setup(
            &mut number,
            dims.as_mut_ptr(),
            x.as_mut_ptr(),
            data.iopt.as_mut_ptr(),
            data.ropt.as_mut_ptr(),
            data.ipar.as_mut_ptr(),
            data.rpar.as_mut_ptr(),
            &mut ijac,
        );
    }
    let options = Options::from_arrays(&data.iopt.map(i64::from), &data.ropt).map_err(|e| e.to_string())?;
    let [np, nv, nr, nw, ns, nl, nm, ni, ..] = dims.map(|d| d as usize);
    let layout = Layout::new(Dimensions { np, nv, nr, nw, ns, nl, nm, ni }, options.form);
    x.truncate(layout.n);
    let jac = if ijac == 1 { Some(object.get(c"jac_")?) } else { None };
    let data: *mut Data = &mut data;
    let mut model = Model { layout, eom: object.get(c"eom_")?, mas: object.get(c"mas_")?, jac, data };
    let output: Solout = object.get(c"solout_")?;
    let mut observer = |step: &AcceptedStep<'_>| solout(output, data, step);
    let tolerance = Tolerance::scalar(1e-8, 1e-8);
    let run = Integration {
        system: &mut model,
        observer: Some(&mut observer),
        options: &options,
        tolerance: &tolerance,
    };
    let (mut t, mut h, mut stats) = (0.0, 0.01, Stats::default());
    let result = integrate(run, &mut t, &mut x, &mut h, 5.0, &mut stats);
    println!("CASE   {number}\nIDID   {}", result.err().map_or(0, |f| f.code.idid()));
    let bits = |name: &str, value: f64| println!("{name:6} {:016X}", value.to_bits());
    bits("T", t);
    bits("H", h);
    x.iter().for_each(|&value| bits("X", value));
    stats.iwork().iter().for_each(|(_, count)| println!("IWORK  {count}"));
    // SAFETY: the run is over.
    let rpar = unsafe { (*data).rpar };
    bits("SOLOUT", rpar[0]);
    bits("HASH", rpar[1]);
    Ok(())
}
