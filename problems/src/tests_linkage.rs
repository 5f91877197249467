//! The written-out equations of linkages against the general machinery.

use super::chain::Chain;
use super::four_bar::NaturalFourBar;
use super::linkage::{Linkage, LinkageSystem};
use super::tests::{eom, noise};
use geoms::layout::{Form, Layout};
use geoms::mechanism::derived::{Model, Options};
use geoms::mechanism::Mechanism;
use geoms::system::{JacobianBlocks, System};

fn compare(linkage: &Linkage, mechanism: &(impl Mechanism + Clone)) {
    for form in [Form::StrangenessFree, Form::Index1] {
        let options = Options { form, jacobian: true, invariants: true, conditions: Vec::new() };
        let layout = Layout::new(linkage.dimensions(), form);
        let x: Vec<f64> = (0..layout.n).map(|i| 2.0 * noise(5 * i)).collect();
        let mut own = LinkageSystem::new(linkage.clone(), options.clone(), &x);
        let mut general = Model::new(mechanism.clone(), options, 0.0, &x);
        let y: Vec<f64> = x.iter().enumerate().map(|(i, v)| v + noise(7 * i)).collect();
        for (a, b) in eom(&mut own, 0.0, &y).iter().zip(eom(&mut general, 0.0, &y)) {
            assert!((a - b).abs() < 1e-12 * b.abs().max(1e3), "{a} against {b}");
        }
        let nv = layout.dims.nv;
        let (mut m, mut n) = (vec![f64::NAN; nv * nv], vec![f64::NAN; nv * nv]);
        let _ = (own.mass(0.0, &y, &mut m), general.mass(0.0, &y, &mut n));
        assert_eq!(m, n);
        let (mut fx, mut gx) = (JacobianBlocks::new(&layout), JacobianBlocks::new(&layout));
        let _ = (own.jacobian(0.0, &y, &mut fx), general.jacobian(0.0, &y, &mut gx));
        let structure = own.sparsity().unwrap();
        for k in 0..6 {
            for (at, (a, b)) in fx.fx[k].iter().zip(&gx.fx[k]).enumerate() {
                assert!((a - b).abs() < 1e-12 * b.abs().max(1e3), "FX{} {at}: {a} against {b}", k + 1);
                let (i, j) = (at % fx.shape[k].0, at / fx.shape[k].0);
                assert_eq!(*a != 0.0, structure.fx[k].contains(&(i as u32, j as u32)), "FX{} {i} {j}", k + 1);
            }
        }
    }
}

#[test]
fn written_out_equations_are_the_general_ones() {
    for n in [1, 2, 5] {
        let chain = Chain { n, length: 0.3, mass: 0.7 };
        compare(&chain.linkage(), &chain);
        let bars = NaturalFourBar { n };
        compare(&bars.linkage(), &bars);
    }
}

#[test]
fn a_long_chain_is_sparse() {
    let chain = Chain::of_unit_links(100);
    let system = LinkageSystem::new(chain.linkage(), Options::default(), &chain.start());
    let structure = system.sparsity().unwrap();
    // λ: own and two neighbours; v: four; p: eight, of two further links.
    assert!(structure.fx[0].len() <= 15 * 100);
    assert!(structure.fx.iter().map(Vec::len).sum::<usize>() < 50 * 100);
}
