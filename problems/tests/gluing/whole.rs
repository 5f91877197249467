//! Models of every kind as one subdomain: r, w, s, μ, Z ≠ I, NP ≠ NV, singular masses, redundant constraints.

use crate::harness::*;
use geoms::gluing::{Assembly, Glued, Part, Projection, Settings};
use geoms::layout::Form;

/// A problem of the library as the only subdomain, in steps of constant size unless `settings` say otherwise.
fn whole(name: &str, form: Form, settings: Settings, tend: f64, h: f64) -> Glued<'static> {
    let problem = geoms_problems::by_name(name).unwrap();
    let mut assembly = Assembly::new();
    assembly.subdomain(0, Some(Part::new(problem.system(form, true), &problem.x0).with_mass(problem.mass)));
    let mut run = Glued::alone(assembly, settings, 0.0, h).unwrap_or_else(|e| panic!("{name}: {e}"));
    run.integrate(tend).unwrap_or_else(|e| panic!("{name}: {e}"));
    run
}

/// Largest relative errors of what the reference knows: of x without multipliers, and of these.
fn errors(name: &str, form: Form, x: &[f64], tend: f64) -> [f64; 2] {
    let problem = geoms_problems::by_name(name).unwrap();
    let multipliers = problem.layout(form).x.multipliers;
    let exact: Vec<(usize, f64)> = match &problem.exact {
        Some(exact) => exact(tend).into_iter().enumerate().collect(),
        None => problem.references.iter().find(|r| (r.t - tend).abs() < 1e-9).unwrap().values.clone(),
    };
    let mut found = [0.0f64; 2];
    for (i, value) in exact {
        let which = usize::from(multipliers.contains(i));
        found[which] = found[which].max((x[i] - value).abs() / value.abs().max(1.0));
    }
    found
}

/// Name, end, steps, and whether multipliers are known and not zero.
const MODELS: [(&str, f64, u32, bool); 15] = [
    ("pendulum-iftomm", 1.0, 200, true),
    ("knife-edge", 2.0, 100, false),
    ("upright-disk", 2.0, 100, true),
    ("leaning-disk", 2.0, 100, true),
    ("rotating-rod", 1.0, 100, true),
    ("coupler", 2.0, 100, true),
    ("friction-bead", 2.0, 100, true),
    ("maxwell-element", 2.0, 100, false),
    ("cycloid", 2.0, 100, true),
    ("singular-mass", 10.0, 1000, true),
    ("wheel", 2.0, 200, true),
    ("top-steady", 1.0, 200, true),
    ("top-nutating", 2.0, 400, true),
    ("bricard", 2.0, 100, false),
    ("andrews", 0.03, 1000, true),
];

#[test]
fn second_order_for_every_kind_of_model() {
    for (form, project) in [(Form::StrangenessFree, Projection::None), (Form::Index1, Projection::Result)] {
        for (name, tend, steps, known) in MODELS {
            let [coarse, fine] = [steps, 2 * steps].map(|n| {
                let run = whole(name, form, fixed(project), tend, tend / f64::from(n));
                assert_eq!(run.statistics().steps, u64::from(n));
                errors(name, form, run.state(0).unwrap(), tend)
            });
            let order = |k: usize| (coarse[k] / fine[k]).log2();
            println!(
                "{name:16} {project:?} error {:.1e} order {:.2}, multipliers {:.1e} order {:.2}",
                fine[0],
                order(0),
                fine[1],
                order(1)
            );
            assert!(order(0) > 1.9 && fine[0] < 1e-2, "{name} {project:?}: {coarse:?} {fine:?}");
            assert!(!known || order(1) > 1.85, "{name} {project:?}: {coarse:?} {fine:?}");
        }
    }
}

/// Errors of the velocities are not controlled, but become smaller with the tolerance, like TOL^(2/3). Andrews' mechanism
/// magnifies them, here as with other methods.
#[test]
fn variable_steps_for_every_kind_of_model() {
    for (name, tend, _, _) in MODELS.into_iter().filter(|m| m.0 != "andrews") {
        let [loose, tight] = [1e-4, 1e-6].map(|tol: f64| {
            let settings =
                Settings { rtol: tol, atol: tol, project: Projection::None, ..Settings::default() };
            let run = whole(name, Form::Index1, settings, tend, 1e-3 * tend);
            let error = errors(name, Form::Index1, run.state(0).unwrap(), tend)[0];
            assert!(error < 200.0 * tol.powf(2.0 / 3.0), "{name} {tol:e}: {error:e}");
            error
        });
        println!("{name:16} {loose:.1e} {tight:.1e}");
        assert!(tight < 0.2 * loose, "{name}: {loose:e} {tight:e}");
    }
}

/// A saved state has r', q and all else: a run that goes on from it has the digits of one that was not stopped.
#[test]
fn saved_and_resumed_for_every_kind_of_model() {
    for (name, tend, steps, _) in MODELS {
        let h = tend / f64::from(steps);
        let half = whole(name, Form::Index1, fixed(Projection::Result), 0.5 * tend, h);
        let problem = geoms_problems::by_name(name).unwrap();
        let mut assembly = Assembly::new();
        let part = Part::new(problem.system(Form::Index1, true), &problem.x0).with_mass(problem.mass);
        assembly.subdomain(0, Some(part));
        let transport = Box::new(geoms::gluing::transport::Alone);
        let mut run = Glued::prepare(assembly, transport, fixed(Projection::Result), 0.0, h).unwrap();
        run.restore(&half.save()).unwrap();
        run.integrate(tend).unwrap();
        let mut other = half;
        other.integrate(tend).unwrap();
        assert_eq!(run.state(0), other.state(0), "{name}");
    }
}
