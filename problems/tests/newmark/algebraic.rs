//! What the error test leaves out is solved: w by d, s by c.

use geoms::options::{Family, MethodKind};
use geoms_problems::rooted::Rooted;

#[test]
fn auxiliary_and_contact_variables_are_solved() {
    Rooted::check(MethodKind::Newmark, &[0.05, 0.01, 1e-3]);
}

#[test]
fn forces_of_auxiliary_variables() {
    for tolerance in [1e-3, 1e-4, 1e-5] {
        let missed = Rooted::coupled(MethodKind::Newmark, tolerance);
        assert!(missed < 3.0 * tolerance.powf(-1.0 / 3.0), "{tolerance:e}: {missed}");
    }
}

#[test]
fn force_elements_that_follow_multipliers() {
    for tolerance in [1e-3, 1e-5, 1e-7] {
        let [r, _] = Rooted::sum(MethodKind::Newmark, Family::Hht, tolerance);
        assert!(r < 30.0 * tolerance.powf(2.0 / 3.0), "{tolerance:e}: {r:e}");
    }
}
