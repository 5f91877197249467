//! Planted slips: twelve models of the library, each row spoilt as a user might spoil it.

use super::geared::{Forgotten, Geared};
use geoms::check::{Slip, Term};
use geoms::layout::{Dimensions, Form, Layout};
use geoms::options::MassStructure;
use geoms::system::{JacobianBlocks, Outcome, Parts, System};
use geoms_problems::{self as testset, Options as Of, Problem};

/// What is done to the rows: the right ones come in, with the point and an oracle for other points.
pub type Spoil = fn(&mut Spoilt, f64, &[f64], &mut [f64]);
/// What is done to the mass matrix.
pub type SpoilMass = fn(&Layout, &[f64], &mut [f64]);

/// A model with a slip.
pub struct Spoilt {
    pub inner: Box<dyn System + Send>,
    pub l: Layout,
    rows: Option<Spoil>,
    mass: Option<SpoilMass>,
    jac: Option<fn(&Layout, &mut JacobianBlocks)>,
    jacobian: bool,
}

impl Spoilt {
    /// A model whose rows are spoilt, without a Jacobian.
    pub fn rows(inner: Box<dyn System + Send>, spoil: Spoil) -> Self {
        let l = Layout::new(inner.dimensions(), inner.form());
        Spoilt { inner, l, rows: Some(spoil), mass: None, jac: None, jacobian: false }
    }

    /// The right rows elsewhere.
    pub fn right(&mut self, t: f64, x: &[f64]) -> Vec<f64> {
        let mut rda = vec![0.0; self.l.m];
        let _ = self.inner.eom(t, x, &mut rda);
        rda
    }

    /// Rate of all right rows along (dt, dp, dv), by differences.
    pub fn rate(&mut self, t: f64, x: &[f64], dt: f64, dp: &[f64], dv: &[f64]) -> Vec<f64> {
        let l = self.l;
        let tau = 1e-4;
        let mut at = |step: f64| {
            let mut y = x.to_vec();
            l.x.p.of_mut(&mut y).iter_mut().zip(dp).for_each(|(y, d)| *y += step * d);
            l.x.v.of_mut(&mut y).iter_mut().zip(dv).for_each(|(y, d)| *y += step * d);
            self.right(t + step * dt, &y)
        };
        let (a, b, c, d) = (at(tau), at(-tau), at(2.0 * tau), at(-2.0 * tau));
        (0..l.m).map(|i| (8.0 * (a[i] - b[i]) - (c[i] - d[i])) / (12.0 * tau)).collect()
    }

    /// f_kin and zero accelerations.
    pub fn motion(&self, rda: &[f64]) -> (Vec<f64>, Vec<f64>) {
        (self.l.rda.f_kin.of(rda).to_vec(), vec![0.0; self.l.dims.nv])
    }
}

impl System for Spoilt {
    fn dimensions(&self) -> Dimensions {
        self.l.dims
    }
    fn form(&self) -> Form {
        self.l.form
    }
    fn eom(&mut self, t: f64, x: &[f64], rda: &mut [f64]) -> Outcome {
        let outcome = self.inner.eom(t, x, rda);
        if let Some(spoil) = self.rows {
            spoil(self, t, x, rda);
        }
        outcome
    }
    fn mass(&mut self, t: f64, x: &[f64], mass: &mut [f64]) -> Outcome {
        let outcome = self.inner.mass(t, x, mass);
        if let Some(spoil) = self.mass {
            spoil(&self.l, x, mass);
        }
        outcome
    }
    fn has_jacobian(&self) -> bool {
        self.jacobian
    }
    fn jacobian(&mut self, t: f64, x: &[f64], fx: &mut JacobianBlocks) -> Outcome {
        let outcome = self.inner.jacobian(t, x, fx);
        if let Some(spoil) = self.jac {
            spoil(&self.l, fx);
        }
        outcome
    }
    fn parts(&mut self, t: f64, x: &[f64], parts: Parts<'_>) -> Option<Outcome> {
        self.inner.parts(t, x, parts)
    }
}

/// What is planted.
#[derive(Clone, Copy)]
pub enum Plant {
    Rows(Spoil),
    /// The same of a model with its invariants.
    Invariant(Spoil),
    Mass(SpoilMass),
    Jac(fn(&Layout, &mut JacobianBlocks)),
    Structure(MassStructure),
    /// A constraint more.
    Unit,
    /// A model with Z.
    Geared(Forgotten),
}

/// A slip and the name it must be given: the block of the row, and the explanation.
pub struct Case {
    pub model: &'static str,
    pub name: &'static str,
    pub form: Form,
    pub plant: Plant,
    pub block: &'static str,
    pub expect: fn(Option<Slip>) -> bool,
}

impl Case {
    pub fn problem(&self) -> Problem {
        testset::by_name(self.model).expect(self.model)
    }

    pub fn structure(&self) -> MassStructure {
        match self.plant {
            Plant::Structure(s) => s,
            _ => self.problem().mass,
        }
    }

    pub fn system(&self) -> Box<dyn System + Send> {
        let problem = self.problem();
        if matches!(self.plant, Plant::Unit) {
            return Box::new(super::quaternion::WithUnit::new(problem.system(self.form, false)));
        }
        if let Plant::Geared(what) = self.plant {
            return Box::new(Geared(Some(what)));
        }
        let jacobian = matches!(self.plant, Plant::Jac(_));
        let invariants = matches!(self.plant, Plant::Invariant(_));
        let inner = problem.system_with(Of { invariants, ..Of::new(self.form, jacobian) });
        let l = Layout::new(inner.dimensions(), self.form);
        let mut spoilt = Spoilt { inner, l, rows: None, mass: None, jac: None, jacobian };
        match self.plant {
            Plant::Rows(f) | Plant::Invariant(f) => spoilt.rows = Some(f),
            Plant::Mass(f) => spoilt.mass = Some(f),
            Plant::Jac(f) => spoilt.jac = Some(f),
            Plant::Structure(_) | Plant::Unit | Plant::Geared(_) => {}
        }
        Box::new(spoilt)
    }
}

fn gi(s: &Spoilt) -> usize {
    s.l.rda.g_velocity.start
}
fn gii(s: &Spoilt) -> usize {
    s.l.rda.g_acceleration.start
}

/// gI(1) times a factor.
fn gi_factor<const TENTHS: i32>(s: &mut Spoilt, _t: f64, _x: &[f64], rda: &mut [f64]) {
    rda[gi(s)] *= f64::from(TENTHS) / 10.0;
}
fn gii_factor<const TENTHS: i32>(s: &mut Spoilt, _t: f64, _x: &[f64], rda: &mut [f64]) {
    rda[gii(s)] *= f64::from(TENTHS) / 10.0;
}
fn hi_factor<const TENTHS: i32>(s: &mut Spoilt, _t: f64, _x: &[f64], rda: &mut [f64]) {
    rda[s.l.rda.h_acceleration.start] *= f64::from(TENTHS) / 10.0;
}
/// gI without its partial time derivative.
fn gi_time(s: &mut Spoilt, t: f64, x: &[f64], rda: &mut [f64]) {
    let (np, nv) = (s.l.dims.np, s.l.dims.nv);
    let rate = s.rate(t, x, 1.0, &vec![0.0; np], &vec![0.0; nv]);
    rda[gi(s)] -= rate[s.l.rda.g.start];
}
fn gi_exchanged(s: &mut Spoilt, _t: f64, _x: &[f64], rda: &mut [f64]) {
    let at = gi(s);
    rda.swap(at, at + 1);
}
/// gI without what p(1) contributes.
fn gi_position(s: &mut Spoilt, t: f64, x: &[f64], rda: &mut [f64]) {
    let (mut pd, zero) = s.motion(rda);
    pd[1..].fill(0.0);
    let rate = s.rate(t, x, 0.0, &pd, &zero);
    rda[gi(s)] -= rate[s.l.rda.g.start];
}
/// The velocity term of gII times 1 - k: k = 1 forgets it, 2 turns its sign.
fn gii_moving<const HALVES: i32>(s: &mut Spoilt, t: f64, x: &[f64], rda: &mut [f64]) {
    let (pd, zero) = s.motion(rda);
    let rate = s.rate(t, x, 0.0, &pd, &zero);
    rda[gii(s)] -= 0.5 * f64::from(HALVES) * rate[gi(s)];
}
fn hi_moving<const HALVES: i32>(s: &mut Spoilt, t: f64, x: &[f64], rda: &mut [f64]) {
    let (pd, zero) = s.motion(rda);
    let rate = s.rate(t, x, 0.0, &pd, &zero);
    rda[s.l.rda.h_acceleration.start] -= 0.5 * f64::from(HALVES) * rate[s.l.rda.h.start];
}
fn gii_time(s: &mut Spoilt, t: f64, x: &[f64], rda: &mut [f64]) {
    let (np, nv) = (s.l.dims.np, s.l.dims.nv);
    let rate = s.rate(t, x, 1.0, &vec![0.0; np], &vec![0.0; nv]);
    rda[gii(s)] -= rate[gi(s)];
}
/// gII without v'.
fn gii_acceleration(s: &mut Spoilt, t: f64, x: &[f64], rda: &mut [f64]) {
    let (pd, zero) = s.motion(rda);
    let rate = s.rate(t, x, 1.0, &pd, &zero);
    for (row, of) in s.l.rda.g_acceleration.range().zip(s.l.rda.g_velocity.range()) {
        rda[row] = rate[of];
    }
}
fn hi_acceleration(s: &mut Spoilt, t: f64, x: &[f64], rda: &mut [f64]) {
    let (pd, zero) = s.motion(rda);
    let rate = s.rate(t, x, 1.0, &pd, &zero);
    for (row, of) in s.l.rda.h_acceleration.range().zip(s.l.rda.h.range()) {
        rda[row] = rate[of];
    }
}
/// gII and hI with f_dyn in the place of M⁻¹ f_dyn.
fn gii_without_mass(s: &mut Spoilt, t: f64, x: &[f64], rda: &mut [f64]) {
    let (pd, _) = s.motion(rda);
    let force = s.l.rda.f_dyn.of(rda).to_vec();
    let rate = s.rate(t, x, 1.0, &pd, &force);
    for (row, of) in s.l.rda.g_acceleration.range().zip(s.l.rda.g_velocity.range()) {
        rda[row] = rate[of];
    }
}
/// gII with v' from the applied forces alone.
fn gii_without_multipliers(s: &mut Spoilt, t: f64, x: &[f64], rda: &mut [f64]) {
    let mut free = x.to_vec();
    s.l.x.multipliers.of_mut(&mut free).fill(0.0);
    let right = s.right(t, &free);
    rda[gii(s)] = right[gii(s)];
}
fn gii_exchanged(s: &mut Spoilt, _t: f64, _x: &[f64], rda: &mut [f64]) {
    let at = gii(s);
    rda.swap(at, at + 1);
}
/// Multipliers in f_dyn times a factor.
fn force_factor<const TENTHS: i32>(s: &mut Spoilt, t: f64, x: &[f64], rda: &mut [f64]) {
    let mut free = x.to_vec();
    s.l.x.multipliers.of_mut(&mut free).fill(0.0);
    let right = s.right(t, &free);
    for row in s.l.rda.f_dyn.range() {
        rda[row] = right[row] + f64::from(TENTHS) / 10.0 * (rda[row] - right[row]);
    }
}
/// Multipliers missing in the row of f_dyn in which they are largest.
fn force_row(s: &mut Spoilt, t: f64, x: &[f64], rda: &mut [f64]) {
    let mut free = x.to_vec();
    s.l.x.multipliers.of_mut(&mut free).fill(0.0);
    let right = s.right(t, &free);
    rda[s.l.rda.f_dyn.start] = right[s.l.rda.f_dyn.start];
}
fn force_row_sign(s: &mut Spoilt, t: f64, x: &[f64], rda: &mut [f64]) {
    let mut free = x.to_vec();
    s.l.x.multipliers.of_mut(&mut free).fill(0.0);
    let right = s.right(t, &free);
    let row = s.l.rda.f_dyn.start;
    rda[row] = 2.0 * right[row] - rda[row];
}
fn exchanged_levels(s: &mut Spoilt, _t: f64, _x: &[f64], rda: &mut [f64]) {
    let (a, b) = (gi(s), s.l.rda.g.start);
    rda.swap(a, b);
}
fn kinematic_sign(s: &mut Spoilt, _t: f64, _x: &[f64], rda: &mut [f64]) {
    let row = s.l.rda.f_kin.end - 1;
    rda[row] = -rda[row];
}
fn kinematic_square(s: &mut Spoilt, _t: f64, x: &[f64], rda: &mut [f64]) {
    let v = s.l.x.v.of(x)[0];
    rda[s.l.rda.f_kin.start] += 0.1 * v * v;
}
fn kinematic_multiplier(s: &mut Spoilt, _t: f64, x: &[f64], rda: &mut [f64]) {
    rda[s.l.rda.f_kin.start] += x[s.l.x.multipliers.start];
}
fn position_factor(s: &mut Spoilt, _t: f64, x: &[f64], rda: &mut [f64]) {
    let p = s.l.x.p.of(x)[0];
    rda[s.l.rda.g.start] += 0.3 * p;
}
/// e with another kinetic energy, and with another potential.
fn invariant_kinetic(s: &mut Spoilt, _t: f64, x: &[f64], rda: &mut [f64]) {
    let (scale, v) = (rda[s.l.rda.e.start].abs() + 1.0, s.l.x.v.of(x)[0]);
    rda[s.l.rda.e.start] += 0.1 * scale * v * v / (1.0 + v * v);
}
fn invariant_potential(s: &mut Spoilt, _t: f64, x: &[f64], rda: &mut [f64]) {
    rda[s.l.rda.e.start] += s.l.x.p.of(x)[0];
}
fn mass_factor(_l: &Layout, _x: &[f64], mass: &mut [f64]) {
    mass.iter_mut().for_each(|m| *m *= 2.0);
}
fn mass_first(_l: &Layout, _x: &[f64], mass: &mut [f64]) {
    mass[0] *= 1.5;
}
fn mass_negative(_l: &Layout, _x: &[f64], mass: &mut [f64]) {
    mass[0] = -mass[0];
}
fn mass_zero_last(l: &Layout, _x: &[f64], mass: &mut [f64]) {
    mass[l.dims.nv * l.dims.nv - 1] = 0.0;
}
fn mass_asymmetric(l: &Layout, _x: &[f64], mass: &mut [f64]) {
    mass[1] += 0.1 * mass[0].max(mass[l.dims.nv + 1]);
}
fn mass_off_diagonal(l: &Layout, _x: &[f64], mass: &mut [f64]) {
    let more = 0.1 * mass[0].min(mass[l.dims.nv + 1]);
    mass[1] += more;
    mass[l.dims.nv] += more;
}
fn mass_moving(l: &Layout, x: &[f64], mass: &mut [f64]) {
    mass[0] *= 1.0 + 0.1 * l.x.p.of(x)[0].sin();
}
fn mass_of_velocity(l: &Layout, x: &[f64], mass: &mut [f64]) {
    mass[0] *= 1.0 + 0.01 * l.x.v.of(x)[0].sin();
}
fn jac_sign<const BLOCK: usize>(_l: &Layout, fx: &mut JacobianBlocks) {
    fx.fx[BLOCK].iter_mut().for_each(|v| *v = -*v);
}
fn jac_entry(l: &Layout, fx: &mut JacobianBlocks) {
    fx.fx[4][l.x.v.start * l.dims.nv] += 3.0;
}
fn jac_transposed(_l: &Layout, fx: &mut JacobianBlocks) {
    let (m, n) = fx.shape[2];
    let old = fx.fx[2].clone();
    for i in 0..m {
        for j in 0..n {
            fx.fx[2][j + i * n] = old[i + j * m];
        }
    }
}

const FREE: Form = Form::StrangenessFree;
const ONE: Form = Form::Index1;

fn is_factor(slip: Option<Slip>, value: f64) -> bool {
    matches!(slip, Some(Slip::Factor(f)) if (f - value).abs() < 1e-4)
}

macro_rules! cases {
    ($( $model:literal $form:ident $name:literal : $plant:expr => $block:literal $pattern:expr ; )*) => {
        vec![$( Case { model: $model, name: $name, form: $form, plant: $plant, block: $block, expect: $pattern } ),*]
    };
}

/// All of them.
#[allow(clippy::too_many_lines)] // a table
pub fn cases() -> Vec<Case> {
    use Plant::Geared as With;
    use Plant::{Invariant, Jac, Mass, Rows, Structure, Unit};
    let sign: fn(Option<Slip>) -> bool = |s| s == Some(Slip::Sign);
    let double: fn(Option<Slip>) -> bool = |s| is_factor(s, 2.0);
    let half: fn(Option<Slip>) -> bool = |s| is_factor(s, 0.5);
    let moving: fn(Option<Slip>) -> bool = |s| s == Some(Slip::Missing(Term::MovingMatrix));
    let moving_sign: fn(Option<Slip>) -> bool = |s| s == Some(Slip::SignOf(Term::MovingMatrix));
    let moving_half: fn(Option<Slip>) -> bool = |s| s == Some(Slip::FactorOf(Term::MovingMatrix, 0.5));
    let speeding: fn(Option<Slip>) -> bool = |s| s == Some(Slip::Missing(Term::Acceleration));
    let no_mass: fn(Option<Slip>) -> bool = |s| s == Some(Slip::ForgottenInverseMass);
    let no_force: fn(Option<Slip>) -> bool = |s| s == Some(Slip::Missing(Term::ConstraintForces));
    let time: fn(Option<Slip>) -> bool = |s| s == Some(Slip::Missing(Term::Time));
    let not_set: fn(Option<Slip>) -> bool = |s| s == Some(Slip::NotSet);
    let other: fn(Option<Slip>) -> bool = |s| matches!(s, Some(Slip::OtherRow(_)));
    let absent: fn(Option<Slip>) -> bool = |s| s == Some(Slip::MultiplierMissing);
    let first: fn(Option<Slip>) -> bool = |s| matches!(s, Some(Slip::Missing(Term::Position(0))));
    let twice_mass: fn(Option<Slip>) -> bool =
        |s| matches!(s, Some(Slip::MassFactor(f)) if (f - 2.0).abs() < 1e-4);
    let entry: fn(Option<Slip>) -> bool = |s| matches!(s, Some(Slip::MassEntry(0, _)));
    let negative: fn(Option<Slip>) -> bool = |s| s == Some(Slip::NegativeMass);
    let level: fn(Option<Slip>) -> bool = |s| s == Some(Slip::VelocityLevelInPlace);
    let asymmetric: fn(Option<Slip>) -> bool = |s| s == Some(Slip::NotSymmetric);
    let not_diagonal: fn(Option<Slip>) -> bool = |s| s == Some(Slip::NotDiagonal);
    let not_constant: fn(Option<Slip>) -> bool = |s| s == Some(Slip::NotConstant);
    let linear: fn(Option<Slip>) -> bool = |s| s == Some(Slip::NotLinear);
    let forbidden: fn(Option<Slip>) -> bool = |s| matches!(s, Some(Slip::ForbiddenDependence(_)));
    let position: fn(Option<Slip>) -> bool = |s| s == Some(Slip::PositionLevel);
    let varies: fn(Option<Slip>) -> bool = |s| s == Some(Slip::NotInvariant);
    let zero: fn(Option<Slip>) -> bool =
        |s| matches!(s, Some(Slip::ZeroMass(_) | Slip::SingularMass | Slip::MassEntry(..)));
    cases! {
        "pendulum-2.8" FREE "gI sign": Rows(gi_factor::<-10>) => "gI" sign;
        "pendulum-2.8" FREE "gI twice": Rows(gi_factor::<20>) => "gI" double;
        "pendulum-2.8" FREE "gI half": Rows(gi_factor::<5>) => "gI" half;
        "pendulum-2.8" FREE "gI by 1.7": Rows(gi_factor::<17>) => "gI" |s| is_factor(s, 1.7);
        "pendulum-2.8" FREE "gI without p1": Rows(gi_position) => "gI" first;
        "pendulum-2.8" FREE "gII without velocity term": Rows(gii_moving::<2>) => "gII" moving;
        "pendulum-2.8" FREE "gII velocity term negative": Rows(gii_moving::<4>) => "gII" moving_sign;
        "pendulum-2.8" FREE "gII half the velocity term": Rows(gii_moving::<1>) => "gII" moving_half;
        "pendulum-2.8" FREE "gII sign": Rows(gii_factor::<-10>) => "gII" sign;
        "pendulum-2.8" FREE "gII without v'": Rows(gii_acceleration) => "gII" speeding;
        "pendulum-2.8" FREE "gII without multipliers": Rows(gii_without_multipliers) => "gII" no_force;
        "pendulum-2.8" FREE "f_dyn multiplier missing": Rows(force_row) => "f_dyn" absent;
        "pendulum-2.8" FREE "f_dyn sign": Rows(force_factor::<-10>) => "f_dyn" sign;
        "pendulum-2.8" FREE "f_dyn half": Rows(force_factor::<5>) => "f_dyn" half;
        "pendulum-2.8" FREE "f_dyn row sign": Rows(force_row_sign) => "f_dyn" sign;
        "pendulum-2.8" FREE "mass twice": Mass(mass_factor) => "gII" twice_mass;
        "pendulum-2.8" FREE "mass negative": Mass(mass_negative) => "M" negative;
        "pendulum-2.8" FREE "mass not diagonal": Mass(mass_off_diagonal) => "M" not_diagonal;
        "pendulum-2.8" FREE "mass not symmetric": Mass(mass_asymmetric) => "M" asymmetric;
        "pendulum-2.8" FREE "mass moves": Mass(mass_moving) => "M" not_constant;
        "pendulum-2.8" FREE "g and gI exchanged": Rows(exchanged_levels) => "g" level;
        "pendulum-2.8" FREE "f_kin not linear": Rows(kinematic_square) => "f_kin" linear;
        "pendulum-2.8" FREE "g wrong": Rows(position_factor) => "g" position;
        "pendulum-2.8" FREE "JAC sign": Jac(jac_sign::<2>) => "g" |s| s == Some(Slip::JacobianSign(3));
        "pendulum-2.8" FREE "JAC entry": Jac(jac_entry) => "f_dyn" |_| true;
        "pendulum-2.8" ONE "gI sign, form 1": Rows(gi_factor::<-10>) => "gI" sign;
        "pendulum-2.8" ONE "multiplier missing, form 1": Rows(force_row) => "f_dyn" absent;
        "pendulum-2.8" ONE "f_dyn twice, form 1": Rows(force_factor::<20>) => "f_dyn" double;

        "double-pendulum" FREE "gI sign": Rows(gi_factor::<-10>) => "gI" sign;
        "double-pendulum" FREE "gII without velocity term": Rows(gii_moving::<2>) => "gII" moving;
        "double-pendulum" FREE "gII rows exchanged": Rows(gii_exchanged) => "gII" other;
        "double-pendulum" FREE "gI rows exchanged": Rows(gi_exchanged) => "gI" other;
        "double-pendulum" FREE "f_dyn multiplier missing": Rows(force_row) => "f_dyn" absent;
        "double-pendulum" FREE "gII without v'": Rows(gii_acceleration) => "gII" speeding;
        "double-pendulum" FREE "mass negative": Mass(mass_negative) => "M" negative;
        "double-pendulum" FREE "g depends on v": Rows(exchanged_levels) => "g" level;

        "andrews" FREE "gI sign": Rows(gi_factor::<-10>) => "gI" sign;
        "andrews" FREE "gI rows exchanged": Rows(gi_exchanged) => "gI" other;
        "andrews" FREE "gII without velocity term": Rows(gii_moving::<2>) => "gII" moving;
        "andrews" FREE "gII twice": Rows(gii_factor::<20>) => "gII" double;
        "andrews" FREE "gII without mass": Rows(gii_without_mass) => "gII" no_mass;
        "andrews" FREE "gII without multipliers": Rows(gii_without_multipliers) => "gII" no_force;
        "andrews" FREE "f_dyn sign": Rows(force_factor::<-10>) => "f_dyn" sign;
        "andrews" FREE "mass twice": Mass(mass_factor) => "gII" twice_mass;
        "andrews" FREE "mass(1,1)": Mass(mass_first) => "gII" entry;
        "andrews" FREE "mass not symmetric": Mass(mass_asymmetric) => "M" asymmetric;
        "andrews" FREE "mass said constant": Structure(MassStructure::ConstantFull) => "M" not_constant;
        "andrews" FREE "mass said diagonal": Structure(MassStructure::Diagonal) => "M" not_diagonal;
        "andrews" FREE "e kinetic": Invariant(invariant_kinetic) => "e" varies;
        "andrews" FREE "e potential": Invariant(invariant_potential) => "e" varies;
        "double-pendulum" FREE "e kinetic": Invariant(invariant_kinetic) => "e" varies;
        "double-pendulum" ONE "e potential, form 1": Invariant(invariant_potential) => "e" varies;
        "andrews" FREE "JAC transposed": Jac(jac_transposed) => "g" |s| s == Some(Slip::JacobianTransposed(3));
        "andrews" FREE "JAC sign": Jac(jac_sign::<1>) => "gI" |s| s == Some(Slip::JacobianSign(2));

        "car-axis" FREE "gI not set": Rows(gi_factor::<0>) => "gI" not_set;
        "car-axis" FREE "gII not set": Rows(gii_factor::<0>) => "gII" not_set;
        "car-axis" FREE "gI without time": Rows(gi_time) => "gI" time;
        "car-axis" FREE "gI sign": Rows(gi_factor::<-10>) => "gI" sign;
        "car-axis" FREE "gII without time": Rows(gii_time) => "gII" time;
        "car-axis" FREE "gII without velocity term": Rows(gii_moving::<2>) => "gII" moving;
        "car-axis" FREE "f_dyn half": Rows(force_factor::<5>) => "f_dyn" half;
        "car-axis" ONE "gI without time, form 1": Rows(gi_time) => "gI" time;

        "knife-edge" FREE "hI without velocity term": Rows(hi_moving::<2>) => "hI" moving;
        "knife-edge" FREE "hI velocity term negative": Rows(hi_moving::<4>) => "hI" moving_sign;
        "knife-edge" FREE "hI not set": Rows(hi_factor::<0>) => "hI" not_set;
        "knife-edge" FREE "hI sign": Rows(hi_factor::<-10>) => "hI" sign;
        "knife-edge" FREE "hI without v'": Rows(hi_acceleration) => "hI" speeding;
        "knife-edge" FREE "f_dyn multiplier missing": Rows(force_row) => "f_dyn" absent;
        "knife-edge" FREE "mass twice": Mass(mass_factor) => "hI" twice_mass;
        "knife-edge" ONE "f_dyn sign, form 1": Rows(force_factor::<-10>) => "f_dyn" sign;

        "upright-disk" FREE "hI half the velocity term": Rows(hi_moving::<1>) => "hI" moving_half;
        "upright-disk" FREE "mass(1,1)": Mass(mass_first) => "hI" entry;
        "upright-disk" FREE "mass zero": Mass(mass_zero_last) => "M" zero;
        "upright-disk" FREE "f_dyn twice": Rows(force_factor::<20>) => "f_dyn" double;

        "rotating-rod" FREE "gI without time": Rows(gi_time) => "gI" time;
        "rotating-rod" FREE "gII without v'": Rows(gii_acceleration) => "gII" speeding;
        "rotating-rod" FREE "f_dyn sign": Rows(force_factor::<-10>) => "f_dyn" sign;
        "rotating-rod" FREE "gI twice": Rows(gi_factor::<20>) => "gI" double;

        "top-nutating" FREE "gI sign": Rows(gi_factor::<-10>) => "gI" sign;
        "top-nutating" FREE "gII without velocity term": Rows(gii_moving::<2>) => "gII" moving;
        "top-nutating" FREE "f_dyn sign": Rows(force_factor::<-10>) => "f_dyn" sign;
        "top-nutating" FREE "f_kin sign": Rows(kinematic_sign) => "gI" |s| matches!(s, Some(Slip::Kinematics(_)));
        "top-nutating" FREE "f_kin with multiplier": Rows(kinematic_multiplier) => "f_kin" forbidden;
        "top-nutating" FREE "|q| = 1 as a constraint": Unit => "g" |s| s == Some(Slip::AlreadyConserved);
        "top-nutating" FREE "mass of v": Mass(mass_of_velocity) => "M" |s| matches!(s, Some(Slip::ForbiddenDependence(_) | Slip::NotConstant));

        "leaning-disk" FREE "hI sign": Rows(hi_factor::<-10>) => "hI" sign;
        "leaning-disk" FREE "f_dyn row sign": Rows(force_row_sign) => "f_dyn" sign;
        "leaning-disk" FREE "hI without velocity term": Rows(hi_moving::<2>) => "hI" moving;

        "slider-crank" FREE "gI rows exchanged": Rows(gi_exchanged) => "gI" other;
        "slider-crank" FREE "gII without velocity term": Rows(gii_moving::<2>) => "gII" |s| s.is_some();
        "slider-crank" FREE "mass twice": Mass(mass_factor) => "gII" twice_mass;
        "slider-crank" FREE "f_dyn multiplier missing": Rows(force_row) => "f_dyn" absent;

        "chain-10" FREE "gI half": Rows(gi_factor::<5>) => "gI" half;
        "chain-10" FREE "gII without mass": Rows(gii_without_mass) => "gII" no_mass;
        "chain-10" FREE "f_dyn multiplier missing": Rows(force_row) => "f_dyn" absent;
        "chain-10" FREE "mass negative": Mass(mass_negative) => "M" negative;

        "truck-physical" FREE "gI sign": Rows(gi_factor::<-10>) => "gI" sign;
        "truck-physical" FREE "f_dyn sign": Rows(force_factor::<-10>) => "f_dyn" sign;
        "truck-physical" FREE "gII without v'": Rows(gii_acceleration) => "gII" speeding;

        "leaning-disk" FREE "hI half": Rows(hi_factor::<5>) => "hI" half;
        "pendulum-2.8" FREE "gI without Z": With(Forgotten::InGi) => "gI" |s| s == Some(Slip::ForgottenZ);
        "pendulum-2.8" FREE "f_dyn without Z^T": With(Forgotten::Transposed) => "f_dyn" |s| s == Some(Slip::ForgottenZTransposed);
        "pendulum-2.8" FREE "gII without Z": With(Forgotten::InGii) => "gII" |s| s.is_some();
    }
}
