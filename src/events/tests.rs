//! Tests of the search for events.

use super::*;

/// x(t) = t - t²/φ: leaves zero and returns at φ.
struct Flight;
impl RootFunctions for Flight {
    fn count(&self) -> usize {
        1
    }
    fn evaluate(&mut self, _t: f64, x: &[f64], values: &mut [f64]) -> Outcome {
        values[0] = x[0];
        Outcome::Continue
    }
}

fn flight(phi: f64, offset: f64, contx: &mut [f64; 4]) -> DenseOutput<'_> {
    use crate::polynomial::{C1, C2};
    let z = |t: f64| [t - t * t / phi];
    crate::polynomial::coefficients(&[z(1.0)[0] + offset], &z(C1), &z(C2), &z(1.0), contx);
    DenseOutput { t: 1.0, h: 1.0, contx, nodes: &crate::polynomial::RADAU5_NODES }
}

#[test]
fn a_return_to_zero_within_the_first_step_is_found_and_the_start_is_not() {
    for phi in [0.9, 0.5, 0.03, 1e-3, 1e-4] {
        for (offset, after_event) in [(0.0, false), (1e-15, false), (-1e-15, false), (-1e-10, true)] {
            let mut contx = [0.0; 4];
            let dense = flight(phi, offset, &mut contx);
            let rule = Rule { terminal: true, ..Rule::default() };
            let mut watch = Watch::new(&[rule], 0.0, 1);
            watch.begin(&mut Flight, 0.0, &[offset]).expect("values");
            watch.stopped = vec![after_event];
            let hits = watch.search(&mut Flight, &dense, 0.0).expect("values");
            assert_eq!(hits.len(), 1, "{phi} {offset}");
            assert!((hits[0].t - phi).abs() < 1e-8, "{phi} {offset} {hits:?}");
        }
    }
    // It leaves and stays away, also tangentially: nothing.
    for phi in [Some(2.0), Some(f64::INFINITY), None] {
        for offset in [0.0, 1e-16, -1e-16] {
            let mut contx = [0.0; 4];
            let dense = match phi {
                Some(phi) => flight(phi, offset, &mut contx),
                None => parabola(&mut contx),
            };
            let mut watch = Watch::new(&[Rule::default()], 0.0, 1);
            watch.begin(&mut Flight, 0.0, &[offset]).expect("values");
            assert_eq!(watch.search(&mut Flight, &dense, 0.0).expect("values"), [], "{phi:?} {offset}");
        }
    }
}

#[test]
fn a_landing_converges_or_goes_back() {
    // F(t) = t³ - 1/8 from a time that is wrong by 1e-5.
    let f = |t: f64| t * t * t - 0.125;
    let t = 0.500_01;
    let mut landing = Landing::new((0.0, 1.0), 1e-15, (t, f(t), 0.74));
    let (mut advice, mut t, mut steps) = (landing.begin(), t, 0);
    while let Advice::Try(next) = advice {
        (t, steps) = (next, steps + 1);
        advice = landing.next(t, f(t));
    }
    assert!((t - 0.5).abs() < 1e-14 && steps <= 4, "{t} {steps} {advice:?}");
    // Not better, outside, or with a slope that says nothing: the first time stays.
    let mut noisy = Landing::new((0.0, 1.0), 0.0, (0.5, 1e-9, 1.0));
    assert!(matches!(noisy.begin(), Advice::Try(_)));
    assert_eq!(noisy.next(0.5 - 1e-9, 2e-9), Advice::Back(0.5));
    for slope in [0.0, 1e-12, f64::NAN] {
        assert_eq!(Landing::new((0.0, 1.0), 0.0, (0.5, 1e-9, slope)).begin(), Advice::Stay);
    }
}

#[test]
fn events_at_the_same_time_end_the_run_together() {
    struct Twice;
    impl RootFunctions for Twice {
        fn count(&self) -> usize {
            3
        }
        fn evaluate(&mut self, t: f64, x: &[f64], values: &mut [f64]) -> Outcome {
            values.copy_from_slice(&[x[0] - 0.25, 0.5 - t, t - 0.6]);
            Outcome::Continue
        }
    }
    let mut contx = [0.0; 4];
    let dense = parabola(&mut contx);
    let mut watch = Watch::new(&[Rule { terminal: true, ..Rule::default() }; 3], 0.0, 1);
    watch.begin(&mut Twice, 0.0, &[0.0]).expect("values");
    let hits = watch.search(&mut Twice, &dense, 0.0).expect("values");
    let mut found: Vec<usize> = hits.iter().map(|hit| hit.index).collect();
    found.sort_unstable();
    assert_eq!(found, [0, 1]);
}

struct Parabola;
impl RootFunctions for Parabola {
    fn count(&self) -> usize {
        2
    }
    fn evaluate(&mut self, t: f64, x: &[f64], values: &mut [f64]) -> Outcome {
        values[0] = x[0] - 0.25;
        values[1] = t - 0.75;
        Outcome::Continue
    }
}

/// x(t) = t² over [0, 1].
fn parabola(contx: &mut [f64; 4]) -> DenseOutput<'_> {
    use crate::polynomial::{C1, C2};
    crate::polynomial::coefficients(&[1.0], &[C1 * C1], &[C2 * C2], &[1.0], contx);
    DenseOutput { t: 1.0, h: 1.0, contx, nodes: &crate::polynomial::RADAU5_NODES }
}

#[test]
fn zeros_are_found_in_order_and_cut_at_a_terminal_one() {
    let mut contx = [0.0; 4];
    let dense = parabola(&mut contx);
    for (terminal, expected) in [(false, 2), (true, 1)] {
        let rules = [Rule { terminal, ..Rule::default() }, Rule::default()];
        let mut watch = Watch::new(&rules, 0.0, 1);
        watch.begin(&mut Parabola, 0.0, &[0.0]).expect("values");
        let hits = watch.search(&mut Parabola, &dense, 0.0).expect("values");
        assert_eq!(hits.len(), expected);
        assert!(hits[0].index == 0 && (hits[0].t - 0.5).abs() < 1e-14, "{hits:?}");
        let t = hits[0].t;
        // What lies behind a terminal event is found when the run has gone on.
        let rest: Vec<usize> =
            watch.search(&mut Parabola, &dense, t).expect("values").iter().map(|h| h.index).collect();
        assert_eq!(rest, if terminal { vec![1] } else { vec![] });
    }
}

#[test]
fn direction_and_nan() {
    let mut contx = [0.0; 4];
    let dense = parabola(&mut contx);
    let falling = [Rule { direction: Direction::Falling, terminal: false }; 2];
    let mut watch = Watch::new(&falling, 0.0, 1);
    watch.begin(&mut Parabola, 0.0, &[0.0]).expect("values");
    assert_eq!(watch.search(&mut Parabola, &dense, 0.0).expect("values"), []);
    struct Broken;
    impl RootFunctions for Broken {
        fn count(&self) -> usize {
            1
        }
        fn evaluate(&mut self, t: f64, _x: &[f64], values: &mut [f64]) -> Outcome {
            values[0] = if t > 0.0 { f64::NAN } else { 1.0 };
            Outcome::Continue
        }
    }
    let mut watch = Watch::new(&[Rule::default()], 0.0, 1);
    watch.begin(&mut Broken, 0.0, &[0.0]).expect("values");
    assert_eq!(
        watch.search(&mut Broken, &dense, 0.0),
        Err(NoValue { instead: Instead::NotFinite(0), t: 1.0 })
    );
}

/// A start below zero from which x rises: an event at once, or a start in the zero that is none.
#[test]
fn a_start_counts_as_zero_up_to_what_rounding_or_the_tolerance_explains() {
    // The largest value looked at is 1/2, at the end of the step.
    for (offset, after_event, tolerance, events) in [
        (-2e-12, false, 0.0, 1),
        (-2e-13, false, 0.0, 0),
        (-2e-8, true, 0.0, 1),
        (-2e-9, true, 0.0, 0),
        (-2e-9, false, 0.0, 1),
        (-1.5e-3, false, 1e-3, 1),
        (-8e-4, false, 1e-3, 0),
        (-8e-3, false, 0.1, 1),
        (-4e-3, false, 0.1, 0),
    ] {
        let mut contx = [0.0; 4];
        let dense = flight(2.0, offset, &mut contx);
        let mut watch = Watch::new(&[Rule::default()], tolerance, 1);
        watch.begin(&mut Flight, 0.0, &[offset]).expect("values");
        watch.stopped = vec![after_event];
        let hits = watch.search(&mut Flight, &dense, 0.0).expect("values");
        assert_eq!(hits.len(), events, "{offset} {after_event} {tolerance}");
    }
    // At the end it is zero again: what it reached in between says that the start was zero.
    let mut contx = [0.0; 4];
    let dense = flight(1.0, -1e-13, &mut contx);
    let mut watch = Watch::new(&[Rule::default()], 0.0, 1);
    watch.begin(&mut Flight, 0.0, &[-1e-13]).expect("values");
    let hits = watch.search(&mut Flight, &dense, 0.0).expect("values");
    assert!(hits.len() == 1 && (hits[0].t - 1.0).abs() < 1e-12, "{hits:?}");
}

#[test]
fn a_watch_that_follows_knows_what_ended_the_run() {
    let mut contx = [0.0; 4];
    let dense = parabola(&mut contx);
    let rules = [Rule { terminal: true, ..Rule::default() }, Rule::default()];
    let mut watch = Watch::new(&rules, 0.0, 1);
    watch.begin(&mut Parabola, 0.0, &[0.0]).expect("values");
    assert_eq!(watch.search(&mut Parabola, &dense, 0.0).expect("values").len(), 1);
    let mut next = Watch::new(&rules, 0.0, 1);
    next.inherit(&watch);
    assert_eq!(next.stopped, [true, false]);
    let mut another = Watch::new(&[Rule::default(); 2], 0.0, 1);
    another.inherit(&watch);
    assert_eq!(another.stopped, [false, false]);
    // A step without an event forgets it.
    next.begin(&mut Parabola, 1.0, &[1.0]).expect("values");
    assert_eq!(next.search(&mut Parabola, &dense, 0.9).expect("values"), []);
    assert_eq!(next.stopped, [false, false]);
}

#[test]
fn events_come_in_the_order_of_time() {
    struct Late;
    impl RootFunctions for Late {
        fn count(&self) -> usize {
            3
        }
        fn evaluate(&mut self, t: f64, x: &[f64], values: &mut [f64]) -> Outcome {
            values.copy_from_slice(&[t - 0.75, x[0] - 0.25, 0.125 - t]);
            Outcome::Continue
        }
    }
    let mut contx = [0.0; 4];
    let dense = parabola(&mut contx);
    for (direction, expected) in
        [(Direction::Any, vec![2, 1, 0]), (Direction::Rising, vec![1, 0]), (Direction::Falling, vec![2])]
    {
        let mut watch = Watch::new(&[Rule { direction, terminal: false }; 3], 0.0, 1);
        watch.begin(&mut Late, 0.0, &[0.0]).expect("values");
        let hits = watch.search(&mut Late, &dense, 0.0).expect("values");
        assert_eq!(hits.iter().map(|hit| hit.index).collect::<Vec<_>>(), expected, "{direction:?}");
    }
}

#[test]
fn landings_stay_in_the_step_and_are_few() {
    let begin = |between, enough, first| Landing::new(between, enough, first).begin();
    // The beginning of the step is no place to land, its end is.
    assert_eq!(begin((0.25, 1.0), 0.0, (0.5, 0.25, 1.0)), Advice::Stay);
    assert_eq!(begin((0.0, 0.75), 0.0, (0.5, -0.25, 1.0)), Advice::Try(0.75));
    assert_eq!(begin((0.0, 1.0), 0.3, (0.5, 0.25, 1.0)), Advice::Stay);
    assert_eq!(begin((0.0, 1.0), 0.2, (0.5, 0.25, 1.0)), Advice::Try(0.25));
    // As good as before is not better.
    let mut landing = Landing::new((0.0, 1.0), 0.0, (0.5, 0.25, 1.0));
    landing.begin();
    assert_eq!(landing.next(0.25, -0.25), Advice::Back(0.5));
    // F = t² - 1/4 to rounding, by a slope that is far too large: it ends all the same.
    let mut landing = Landing::new((0.0, 1.0), 0.0, (1.0, 0.75, 100.0));
    let (mut advice, mut tries) = (landing.begin(), 0);
    while let Advice::Try(t) = advice {
        tries += 1;
        advice = landing.next(t, t * t - 0.25);
    }
    assert_eq!((tries, advice), (MAX_LANDINGS, Advice::Stay));
}

struct OfTime<F>(F);
impl<F: Fn(f64) -> f64> RootFunctions for OfTime<F> {
    fn count(&self) -> usize {
        1
    }
    fn evaluate(&mut self, t: f64, _x: &[f64], values: &mut [f64]) -> Outcome {
        values[0] = self.0(t);
        Outcome::Continue
    }
}

/// The step from t - 2 to t, for functions of time alone.
fn step_to(t: f64) -> DenseOutput<'static> {
    DenseOutput { t, h: 2.0, contx: &[0.0; 4], nodes: &crate::polynomial::RADAU5_NODES }
}

/// The first event in the step from 3 to 5 after a start.
fn found(f: impl Fn(f64) -> f64, tolerance: f64) -> Option<f64> {
    let mut roots = OfTime(f);
    let mut watch = Watch::new(&[Rule::default()], tolerance, 1);
    watch.begin(&mut roots, 3.0, &[0.0]).expect("values");
    let hits = watch.search(&mut roots, &step_to(5.0), 3.0).expect("values");
    hits.first().map(|hit| hit.t)
}

#[test]
fn a_return_from_either_side_is_found_up_to_the_end_of_the_step() {
    for sign in [1.0, -1.0] {
        for back in [3.1, 3.9, 4.9, 5.0] {
            let t = found(|t| sign * (t - 3.0) * (back - t), 0.0);
            assert!(t.is_some_and(|t| (t - back).abs() < 1e-13), "{sign} {back}: {t:?}");
        }
    }
    // The first of three, and a zero that is met.
    let t = found(|t| (t - 3.0) * (3.4 - t) * (3.8 - t) * (4.6 - t), 0.0);
    assert!(t.is_some_and(|t| (t - 3.4).abs() < 1e-13), "{t:?}");
    assert_eq!(found(|t| 3.25 - t, 0.0), Some(3.25));
}

/// A distance that is cut off at zero, as a clearance often is.
#[test]
fn where_a_function_stays_zero_it_is_found_as_it_becomes_zero() {
    for zero in [3.001, 3.3, 4.0, 4.7] {
        for (sign, tolerance) in [(1.0, 0.0), (-1.0, 0.0), (1.0, 1e-6)] {
            let Some(t) = found(|t| sign * (zero - t).max(0.0), tolerance) else {
                panic!("{zero} {sign} {tolerance}")
            };
            assert!((t - zero).abs() <= f64::max(tolerance, 20.0 * f64::EPSILON), "{zero} {sign}: {t}");
        }
        // Zero for a while only.
        let t = found(|t| (zero - t).max(0.0) - (t - zero - 0.2).max(0.0), 0.0).expect("an event");
        assert!((t - zero).abs() <= 20.0 * f64::EPSILON, "{zero}: {t}");
    }
}

/// Four of the moments, each nearer to zero than the one behind it; three are none.
#[test]
fn a_departure_is_seen_at_four_moments() {
    let from = |least: f64| found(|t| if t - 3.0 < least { 0.0 } else { (t - 3.0) * (4.9 - t) }, 0.0);
    assert!(from(0.125).is_some_and(|t| (t - 4.9).abs() < 1e-13), "{:?}", from(0.125));
    assert_eq!(from(0.25), None);
}

#[test]
fn the_middle_of_the_step_tells_what_is_small_at_its_start() {
    let line = |t: f64| 1e-13 * (t - 4.0);
    assert!(found(line, 0.0).is_some_and(|t| (t - 4.0).abs() < 1e-13));
    assert_eq!(found(|t| if t == 4.0 { 1.0 } else { line(t) }, 0.0), None);
    // With a tolerance of 1e-3 over a step of 2 what is left of 2 is 2e-3.
    assert_eq!(found(|t| t - 3.001, 1e-3), None);
    assert!(found(|t| t - 3.003, 1e-3).is_some_and(|t| (t - 3.003).abs() < 2e-3));
}

/// A sign that is small counts behind every step, but not after a start.
#[test]
fn only_a_start_has_no_sign() {
    let mut watch = Watch::new(&[Rule::default()], 0.0, 1);
    let mut at_start = OfTime(|t| t - 3.0 - 1e-13);
    for _ in 0..2 {
        watch.begin(&mut at_start, 3.0, &[0.0]).expect("values");
        assert_eq!(watch.search(&mut at_start, &step_to(5.0), 3.0).expect("values"), []);
    }
    let mut later = OfTime(|t| t - 5.0 - 1e-13);
    watch.begin(&mut later, 3.0, &[0.0]).expect("values");
    assert_eq!(watch.search(&mut later, &step_to(5.0), 3.0).expect("values"), []);
    assert_eq!(watch.search(&mut later, &step_to(7.0), 5.0).expect("values").len(), 1);
}

#[test]
fn values_slopes_and_how_exact_times_are() {
    let mut watch = Watch::new(&[Rule::default()], 0.0, 1);
    assert_eq!(watch.value(&mut Flight, 0, 3.0, &[7.0]), Ok(7.0));
    assert_eq!((watch.enough(-8.0, 2.0), watch.enough(2.0, 8.0)), (32.0 * f64::EPSILON, 32.0 * f64::EPSILON));
    assert_eq!(slope((0.5, 1.0), (0.75, 3.0)), 8.0);
    assert_eq!(slope((0.5, 1.0), (0.5, 3.0)), 0.0);
}
