//! Singular positions, odd intervals and systems with hardly anything in them.

use super::harness::run;
use geoms::decompose::DecompositionKind;
use geoms::layout::{Dimensions, Form, Layout};
use geoms::norm::Tolerance;
use geoms::options::Options;
use geoms::system::{Outcome, System};
use geoms_problems as testset;

/// A system of one or no variable of each kind, all of them known: r' = -r, w = sin t, s = cos t, p' = 0.
struct Sparse {
    dims: Dimensions,
    form: Form,
}

impl System for Sparse {
    fn dimensions(&self) -> Dimensions {
        self.dims
    }
    fn form(&self) -> Form {
        self.form
    }
    fn eom(&mut self, t: f64, x: &[f64], rda: &mut [f64]) -> Outcome {
        let l = Layout::new(self.dims, self.form);
        rda.fill(0.0);
        for (row, i) in l.rda.d.range().zip(l.x.w.range()) {
            rda[row] = x[i] - t.sin();
        }
        for (row, i) in l.rda.c.range().zip(l.x.s.range()) {
            rda[row] = x[i] - t.cos();
        }
        for (row, i) in l.rda.b.range().zip(l.x.r.range()) {
            rda[row] = -x[i];
        }
        // Velocities fall freely, positions follow as far as there are any.
        l.rda.f_dyn.of_mut(rda).fill(-1.0);
        for (row, i) in l.rda.f_kin.range().zip(l.x.v.range()) {
            rda[row] = x[i];
        }
        Outcome::Continue
    }
    fn mass(&mut self, _t: f64, _x: &[f64], mass: &mut [f64]) -> Outcome {
        for i in 0..self.dims.nv {
            mass[i * (self.dims.nv + 1)] = 1.0;
        }
        Outcome::Continue
    }
}

#[test]
fn any_block_may_be_empty() {
    let tol = 1e-9;
    let mut cases = 0;
    for mask in 1u32..32 {
        let bit = |k: u32| usize::from(mask & (1 << k) != 0);
        let dims = Dimensions {
            nr: bit(0),
            nw: bit(1),
            ns: bit(2),
            nv: bit(3),
            np: bit(4),
            ..Dimensions::default()
        };
        for form in [Form::StrangenessFree, Form::Index1] {
            for kind in [DecompositionKind::Lu, DecompositionKind::Qr, DecompositionKind::Svd] {
                let layout = Layout::new(dims, form);
                let mut x0 = vec![0.0; layout.n];
                layout.x.r.of_mut(&mut x0).fill(1.0);
                layout.x.s.of_mut(&mut x0).fill(1.0);
                let options = Options { form, decompose_constraints: kind, ..Options::of_call() };
                let mut system = Sparse { dims, form };
                let end = run(&mut system, &options, &Tolerance::scalar(tol, tol), (0.0, 1.0, 0.01), &x0);
                assert_eq!(end.idid(), 0, "{dims:?}: {}", end.result.expect_err("failure"));
                let value = |block: geoms::layout::Block| block.of(&end.x).first().copied();
                let near = |a: Option<f64>, b: f64| a.is_none_or(|a| (a - b).abs() < 1e-7);
                assert!(near(value(layout.x.r), (-1f64).exp()), "r of {dims:?}: {:?}", end.x);
                assert!(
                    near(value(layout.x.w), 1f64.sin()) && near(value(layout.x.s), 1f64.cos()),
                    "{dims:?}"
                );
                assert!(near(value(layout.x.v), -1.0), "v of {dims:?}: {:?}", end.x);
                let fallen = if dims.nv > 0 { -0.5 } else { 0.0 };
                assert!(near(value(layout.x.p), fallen), "p of {dims:?}: {:?}", end.x);
                cases += 1;
            }
        }
    }
    assert_eq!(cases, 31 * 6);
}

#[test]
fn intervals_of_any_length() {
    let p = testset::by_name("pendulum-2.8").expect("pendulum");
    let options = Options { mass: p.mass, ..Options::of_call() };
    let tolerance = Tolerance::scalar(1e-8, 1e-8);
    let exact = p.exact.clone().expect("closed form");
    for (t0, span, h) in
        [(0.0, 1e-12, 0.01), (0.0, 1e-12, 0.0), (1.0, 1e-12, 0.01), (0.0, 1e-300, 0.0), (0.0, 0.5, 1e3)]
    {
        let end =
            run(&mut *p.system(Form::StrangenessFree, true), &options, &tolerance, (t0, t0 + span, h), &p.x0);
        assert_eq!(end.idid(), 0, "{span}");
        assert!(end.t == t0 + span && (end.x[3] - exact(span)[3]).abs() < 1e-7, "{span}: {}", end.t);
    }
    // At t = 1e9 times are known to 1e-7 only: steps of 1e-2 are fine and end exactly at TEND.
    let end =
        run(&mut *p.system(Form::StrangenessFree, true), &options, &tolerance, (1e9, 1e9 + 1.0, 0.01), &p.x0);
    assert_eq!(end.idid(), 0);
    assert!(end.t == 1e9 + 1.0 && (end.x[3] - exact(1.0)[3]).abs() < 1e-5, "{:?}", end.x);
}

#[test]
fn singular_positions_are_passed_right_or_refused() {
    // The bars lie in one line: the constraint matrix loses rank, for N > 1 the multipliers have a pole. A success
    // must then be right to the published limit of the benchmark, 0.1 J, by orders of magnitude.
    for name in ["n-four-bar-1", "n-four-bar-2-singular", "four-bar-relative-singular"] {
        let p = testset::by_name(name).expect("problem");
        let exact = p.exact.clone().expect("closed form")(p.tend);
        let layout = p.layout(Form::StrangenessFree);
        for form in [Form::StrangenessFree, Form::Index1] {
            for kind in [DecompositionKind::Lu, DecompositionKind::Qr, DecompositionKind::Svd] {
                for tol in [1e-5, 1e-7, 1e-9] {
                    let options = Options {
                        mass: p.mass,
                        form,
                        decompose_constraints: kind,
                        consistent: true,
                        ..Options::of_call()
                    };
                    let end = run(
                        &mut *p.system(form, true),
                        &options,
                        &Tolerance::scalar(tol, tol),
                        (p.t0, p.tend, 1e-3),
                        &p.x0,
                    );
                    let idid = end.idid();
                    assert!(idid == 0 || geoms::error::Code::from_idid(idid).is_some());
                    if idid == 0 {
                        let d = super::harness::difference(layout.x.p, &end.x, &exact);
                        assert!(d < 1e4 * tol, "{name} {form:?} {kind:?} {tol:e}: error {d:e} and success");
                    } else {
                        assert!(end.t < p.tend && end.x.iter().all(|v| v.is_finite()), "{name}: {idid}");
                    }
                }
            }
        }
    }
}

#[test]
fn undetermined_multipliers_do_not_grow_from_step_to_step() {
    // A tiny first step makes the steps grow eightfold: extrapolation would amplify the part of λ that redundant
    // constraints leave open, which Newton's method does not see.
    let p = testset::by_name("coupler").expect("problem");
    let exact = p.exact.clone().expect("closed form")(1.0);
    let layout = p.layout(Form::StrangenessFree);
    for tol in [1e-10, 1e-12] {
        let kind = DecompositionKind::Svd;
        let options =
            Options { mass: p.mass, decompose_constraints: kind, consistent: true, ..Options::of_call() };
        let tolerance = Tolerance::scalar(tol, tol);
        let mut system = p.system(Form::StrangenessFree, true);
        let end = run(&mut *system, &options, &tolerance, (p.t0, 1.0, 2e-11), &p.x0);
        assert_eq!(end.idid(), 0, "TOL = {tol:e}");
        for block in [layout.x.p, layout.x.v, layout.x.lambda] {
            let d = super::harness::difference(block, &end.x, &exact);
            assert!(d < 1e3 * tol, "TOL = {tol:e}: {d:e}");
        }
    }
}
