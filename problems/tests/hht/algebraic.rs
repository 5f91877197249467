//! What the error test leaves out is solved: w by d, s by c; and r' that depends on multipliers.

use geoms::options::{Family, MethodKind};
use geoms_problems::rooted::Rooted;

#[test]
fn auxiliary_and_contact_variables_are_solved() {
    Rooted::check(MethodKind::Hht, &[0.05, 0.01, 1e-3]);
}

#[test]
fn forces_of_auxiliary_variables() {
    for tolerance in [1e-3, 1e-4, 1e-5] {
        let missed = Rooted::coupled(MethodKind::Hht, tolerance);
        assert!(missed < 10.0 * tolerance.powf(-1.0 / 3.0), "{tolerance:e}: {missed}");
    }
}

/// r is as wrong as p is, times λ: both fall with h².
#[test]
fn force_elements_that_follow_multipliers() {
    for family in [Family::Hht, Family::GeneralizedAlpha] {
        let mut before = f64::INFINITY;
        for tolerance in [1e-3, 1e-4, 1e-5, 1e-6, 1e-7] {
            let [r, p] = Rooted::sum(MethodKind::Hht, family, tolerance);
            println!("{family:?} {tolerance:e}: r {r:.1e} p {p:.1e}");
            assert!(
                r < 0.5 * before && r < 30.0 * tolerance.powf(2.0 / 3.0),
                "{family:?} {tolerance:e}: {r:e}"
            );
            before = r;
        }
    }
}
