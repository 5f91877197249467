//! The beginning of a run: everybody is there and means the same, joints fit, accelerations and forces are computed.

use super::check::{check_assembly, check_settings, signature};
use super::coordinate::{Coordination, Report, Traffic};
use super::description::{Assembly, Settings, Statistics};
use super::front::Mode;
use super::local::Local;
use super::part::Point;
use super::run::{tell, Glued};
use super::scheme::Scheme;
use super::transport::{Alone, Transport};
use super::tree;
use super::watcher::Watcher;
use crate::error::{Code, Failure};

/// Relative changes that end the iteration for accelerations and forces at the start, and that are accepted after so many.
const SETTLED: (f64, f64) = (1e-10, 1e-6);
const SETTLED_AFTER: u32 = 20;

impl<'s> Glued<'s> {
    /// In one process, by one thread: all subdomains are here.
    pub fn alone(assembly: Assembly<'s>, settings: Settings, t: f64, h: f64) -> Result<Self, Failure> {
        Self::start(assembly, Box::new(Alone), settings, t, h)
    }

    /// Begin a run at time t with a first step h. All participants call this together.
    pub fn start(
        assembly: Assembly<'s>,
        transport: Box<dyn Transport + 's>,
        settings: Settings,
        t: f64,
        h: f64,
    ) -> Result<Self, Failure> {
        let mut made = Self::prepare(assembly, transport, settings, t, h)?;
        made.check_joints(true)?;
        made.settle()?;
        // What is counted are the steps.
        (made.statistics, made.coordination.traffic) = (Statistics::default(), Traffic::default());
        Ok(made)
    }

    /// Everything but the accelerations at the start, which a resumed run has. A refusal here is that of all participants.
    pub fn prepare(
        assembly: Assembly<'s>,
        mut transport: Box<dyn Transport + 's>,
        settings: Settings,
        t: f64,
        h: f64,
    ) -> Result<Self, Failure> {
        let checked =
            check_settings(&settings, t, h).and_then(|()| check_assembly(&assembly, transport.size()));
        checked.map_err(|failure| tell(&mut *transport, failure))?;
        let Assembly { owners, parts, roots, joints } = assembly;
        let nodes = tree::build(settings.topology, &owners, &joints);
        let rank = transport.rank();
        let mut coordination = Coordination::new(nodes, &joints, rank);
        let mut locals = Vec::new();
        let mut watchers = Vec::new();
        let mut refusal = None;
        for (subdomain, (part, roots)) in parts.into_iter().zip(roots).enumerate() {
            if owners[subdomain] != rank {
                continue;
            }
            let nodes = coordination.nodes();
            let leaf = nodes.iter().position(|n| n.subdomain == Some(subdomain)).unwrap_or(0);
            let made = match part {
                Some(part) => Local::new(part, (subdomain, leaf), &nodes[leaf].boundary, &joints),
                None => {
                    let text = format!(
                        "subdomain {subdomain} belongs to participant {rank}, which has no model for it"
                    );
                    Err(Failure::new(Code::NotReady, text))
                }
            };
            match made {
                Ok(local) => locals.push(local),
                Err(failure) => {
                    refusal.get_or_insert((subdomain, failure));
                }
            }
            watchers.extend(roots.map(|roots| Watcher::new(subdomain, roots)));
        }
        // Nobody begins without the others.
        let own = refusal.as_ref().map(|(subdomain, f)| Report {
            retry: false,
            code: f.code,
            not_finite: false,
            subdomain: *subdomain,
        });
        let mark = signature(&settings, &owners, &joints, (t, h));
        let mut marks = [mark, -mark];
        let all = coordination.agree(&mut *transport, &mut marks, f64::min, own);
        if let Some((_, failure)) = refusal {
            return Err(failure);
        }
        let scheme = Scheme::new(settings.radius);
        let statistics = Statistics::default();
        let mut glued = Glued {
            settings,
            scheme,
            joints,
            owners,
            locals,
            watchers,
            events: Vec::new(),
            transport,
            coordination,
            t,
            h,
            statistics,
            iterations: 0,
            census: None,
            saving: None,
            trouble: None,
        };
        match all {
            Ok(None) if marks[0] != -marks[1] => {
                let text = "the participants do not have the same settings, owners, joints, t and h";
                Err(Failure::new(Code::BadArgument, text))
            }
            Ok(None) => Ok(glued),
            Ok(Some(report)) => Err(glued.failure(report)),
            Err(lost) => Err(glued.lost(lost)),
        }
    }

    /// Accelerations and forces at the start.
    pub(super) fn settle(&mut self) -> Result<(), Failure> {
        let t = self.t;
        let mode = Mode::Start;
        let h = self.h;
        self.locals.iter_mut().for_each(|l| {
            l.begin();
            l.go_on_from_result();
            l.new.w.fill(0.0);
        });
        // Linear in a, λ, μ, unless there is friction or w: then the second iteration only confirms the first.
        for k in 0.. {
            let own = self.each(|local| {
                local.evaluate(t)?;
                local.check_start()?;
                local.linearize(t, mode)?;
                local.curvatures(t, h)?;
                local.solve(t, mode)
            });
            self.interface(mode, true, own)?;
            let ([change, size], _) = self.update(mode, 0.0)?;
            if change <= SETTLED.0 * (1.0 + size) || k > SETTLED_AFTER && change <= SETTLED.1 * (1.0 + size) {
                break;
            }
            if k > SETTLED_AFTER || !change.is_finite() {
                let text = "accelerations and forces at the start";
                return Err(Failure::new(Code::NewtonDiverges, text).at(t, h));
            }
        }
        for local in &mut self.locals {
            local.new.a.copy_from_slice(&local.new.w);
            local.new.forget_errors();
            local.accept(0.0);
        }
        self.coordination.states.iter_mut().flatten().for_each(super::front::JointState::accept);
        for watcher in &mut self.watchers {
            if let Some(local) = self.locals.iter().find(|l| l.subdomain == watcher.subdomain) {
                watcher.begin(t, &local.old.x);
            }
        }
        Ok(())
    }

    /// Go on from changed positions and velocities: all participants call this together, with the subdomains that change. What is refused changes nothing.
    pub fn restart(&mut self, changed: &[(usize, &[f64])]) -> Result<(), Failure> {
        let before: Vec<Point> = self.locals.iter().map(|l| l.old.clone()).collect();
        let made = self.try_restart(changed);
        if made.is_err() {
            self.locals.iter_mut().zip(before).for_each(|(l, point)| l.old = point);
        }
        made
    }

    fn try_restart(&mut self, changed: &[(usize, &[f64])]) -> Result<(), Failure> {
        let mut own = None;
        for (subdomain, x) in changed {
            if let Some(local) = self.locals.iter_mut().find(|l| l.subdomain == *subdomain) {
                if local.old.x.len() == x.len() && crate::linalg::all_finite(x) {
                    local.old.x.copy_from_slice(x);
                } else {
                    let code = Code::BadArgument;
                    own = Some(Report { retry: false, code, not_finite: false, subdomain: *subdomain });
                }
            }
        }
        self.agree(&mut [], |a, _| a, own)?;
        self.locals.iter_mut().for_each(Local::begin);
        self.check_joints(false)?;
        self.settle()
    }
}
