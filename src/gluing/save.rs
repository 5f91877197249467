//! Saved states: each participant saves what it has, and all of them together resume from the newest point that all have.

use super::description::Statistics;
use super::run::Glued;
use crate::error::{Code, Failure};
use crate::methods::save::{BadState, Reader, Writer};
use std::path::{Path, PathBuf};

/// First bytes of a saved state.
const FAMILY: &[u8; 6] = b"geomsg";
/// Saved points of a participant in files: two in turns, and one when the run has failed.
const SLOTS: usize = 3;

/// Where and how often a run is saved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Saving {
    /// Files are PREFIX.RANK.SLOT.
    pub prefix: PathBuf,
    /// Steps from one point to the next.
    pub every: u64,
}

impl Saving {
    fn file(&self, rank: usize, slot: usize) -> PathBuf {
        let mut name = self.prefix.as_os_str().to_os_string();
        name.push(format!(".{rank}.{slot}"));
        PathBuf::from(name)
    }
}

fn unwritten(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(Code::BadArgument, format!("{}: {error}", path.display()))
}

/// Write so that the file is the old or the new one, whatever happens meanwhile.
fn write(path: &Path, data: &[u8]) -> Result<(), Failure> {
    let mut name = path.as_os_str().to_os_string();
    name.push(".new");
    let fresh = PathBuf::from(name);
    std::fs::write(&fresh, data).and_then(|()| std::fs::rename(&fresh, path)).map_err(|e| unwritten(path, &e))
}

/// Steps made at a saved point.
fn steps_of(saved: &[u8]) -> Result<u64, BadState> {
    Reader::of(FAMILY, saved)?.int()
}

impl Glued<'_> {
    /// The state of this participant's subdomains and joints at the last accepted point.
    pub fn save(&self) -> Vec<u8> {
        let mut w = Writer::of(FAMILY);
        let s = &self.statistics;
        w.int(s.steps);
        w.int(self.transport.rank() as u64);
        w.int(self.owners.len() as u64);
        w.int(self.joints.len() as u64);
        w.reals(&[self.t, self.h]);
        let counts = [
            s.rejected_error,
            s.rejected_newton,
            s.rejected_event,
            s.iterations,
            s.most_iterations,
            s.refreshes,
            s.interface_doubles,
        ];
        counts.into_iter().for_each(|c| w.int(c));
        for local in &self.locals {
            w.int(local.subdomain as u64);
            w.int(u64::from(local.is_general()));
            let mut p = local.old.clone();
            w.reals(&[p.h_before]);
            p.vectors().into_iter().for_each(|v| w.reals(v));
        }
        for state in self.coordination.states.iter().flatten() {
            w.reals(&state.force_old);
            w.reals(&state.lambda_old);
        }
        self.watchers.iter().for_each(|watcher| w.reals(&watcher.memory()));
        w.seal()
    }

    /// Put back what [`Glued::save`] gave, in a run prepared in the same way. Nothing changes if it does not fit.
    pub fn restore(&mut self, saved: &[u8]) -> Result<(), BadState> {
        let mut r = Reader::of(FAMILY, saved)?;
        let steps = r.int()?;
        for own in [self.transport.rank(), self.owners.len(), self.joints.len()] {
            if r.int()? != own as u64 {
                return Err(BadState::Different);
            }
        }
        let mut times = [0.0; 2];
        r.reals("t and h", &mut times)?;
        let mut counts = [0; 7];
        for c in &mut counts {
            *c = r.int()?;
        }
        let mut points = Vec::new();
        for local in &self.locals {
            if r.int()? != local.subdomain as u64 {
                return Err(BadState::Different);
            }
            let general = r.int()? == 1;
            let mut p = local.old.clone();
            let mut h_before = [0.0];
            r.reals("a step", &mut h_before)?;
            p.h_before = h_before[0];
            for v in p.vectors() {
                r.reals("a point", v)?;
            }
            points.push((p, general));
        }
        let mut states = self.coordination.states.clone();
        for state in states.iter_mut().flatten() {
            r.reals("forces of a joint", &mut state.force_old)?;
            r.reals("multipliers of a joint", &mut state.lambda_old)?;
            state.take_back();
        }
        let mut signs = Vec::new();
        for watcher in &self.watchers {
            let mut v = watcher.memory();
            r.reals("events", &mut v)?;
            signs.push(v);
        }
        r.end()?;
        (self.t, self.h) = (times[0], times[1]);
        let [rejected_error, rejected_newton, rejected_event, iterations, most_iterations, refreshes, interface_doubles] =
            counts;
        self.statistics = Statistics {
            steps,
            rejected_error,
            rejected_newton,
            rejected_event,
            iterations,
            most_iterations,
            refreshes,
            interface_doubles,
            ..self.statistics
        };
        for (local, (point, general)) in self.locals.iter_mut().zip(points) {
            local.set_general(general);
            local.new.clone_from(&point);
            local.old = point;
        }
        self.coordination.states = states;
        self.watchers.iter_mut().zip(signs).for_each(|(w, s)| w.set_memory(&s));
        Ok(())
    }

    /// Save to files every so many steps, and when the run fails.
    pub fn save_to(&mut self, saving: Saving) -> Result<(), Failure> {
        if saving.every == 0 {
            return Err(Failure::new(Code::BadArgument, "every = 0 is not allowed; allowed: > 0"));
        }
        self.saving = Some(saving);
        self.write_if_due()
    }

    /// After an accepted step.
    pub(super) fn write_if_due(&self) -> Result<(), Failure> {
        let Some(saving) = &self.saving else { return Ok(()) };
        let steps = self.statistics.steps;
        if steps % saving.every != 0 {
            return Ok(());
        }
        let slot = (steps / saving.every) as usize % (SLOTS - 1);
        write(&saving.file(self.transport.rank(), slot), &self.save())
    }

    /// The last accepted point of a run that has failed.
    pub(super) fn write_last(&self) {
        if let Some(saving) = &self.saving {
            // The failure itself is what is reported.
            let _ = write(&saving.file(self.transport.rank(), SLOTS - 1), &self.save());
        }
    }

    /// Go on from the newest point that all participants have saved. All call this together, after [`Glued::prepare`]. Gives the time.
    pub fn resume(&mut self, saving: &Saving) -> Result<f64, Failure> {
        let rank = self.transport.rank();
        let mut points: Vec<(u64, Vec<u8>)> = (0..SLOTS)
            .filter_map(|slot| std::fs::read(saving.file(rank, slot)).ok())
            .filter_map(|data| steps_of(&data).ok().map(|steps| (steps, data)))
            .collect();
        points.sort_by_key(|p| std::cmp::Reverse(p.0));
        let mut limit = f64::INFINITY;
        for _ in 0..=SLOTS {
            // The newest of mine that is not newer than what everybody may have; the smallest of these is the next limit.
            let mine = points.iter().map(|p| p.0 as f64).find(|&s| s <= limit).unwrap_or(-1.0);
            let mut agreed = [mine, -mine];
            self.agree(&mut agreed, f64::min, None)?;
            limit = agreed[0];
            if agreed[0] == -agreed[1] || limit < 0.0 {
                break;
            }
        }
        let chosen = points.iter().find(|p| p.0 as f64 == limit);
        let restored = chosen.map_or(Err(BadState::Foreign), |(_, data)| self.restore(data));
        let mut bad = [f64::from(u8::from(restored.is_err()))];
        self.agree(&mut bad, |a, b| a + b, None)?;
        if bad[0] > 0.0 {
            let text = format!(
                "{}: no point that all participants have saved and that fits the run ({} of them cannot read one)",
                saving.prefix.display(),
                bad[0]
            );
            return Err(Failure::new(Code::BadArgument, text));
        }
        Ok(self.t)
    }
}
