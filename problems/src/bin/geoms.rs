//! The command: runs a problem of the problem library and prints the end, the error and the counters.

use geoms::capi::interrupt::stop_on_interrupt;
use geoms::decompose::DecompositionKind;
use geoms::error::{Code, Failure};
use geoms::layout::Form;
use geoms::methods::features::cautions;
use geoms::norm::Tolerance;
use geoms::options::{Options, OPTIONS};
use geoms::solver::{Solver, StopRequest};
use geoms::system::{AcceptedStep, Outcome};
use geoms_problems::{self as testset, Problem};
use std::io::Write;
use std::process::ExitCode;

const HELP: &str = "\
geoms list                        the problems: name, unknowns, equations, end time, source
geoms run PROBLEM [OPTION...]     integrate one of them
geoms version                     version of the library

  --tol TOL          relative and absolute tolerance (1e-6)
  --tend T           end time (that of the problem)
  --h H              first step size (chosen by the library)
  --no-jacobian      differences instead of the Jacobian of the problem
  --points           print t and x of every accepted step
  --NAME VALUE       any option of the option table, such as --method 0, --decompc 3, --hmax 0.01

Ctrl-C ends a run after the step that is being made; what was reached is printed. A second one ends the program at once.
Exit status: 0 success, 1 the run failed, 2 wrong arguments, 130 interrupted.";

/// What the arguments ask for.
struct Request {
    problem: Problem,
    options: Options,
    tol: f64,
    tend: f64,
    h: f64,
    jacobian: bool,
    points: bool,
}

fn number<T: std::str::FromStr>(name: &str, value: Option<&String>) -> Result<T, String> {
    let text = value.ok_or_else(|| format!("--{name} needs a value"))?;
    text.parse().map_err(|_| format!("--{name} {text}: not a number that fits"))
}

fn find(name: &str) -> Result<Problem, String> {
    if let Some(problem) = testset::by_name(name) {
        return Ok(problem);
    }
    let mut similar: Vec<Problem> = testset::all().into_iter().filter(|p| p.name.starts_with(name)).collect();
    match (similar.pop(), similar.is_empty()) {
        (Some(one), true) => Ok(one),
        (Some(last), false) => {
            let names: Vec<&str> = similar.iter().chain([&last]).map(|p| p.name.as_str()).collect();
            Err(format!("{name} could be {}", names.join(", ")))
        }
        (None, _) => Err(format!("no problem {name}: see geoms list")),
    }
}

fn parse(arguments: &[String]) -> Result<Request, String> {
    let (name, rest) = arguments.split_first().ok_or("which problem? See geoms list")?;
    let problem = find(name)?;
    let kind = if problem.redundant { DecompositionKind::Svd } else { DecompositionKind::Lu };
    let mut request = Request {
        options: Options { mass: problem.mass, decompose_constraints: kind, ..Options::default() },
        tend: problem.tend,
        problem,
        tol: 1e-6,
        h: 0.0,
        jacobian: true,
        points: false,
    };
    let mut rest = rest.iter();
    while let Some(argument) = rest.next() {
        let name = argument.strip_prefix("--").ok_or_else(|| format!("{argument}: see geoms help"))?;
        match name {
            "tol" => request.tol = number(name, rest.next())?,
            "tend" => request.tend = number(name, rest.next())?,
            "h" => request.h = number(name, rest.next())?,
            "no-jacobian" => request.jacobian = false,
            "points" => request.points = true,
            _ => {
                let known = OPTIONS.iter().any(|entry| entry.name.eq_ignore_ascii_case(name));
                let value = if known { rest.next() } else { None };
                let text = value.ok_or_else(|| format!("--{name}: see geoms help"))?;
                let set = match text.parse::<i64>() {
                    Ok(integer) => request.options.set_int(name, integer).or_else(|bad| {
                        // A real option may be given without a point.
                        request.options.set_real(name, integer as f64).map_err(|_| bad)
                    }),
                    Err(_) => request.options.set_real(name, number(name, Some(text))?),
                };
                set.map_err(|bad| bad.to_string())?;
            }
        }
    }
    if !(request.tend >= request.problem.t0 && request.tend.is_finite()) {
        return Err(format!("TEND = {} is not allowed; allowed: >= {}", request.tend, request.problem.t0));
    }
    Ok(request)
}

/// Largest error of positions and velocities against what is known at the end, relative to max(1, |x|).
fn error_at_end(problem: &Problem, form: Form, t: f64, x: &[f64]) -> Option<f64> {
    let known = match &problem.exact {
        Some(exact) => exact(t).into_iter().enumerate().collect(),
        None => problem.references.iter().find(|r| r.t == t)?.values.clone(),
    };
    let layout = problem.layout(form);
    let differential = |i: &usize| layout.x.p.range().contains(i) || layout.x.v.range().contains(i);
    let errors =
        known.iter().filter(|(i, _)| differential(i)).map(|&(i, v)| (x[i] - v).abs() / v.abs().max(1.0));
    errors.reduce(f64::max)
}

fn run(request: &Request, out: &mut impl Write) -> Result<Result<(), Failure>, std::io::Error> {
    let Request { problem, options, .. } = request;
    let mut system = problem.system(options.form, request.jacobian);
    for caution in cautions(options, &system.dimensions()) {
        eprintln!("geoms: {caution}");
    }
    let tolerance = Tolerance::scalar(request.tol, request.tol);
    let start = (problem.t0, &problem.x0[..], request.h);
    let mut solver = match Solver::start(&mut *system, options, &tolerance, start) {
        Ok(solver) => solver,
        Err(failure) => return Ok(Err(failure)),
    };
    let stop = StopRequest::default();
    stop_on_interrupt(stop.clone())?;
    solver.stop_with(stop);
    let mut written = Ok(());
    let mut observer = |step: &AcceptedStep<'_>| {
        if request.points {
            written = write!(out, "{:.15e}", step.t)
                .and_then(|()| step.x.iter().try_for_each(|v| write!(out, " {v:.15e}")))
                .and_then(|()| writeln!(out));
        }
        // Nobody reads any more: there is nothing to go on for.
        if written.is_ok() {
            Outcome::Continue
        } else {
            Outcome::Stop
        }
    };
    let result = solver.integrate(&mut *system, Some(&mut observer), None, request.tend);
    written?;
    // Of the start and of the run; a failure says why by itself.
    for warning in solver.take_warnings() {
        eprintln!("geoms: warning: {warning}");
    }
    writeln!(out, "{}: t = {:.15e}, next h = {:.3e}", problem.name, solver.t(), solver.h())?;
    let blocks = solver.layout().x;
    for (name, block) in [
        ("w", blocks.w),
        ("lambda", blocks.lambda),
        ("mu", blocks.mu),
        ("r", blocks.r),
        ("v", blocks.v),
        ("s", blocks.s),
        ("p", blocks.p),
    ] {
        for (i, value) in block.of(solver.x()).iter().enumerate() {
            writeln!(out, "  {name}({}) = {value:.15e}", i + 1)?;
        }
    }
    if let Some(error) = error_at_end(problem, options.form, solver.t(), solver.x()) {
        writeln!(out, "error of p and v: {error:.2e}")?;
    }
    writeln!(out, "{}", solver.stats())?;
    Ok(result.map(|_| ()))
}

fn list(out: &mut impl Write) -> std::io::Result<()> {
    for problem in testset::all() {
        let layout = problem.layout(Form::StrangenessFree);
        let Problem { name, source, tend, .. } = &problem;
        writeln!(out, "{name:<28} N={:<4} M={:<4} tend={tend:<8} {source}", layout.n, layout.m)?;
    }
    Ok(())
}

fn command(arguments: &[String]) -> Result<ExitCode, std::io::Error> {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let usage = |message: &str| {
        eprintln!("geoms: {message}");
        Ok(ExitCode::from(2))
    };
    let (word, rest) = match arguments.split_first() {
        Some((word, rest)) => (word.as_str(), rest),
        None => return usage(&format!("what?\n\n{HELP}")),
    };
    match word {
        "list" if rest.is_empty() => list(&mut out)?,
        "version" | "--version" if rest.is_empty() => writeln!(out, "geoms {}", geoms::VERSION)?,
        "help" | "--help" | "-h" => writeln!(out, "{HELP}")?,
        "run" => {
            let request = match parse(rest) {
                Ok(request) => request,
                Err(message) => return usage(&message),
            };
            if let Err(failure) = run(&request, &mut out)? {
                out.flush()?;
                eprintln!("geoms: {failure}");
                return Ok(match failure.code {
                    Code::StopRequested => ExitCode::from(130),
                    Code::BadArgument => ExitCode::from(2),
                    _ => ExitCode::FAILURE,
                });
            }
        }
        _ => return usage(&format!("{}: not known\n\n{HELP}", arguments.join(" "))),
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    command(&arguments).unwrap_or_else(|error| {
        // A reader that has seen enough (head) is no failure worth a message.
        if error.kind() != std::io::ErrorKind::BrokenPipe {
            eprintln!("geoms: {error}");
        }
        ExitCode::FAILURE
    })
}
