//! Without constraints the method is the one for y'' = f(t, y, y').

use crate::harness::fixed_system;
use geoms::layout::{Dimensions, Layout};
use geoms::mechanism::dual::Real;
use geoms::mechanism::{Blocks, Mechanism, Model};
use geoms::options::{MassStructure, MethodKind, Options};

/// y'' = (-sin y1 (1 + 0.3 cos 2t) - 0.1 y1' y2², -2 y2 + y1 y2 + 0.2 y1' - 0.3 y2'³ + sin t).
#[derive(Clone)]
struct Ode;

impl Mechanism for Ode {
    fn dimensions(&self) -> Dimensions {
        Dimensions { np: 2, nv: 2, ..Dimensions::default() }
    }
    fn mass<T: Real>(&self, _t: T, _p: &[T], m: &mut [T]) {
        (m[0], m[3]) = (T::real(1.0), T::real(1.0));
    }
    fn force<T: Real>(&self, t: T, x: &Blocks<'_, T>, f: &mut [T]) {
        let (y, d) = (x.p, x.v);
        f[0] = -(y[0].sin() * ((t * 2.0).cos() * 0.3 + 1.0)) - d[0] * y[1].sq() * 0.1;
        f[1] = y[1] * -2.0 + y[0] * y[1] + d[0] * 0.2 - d[1].sq() * d[1] * 0.3 + t.sin();
    }
}

const X0: [f64; 4] = [0.3, -0.7, 1.0, 0.5];

fn run(steps: u32) -> Vec<f64> {
    let form = geoms::layout::Form::StrangenessFree;
    let mut system = Model::new(Ode, geoms_problems::Options::new(form, true), 0.0, &X0);
    let options = Options {
        method: MethodKind::RosenbrockNystroem,
        mass: MassStructure::ConstantDiagonal,
        ..Options::of_call()
    };
    fixed_system(&mut system, &options, (&X0, 2.0, steps), |_| {}).good("ode").x
}

#[test]
fn reference_row_and_order_4() {
    let layout = Layout::new(Ode.dimensions(), geoms::layout::Form::StrangenessFree);
    let expected =
        [-0.922_634_770_606_037, 0.626_866_023_368_513, -0.049_732_233_637_188, 0.030_568_823_749_887];
    let x = run(40);
    for (x, e) in x.iter().zip(expected) {
        assert!((x - e).abs() < 1e-10, "{x} against {e}");
    }
    let fine = run(5120);
    let errors: Vec<f64> = [20, 40, 80, 160, 320]
        .iter()
        .map(|&n| {
            let x = run(n);
            [layout.x.v, layout.x.p]
                .iter()
                .fold(0.0, |m: f64, b| m.max(crate::harness::distance(*b, &x, &fine)))
        })
        .collect();
    let orders: Vec<f64> = errors.windows(2).map(|e| (e[0] / e[1]).log2()).collect();
    println!("ode: {errors:.3?} orders {orders:.2?}");
    assert!(orders.iter().all(|o| (3.9..4.1).contains(o)), "{orders:?}");
}
