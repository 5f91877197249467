//! What is checked before a run begins: settings, the description, and joints that do not fit.

use super::coordinate::Report;
use super::description::{Assembly, Settings};
use super::joint::{Evaluated, Joint, Kind, Law};
use super::run::Glued;
use crate::error::{Code, Failure};

/// Initial positions and velocities may violate a constraint by this much, relative to 1 and the size of the values.
pub(super) const CONSISTENT: f64 = 1e-6;

impl Glued<'_> {
    /// Derivatives of the ports here, along what the positions can do.
    fn check_ports(&mut self) -> Option<(usize, Failure)> {
        let (t, h) = (self.t, self.h);
        for local in &mut self.locals {
            let (subdomain, general) = (local.subdomain, local.is_general());
            let (l, view, p) = (local.view.layout, &local.view, local.view.layout.x.p.of(&local.new.x));
            // Z is at hand only where there are joints.
            if general && local.size == 0 {
                continue;
            }
            for (k, port) in local.ports.iter_mut().enumerate() {
                let wrong = if general {
                    port.wrong_derivative((t, p), l.dims.nv, |j, i| view.position_rate_by_velocity(i, j))
                } else {
                    port.wrong_derivative((t, p), l.dims.np, |j, i| f64::from(u8::from(i == j)))
                };
                if let Some(wrong) = wrong {
                    let by = if general { "along v" } else { "by p" };
                    let text = format!(
                        "subdomain {subdomain}, port {k}: derivative of y({}) {by}({}) = {:e} is not allowed; allowed: that of y, by differences {:e} (the Jacobian is \
                         column-major, one row for each y)",
                        wrong.component, wrong.direction, wrong.given, wrong.found
                    );
                    return Some((subdomain, Failure::new(Code::BadArgument, text).at(t, h)));
                }
            }
        }
        None
    }

    /// u and u' of all joints at the start must satisfy the constraints, and ports of a new run must have their derivatives.
    pub(super) fn check_joints(&mut self, ports: bool) -> Result<(), Failure> {
        let mut first = vec![0; self.joints.len() + 1];
        for (i, joint) in self.joints.iter().enumerate() {
            first[i + 1] = first[i] + 2 * joint.law.size();
        }
        let mut sums = vec![0.0; first[self.joints.len()]];
        let mut own = self.evaluate_all(self.t);
        let wrong = if ports && own.is_none() { self.check_ports() } else { None };
        if let Some((subdomain, failure)) = &wrong {
            own = Some(Report { retry: false, code: failure.code, not_finite: false, subdomain: *subdomain });
        }
        if own.is_none() {
            for local in &self.locals {
                local.relative(|joint, u, rate| {
                    let out = &mut sums[first[joint]..first[joint + 1]];
                    u.iter().chain(rate).zip(out).for_each(|(v, out)| *out += v);
                });
            }
        }
        let agreed = self.agree(&mut sums, |a, b| a + b, own);
        if let Some((_, failure)) = wrong {
            return Err(failure);
        }
        agreed?;
        for (i, joint) in self.joints.iter().enumerate() {
            let (u, rate) = sums[first[i]..first[i + 1]].split_at(joint.law.size());
            let [position, velocity] = violation(&joint.law, u, rate);
            let subdomains = joint.ends.map(|e| e.subdomain);
            for (what, found) in [("positions", position), ("velocities", velocity)] {
                if found > CONSISTENT {
                    let text = format!(
                        "joint {i} between subdomains {} and {}: {what} do not fit by {found:.3e}",
                        subdomains[0], subdomains[1]
                    );
                    return Err(Failure::new(Code::InconsistentInitialValues, text).at(self.t, self.h));
                }
            }
        }
        Ok(())
    }
}

/// Violation of the constraints of a joint and of their rates.
fn violation(law: &Law, u: &[f64], rate: &[f64]) -> [f64; 2] {
    let largest = |v: &mut dyn Iterator<Item = f64>| v.fold(0.0, |m: f64, v| m.max(v.abs()));
    match law {
        Law::Coincide { offset } => {
            [largest(&mut u.iter().zip(offset).map(|(u, o)| u - o)), largest(&mut rate.iter().copied())]
        }
        _ if law.kind() == Kind::General && law.constraints() > 0 => {
            let m = law.constraints();
            let mut e = Evaluated::new(law);
            let _ = law.evaluate(u, rate, &vec![0.0; m], &mut e);
            let moving =
                |k: usize| e.phi_u.iter().skip(k).step_by(m).zip(rate).map(|(g, v)| g * v).sum::<f64>();
            [largest(&mut e.phi.iter().copied()), largest(&mut (0..m).map(moving))]
        }
        _ => [0.0; 2],
    }
}

/// What is refused before a run.
pub(super) fn check_settings(s: &Settings, t: f64, h: f64) -> Result<(), Failure> {
    let positive = |v: f64| v > 0.0 && v.is_finite();
    let wrong = [
        ("spectral radius", s.radius, "from 0 to below 1", (0.0..1.0).contains(&s.radius)),
        ("rtol", s.rtol, ">= 0", s.rtol >= 0.0 && s.rtol.is_finite()),
        ("atol", s.atol, "> 0", positive(s.atol)),
        ("hmax", s.hmax, "> 0", s.hmax > 0.0),
        ("event tolerance", s.event_tolerance, "> 0", positive(s.event_tolerance)),
        ("t", t, "finite", t.is_finite()),
        ("h", h, "> 0", positive(h)),
    ];
    match wrong.iter().find(|w| !w.3) {
        Some((name, value, allowed, _)) => Err(Failure::new(
            Code::BadArgument,
            format!("{name} = {value} is not allowed; allowed: {allowed}"),
        )),
        None => Ok(()),
    }
}

/// Joints and owners that do not fit.
pub(super) fn check_assembly(assembly: &Assembly<'_>, size: usize) -> Result<(), Failure> {
    let refuse = |text: String| Err(Failure::new(Code::BadArgument, text));
    let count = assembly.owners.len();
    if count == 0 {
        return refuse("there are no subdomains".into());
    }
    if let Some((s, owner)) = assembly.owners.iter().enumerate().find(|(_, &o)| o >= size) {
        return refuse(format!("subdomain {s}: owner = {owner} is not allowed; allowed: 0 to {}", size - 1));
    }
    for (i, joint) in assembly.joints.iter().enumerate() {
        if let Some((name, value, allowed)) = joint.law.refused() {
            return refuse(format!("joint {i}: {name} = {value} is not allowed; allowed: {allowed}"));
        }
        let [a, b] = joint.ends.map(|e| e.subdomain);
        if let Some(bad) = [a, b].into_iter().find(|&s| s >= count) {
            return refuse(format!("joint {i}: subdomain {bad} is not allowed; allowed: 0 to {}", count - 1));
        }
        if a == b {
            return refuse(format!(
                "joint {i}: both ends are in subdomain {a}; such a joint belongs to its model"
            ));
        }
    }
    Ok(())
}

/// A number that tells descriptions apart: FNV-1a of their text, as many bits as a double holds.
pub(super) fn signature(settings: &Settings, owners: &[usize], joints: &[Joint], begin: (f64, f64)) -> f64 {
    let text = format!("{settings:?}{owners:?}{joints:?}{begin:?}");
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    (text.bytes().fold(0xcbf2_9ce4_8422_2325, step) >> 12) as f64
}
