//! The explicit Runge-Kutta methods behind the half-explicit one: coefficients, error estimates, dense output.
//!
//! Derived or checked in `derivations/half_explicit.py`; the tests below check every order condition.

/// How the error norm is made from the estimates.
#[derive(Clone, Copy, Debug)]
pub enum Estimate {
    /// From one embedded solution.
    One(&'static [f64]),
    /// From two: err = e₅²/√(e₅² + 0.01 e₃²), which behaves like h⁸ (HNW I, II.10).
    Two(&'static [f64], &'static [f64]),
}

/// An explicit Runge-Kutta method.
#[derive(Debug)]
pub struct Tableau {
    /// Order of the solution.
    pub order: u32,
    /// Nodes: of the stages, of the new point (1), of the stages for dense output.
    pub c: &'static [f64],
    /// Coefficients of the stages, row i has i of them.
    pub a: &'static [&'static [f64]],
    /// Weights.
    pub b: &'static [f64],
    /// The error estimate.
    pub estimate: Estimate,
    /// 1/(order of the error norm).
    pub exponent: f64,
    /// Stages for the dense output alone; their rows count from the first stage, the new point is one of them.
    pub extra: &'static [&'static [f64]],
    /// Weights of the coefficients of the dense output that go beyond end values and end slopes.
    pub dense: &'static [&'static [f64]],
    /// Nodes of its Newton form ([`crate::polynomial`]).
    pub nodes: &'static [f64],
    /// Stages at which the algebraic variables are interpolated, beside both ends.
    pub algebraic: &'static [usize],
}

impl Tableau {
    /// Number of stages that make the step.
    pub fn stages(&self) -> usize {
        self.b.len()
    }

    /// The error estimate does without the rate at the new point: a rejected step costs no projection.
    pub fn estimate_is_early(&self) -> bool {
        match self.estimate {
            Estimate::One(e) => e.len() <= self.stages(),
            Estimate::Two(e5, e3) => e5.len().max(e3.len()) <= self.stages(),
        }
    }

    /// Number of rates in all: stages, new point, dense output.
    pub fn rates(&self) -> usize {
        self.c.len()
    }

    /// Coefficients of the dense output behind y₁: the cubic of Hermite from both ends, whose slopes are h·k, written for the
    /// nodes of the method.
    pub fn newton_form(&self, (y0, y1): (f64, f64), (slope0, slope1): (f64, f64), a: &mut [f64; 3]) {
        let increment = y1 - y0;
        *a = if self.order == 5 {
            // 1, s, s², s²(s+1)
            let second = slope1 - increment;
            [slope1, second, slope0 - slope1 + 2.0 * second]
        } else {
            // 1, s, s(s+1), s(s+1)²
            [increment, increment - slope0, slope0 + slope1 - 2.0 * increment]
        };
    }

    /// Signs of the further coefficients in the Newton form: published for powers of θ and 1-θ = -s in turn.
    pub fn sign(&self, k: usize) -> f64 {
        if self.order == 5 || k < 2 {
            1.0
        } else {
            -1.0
        }
    }
}

/// Order 5(4) with seven stages, the last of which is the first of the next step.
pub static FIVE: Tableau = Tableau {
    order: 5,
    c: FIVE_C,
    a: FIVE_A,
    b: FIVE_B,
    estimate: Estimate::One(FIVE_E),
    exponent: 0.2,
    extra: &[],
    dense: FIVE_D,
    nodes: &[0.0, -1.0, -1.0],
    algebraic: &[2, 3],
};

/// Order 8(5,3) with twelve stages, and three more for dense output of order 7.
pub static EIGHT: Tableau = Tableau {
    order: 8,
    c: EIGHT_C,
    a: EIGHT_A,
    b: EIGHT_B,
    estimate: Estimate::Two(EIGHT_E, EIGHT_E3),
    exponent: 0.125,
    extra: EIGHT_EXTRA,
    dense: EIGHT_D,
    nodes: &[-1.0, -1.0, 0.0, -1.0, 0.0, -1.0],
    algebraic: &[13, 14, 9, 15],
};

const FIVE_C: &[f64] = &[0.0, 1.0 / 5.0, 3.0 / 10.0, 4.0 / 5.0, 8.0 / 9.0, 1.0, 1.0];
const FIVE_A: &[&[f64]] = &[
    &[],
    &[1.0 / 5.0],
    &[3.0 / 40.0, 9.0 / 40.0],
    &[44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0],
    &[19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0],
    &[9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0],
];
const FIVE_B: &[f64] = &[35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0];
const FIVE_E: &[f64] =
    &[71.0 / 57600.0, 0.0, -71.0 / 16695.0, 71.0 / 1920.0, -17253.0 / 339200.0, 22.0 / 525.0, -1.0 / 40.0];
const FIVE_D: &[&[f64]] = &[&[
    -12715105075.0 / 11282082432.0,
    0.0,
    87487479700.0 / 32700410799.0,
    -10690763975.0 / 1880347072.0,
    701980252875.0 / 199316789632.0,
    -1453857185.0 / 822651844.0,
    69997945.0 / 29380423.0,
]];

const EIGHT_C: &[f64] = &[
    0.0,
    0.05260015195876773,
    0.0789002279381516,
    0.1183503419072274,
    0.2816496580927726,
    0.3333333333333333,
    0.25,
    0.3076923076923077,
    0.6512820512820513,
    0.6,
    0.8571428571428571,
    1.0,
    1.0,
    0.1,
    0.2,
    0.7777777777777778,
];
const EIGHT_A: &[&[f64]] = &[
    &[],
    &[0.05260015195876773],
    &[0.0197250569845379, 0.0591751709536137],
    &[0.02958758547680685, 0.0, 0.08876275643042054],
    &[0.2413651341592667, 0.0, -0.8845494793282861, 0.924834003261792],
    &[0.037037037037037035, 0.0, 0.0, 0.17082860872947386, 0.12546768756682242],
    &[0.037109375, 0.0, 0.0, 0.17025221101954405, 0.06021653898045596, -0.017578125],
    &[
        0.03709200011850479,
        0.0,
        0.0,
        0.17038392571223998,
        0.10726203044637328,
        -0.015319437748624402,
        0.008273789163814023,
    ],
    &[
        0.6241109587160757,
        0.0,
        0.0,
        -3.3608926294469414,
        -0.868219346841726,
        27.59209969944671,
        20.154067550477894,
        -43.48988418106996,
    ],
    &[
        0.47766253643826434,
        0.0,
        0.0,
        -2.4881146199716677,
        -0.590290826836843,
        21.230051448181193,
        15.279233632882423,
        -33.28821096898486,
        -0.020331201708508627,
    ],
    &[
        -0.9371424300859873,
        0.0,
        0.0,
        5.186372428844064,
        1.0914373489967295,
        -8.149787010746927,
        -18.52006565999696,
        22.739487099350505,
        2.4936055526796523,
        -3.0467644718982196,
    ],
    &[
        2.273310147516538,
        0.0,
        0.0,
        -10.53449546673725,
        -2.0008720582248625,
        -17.9589318631188,
        27.94888452941996,
        -2.8589982771350235,
        -8.87285693353063,
        12.360567175794303,
        0.6433927460157636,
    ],
];
const EIGHT_B: &[f64] = &[
    0.054293734116568765,
    0.0,
    0.0,
    0.0,
    0.0,
    4.450312892752409,
    1.8915178993145003,
    -5.801203960010585,
    0.3111643669578199,
    -0.1521609496625161,
    0.20136540080403034,
    0.04471061572777259,
];
const EIGHT_E: &[f64] = &[
    0.01312004499419488,
    0.0,
    0.0,
    0.0,
    0.0,
    -1.2251564463762044,
    -0.4957589496572502,
    1.6643771824549864,
    -0.35032884874997366,
    0.3341791187130175,
    0.08192320648511571,
    -0.022355307863886294,
];
const EIGHT_E3: &[f64] = &[
    -0.18980075407240762,
    0.0,
    0.0,
    0.0,
    0.0,
    4.450312892752409,
    1.8915178993145003,
    -5.801203960010585,
    -0.4226823213237919,
    -0.1521609496625161,
    0.20136540080403034,
    0.02265179219836082,
];
const EIGHT_EXTRA: &[&[f64]] = &[
    &[
        0.056167502283047954,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.25350021021662483,
        -0.2462390374708025,
        -0.12419142326381637,
        0.15329179827876568,
        0.00820105229563469,
        0.007567897660545699,
        -0.008298,
    ],
    &[
        0.03183464816350214,
        0.0,
        0.0,
        0.0,
        0.0,
        0.028300909672366776,
        0.053541988307438566,
        -0.05492374857139099,
        0.0,
        0.0,
        -0.00010834732869724932,
        0.0003825710908356584,
        -0.00034046500868740456,
        0.1413124436746325,
    ],
    &[
        -0.42889630158379194,
        0.0,
        0.0,
        0.0,
        0.0,
        -4.697621415361164,
        7.683421196062599,
        4.06898981839711,
        0.3567271874552811,
        0.0,
        0.0,
        0.0,
        -0.0013990241651590145,
        2.9475147891527724,
        -9.15095847217987,
    ],
];
const EIGHT_D: &[&[f64]] = &[
    &[
        -8.428938276109013,
        0.0,
        0.0,
        0.0,
        0.0,
        0.5667149535193777,
        -3.0689499459498917,
        2.38466765651207,
        2.117034582445028,
        -0.871391583777973,
        2.2404374302607883,
        0.6315787787694688,
        -0.08899033645133331,
        18.148505520854727,
        -9.194632392478356,
        -4.436036387594894,
    ],
    &[
        10.427508642579134,
        0.0,
        0.0,
        0.0,
        0.0,
        242.28349177525817,
        165.20045171727028,
        -374.5467547226902,
        -22.113666853125306,
        7.733432668472264,
        -30.674084731089398,
        -9.332130526430229,
        15.697238121770845,
        -31.139403219565178,
        -9.35292435884448,
        35.81684148639408,
    ],
    &[
        19.985053242002433,
        0.0,
        0.0,
        0.0,
        0.0,
        -387.0373087493518,
        -189.17813819516758,
        527.8081592054236,
        -11.57390253995963,
        6.8812326946963,
        -1.0006050966910838,
        0.7777137798053443,
        -2.778205752353508,
        -60.19669523126412,
        84.32040550667716,
        11.99229113618279,
    ],
    &[
        -25.69393346270375,
        0.0,
        0.0,
        0.0,
        0.0,
        -154.18974869023643,
        -231.5293791760455,
        357.6391179106141,
        93.40532418362432,
        -37.45832313645163,
        104.0996495089623,
        29.8402934266605,
        -43.53345659001114,
        96.32455395918828,
        -39.17726167561544,
        -149.72683625798564,
    ],
];

#[cfg(test)]
mod tests {
    use super::*;

    /// A rooted tree by its weights Φ_i, its order and its density γ (HNW I, II.2).
    struct Tree {
        inner: Vec<f64>,
        phi: Vec<f64>,
        order: i32,
        density: f64,
    }

    /// Trees up to an order, each once: a root with a multiset of smaller trees, chosen in the order of the list.
    fn trees(a: &[&[f64]], up_to: i32) -> Vec<Tree> {
        fn grow(
            list: &[Tree],
            from: usize,
            left: i32,
            phi: &[f64],
            density: f64,
            out: &mut Vec<(Vec<f64>, f64)>,
        ) {
            if left == 0 {
                out.push((phi.to_vec(), density));
                return;
            }
            for (k, tree) in list.iter().enumerate().skip(from).filter(|(_, t)| t.order <= left) {
                let phi: Vec<f64> = phi.iter().zip(&tree.inner).map(|(a, b)| a * b).collect();
                grow(list, k, left - tree.order, &phi, density * tree.density, out);
            }
        }
        let mut list: Vec<Tree> = Vec::new();
        for order in 1..=up_to {
            let mut found = Vec::new();
            grow(&list, 0, order - 1, &vec![1.0; a.len()], 1.0, &mut found);
            for (phi, density) in found {
                let inner = a.iter().map(|row| row.iter().zip(&phi).map(|(a, p)| a * p).sum()).collect();
                list.push(Tree { inner, phi, order, density: density * f64::from(order) });
            }
        }
        list
    }

    fn defect(tree: &Tree, b: &[f64], theta: f64) -> f64 {
        let sum: f64 = b.iter().zip(&tree.phi).map(|(b, p)| b * p).sum();
        (sum - theta.powi(tree.order) / tree.density).abs()
    }

    fn rows(t: &Tableau) -> Vec<&'static [f64]> {
        t.a.iter().copied().chain([t.b]).chain(t.extra.iter().copied()).collect()
    }

    #[test]
    fn every_order_condition_holds() {
        for (t, count) in [(&FIVE, 17), (&EIGHT, 200)] {
            let trees = trees(&rows(t), t.order as i32 + 1);
            let (held, next): (Vec<_>, Vec<_>) = trees.iter().partition(|tree| tree.order <= t.order as i32);
            assert_eq!(held.len(), count);
            for tree in held {
                assert!(defect(tree, t.b, 1.0) < 1e-14, "order {}", tree.order);
            }
            assert!(next.iter().any(|tree| defect(tree, t.b, 1.0) > 1e-6));
        }
    }

    #[test]
    fn nodes_are_row_sums() {
        for t in [&FIVE, &EIGHT] {
            for (row, c) in rows(t).iter().zip(t.c) {
                assert!((row.iter().sum::<f64>() - c).abs() < 1e-14);
            }
        }
    }

    #[test]
    fn embedded_solutions_have_their_orders() {
        let check = |t: &Tableau, e: &[f64], order: i32| {
            let embedded: Vec<f64> =
                (0..e.len()).map(|i| t.b.get(i).copied().unwrap_or(0.0) - e[i]).collect();
            for tree in trees(&rows(t), order + 1) {
                let size = defect(&tree, &embedded, 1.0);
                assert!(tree.order > order || size < 1e-14, "order {}: {size:e}", tree.order);
            }
            assert!(trees(&rows(t), order + 1).iter().any(|tree| defect(tree, &embedded, 1.0) > 1e-5));
        };
        check(&FIVE, FIVE_E, 4);
        check(&EIGHT, EIGHT_E, 5);
        check(&EIGHT, EIGHT_E3, 3);
    }

    /// Weights of the rates in the dense output at θ = s + 1, from unit rates.
    fn dense_weights(t: &Tableau, theta: f64) -> Vec<f64> {
        (0..t.rates())
            .map(|i| {
                let unit = |at: usize| if at == i { 1.0 } else { 0.0 };
                let y1 = t.b.get(i).copied().unwrap_or(0.0);
                let mut hermite = [0.0; 3];
                t.newton_form((0.0, y1), (unit(0), unit(t.stages())), &mut hermite);
                let beyond =
                    t.dense.iter().enumerate().map(|(k, d)| t.sign(k) * d.get(i).copied().unwrap_or(0.0));
                let contx: Vec<f64> = [y1].into_iter().chain(hermite).chain(beyond).collect();
                crate::polynomial::evaluate(&contx, 1, 0, theta - 1.0, t.nodes)
            })
            .collect()
    }

    #[test]
    fn dense_output_has_its_order() {
        for (t, order) in [(&FIVE, 4), (&EIGHT, 7)] {
            for theta in [0.1, 0.35, 0.5, 0.9] {
                let w = dense_weights(t, theta);
                for tree in trees(&rows(t), order) {
                    let size = defect(&tree, &w, theta);
                    assert!(size < 1e-13, "order {} at {theta}: {size:e}", tree.order);
                }
            }
            assert!(dense_weights(t, 0.0).iter().all(|w| w.abs() < 1e-12));
        }
    }
}
