//! w and s are solved at every point, also where d bends much over a step; and by the methods that have none of their own to test it.

use geoms::options::{Family, MethodKind};
use geoms_problems::rooted::Rooted;

#[test]
fn auxiliary_and_contact_variables_are_solved() {
    Rooted::check(MethodKind::RosenbrockNystroem, &[0.05, 0.01, 1e-3]);
}

#[test]
fn other_methods_solve_them_too() {
    Rooted::check(MethodKind::Radau, &[0.01, 1e-3]);
    Rooted::check(MethodKind::HalfExplicit, &[0.01, 1e-3]);
}

#[test]
fn forces_of_auxiliary_variables() {
    for method in [MethodKind::RosenbrockNystroem, MethodKind::Radau, MethodKind::HalfExplicit] {
        for tolerance in [1e-3, 1e-4, 1e-6] {
            let missed = Rooted::coupled(method, tolerance);
            assert!(missed < 10.0, "{method:?} {tolerance:e}: {missed}");
        }
    }
}

#[test]
fn force_elements_that_follow_multipliers() {
    for tolerance in [1e-4, 1e-6] {
        let [r, _] = Rooted::sum(MethodKind::RosenbrockNystroem, Family::Hht, tolerance);
        assert!(r < 30.0 * tolerance, "{tolerance:e}: {r:e}");
    }
}
