//! Random options and dimensions.

use crate::harness::{Call, NACCPT, NCRJCT, NERJCT, NSTEP};
use crate::made::{linear, Made};
use crate::tally::{stride, Tally};
use geoms::layout::{Dimensions, Form, Layout};
use std::collections::BTreeMap;

/// A small generator of pseudo-random numbers (SplitMix64).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, n: u64) -> u64 {
        self.bits() % n
    }

    /// In [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }
}

const CASES: u64 = 20_000;
const SEED: u64 = 20_070_612;

/// A linear system of random dimensions. About half of them are mechanisms: p' = v, M v' = -K p - D v - G^T λ - ...
/// with all constraints linear and homogeneous, the others are any matrix at all.
fn system(random: &mut Random) -> (Made, Layout) {
    let mut below = |n| random.below(n) as usize;
    let mut dims = Dimensions {
        np: below(4),
        nv: below(4),
        nr: below(3),
        nw: below(3),
        ns: below(3),
        nl: below(4),
        nm: below(3),
        ni: below(4) / 3,
    };
    let mechanism = below(3) > 0;
    if mechanism {
        dims = Dimensions { nv: dims.np, ns: 0, ni: 0, nl: dims.nl.min(dims.np / 2), nm: 0, ..dims };
    }
    if dims == Dimensions::default() {
        dims.nr = 1;
    }
    let form = if below(3) == 0 { Form::Index1 } else { Form::StrangenessFree };
    let layout = Layout::new(dims, form);
    let (m, n) = (layout.m, layout.n);
    let mut full = vec![0.0; m * n];
    let mut number = || 2.0 * random.unit() - 1.0;
    if mechanism {
        let (r, x) = (layout.rda, layout.x);
        let nv = dims.nv;
        let set = |full: &mut [f64], i: usize, j: usize, value: f64| full[i + j * m] = value;
        for i in 0..nv {
            set(&mut full, r.f_kin.start + i, x.v.start + i, 1.0);
            for j in 0..nv {
                set(&mut full, r.f_dyn.start + i, x.p.start + j, number() - if i == j { 3.0 } else { 0.0 });
                set(&mut full, r.f_dyn.start + i, x.v.start + j, number());
            }
        }
        for i in 0..dims.nr {
            set(&mut full, r.b.start + i, x.r.start + i, -1.0 - number());
        }
        for i in 0..dims.nw {
            set(&mut full, r.d.start + i, x.w.start + i, 1.5 + number());
        }
        for k in 0..dims.nl {
            let g: Vec<f64> = (0..nv).map(|_| number() + 1.1).collect();
            for (i, g) in g.iter().enumerate() {
                set(&mut full, r.g.start + k, x.p.start + i, *g);
                set(&mut full, r.g_velocity.start + k, x.v.start + i, *g);
                set(&mut full, r.f_dyn.start + i, x.lambda.start + k, -g);
            }
            // G times the rows of f_dyn, with M = I.
            for j in 0..if form == Form::StrangenessFree { n } else { 0 } {
                let sum: f64 = (0..nv).map(|i| g[i] * full[r.f_dyn.start + i + j * m]).sum();
                full[r.g_acceleration.start + k + j * m] = sum;
            }
        }
    } else {
        full.iter_mut().for_each(|a| *a = number());
    }
    let shift = if mechanism { vec![0.0; m] } else { (0..m).map(|_| number()).collect() };
    let made = linear(dims, form, full, shift);
    (if mechanism { made } else { made.mass(random_mass(random.bits())) }, layout)
}

fn random_mass(seed: u64) -> impl FnMut(f64, &[f64], &mut [f64]) + Send {
    move |_, _, mass| {
        let mut random = Random::new(seed);
        mass.iter_mut().for_each(|m| *m = 2.0 * random.unit() - 1.0);
    }
}

/// Random entries of IOPT and ROPT, some of them out of range.
fn options(random: &mut Random, mut call: Call) -> Call {
    let form = i64::from(call.iopt[4]);
    for (slot, top) in [(4, 2), (8, 3), (9, 4), (10, 4), (11, 4), (12, 2), (13, 2), (14, 2), (15, 5), (17, 2)]
    {
        // One value above the range, rarely.
        let above = u64::from(random.below(100) == 0);
        let value = random.below(top + above);
        call = call.iopt(slot, value as i64);
    }
    if call.iopt[3] == 1 && random.below(10) > 0 {
        call = call.iopt(9, 0);
    }
    if random.below(4) == 0 {
        call = call.iopt(3, random.below(12) as i64);
    }
    if random.below(3) == 0 {
        for slot in [19, 20, 25] {
            call = call.extended(slot, random.below(2) as i64);
        }
        if random.below(20) == 0 {
            call = call.iopt(18 + random.below(23) as usize, random.below(5) as i64 - 2);
        }
    }
    if random.below(3) == 0 {
        let slot = 1 + random.below(9) as usize;
        let value = random.pick(&[1e-12, 1e-3, 0.01, 0.2, 0.5, 0.9, 1.0, 1.5, 3.0, -0.5, f64::NAN, 1e300]);
        call = call.ropt(slot, value);
    }
    if random.below(50) == 0 {
        call = call.iopt(5, 1 - form);
    }
    call.iopt(6, 1 + random.below(60) as i64)
}

#[test]
fn random_options_and_dimensions() {
    let mut tally = Tally::default();
    let mut random = Random::new(SEED);
    let mut codes: BTreeMap<i64, u32> = BTreeMap::new();
    for case in 0..CASES {
        let (made, layout) = system(&mut random);
        let made = if random.below(3) == 0 {
            made.cond(1 + random.below(3) as usize, |_, x, cond| {
                for (i, c) in cond.iter_mut().enumerate() {
                    *c = x.iter().skip(i).sum::<f64>() - i as f64;
                }
            })
        } else {
            made
        };
        let at_rest = random.below(3) > 0;
        let x: Vec<f64> = (0..layout.n).map(|_| if at_rest { 0.0 } else { random.unit() }).collect();
        let end = random.pick(&[0.0, 1e-12, 0.3, 1.0, 10.0]);
        let mut call = options(&mut random, Call::of(made.boxed(), &x, 0.0, end));
        call.ijac = random.below(2) as i32;
        call.h = random.pick(&[0.0, -1.0, 1e-8, 1e-3, 0.1, 100.0]);
        call = call.tol(random.pick(&[1e-2, 1e-4, 1e-7, 1e-10]));
        call.context.cap = 100_000;
        let label =
            format!("case {case}: {:?}, IOPT {:?}, ROPT {:?}", layout.dims, call.iopt, &call.ropt[..9]);
        if !tally.takes_next() {
            continue;
        }
        let before = call.image();
        let idid = tally.run(&mut call, &label);
        assert!(call.x.iter().all(|v| v.is_finite()) && call.t.is_finite(), "{label}: X = {:?}", call.x);
        if idid == 0 {
            assert_eq!(call.t, end, "{label}");
        }
        if idid == -1001 {
            assert!(call.image() == before, "{label}: data of the caller have changed");
        } else {
            let steps = call.count(NACCPT) + call.count(NERJCT) + call.count(NCRJCT);
            assert_eq!(call.count(NSTEP), steps, "{label}");
        }
        *codes.entry(idid).or_default() += 1;
    }
    println!("fuzz: {codes:?}");
    tally.finish("fuzz", &format!(" (seed {SEED}, {} codes met)", codes.len()));
    if stride() > 1 {
        return;
    }
    // All kinds of ends have been met, or the cases are not worth their time.
    assert!(codes.len() > 10 && codes[&0] > CASES as u32 / 6 && codes[&-1001] > 50, "{codes:?}");
}
