//! The tests: which there are, how long they take, which mutants they pass.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

pub struct Test {
    pub suite: String,
    pub name: String,
    pub program: PathBuf,
    pub seconds: f64,
    pub passes: BTreeSet<usize>,
}

#[derive(Clone, Copy, PartialEq)]
pub enum Ending {
    Passed,
    Failed,
    OutOfTime,
}

/// Runs tests of a program with this mutant. The limit is CPU time, so that a busy machine does not count.
pub fn run(program: &Path, names: &[&str], mutant: &str, file: &Path, seconds: f64) -> std::io::Result<Ending> {
    let limit = seconds.ceil().max(1.0) as u64;
    let mut child = Command::new("sh")
        .args(["-c", &format!("ulimit -t {limit}; ulimit -v 8000000; ulimit -c 0; exec \"$0\" \"$@\"")])
        .arg(program)
        .args(["--exact", "--test-threads=1", "-q"])
        .args(names)
        .env("MUTANT", mutant)
        .env("MUTANT_FILE", file)
        .env("OPENBLAS_NUM_THREADS", "1")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let begun = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            use std::os::unix::process::ExitStatusExt;
            let cpu = [libc_sigxcpu(), 9];
            return Ok(match status.signal() {
                Some(signal) if cpu.contains(&signal) => Ending::OutOfTime,
                _ if status.success() => Ending::Passed,
                _ => Ending::Failed,
            });
        }
        if begun.elapsed() > Duration::from_secs(60 * limit) {
            child.kill()?;
            child.wait()?;
            return Ok(Ending::OutOfTime);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn libc_sigxcpu() -> i32 {
    24
}

/// CPU seconds of all children so far.
fn spent() -> f64 {
    let text = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let behind = text.rsplit_once(')').map_or("", |(_, rest)| rest);
    let fields: Vec<f64> = behind.split_whitespace().map(|f| f.parse().unwrap_or(0.0)).collect();
    fields.get(13).copied().unwrap_or(0.0) / 100.0 + fields.get(14).copied().unwrap_or(0.0) / 100.0
}

/// All tests that pass within the limit, recorded one by one; known ones are read from `folder`.
pub fn record(
    programs: &[(String, PathBuf)],
    folder: &Path,
    longest: f64,
) -> Result<Vec<Test>, Box<dyn std::error::Error>> {
    fs::create_dir_all(folder)?;
    let mut tests = Vec::new();
    for (suite, program) in programs {
        let list = Command::new(program).args(["--list", "--format", "terse"]).output()?;
        for line in String::from_utf8_lossy(&list.stdout).lines() {
            let Some(name) = line.strip_suffix(": test") else { continue };
            let plain = name.replace("::", ".");
            let (file, time) = (folder.join(format!("{suite}.{plain}")), folder.join(format!("{suite}.{plain}.time")));
            if !time.exists() {
                let before = spent();
                let ending = run(program, &[name], "record", &file, longest)?;
                let taken = if ending == Ending::Passed { spent() - before } else { f64::INFINITY };
                if ending == Ending::Failed {
                    println!("fails without a mutant, not used: {suite} {name}");
                }
                fs::write(&time, taken.to_string())?;
            }
            let seconds: f64 = fs::read_to_string(&time)?.trim().parse()?;
            if seconds.is_finite() {
                let passes = fs::read_to_string(&file)?.lines().filter_map(|l| l.parse().ok()).collect();
                tests.push(Test { suite: suite.clone(), name: name.to_string(), program: program.clone(), seconds, passes });
            }
        }
    }
    tests.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
    Ok(tests)
}
