//! Joints: what holds between two ports.
//!
//! Every joint is a function of relative coordinates u = U_a y_a + U_b y_b, with constant U of entries 0 and ±1. A subdomain
//! only ever sees U and the force F that acts along u: it is loaded by -(U ∂y/∂p)ᵀ F, and need not know what kind of joint
//! there is. Constraints φ(u) = 0 and forces f(u, u') give F = φ_uᵀ λ + f.

use super::spatial::Spatial;

/// One end of a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    /// Number of the subdomain.
    pub subdomain: usize,
    /// Number of its port.
    pub port: usize,
}

/// What a joint does.
#[derive(Clone, Debug, PartialEq)]
pub enum Law {
    /// The first components of both ports differ by a constant. Two components of [`PlanarFrame`](super::port::PlanarFrame)
    /// are a revolute joint, three a rigid one; three coordinates of a point in space a spherical one.
    Coincide {
        /// y_a - y_b, as many as components are held.
        offset: Vec<f64>,
    },
    /// A force k (u - rest) + c u' in each of the first components, u = y_a - y_b: bushing, torsion spring.
    Bushing {
        /// k of each component.
        stiffness: Vec<f64>,
        /// c of each component.
        damping: Vec<f64>,
        /// u without force.
        rest: Vec<f64>,
    },
    /// Two points at a constant distance: a massless rod.
    Distance {
        /// Components of a point, 2 or 3.
        dimension: usize,
        /// The distance, positive.
        length: f64,
    },
    /// The frame b slides along a direction that is fixed in the frame a, without turning.
    Prismatic {
        /// Angle of the direction in the frame a.
        direction: f64,
        /// Distance of b from the line through a, to its left.
        offset: f64,
        /// θ_b - θ_a.
        angle: f64,
    },
    /// A joint of [`SpatialFrame`](super::spatial::SpatialFrame)s.
    Spatial(Spatial),
    /// A spring-damper along the line between two points.
    SpringDamper {
        /// Components of a point, 2 or 3.
        dimension: usize,
        /// Force per length.
        stiffness: f64,
        /// Force per rate of length.
        damping: f64,
        /// Length without force.
        length: f64,
    },
}

/// A joint between two subdomains.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// Its ends a and b.
    pub ends: [End; 2],
    /// What holds between them.
    pub law: Law,
}

/// One entry of U: u\[row\] has `sign`·y\[component\].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Term {
    /// Relative coordinate.
    pub row: usize,
    /// Component of the port.
    pub component: usize,
    /// 1 or -1.
    pub sign: f64,
}

/// How the equations of a joint are assembled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// F = λ, u constant.
    Coincide,
    /// F linear in u and u'.
    LinearForce,
    /// Everything else.
    General,
}

/// A [`Kind::General`] joint at a point (u, u', λ). Matrices are column-major.
#[derive(Clone, Debug, Default)]
pub struct Evaluated {
    /// φ.
    pub phi: Vec<f64>,
    /// φ_u, constraints by rows.
    pub phi_u: Vec<f64>,
    /// φ_uu u' u'.
    pub curvature: Vec<f64>,
    /// f.
    pub force: Vec<f64>,
    /// (φ_uᵀ λ + f)_u.
    pub by_u: Vec<f64>,
    /// f_u'.
    pub by_rate: Vec<f64>,
}

impl Evaluated {
    /// Room for a law.
    pub fn new(law: &Law) -> Self {
        let (n, m) = (law.size(), law.constraints());
        Evaluated {
            phi: vec![0.0; m],
            phi_u: vec![0.0; m * n],
            curvature: vec![0.0; m],
            force: vec![0.0; n],
            by_u: vec![0.0; n * n],
            by_rate: vec![0.0; n * n],
        }
    }

    fn clear(&mut self) {
        let Evaluated { phi, phi_u, curvature, force, by_u, by_rate } = self;
        [phi, phi_u, curvature, force, by_u, by_rate].into_iter().for_each(|v| v.fill(0.0));
    }
}

impl Law {
    /// A revolute joint of planar frames, a spherical one of points in space, and so on.
    pub fn coincide(components: usize) -> Self {
        Law::Coincide { offset: vec![0.0; components] }
    }

    /// Number of relative coordinates.
    pub fn size(&self) -> usize {
        match self {
            Law::Coincide { offset } => offset.len(),
            Law::Bushing { stiffness, .. } => stiffness.len(),
            Law::Distance { dimension, .. } | Law::SpringDamper { dimension, .. } => *dimension,
            Law::Prismatic { .. } => 4,
            Law::Spatial(kind) => kind.size(),
        }
    }

    /// Number of constraints.
    pub fn constraints(&self) -> usize {
        match self {
            Law::Coincide { offset } => offset.len(),
            Law::Distance { .. } => 1,
            Law::Prismatic { .. } => 2,
            Law::Spatial(kind) => kind.constraints(),
            Law::Bushing { .. } | Law::SpringDamper { .. } => 0,
        }
    }

    /// Components that each port must have.
    pub fn port_size(&self) -> usize {
        match self {
            Law::Prismatic { .. } => 3,
            Law::Spatial(_) => Spatial::PORT,
            other => other.size(),
        }
    }

    /// How it is assembled.
    pub fn kind(&self) -> Kind {
        match self {
            Law::Coincide { .. } => Kind::Coincide,
            Law::Bushing { .. } => Kind::LinearForce,
            _ => Kind::General,
        }
    }

    /// The entries of U at end a (0) or b (1).
    pub fn terms(&self, side: usize) -> Vec<Term> {
        let sign = if side == 0 { 1.0 } else { -1.0 };
        match self {
            Law::Prismatic { .. } => vec![
                Term { row: 0, component: 0, sign },
                Term { row: 1, component: 1, sign },
                Term { row: 2 + side, component: 2, sign: 1.0 },
            ],
            Law::Spatial(kind) => kind.terms(side),
            other => (0..other.size()).map(|i| Term { row: i, component: i, sign }).collect(),
        }
    }

    /// What is wrong with the parameters, if anything: name, value, what is allowed.
    pub fn refused(&self) -> Option<(&'static str, String, &'static str)> {
        let finite = |name: &'static str, v: &[f64]| {
            let bad = v.iter().find(|v| !v.is_finite());
            bad.map(|v| (name, v.to_string(), "finite"))
        };
        let dimension = |d: usize| (!(1..=3).contains(&d)).then(|| ("dimension", d.to_string(), "1 to 3"));
        match self {
            Law::Coincide { offset } if offset.is_empty() => Some(("components", "0".into(), "> 0")),
            Law::Coincide { offset } => finite("offset", offset),
            Law::Bushing { stiffness, damping, rest } => {
                if stiffness.is_empty() || damping.len() != stiffness.len() || rest.len() != stiffness.len() {
                    return Some((
                        "stiffness, damping, rest",
                        format!("{}, {}, {} entries", stiffness.len(), damping.len(), rest.len()),
                        "one of each for every component",
                    ));
                }
                finite("stiffness", stiffness)
                    .or_else(|| finite("damping", damping))
                    .or_else(|| finite("rest", rest))
            }
            Law::Distance { dimension: d, length } => dimension(*d).or_else(|| {
                (!(*length > 0.0 && length.is_finite())).then(|| ("length", length.to_string(), "> 0"))
            }),
            Law::Prismatic { direction, offset, angle } => {
                finite("direction, offset, angle", &[*direction, *offset, *angle])
            }
            Law::Spatial(_) => None,
            Law::SpringDamper { dimension: d, stiffness, damping, length } => dimension(*d)
                .or_else(|| finite("stiffness, damping, length", &[*stiffness, *damping, *length])),
        }
    }

    /// k and c of a component of a [`Kind::LinearForce`] joint.
    pub fn linear(&self, component: usize) -> (f64, f64, f64) {
        match self {
            Law::Bushing { stiffness, damping, rest } => {
                (stiffness[component], damping[component], rest[component])
            }
            _ => (0.0, 0.0, 0.0),
        }
    }

    /// A [`Kind::General`] joint at (u, u', λ); false if it cannot be evaluated there.
    pub fn evaluate(&self, u: &[f64], rate: &[f64], lambda: &[f64], out: &mut Evaluated) -> bool {
        out.clear();
        match *self {
            Law::Distance { dimension: n, length } => {
                let square: f64 = u.iter().map(|u| u * u).sum();
                out.phi[0] = 0.5 * (square - length * length);
                out.phi_u.copy_from_slice(u);
                out.curvature[0] = rate.iter().map(|v| v * v).sum();
                (0..n).for_each(|i| out.by_u[i * (n + 1)] = lambda[0]);
                true
            }
            Law::Prismatic { direction, offset, angle } => {
                let (s, c) = (u[2] + direction).sin_cos();
                let (across, along) = (c * u[1] - s * u[0], c * u[0] + s * u[1]);
                // φ1 = n(θ_a)·(r_b - r_a) - offset with u = (r_a - r_b, θ_a, θ_b); n' = -t, n'' = -n.
                (out.phi[0], out.phi[1]) = (-across - offset, u[3] - u[2] - angle);
                out.phi_u.copy_from_slice(&[s, 0.0, -c, 0.0, along, -1.0, 0.0, 1.0]);
                out.curvature[0] = across * rate[2] * rate[2] + 2.0 * rate[2] * (c * rate[0] + s * rate[1]);
                let second = [(0, 2, c), (2, 0, c), (1, 2, s), (2, 1, s), (2, 2, across)];
                second.iter().for_each(|&(i, j, h)| out.by_u[i + 4 * j] = lambda[0] * h);
                true
            }
            Law::Spatial(kind) => {
                kind.evaluate(u, rate, lambda, out);
                true
            }
            Law::SpringDamper { dimension: n, stiffness, damping, length } => {
                let l = u.iter().map(|u| u * u).sum::<f64>().sqrt();
                if l <= 0.0 {
                    return false; // no direction
                }
                let stretch: f64 = u.iter().zip(rate).map(|(u, v)| u / l * v).sum();
                let size = stiffness * (l - length) + damping * stretch;
                for i in 0..n {
                    out.force[i] = size * u[i] / l;
                    for j in 0..n {
                        let (ei, ej) = (u[i] / l, u[j] / l);
                        let across = f64::from(u8::from(i == j)) - ei * ej;
                        let turning = damping * ei * (rate[j] - stretch * ej) / l;
                        out.by_u[i + n * j] = stiffness * ei * ej + size / l * across + turning;
                        out.by_rate[i + n * j] = damping * ei * ej;
                    }
                }
                true
            }
            Law::Coincide { .. } | Law::Bushing { .. } => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// φ_u, second derivatives and force derivatives against central differences.
    #[test]
    fn derivatives_of_the_general_laws() {
        let laws = [
            Law::Distance { dimension: 3, length: 1.3 },
            Law::Prismatic { direction: 0.4, offset: 0.1, angle: -0.2 },
            Law::Spatial(Spatial::Revolute),
            Law::Spatial(Spatial::Cylindrical),
            Law::Spatial(Spatial::Prismatic),
            Law::Spatial(Spatial::Universal),
            Law::Spatial(Spatial::Fixed),
            Law::SpringDamper { dimension: 2, stiffness: 30.0, damping: 2.0, length: 0.7 },
        ];
        for law in laws {
            let (n, m) = (law.size(), law.constraints());
            let u: Vec<f64> = (0..n).map(|i| (0.3 + 0.4 * i as f64 - 0.15 * (i * i) as f64).sin()).collect();
            let rate: Vec<f64> = (0..n).map(|i| -0.5 + 0.35 * i as f64).collect();
            let lambda: Vec<f64> = (0..m).map(|i| 1.7 - 0.6 * i as f64).collect();
            let at = |u: &[f64], rate: &[f64]| {
                let mut e = Evaluated::new(&law);
                assert!(law.evaluate(u, rate, &lambda, &mut e));
                let total: Vec<f64> = (0..n)
                    .map(|i| e.force[i] + (0..m).map(|k| e.phi_u[k + m * i] * lambda[k]).sum::<f64>())
                    .collect();
                (e, total)
            };
            let (here, _) = at(&u, &rate);
            let step = 1e-6;
            for j in 0..n {
                let moved = |v: &[f64], d: f64| {
                    let mut v = v.to_vec();
                    v[j] += d;
                    v
                };
                let (plus, minus) = (at(&moved(&u, step), &rate), at(&moved(&u, -step), &rate));
                let (faster, slower) = (at(&u, &moved(&rate, step)), at(&u, &moved(&rate, -step)));
                for k in 0..m {
                    let slope = (plus.0.phi[k] - minus.0.phi[k]) / (2.0 * step);
                    assert!((here.phi_u[k + m * j] - slope).abs() < 1e-8, "{law:?} phi_u {k} {j}");
                }
                for i in 0..n {
                    let slope = (plus.1[i] - minus.1[i]) / (2.0 * step);
                    assert!((here.by_u[i + n * j] - slope).abs() < 1e-6, "{law:?} by_u {i} {j}");
                    let slope = (faster.1[i] - slower.1[i]) / (2.0 * step);
                    assert!((here.by_rate[i + n * j] - slope).abs() < 1e-6, "{law:?} by_rate {i} {j}");
                }
            }
            // φ_uu u' u' is the second derivative of φ along u + s u' with constant u'.
            for k in 0..m {
                let along = |s: f64| {
                    let moved: Vec<f64> = u.iter().zip(&rate).map(|(u, v)| u + s * v).collect();
                    at(&moved, &rate).0.phi[k]
                };
                let s = 1e-4;
                let second = (along(s) - 2.0 * along(0.0) + along(-s)) / (s * s);
                assert!((here.curvature[k] - second).abs() < 1e-6, "{law:?} {} {second}", here.curvature[k]);
            }
        }
    }
}
