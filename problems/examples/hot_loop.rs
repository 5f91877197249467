//! The same run so many times (`hot_loop PROBLEM OPTIONS RUNS`, options as `name=value,...`), for counting instructions:
//! `.ci/instructions` compares what a run takes with the numbers that are kept.

use geoms::integrate::{integrate, Integration};
use geoms::layout::Form;
use geoms::norm::Tolerance;
use geoms::options::Options;
use geoms::stats::Stats;
use geoms_problems as testset;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, settings, runs] = &arguments[..] else { return Err("PROBLEM OPTIONS RUNS".into()) };
    let problem = testset::by_name(name).ok_or("no such problem")?;
    let mut options = Options { mass: problem.mass, ..Options::of_call() };
    for item in settings.split(',').filter(|item| !item.is_empty()) {
        let (name, value) = item.split_once('=').ok_or("name=value")?;
        options.set_int(name, value.parse()?).map_err(|bad| bad.to_string())?;
    }
    let tolerance = Tolerance::scalar(1e-6, 1e-6);
    let (mut steps, mut calls) = (0, 0);
    for _ in 0..runs.parse()? {
        let mut system = problem.system(Form::StrangenessFree, true);
        let (mut t, mut x, mut h, mut stats) = (problem.t0, problem.x0.clone(), 1e-3, Stats::default());
        let run =
            Integration { system: &mut *system, observer: None, options: &options, tolerance: &tolerance };
        integrate(run, &mut t, &mut x, &mut h, problem.tend, &mut stats)?;
        (steps, calls) = (stats.nstep(), stats.neom);
    }
    println!("{steps} steps, {calls} calls of EOM in a run");
    Ok(())
}
