#!/usr/bin/env bash
# test-crate.sh CRATE: unpacks the archive of the crate away from the sources; checks and tests it there, and builds and runs a
# program that depends on it. QUICK=1 leaves out the tests.
set -euo pipefail
crate=$(realpath "$1")
cargo=${CARGO:-cargo}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tar xzf "$crate" -C "$work"
source=$(echo "$work"/geoms-*)
export CARGO_TARGET_DIR=${CRATE_TARGET:-$work/target}
cd "$source"
"$cargo" check --locked --all-targets
[ -n "${QUICK:-}" ] || "$cargo" test --locked --release
mkdir -p "$work/program/src"
cd "$work/program"
printf '[package]\nname = "program"\nversion = "0.1.0"\nedition = "2021"\n[dependencies]\ngeoms = { path = "%s" }\n[workspace]\n' "$source" >Cargo.toml
cp "$source/Cargo.lock" .
cat >src/main.rs <<'R'
//! The pendulum (m = L = 1, g = 13.75, v(0) = 2.8), with the singular value decomposition, which is LAPACK's.
use geoms::decompose::DecompositionKind;
use geoms::integrate::{integrate, Integration};
use geoms::layout::Dimensions;
use geoms::norm::Tolerance;
use geoms::options::Options;
use geoms::stats::Stats;
use geoms::system::{Outcome, System};

struct Pendulum;

impl System for Pendulum {
    fn dimensions(&self) -> Dimensions {
        Dimensions { np: 2, nv: 2, nl: 1, ..Dimensions::default() }
    }
    fn eom(&mut self, _t: f64, x: &[f64], rda: &mut [f64]) -> Outcome {
        let (lambda, v, p) = (x[0], &x[1..3], &x[3..5]);
        let pp = p[0] * p[0] + p[1] * p[1];
        rda[0] = 2.0 * (v[0] * v[0] + v[1] * v[1]) - 2.0 * 13.75 * p[1] - 4.0 * pp * lambda;
        rda[1] = 2.0 * (p[0] * v[0] + p[1] * v[1]);
        rda[2] = pp - 1.0;
        rda[3] = -2.0 * p[0] * lambda;
        rda[4] = -13.75 - 2.0 * p[1] * lambda;
        rda[5] = v[0];
        rda[6] = v[1];
        Outcome::Continue
    }
    fn mass(&mut self, _t: f64, _x: &[f64], mass: &mut [f64]) -> Outcome {
        mass.copy_from_slice(&[1.0, 0.0, 0.0, 1.0]);
        Outcome::Continue
    }
}

fn main() {
    let options = Options { decompose_constraints: DecompositionKind::Svd, ..Options::default() };
    let tolerance = Tolerance::scalar(1e-8, 1e-8);
    let (mut t, mut h, mut stats) = (0.0, 0.01, Stats::default());
    let mut x = vec![(2.8 * 2.8 + 13.75) / 2.0, 2.8, 0.0, 0.0, -1.0];
    let run = Integration { system: &mut Pendulum, observer: None, options: &options, tolerance: &tolerance };
    integrate(run, &mut t, &mut x, &mut h, 5.0, &mut stats).expect("the pendulum");
    let error = (x[3] + 0.608_937_263_148_837_968).abs();
    println!("p1 = {}, error {error:.1e}", x[3]);
    assert!(error < 1e-6);
}
R
"$cargo" run
[ -z "$(find "$CARGO_TARGET_DIR"/* -maxdepth 1 -name "libgeoms.so" -o -maxdepth 1 -name "libgeoms.a")" ] ||
    { echo "a dependent builds the shared or the static library" >&2; exit 1; }
echo "crate: 3 passed, 0 failed"
