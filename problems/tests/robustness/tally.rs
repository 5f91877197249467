//! What the fault suite counts. `make test` adds up the lines that begin with `count:`.

use crate::harness::{Call, Int};
use geoms::error::Code;
use std::time::{Duration, Instant};

/// No run of the fault suite needs a tenth of this; under a memory checker it takes some 50 times as long.
fn limit() -> Duration {
    Duration::from_secs(if stride() == 1 { 2 } else { 100 })
}

/// Every how manieth case is run: all, or for a memory checker those that FAULT_STRIDE leaves.
pub fn stride() -> u64 {
    std::env::var("FAULT_STRIDE").ok().map_or(1, |s| s.parse().expect("FAULT_STRIDE is a number from 1 on"))
}

/// Cases, and those among them that must not be.
#[derive(Default)]
pub struct Tally {
    offered: u64,
    cases: u64,
    hangs: u64,
    panics: u64,
    undocumented: u64,
}

impl Tally {
    /// True if the next case is to be run.
    pub fn takes_next(&mut self) -> bool {
        self.offered += 1;
        (self.offered - 1) % stride() == 0
    }

    /// Run a case and count what became of it; returns IDID. The other checks of a case are for the caller.
    pub fn run<I: Int>(&mut self, call: &mut Call<I>, label: &str) -> i64 {
        let clock = Instant::now();
        let idid = call.run();
        self.cases += 1;
        let mut count = |bad: bool, which: fn(&mut Tally) -> &mut u64, what: &str| {
            if bad {
                *which(self) += 1;
                eprintln!("{label}: {what}, IDID = {idid} after {:?}", clock.elapsed());
            }
        };
        let known = i32::try_from(idid).ok().map(|idid| (idid, Code::from_idid(idid)));
        count(clock.elapsed() > limit() || call.context.ran_away(), |t| &mut t.hangs, "does not end");
        count(matches!(known, Some((_, Some(Code::Internal)))), |t| &mut t.panics, "a panic");
        count(!matches!(known, Some((0, _) | (_, Some(_)))), |t| &mut t.undocumented, "no such code");
        idid
    }

    /// Print the counts and require zeros; returns the number of cases, those left out included.
    pub fn finish(self, suite: &str, detail: &str) -> u64 {
        let Tally { offered, cases, hangs, panics, undocumented } = self;
        println!(
            "count: {suite}: {cases} cases, {hangs} hangs, {panics} panics, {undocumented} undocumented codes{detail}"
        );
        assert_eq!((hangs, panics, undocumented), (0, 0, 0), "{suite}");
        offered
    }
}
