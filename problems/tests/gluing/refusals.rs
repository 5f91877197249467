//! Arguments that are not allowed: a clear message, and nothing begun.

use crate::planar::*;
use geoms::error::{Code, Failure};
use geoms::gluing::gauss::{self, Gauss};
use geoms::gluing::port::{Coordinates, Function};
use geoms::gluing::threads::participants;
use geoms::gluing::transport::Transport;
use geoms::gluing::{Assembly, End, Glued, Joint, Law, Part, Settings};
use geoms::layout::{Dimensions, Form};
use geoms::system::{Outcome, System};

fn refusal(assembly: Assembly<'_>, settings: Settings, h: f64) -> Failure {
    match Glued::alone(assembly, settings, 0.0, h) {
        Ok(_) => panic!("not refused"),
        Err(failure) => failure,
    }
}

fn two<'s>() -> Assembly<'s> {
    let b = chain(2);
    b.cut(&b.pieces(2), |_| 0, 0)
}

fn joint(a: (usize, usize), b: (usize, usize), law: Law) -> Joint {
    let end = |(subdomain, port)| End { subdomain, port };
    Joint { ends: [end(a), end(b)], law }
}

#[test]
fn settings_and_joints() {
    let s = Settings::default();
    let cases: [(Settings, f64, &str); 6] = [
        (Settings { radius: 1.0, ..s.clone() }, 0.1, "spectral radius = 1"),
        (Settings { rtol: -1.0, ..s.clone() }, 0.1, "rtol = -1"),
        (Settings { atol: 0.0, ..s.clone() }, 0.1, "atol = 0"),
        (Settings { hmax: f64::NAN, ..s.clone() }, 0.1, "hmax = NaN"),
        (s.clone(), 0.0, "h = 0"),
        (s.clone(), f64::NAN, "h = NaN"),
    ];
    for (settings, h, text) in cases {
        let failure = refusal(two(), settings, h);
        assert!(failure.code == Code::BadArgument && failure.detail.contains(text), "{}", failure.detail);
    }
    let joints = [
        (joint((0, 0), (0, 0), Law::coincide(2)), "both ends are in subdomain 0"),
        (joint((0, 0), (7, 0), Law::coincide(2)), "subdomain 7"),
        (joint((0, 5), (1, 0), Law::coincide(2)), "port 5 of joint 1 = missing"),
        (joint((0, 0), (1, 0), Law::coincide(4)), "of 3 components"),
        (joint((0, 0), (1, 0), Law::coincide(0)), "components = 0"),
        (joint((0, 0), (1, 0), Law::Distance { dimension: 2, length: -1.0 }), "length = -1"),
        (
            joint((0, 0), (1, 0), Law::Bushing { stiffness: vec![1.0], damping: vec![], rest: vec![0.0] }),
            "entries",
        ),
    ];
    for (joint, text) in joints {
        let mut assembly = two();
        assembly.join(joint);
        let failure = refusal(assembly, s.clone(), 0.1);
        assert!(failure.code == Code::BadArgument && failure.detail.contains(text), "{}", failure.detail);
    }
    assert!(refusal(Assembly::new(), s.clone(), 0.1).detail.contains("no subdomains"));
    let b = chain(2);
    assert!(refusal(b.cut(&b.pieces(2), |k| k, 0), s.clone(), 0.1).detail.contains("owner = 1"));
    let mut empty = Assembly::new();
    empty.subdomain(0, None);
    assert_eq!(refusal(empty, s, 0.1).code, Code::NotReady);
}

/// Joints that do not fit at the start, in positions and in velocities, and constraints of a model that do not.
#[test]
fn inconsistent_initial_values() {
    let s = Settings::default();
    let mut assembly = two();
    assembly.join(joint((1, 0), (0, 0), Law::Coincide { offset: vec![0.1, 0.0] }));
    let failure = refusal(assembly, s.clone(), 0.1);
    assert_eq!(failure.code, Code::InconsistentInitialValues);
    assert!(failure.detail.contains("joint 1") && failure.detail.contains("positions"), "{}", failure.detail);
    let mut b = chain(2);
    b.v[3] = 0.1;
    let failure = refusal(b.cut(&b.pieces(2), |_| 0, 0), s.clone(), 0.1);
    assert!(failure.detail.contains("velocities"), "{}", failure.detail);
    let mut b = chain(2);
    b.p[0] += 0.1;
    b.p[3] += 0.1;
    let failure = refusal(b.cut(&b.pieces(2), |_| 0, 0), s, 0.1);
    assert_eq!(failure.code, Code::InconsistentInitialValues);
    assert!(failure.detail.contains("subdomain 0"), "{}", failure.detail);
}

/// p' = 2 v.
struct Scaled;

impl System for Scaled {
    fn dimensions(&self) -> Dimensions {
        Dimensions { np: 1, nv: 1, ..Dimensions::default() }
    }
    fn form(&self) -> Form {
        Form::Index1
    }
    fn eom(&mut self, _t: f64, x: &[f64], rda: &mut [f64]) -> Outcome {
        rda.copy_from_slice(&[0.0, 2.0 * x[0]]);
        Outcome::Continue
    }
    fn mass(&mut self, _t: f64, _x: &[f64], mass: &mut [f64]) -> Outcome {
        mass[0] = 1.0;
        Outcome::Continue
    }
}

#[test]
fn models_that_cannot_be_glued() {
    // The algorithm of Tseng and Hulbert is for p' = v, and p, v, λ alone.
    let gauss = |assembly| Gauss::start(assembly, gauss::Settings::default(), 0.0).err().unwrap();
    let mut assembly = Assembly::new();
    assembly.subdomain(0, Some(Part::new(Box::new(Scaled), &[1.0, 0.0]).with_port(Coordinates(vec![0]))));
    assert_eq!(gauss(assembly).code, Code::NotGlueable);
    for (name, what) in [("maxwell-element", "NR = 1"), ("top-steady", "NP = 7"), ("knife-edge", "NM = 1")] {
        let problem = geoms_problems::by_name(name).unwrap();
        let mut assembly = Assembly::new();
        assembly.subdomain(0, Some(Part::new(problem.system(Form::StrangenessFree, true), &problem.x0)));
        let failure = gauss(assembly);
        assert!(failure.detail.contains(what), "{}", failure.detail);
    }
    let mut assembly = Assembly::new();
    assembly.subdomain(0, Some(Part::new(Box::new(Scaled), &[1.0])));
    assert!(refusal(assembly, Settings::default(), 0.1).detail.contains("length of x = 1"));
    let mut assembly = Assembly::new();
    assembly.subdomain(0, Some(Part::new(Box::new(Scaled), &[f64::NAN, 0.0])));
    assert!(refusal(assembly, Settings::default(), 0.1).detail.contains("v(1) = NaN"));
}

/// What cannot be solved at the interface, and a port that stops.
#[test]
fn interfaces_that_fail() {
    let mut b = chain(2);
    b.bodies[1] = [1e-310, 1e-310];
    assert_eq!(
        refusal(b.cut(&b.pieces(2), |_| 0, 0), Settings::default(), 0.1).code,
        Code::InterfaceSingular
    );
    for (stop, code) in [(true, Code::StoppedByPort), (false, Code::EomNotEvaluable)] {
        let function = move |t: f64, p: &[f64], y: &mut [f64], jacobian: &mut [f64]| {
            y[0] = p[0];
            jacobian[0] = 1.0;
            match (t > 0.5, stop) {
                (true, true) => Outcome::Stop,
                (true, false) => Outcome::Retry,
                _ => Outcome::Continue,
            }
        };
        let port = Function { size: 1, depends_on_time: false, function };
        let b = chain(2);
        let mut assembly = b.cut(&b.all(), |_| 0, 0);
        let model = Model::new(b.some(&[0]));
        let x = model.initial();
        let k = assembly.subdomain(0, Some(Part::new(Box::new(model), &x).with_port(port)));
        let mut glued = Glued::alone(assembly, Settings::default(), 0.0, 0.01).unwrap();
        let failure = glued.integrate(1.0).unwrap_err();
        assert_eq!(failure.code, code);
        assert!(failure.detail.contains(&format!("subdomain {k}")) && glued.time() > 0.4, "{failure}");
    }
}

/// A Jacobian of a port that is written by rows, and one with a wrong sign: refused, by name. Kinks and right ones are not.
#[test]
fn wrong_derivatives_of_ports() {
    let run = |fault: usize| {
        let function = move |_t: f64, p: &[f64], y: &mut [f64], jacobian: &mut [f64]| {
            let (s, c) = p[2].sin_cos();
            // The last one has a kink where the body is.
            y.copy_from_slice(&[p[0] - 0.25 * c, p[1] - 0.25 * s, (p[0] - 0.75).abs()]);
            let rows = [[1.0, 0.0, 0.25 * s], [0.0, 1.0, -0.25 * c], [1.0, 0.0, 0.0]];
            for (i, row) in rows.iter().enumerate() {
                for (j, value) in row.iter().enumerate() {
                    jacobian[if fault == 1 { 3 * i + j } else { i + 3 * j }] = *value;
                }
            }
            jacobian[7] *= if fault == 2 { -1.0 } else { 1.0 };
            Outcome::Continue
        };
        let port = Function { size: 3, depends_on_time: false, function };
        let b = chain(2);
        let mut assembly = Assembly::new();
        assembly.subdomain(0, Some(crate::joints::part(b.some(&[0]), &[[0.25, 0.0]])));
        let mut second = b.some(&[1]);
        second.pins.clear();
        let model = Model::new(second);
        let x = model.initial();
        assembly.subdomain(0, Some(Part::new(Box::new(model), &x).with_port(port)));
        assembly.join(crate::joints::joint((0, 0), (1, 0), Law::coincide(2)));
        Glued::alone(assembly, Settings::default(), 0.0, 0.01).map(|_| ())
    };
    run(0).unwrap();
    for (fault, entry) in [(1, "y(2) by p(1)"), (2, "y(1) by p(2)")] {
        let failure = run(fault).unwrap_err();
        assert_eq!(failure.code, Code::BadArgument);
        let text = format!("subdomain 1, port 0: derivative of {entry}");
        assert!(failure.detail.contains(&text), "{failure}");
    }
}

/// Two participants with one rod each; what each of them gets.
fn both<T: Send + 'static>(
    f: impl Fn(usize, Assembly<'_>, Box<dyn Transport>) -> T + Copy + Send + 'static,
) -> Vec<T> {
    let threads: Vec<_> = participants(2, std::time::Duration::from_secs(10))
        .into_iter()
        .enumerate()
        .map(|(rank, transport)| {
            std::thread::spawn(move || {
                let b = chain(2);
                f(rank, b.cut(&b.pieces(2), |k| k, rank), Box::new(transport))
            })
        })
        .collect();
    threads.into_iter().map(|t| t.join().unwrap()).collect()
}

/// Participants with different descriptions do not begin, and none of them waits for the other.
#[test]
fn different_descriptions() {
    let begin = std::time::Instant::now();
    for which in 0..3 {
        let failures = both(move |rank, assembly, transport| {
            let pick = |k: usize, values: [f64; 2]| values[if k == which { rank } else { 0 }];
            let settings = Settings { rtol: pick(0, [1e-6, 1e-7]), ..Settings::default() };
            let (t, h) = (pick(1, [0.0, 1.0]), pick(2, [0.01, 0.02]));
            Glued::start(assembly, transport, settings, t, h).err().unwrap()
        });
        for failure in failures {
            assert!(
                failure.code == Code::BadArgument && failure.detail.contains("same settings"),
                "{failure}"
            );
        }
    }
    // What one refuses by itself the other one hears.
    let failures = both(|rank, assembly, transport| {
        Glued::start(assembly, transport, Settings::default(), 0.0, [0.01, -1.0][rank]).err().unwrap()
    });
    assert!(failures[0].detail.contains("participant 1 was given"), "{}", failures[0]);
    assert!(failures[1].detail.contains("h = -1"), "{}", failures[1]);
    assert!(begin.elapsed().as_secs_f64() < 5.0, "nobody waits");
}

/// Different ends are refused; the run can go on.
#[test]
fn different_ends() {
    let found = both(|rank, assembly, transport| {
        let mut glued = Glued::start(assembly, transport, Settings::default(), 0.0, 0.01).unwrap();
        let different = glued.integrate([0.1, 0.2][rank]).unwrap_err();
        let one = glued.integrate([0.1, f64::NAN][rank]).unwrap_err();
        let back = glued.step([0.1, -1.0][rank]).unwrap_err();
        glued.integrate(0.1).unwrap();
        (different.detail, one.detail, back.detail, glued.time())
    });
    assert!(found.iter().all(|f| f.0.contains("from 0.1 to 0.2") && f.3 == 0.1), "{found:?}");
    assert!(found[0].1.contains("participant 1") && found[1].1.contains("tend = NaN"), "{found:?}");
    assert!(found[0].2.contains("participant 1") && found[1].2.contains("tend = -1"), "{found:?}");
}

/// Changed states that do not fit the joints are refused, and the run goes on from where it was.
#[test]
fn refused_restart_changes_nothing() {
    let b = chain(2);
    let start = || Glued::alone(b.cut(&b.pieces(2), |_| 0, 0), Settings::default(), 0.0, 0.01).unwrap();
    let (mut glued, mut other) = (start(), start());
    glued.integrate(0.1).unwrap();
    other.integrate(0.1).unwrap();
    let before = glued.save();
    let x = glued.state(1).unwrap().to_vec();
    let mut moved = x.clone();
    moved[3] += 0.1;
    for (bad, code) in [
        (&moved[..], Code::InconsistentInitialValues),
        (&x[1..], Code::BadArgument),
        (&[f64::NAN; 6][..], Code::BadArgument),
    ] {
        assert_eq!(glued.restart(&[(1, bad)]).unwrap_err().code, code);
        assert_eq!(glued.save(), before);
    }
    glued.integrate(0.3).unwrap();
    other.integrate(0.3).unwrap();
    assert_eq!(glued.save(), other.save());
}
