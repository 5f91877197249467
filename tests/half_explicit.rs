//! scratch
use geoms::integrate::{integrate, Integration};
use geoms::layout::Form;
use geoms::norm::Tolerance;
use geoms::options::{MethodKind, Options};
use geoms::stats::Stats;
use geoms::testset;

#[test]
fn scratch() {
    for p in testset::all() {
        let Some(known) = p.at_end() else { continue };
        if p.rank_deficient {
            continue;
        }
        for (form, jac) in
            [(Form::StrangenessFree, true), (Form::Index1, true), (Form::StrangenessFree, false)]
        {
            let layout = p.layout(form);
            print!("{:22} {:?} {}", p.name, form, jac);
            for tol in [1e-5, 1e-8] {
                let mut sys = p.system(form, jac);
                let mut o =
                    Options { method: MethodKind::HalfExplicit, form, mass: p.mass, ..Options::default() };
                if p.redundant {
                    o.decompose_constraints = geoms::decompose::DecompositionKind::Svd;
                }
                let (mut t, mut x, mut h, mut st) = (p.t0, p.x0.clone(), 0.0, Stats::default());
                let r = integrate(
                    Integration {
                        system: sys.as_mut(),
                        observer: None,
                        options: &o,
                        tolerance: &Tolerance::scalar(tol, tol),
                    },
                    &mut t,
                    &mut x,
                    &mut h,
                    p.tend,
                    &mut st,
                );
                match r {
                    Ok(()) => {
                        let e = |b: geoms::layout::Block| {
                            known
                                .iter()
                                .filter(|(i, _)| b.contains(*i))
                                .map(|(i, v)| (x[*i] - v).abs() / (1.0 + v.abs()))
                                .fold(0.0f64, f64::max)
                        };
                        let mut rda = vec![0.0; layout.m];
                        let _ = sys.eom(t, &x, &mut rda);
                        let m =
                            |b: geoms::layout::Block| b.of(&rda).iter().fold(0.0f64, |m, v| m.max(v.abs()));
                        print!(" | p {:.0e} v {:.0e} l {:.0e} n {} rej {} {} stiff {} g {:.0e} gI {:.0e} gII {:.0e}", e(layout.x.p), e(layout.x.v), e(layout.x.algebraic), st.naccpt, st.nerjct, st.ncrjct, st.stiffness_suspected, m(layout.rda.g), m(layout.rda.g_velocity), m(layout.rda.rows1));
                    }
                    Err(f) => print!(" | {f}"),
                }
            }
            println!();
        }
    }
}
