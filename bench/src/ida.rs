//! IDA of SUNDIALS (BDF of order 1 to 5) with KLU.

use crate::form::Form;
use crate::lean::Lean;
use crate::run::{Ending, Runner, Start};
use libc::{c_int, c_long};
use std::ffi::c_void;
use std::slice::{from_raw_parts, from_raw_parts_mut};

/// N_Vector, SUNMatrix, SUNLinearSolver, SUNContext and the memory of IDA.
type Handle = *mut c_void;
type Residual = unsafe extern "C" fn(f64, Handle, Handle, Handle, *mut c_void) -> c_int;
type Jacobian = unsafe extern "C" fn(
    f64,
    f64,
    Handle,
    Handle,
    Handle,
    Handle,
    *mut c_void,
    Handle,
    Handle,
    Handle,
) -> c_int;

unsafe extern "C" {
    fn SUNContext_Create(comm: *mut c_void, context: *mut Handle) -> c_int;
    fn SUNContext_Free(context: *mut Handle) -> c_int;
    fn N_VNew_Serial(n: i64, context: Handle) -> Handle;
    fn N_VGetArrayPointer(v: Handle) -> *mut f64;
    fn N_VDestroy(v: Handle);
    fn SUNSparseMatrix(m: i64, n: i64, nonzeros: i64, kind: c_int, context: Handle) -> Handle;
    fn SUNSparseMatrix_Data(a: Handle) -> *mut f64;
    fn SUNSparseMatrix_IndexValues(a: Handle) -> *mut i64;
    fn SUNSparseMatrix_IndexPointers(a: Handle) -> *mut i64;
    fn SUNMatDestroy(a: Handle);
    fn SUNLinSol_KLU(y: Handle, a: Handle, context: Handle) -> Handle;
    fn SUNLinSolFree(solver: Handle) -> c_int;
    fn IDACreate(context: Handle) -> Handle;
    fn IDAInit(mem: Handle, residual: Residual, t: f64, y: Handle, rate: Handle) -> c_int;
    fn IDAReInit(mem: Handle, t: f64, y: Handle, rate: Handle) -> c_int;
    fn IDASStolerances(mem: Handle, rtol: f64, atol: f64) -> c_int;
    fn IDASetErrFile(mem: Handle, file: *mut c_void) -> c_int;
    fn IDASetUserData(mem: Handle, user: *mut c_void) -> c_int;
    fn IDASetMaxNumSteps(mem: Handle, steps: c_long) -> c_int;
    fn IDASetInitStep(mem: Handle, h: f64) -> c_int;
    fn IDASetStopTime(mem: Handle, t: f64) -> c_int;
    fn IDASetSuppressAlg(mem: Handle, suppress: c_int) -> c_int;
    fn IDASetId(mem: Handle, id: Handle) -> c_int;
    fn IDASetLinearSolver(mem: Handle, solver: Handle, a: Handle) -> c_int;
    fn IDASetJacFn(mem: Handle, jacobian: Jacobian) -> c_int;
    fn IDASolve(mem: Handle, tout: f64, t: *mut f64, y: Handle, rate: Handle, task: c_int) -> c_int;
    fn IDAGetNumSteps(mem: Handle, count: *mut c_long) -> c_int;
    fn IDAGetNumResEvals(mem: Handle, count: *mut c_long) -> c_int;
    fn IDAGetNumJacEvals(mem: Handle, count: *mut c_long) -> c_int;
    fn IDAFree(mem: *mut Handle);
}

/// What the callbacks need.
struct Context<L> {
    form: Form<L>,
    /// The mass matrix on the left.
    left: Vec<(usize, usize, f64)>,
    /// Place of every emitted entry in the compressed matrix: first the left side, then the Jacobian.
    slots: Vec<usize>,
    pointers: Vec<i64>,
    rows: Vec<i64>,
}

/// IDA on a formulation of index 2 or less; multipliers are left out of its error test.
pub struct Ida<L> {
    context: Box<Context<L>>,
    start: Start,
    sun: Handle,
    y: Handle,
    rate: Handle,
    id: Handle,
    matrix: Handle,
    solver: Handle,
    mem: Handle,
}

impl<L: Lean> Ida<L> {
    pub fn new(mut form: Form<L>, start: &Start) -> Self {
        let n = form.n();
        let mut left = Vec::new();
        form.left(&mut |i: usize, j: usize, value: f64| left.push((i, j, value)));
        let mut places: Vec<(usize, usize)> = left.iter().map(|&(i, j, _)| (j, i)).collect();
        let mut point = vec![0.0; n];
        form.start(start, &mut point, None);
        form.jacobian(start.t0, &point, 0, &mut |i: usize, j: usize, _: f64| places.push((j, i)));
        let mut unique = places.clone();
        unique.sort_unstable();
        unique.dedup();
        let slots = places.iter().map(|place| unique.partition_point(|u| u < place)).collect();
        let pointers = (0..=n).map(|j| unique.partition_point(|u| u.0 < j) as i64).collect();
        let rows = unique.iter().map(|u| u.1 as i64).collect();
        let mut context = Box::new(Context { form, left, slots, pointers, rows });
        let user: *mut Context<L> = &mut *context;
        // SAFETY: the objects are made and used as the manual of SUNDIALS 6 says; `context` does not move.
        unsafe {
            let mut sun = std::ptr::null_mut();
            SUNContext_Create(std::ptr::null_mut(), &mut sun);
            let [y, rate, id] = [0; 3].map(|_| N_VNew_Serial(n as i64, sun));
            let matrix = SUNSparseMatrix(n as i64, n as i64, unique.len() as i64, 0, sun);
            let solver = SUNLinSol_KLU(y, matrix, sun);
            let mem = IDACreate(sun);
            IDASetErrFile(mem, std::ptr::null_mut());
            context.form.start(
                start,
                from_raw_parts_mut(N_VGetArrayPointer(y), n),
                Some(from_raw_parts_mut(N_VGetArrayPointer(rate), n)),
            );
            IDAInit(mem, residual::<L>, start.t0, y, rate);
            IDASetUserData(mem, user.cast());
            IDASStolerances(mem, 1e-6, 1e-6);
            IDASetLinearSolver(mem, solver, matrix);
            IDASetJacFn(mem, jacobian::<L>);
            let differential = context.form.indices()[0].min(2 * start.p.len());
            let flags = from_raw_parts_mut(N_VGetArrayPointer(id), n);
            flags.iter_mut().enumerate().for_each(|(i, f)| *f = f64::from(u8::from(i < differential)));
            IDASetId(mem, id);
            IDASetSuppressAlg(mem, 1);
            IDASetMaxNumSteps(mem, 10_000_000);
            Ida { context, start: start.clone(), sun, y, rate, id, matrix, solver, mem }
        }
    }
}

impl<L> Drop for Ida<L> {
    fn drop(&mut self) {
        // SAFETY: made in `new`, not used any more.
        unsafe {
            IDAFree(&mut self.mem);
            SUNLinSolFree(self.solver);
            SUNMatDestroy(self.matrix);
            for vector in [self.y, self.rate, self.id] {
                N_VDestroy(vector);
            }
            SUNContext_Free(&mut self.sun);
        }
    }
}

impl<L: Lean> Runner for Ida<L> {
    fn run(&mut self, tol: f64, p: &mut [f64], v: &mut [f64]) -> Ending {
        let (n, np) = (self.context.form.n(), p.len());
        // SAFETY: as in `new`.
        unsafe {
            let y = from_raw_parts_mut(N_VGetArrayPointer(self.y), n);
            let rate = from_raw_parts_mut(N_VGetArrayPointer(self.rate), n);
            self.context.form.start(&self.start, y, Some(rate));
            IDAReInit(self.mem, self.start.t0, self.y, self.rate);
            IDASStolerances(self.mem, tol, tol);
            IDASetInitStep(self.mem, self.start.h0);
            IDASetStopTime(self.mem, self.start.tend);
            let mut t = self.start.t0;
            let flag = IDASolve(self.mem, self.start.tend, &mut t, self.y, self.rate, 1);
            p.copy_from_slice(&y[..np]);
            v.copy_from_slice(&y[np..2 * np]);
            let mut counts = [0 as c_long; 3];
            IDAGetNumSteps(self.mem, &mut counts[0]);
            IDAGetNumResEvals(self.mem, &mut counts[1]);
            IDAGetNumJacEvals(self.mem, &mut counts[2]);
            let [steps, calls, jacobians] = counts.map(|c| u64::try_from(c).unwrap_or(0));
            if flag >= 0 {
                Ending::reached(steps, calls, jacobians)
            } else {
                Ending::failed(flag.into())
            }
        }
    }
}

unsafe extern "C" fn residual<L: Lean>(
    t: f64,
    y: Handle,
    rate: Handle,
    out: Handle,
    user: *mut c_void,
) -> c_int {
    // SAFETY: the vectors are those of `new`, `user` is its context.
    unsafe {
        let context = &mut *user.cast::<Context<L>>();
        let n = context.form.n();
        let y = from_raw_parts(N_VGetArrayPointer(y), n);
        let rate = from_raw_parts(N_VGetArrayPointer(rate), n);
        let out = from_raw_parts_mut(N_VGetArrayPointer(out), n);
        context.form.right(t, y, out);
        for &(i, j, m) in &context.left {
            out[i] -= m * rate[j];
        }
    }
    0
}

unsafe extern "C" fn jacobian<L: Lean>(
    t: f64,
    c: f64,
    y: Handle,
    _rate: Handle,
    _residual: Handle,
    matrix: Handle,
    user: *mut c_void,
    _work1: Handle,
    _work2: Handle,
    _work3: Handle,
) -> c_int {
    // SAFETY: as for the residual; the matrix has the pattern of `new`.
    unsafe {
        let context = &mut *user.cast::<Context<L>>();
        let n = context.form.n();
        let nonzeros = context.rows.len();
        // IDA clears the pattern with the values.
        from_raw_parts_mut(SUNSparseMatrix_IndexPointers(matrix), n + 1).copy_from_slice(&context.pointers);
        from_raw_parts_mut(SUNSparseMatrix_IndexValues(matrix), nonzeros).copy_from_slice(&context.rows);
        let data = from_raw_parts_mut(SUNSparseMatrix_Data(matrix), nonzeros);
        data.fill(0.0);
        let (first, others) = context.slots.split_at(context.left.len());
        for (&slot, &(_, _, m)) in first.iter().zip(&context.left) {
            data[slot] -= c * m;
        }
        let mut next = others.iter();
        let y = from_raw_parts(N_VGetArrayPointer(y), n);
        let mut put = |_: usize, _: usize, value: f64| {
            if let Some(&slot) = next.next() {
                data[slot] += value;
            }
        };
        context.form.jacobian(t, y, 0, &mut put);
    }
    0
}
