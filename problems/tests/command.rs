//! The command: results, refusals, and Ctrl-C in the middle of a run.
#![allow(clippy::expect_used)]

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_geoms"));
    command.args(arguments).env("OPENBLAS_NUM_THREADS", "1");
    command
}

fn geoms(arguments: &[&str]) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } = command(arguments).output().expect("the command runs");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (status.code(), text(stdout), text(stderr))
}

#[test]
fn every_problem_is_listed_and_the_version_is_that_of_the_library() {
    let (code, out, _) = geoms(&["list"]);
    assert_eq!(code, Some(0));
    for problem in geoms_problems::all() {
        assert!(out.lines().any(|line| line.split(' ').next() == Some(&problem.name)), "{}", problem.name);
    }
    assert_eq!(geoms(&["version"]).1, format!("geoms {}\n", geoms::VERSION));
    assert!(geoms(&["help"]).1.contains("Exit status"));
}

#[test]
fn warnings_of_a_run_are_printed() {
    let run = ["run", "stiff-spring-1e6", "--method", "3", "--tol", "1e-4"];
    let (code, out, err) = geoms(&run);
    assert_eq!(code, Some(0), "{err}");
    assert!(
        out.contains("NACCPT=") && err.starts_with("geoms: warning: steps beyond the linear limit"),
        "{err}"
    );
    let (code, _, err) = geoms(&[&run[..], &["--scheme", "3"]].concat());
    assert_eq!((code, err.as_str()), (Some(0), ""));
}

#[test]
fn a_run_prints_the_end_the_error_and_the_counters() {
    let arguments =
        ["run", "pendulum-2.8", "--tol", "1e-9", "--method", "0", "--decompc", "2", "--hmax", "1"];
    let (code, out, err) = geoms(&arguments);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    let error = out.lines().find_map(|line| line.strip_prefix("error of p and v: ")).expect("known solution");
    assert!(error.parse::<f64>().expect("a number") < 1e-7, "{error}");
    assert!(out.contains("lambda(1) = ") && out.contains("p(2) = ") && out.contains("NACCPT="), "{out}");
    // One line for every accepted point and for the first one.
    let points = geoms(&["run", "pendulum-2.8", "--points", "--tend", "0.5"]).1;
    let steps = points.split("NACCPT=").nth(1).and_then(|rest| rest.split(' ').next()).expect("counter");
    let lines = points
        .lines()
        .filter(|line| line.split(' ').count() == 6 && line.starts_with(|c: char| c.is_ascii_digit()))
        .count();
    assert_eq!(lines.to_string(), (steps.parse::<usize>().expect("a number") + 1).to_string());
}

#[test]
fn wrong_arguments_are_named_and_have_a_status_of_their_own() {
    for (arguments, said) in [
        (&[][..], "geoms run PROBLEM"),
        (&["nonsense"], "nonsense"),
        (&["run"], "which problem"),
        (&["run", "nonsense"], "no problem nonsense"),
        (&["run", "pendulum-2.8", "--tol"], "--tol needs a value"),
        (&["run", "pendulum-2.8", "--tol", "much"], "--tol much"),
        (&["run", "pendulum-2.8", "--tol", "0"], "RTOL"),
        (&["run", "pendulum-2.8", "--tend", "-1"], "TEND"),
        (&["run", "pendulum-2.8", "--colour", "1"], "--colour"),
        (&["run", "pendulum-2.8", "--decompc", "9"], "DECOMPC = 9"),
    ] {
        let (code, out, err) = geoms(arguments);
        assert!(
            code == Some(2) && out.is_empty() && err.contains(said),
            "{arguments:?}: {code:?} {out} {err}"
        );
    }
    let (code, _, err) = geoms(&["run", "pendulum-2.8", "--nmax", "5"]);
    assert!(code == Some(1) && err.contains("-1117"), "{code:?} {err}");
}

#[test]
fn an_interrupted_run_ends_cleanly_and_prints_what_was_reached() {
    // Long, but not endless: a run that does not listen ends with another status.
    let long = ["run", "pendulum-2.8", "--tend", "3e4", "--nmax", "2000000000", "--points"];
    let mut child = command(&long).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("runs");
    let mut out = BufReader::new(child.stdout.take().expect("output"));
    let mut line = String::new();
    for _ in 0..50 {
        line.clear();
        out.read_line(&mut line).expect("a point");
        assert_eq!(line.split(' ').count(), 6, "{line}");
    }
    let begin = Instant::now();
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    assert!(sent.success());
    let mut rest = String::new();
    out.read_to_string(&mut rest).expect("the rest");
    let mut err = String::new();
    child.stderr.take().expect("errors").read_to_string(&mut err).expect("errors");
    let status = child.wait().expect("ends");
    assert_eq!(status.code(), Some(130), "{err}");
    assert!(begin.elapsed() < Duration::from_secs(20));
    assert!(err.contains("-1108"), "{err}");
    assert!(rest.contains("pendulum-2.8: t = ") && rest.trim_end().ends_with(char::is_numeric), "{rest}");
    assert!(rest.contains("NACCPT="));
}
