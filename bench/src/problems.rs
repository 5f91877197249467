//! The problems, with everybody who tries to solve them.

use crate::form::{Form, Index, Rate};
use crate::hairer::{Code, Hem5, Radau};
use crate::ida::Ida;
use crate::lean::{andrews, car_axis, check, derived::Derived, linkage::Bars, pendulum, truck, Lean, Mass};
use crate::ours::{self, Adapter, Setting};
use crate::run::{Ending, Runner, Start};
use geoms::layout::Form as Rows;
use geoms::options::Options;
use geoms::solver::Solver;
use geoms::system::System;
use geoms_problems::{self as testset, four_bar, Problem};

/// Which components the error is measured in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    Position,
    Velocity,
}

pub struct Entry {
    pub name: String,
    pub ours: bool,
    pub runner: Box<dyn Runner>,
}

pub struct Case {
    pub name: &'static str,
    pub measure: Measure,
    /// Errors at which times are compared.
    pub accuracies: &'static [f64],
    /// How many of them a quick run takes.
    pub few: usize,
    /// Tolerances from 10^-(first/2) to 10^-(last/2).
    pub tolerances: (i32, i32),
    pub start: Start,
    /// Solution at the end: p and v; NaN where it is not known.
    pub p: Vec<f64>,
    pub v: Vec<f64>,
    pub entries: Vec<Entry>,
    /// Deviation of the lean model from that of the test set.
    pub deviation: f64,
    pub remark: &'static str,
}

impl Case {
    /// Largest absolute error.
    pub fn error(&self, p: &[f64], v: &[f64]) -> f64 {
        let (x, exact) = if self.measure == Measure::Position { (p, &self.p) } else { (v, &self.v) };
        let differences = x.iter().zip(exact).filter(|(_, e)| !e.is_nan()).map(|(x, e)| (x - e).abs());
        differences.fold(0.0, |m, d| if d.is_nan() { f64::NAN } else { f64::max(m, d) })
    }
}

/// One of our settings on one model.
struct Ours {
    system: Box<dyn System>,
    options: Options,
    start: Start,
    x: Vec<f64>,
    solver: Option<Solver>,
}

impl Runner for Ours {
    fn run(&mut self, tol: f64, p: &mut [f64], v: &mut [f64]) -> Ending {
        let (nl, np) = (self.start.lambda.len(), p.len());
        self.x[..nl].copy_from_slice(&self.start.lambda);
        self.x[nl..nl + np].copy_from_slice(&self.start.v);
        self.x[nl + np..].copy_from_slice(&self.start.p);
        let Start { t0, tend, h0, .. } = self.start;
        let ending =
            ours::run(&mut self.solver, &mut *self.system, &self.options, tol, (t0, tend, h0), &mut self.x);
        v.copy_from_slice(&self.x[nl..nl + np]);
        p.copy_from_slice(&self.x[nl + np..]);
        ending
    }
}

fn our_entries(
    settings: &[Setting],
    build: &dyn Fn(Rows) -> Box<dyn System>,
    mass: Mass,
    redundant: bool,
    start: &Start,
) -> Vec<Entry> {
    let entry = |name: &str, options: Options| {
        let x = vec![0.0; start.lambda.len() + 2 * start.p.len()];
        let runner = Ours { system: build(options.form), options, start: start.clone(), x, solver: None };
        Entry { name: name.into(), ours: true, runner: Box::new(runner) }
    };
    let all = settings.iter().copied().chain(ours::custom());
    let options =
        |s: &Setting| ours::options(s, mass, redundant).unwrap_or_else(|| panic!("no option: {}", s.set));
    all.map(|s| entry(s.name, options(&s))).collect()
}

fn peers<L: Lean + Clone + 'static>(model: &L, start: &Start) -> Vec<Entry> {
    let mut list = Vec::new();
    let mut add = |name: String, runner: Box<dyn Runner>| list.push(Entry { name, ours: false, runner });
    let rates: &[(Rate, &str)] = match model.mass_kind() {
        Mass::Variable => &[(Rate::Variable, ""), (Rate::Solved, "-inv")],
        _ => &[(Rate::Mass, "")],
    };
    let indices = [(Index::Ggl, "ggl"), (Index::Two, "2"), (Index::One, "1"), (Index::Three, "3")];
    for (code, title) in [(Code::Radau5, "radau5"), (Code::Radau, "radau")] {
        for (index, suffix) in indices {
            for &(rate, mark) in rates {
                if code == Code::Radau && index == Index::Three {
                    continue;
                }
                let form = Form::new(model.clone(), index, rate);
                add(format!("{title}-{suffix}{mark}"), Box::new(Radau::new(code, form, start)));
            }
        }
    }
    add("hem5".into(), Box::new(Hem5::new(model.clone(), start)));
    for (index, suffix) in [(Index::Ggl, "ggl"), (Index::Two, "2")] {
        let form = Form::new(model.clone(), index, rates[0].0);
        add(format!("ida-{suffix}"), Box::new(Ida::new(form, start)));
    }
    list
}

/// p and v of the reference at the end.
fn reference(problem: &Problem) -> (Vec<f64>, Vec<f64>) {
    let (layout, n) = (problem.layout(Rows::StrangenessFree), problem.dimensions.np);
    let (mut p, mut v) = (vec![f64::NAN; n], vec![f64::NAN; n]);
    for (i, value) in problem.at_end().unwrap_or_default() {
        if layout.x.p.contains(i) {
            p[i - layout.x.p.start] = value;
        } else if layout.x.v.contains(i) {
            v[i - layout.x.v.start] = value;
        }
    }
    (p, v)
}

fn start(problem: &Problem, h0: f64) -> Start {
    let blocks = problem.layout(Rows::StrangenessFree).x;
    let x = &problem.x0;
    let [p, v, lambda] = [blocks.p, blocks.v, blocks.lambda].map(|block| block.of(x).to_vec());
    Start { t0: problem.t0, tend: problem.tend, h0, p, v, lambda }
}

struct Data {
    name: &'static str,
    measure: Measure,
    accuracies: &'static [f64],
    few: usize,
    tolerances: (i32, i32),
    h0: f64,
    remark: &'static str,
}

fn case<L: Lean + Clone + 'static>(settings: &[Setting], data: Data, problem: &Problem, model: L) -> Case {
    let start = start(problem, data.h0);
    let copy = model.clone();
    let build = move |form| -> Box<dyn System> { Box::new(Adapter::new(copy.clone(), form)) };
    let mut entries = our_entries(settings, &build, model.mass_kind(), problem.redundant, &start);
    entries.extend(peers(&model, &start));
    finish(data, problem, model, start, entries)
}

/// With our rows from the test set, which uses that the matrices are sparse.
fn linkage(settings: &[Setting], data: Data, problem: &Problem, model: Bars) -> Case {
    let start = start(problem, data.h0);
    let copy = problem.clone();
    let build = move |form| -> Box<dyn System> { copy.system(form, true) };
    let mut entries = our_entries(settings, &build, model.mass_kind(), problem.redundant, &start);
    entries.extend(peers(&model, &start));
    finish(data, problem, model, start, entries)
}

/// Bricard's mechanism: ours with all five constraints; the peers with all, which should fail, and without one that
/// was found by hand to be superfluous.
fn redundant(settings: &[Setting], data: Data, problem: &Problem) -> Case {
    let model = Derived::new(testset::bricard::Bricard, Mass::Variable);
    let start = start(problem, data.h0);
    let copy = model.clone();
    let build = move |form| -> Box<dyn System> { Box::new(Adapter::new(copy.clone(), form)) };
    let mut entries = our_entries(settings, &build, Mass::Variable, true, &start);
    let whole = peers(&model, &start).into_iter();
    entries.extend(
        whole.filter(|e| ["radau5-ggl", "radau5-2", "radau-2", "hem5", "ida-ggl"].contains(&&*e.name)),
    );
    let mut cut = model.clone().without(&[SUPERFLUOUS]);
    let begin = Start { lambda: multipliers(&mut cut, &start), ..start.clone() };
    entries.extend(peers(&cut, &begin).into_iter().map(|e| Entry { name: format!("{}-cut", e.name), ..e }));
    finish(data, problem, model, start, entries)
}

/// Index of the constraint of Bricard's mechanism that the peers go without.
const SUPERFLUOUS: usize = 4;

/// λ from gII = 0.
fn multipliers(model: &mut impl Lean, start: &Start) -> Vec<f64> {
    let (np, nl) = (model.np(), model.nl());
    model.prepare(start.t0, &start.p);
    let mut a = vec![0.0; np];
    model.force(&start.v, &mut a);
    model.solve_mass(&mut a);
    let mut right = vec![0.0; nl];
    model.gvv(&start.v, &mut right);
    model.add_ga(&a, &mut right);
    let mut columns = vec![0.0; np * nl];
    model.gq(&mut |i: usize, j: usize, value: f64| columns[j + i * np] += value);
    let mut matrix = vec![0.0; nl * nl];
    for (k, column) in columns.chunks_exact_mut(np).enumerate() {
        model.solve_mass(column);
        model.add_ga(column, &mut matrix[k * nl..][..nl]);
    }
    testset::dual::solve_in_place(nl, &mut matrix, &mut right);
    right
}

fn finish<L: Lean + Clone>(
    data: Data,
    problem: &Problem,
    model: L,
    start: Start,
    entries: Vec<Entry>,
) -> Case {
    let Data { name, measure, accuracies, few, tolerances, remark, .. } = data;
    let (p, v) = reference(problem);
    let deviation = check::deviation(model, problem);
    Case { name, measure, accuracies, few, tolerances, start, p, v, entries, deviation, remark }
}

pub const NAMES: [&str; 9] = [
    "pendulum",
    "andrews",
    "car-axis",
    "truck",
    "bricard",
    "n-four-bar-2",
    "n-four-bar-40",
    "chain-10",
    "chain-50",
];

/// The case with this name.
pub fn make(name: &str, settings: &[Setting]) -> Option<Case> {
    use Measure::{Position, Velocity};
    Some(match name {
        "pendulum" => {
            // Period 2: at rest at t = 1000.
            let gravity = 13.750_371_636_040_746;
            let angle = std::f64::consts::FRAC_PI_2;
            let begin = testset::pendulum::Start { gravity, angle, rate: 0.0 };
            let problem = testset::pendulum::problem("pendulum", "", begin, 1000.0);
            let data = Data {
                name: "pendulum",
                measure: Velocity,
                accuracies: &[1e-2, 1e-4],
                few: 1,
                tolerances: (10, 22),
                h0: 1e-3,
                remark: "",
            };
            case(settings, data, &problem, pendulum::Pendulum::new(gravity))
        }
        "andrews" => {
            let problem = testset::by_name("andrews")?;
            let data = Data {
                name: "andrews",
                measure: Position,
                accuracies: &[1e-6, 1e-8, 1e-4],
                few: 2,
                tolerances: (2, 24),
                h0: 1e-5,
                remark: "",
            };
            case(settings, data, &problem, andrews::Andrews::default())
        }
        "car-axis" => {
            let problem = testset::by_name("car-axis")?;
            let data = Data {
                name: "car-axis",
                measure: Position,
                accuracies: &[1e-6, 1e-4, 1e-8],
                few: 1,
                tolerances: (2, 22),
                h0: 1e-4,
                remark: "",
            };
            case(settings, data, &problem, car_axis::CarAxis::default())
        }
        "truck" => {
            let problem = testset::by_name("truck")?;
            let data = Data {
                name: "truck",
                measure: Position,
                accuracies: &[1e-6, 1e-4, 1e-8],
                few: 1,
                tolerances: (2, 22),
                h0: 1e-3,
                remark: "",
            };
            case(settings, data, &problem, truck::Truck::default())
        }
        "bricard" => {
            let problem = testset::by_name("bricard")?;
            let data = Data {
                name: "bricard",
                measure: Position,
                accuracies: &[1e-6, 1e-4, 1e-8],
                few: 1,
                tolerances: (2, 22),
                h0: 1e-3,
                remark: "Redundant constraints: 5 of rank 4. Peers have singular matrices; '-cut' solves without one \
                         constraint, chosen by hand. Model by dual numbers, slow for all.",
            };
            redundant(settings, data, &problem)
        }
        "n-four-bar-2" | "n-four-bar-40" => {
            let (name, n, last) =
                if name.ends_with("40") { ("n-four-bar-40", 40, 16) } else { ("n-four-bar-2", 2, 22) };
            let problem = four_bar::natural(name, n, 0.5);
            let data = Data {
                name,
                measure: Position,
                accuracies: &[1e-6, 1e-4, 1e-8],
                few: 1,
                tolerances: (2, last),
                h0: 1e-3,
                remark: "",
            };
            linkage(settings, data, &problem, Bars::new(four_bar::NaturalFourBar { n }.linkage()))
        }
        "chain-10" | "chain-50" => {
            let (name, n, last) =
                if name.ends_with("50") { ("chain-50", 50, 16) } else { ("chain-10", 10, 20) };
            let problem = testset::by_name(&format!("chain-unit-{n}"))?;
            let data = Data {
                name,
                measure: Position,
                accuracies: &[1e-6, 1e-4],
                few: 1,
                tolerances: (2, last),
                h0: 1e-3,
                remark: "",
            };
            linkage(settings, data, &problem, Bars::new(testset::chain::Chain::of_unit_links(n).linkage()))
        }
        _ => return None,
    })
}
