//! Variables that follow from others: c = 0 and d = 0 hold at every accepted point, to the tolerance.

use geoms::gluing::{Assembly, Glued, Part, Projection, Settings};
use geoms::layout::{Dimensions, Form, Layout};
use geoms::system::{Outcome, System};

/// A mass on a spring, and beside it y³ + y = A sin(ωt) for s or w.
struct Cubic {
    layout: Layout,
    amplitude: f64,
    rate: f64,
}

impl Cubic {
    fn new(contact: bool, amplitude: f64, rate: f64) -> Self {
        let (ns, nw) = if contact { (1, 0) } else { (0, 1) };
        let dims = Dimensions { np: 1, nv: 1, ns, nw, ..Dimensions::default() };
        Cubic { layout: Layout::new(dims, Form::StrangenessFree), amplitude, rate }
    }

    /// Cardano: s³ + s = q.
    fn exact(&self, t: f64) -> f64 {
        let q = self.amplitude * (self.rate * t).sin();
        let root = 3f64.sqrt();
        2.0 / root * ((1.5 * root * q).asinh() / 3.0).sinh()
    }
}

impl System for Cubic {
    fn dimensions(&self) -> Dimensions {
        self.layout.dims
    }
    fn eom(&mut self, t: f64, x: &[f64], rda: &mut [f64]) -> Outcome {
        let l = &self.layout;
        let (p, v) = (x[l.x.p.start], x[l.x.v.start]);
        let q = self.amplitude * (self.rate * t).sin();
        for (row, block) in [(l.rda.c, l.x.s), (l.rda.d, l.x.w)] {
            for (i, k) in row.range().zip(block.range()) {
                rda[i] = x[k].powi(3) + x[k] - q;
            }
        }
        (rda[l.rda.f_dyn.start], rda[l.rda.f_kin.start]) = (-p, v);
        Outcome::Continue
    }
    fn mass(&mut self, _t: f64, _x: &[f64], mass: &mut [f64]) -> Outcome {
        mass[0] = 1.0;
        Outcome::Continue
    }
}

#[test]
fn contact_and_auxiliary_variables_are_solved() {
    for contact in [true, false] {
        for (amplitude, rate) in [(1.0, 1.0), (20.0, 1.0), (20.0, 10.0)] {
            for tol in [1e-4, 1e-7] {
                let model = || Cubic::new(contact, amplitude, rate);
                let layout = model().layout;
                let at = if contact { layout.x.s.start } else { layout.x.w.start };
                let mut x = vec![0.0; layout.n];
                x[layout.x.p.start] = 1.0;
                let mut assembly = Assembly::new();
                assembly.subdomain(0, Some(Part::new(Box::new(model()), &x)));
                let settings = Settings { rtol: tol, atol: tol, ..Settings::default() };
                let mut glued = Glued::alone(assembly, settings, 0.0, 1e-3).unwrap();
                while glued.time() < 2.0 {
                    glued.step(2.0).unwrap();
                    let (found, exact) = (glued.state(0).unwrap()[at], model().exact(glued.time()));
                    assert!(
                        (found - exact).abs() < tol * (1.0 + exact.abs()),
                        "s {contact} A {amplitude} {rate} tol {tol} t {}: {found} {exact}",
                        glued.time()
                    );
                }
            }
        }
    }
}

/// Steps of constant size that are too long for it end the run; variable ones become shorter.
#[test]
fn what_is_not_solved_is_not_accepted() {
    let mut refused = 0;
    for (amplitude, rate, h) in [(20.0, 10.0, 0.1), (1e3, 10.0, 0.1), (1e5, 30.0, 0.05), (1e4, 100.0, 0.02)] {
        for fixed_step in [true, false] {
            let model = || Cubic::new(true, amplitude, rate);
            let layout = model().layout;
            let mut x = vec![0.0; layout.n];
            x[layout.x.p.start] = 1.0;
            let mut assembly = Assembly::new();
            assembly.subdomain(0, Some(Part::new(Box::new(model()), &x)));
            let settings = Settings { fixed_step, ..Settings::default() };
            let mut glued = Glued::alone(assembly, settings, 0.0, h).unwrap();
            while glued.time() < 1.0 {
                let stepped = glued.step(1.0);
                let (found, exact) = (glued.state(0).unwrap()[layout.x.s.start], model().exact(glued.time()));
                let name = format!("{amplitude} {rate} t {}: {found} {exact}", glued.time());
                assert!((found - exact).abs() < 1e-6 * (1.0 + exact.abs()), "{name}");
                assert!(fixed_step || stepped.is_ok(), "{name} {stepped:?}");
                if stepped.is_err() {
                    refused += 1;
                    break;
                }
            }
        }
    }
    assert!(refused > 0);
}

/// w is that of the multipliers and velocities that are shown.
#[test]
fn auxiliary_variables_belong_to_what_is_shown() {
    let problem = geoms_problems::by_name("friction-bead").unwrap();
    let form = Form::Index1;
    let layout = problem.layout(form);
    assert!(layout.dims.nw > 0);
    for project in [Projection::None, Projection::Result, Projection::Continued] {
        for tol in [1e-4, 1e-6] {
            let mut assembly = Assembly::new();
            let part = Part::new(problem.system(form, true), &problem.x0).with_mass(problem.mass);
            assembly.subdomain(0, Some(part));
            let settings = Settings { project, rtol: tol, atol: tol, ..Settings::default() };
            let mut glued = Glued::alone(assembly, settings, 0.0, 1e-3).unwrap();
            let (mut system, mut rda) = (problem.system(form, true), vec![0.0; layout.m]);
            while glued.time() < 2.0 {
                glued.step(2.0).unwrap();
                let x = glued.state(0).unwrap();
                assert_eq!(system.eom(glued.time(), x, &mut rda), Outcome::Continue);
                let d = layout.rda.d.of(&rda);
                assert!(d.iter().all(|d| d.abs() < tol), "{project:?} {tol} t {}: {d:?}", glued.time());
            }
        }
    }
}
