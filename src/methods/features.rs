//! What each method does of all that a model can ask for: one declaration per method. The table in the README and in the
//! reference is made from it, the common tests take from it what has to hold, and a run that asks for what its method does
//! not do is told so at the start ([`cautions`]).

use crate::layout::{Dimensions, Form};
use crate::options::{MethodKind, Options};

/// How far a method does something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Support {
    /// Always.
    Yes,
    /// Not at all: it is ignored, or refused with the code of a wrong argument.
    No,
    /// Under the condition named.
    If(&'static str),
}

impl Support {
    /// True if it is done in this formulation, with the options that the condition names.
    pub fn with(self, form: Form) -> bool {
        match self {
            Support::Yes => true,
            Support::No => false,
            Support::If(condition) => form == Form::StrangenessFree || !condition.contains("FORM=0"),
        }
    }

    /// In a table.
    pub fn text(self) -> &'static str {
        match self {
            Support::Yes => "yes",
            Support::No => "no",
            Support::If(condition) => condition,
        }
    }
}

/// What a method does.
#[derive(Clone, Copy, Debug)]
pub struct Features {
    /// The method.
    pub kind: MethodKind,
    /// Its name.
    pub name: &'static str,
    /// Its orders, in p and v.
    pub orders: &'static [u32],
    /// g and c hold at accepted points.
    pub position: Support,
    /// So do gI and h.
    pub velocity: Support,
    /// So do gII and hI, with the multipliers that are reported.
    pub acceleration: Support,
    /// Positions and velocities are projected: constraints hold to rounding, not to the accuracy of Newton's method.
    pub projects: bool,
    /// Invariants e are imposed.
    pub invariants: Support,
    /// Redundant constraints.
    pub redundant: Support,
    /// Nonholonomic constraints and their multipliers μ.
    pub nonholonomic: Support,
    /// Force elements with states r.
    pub force_elements: Support,
    /// Auxiliary variables w, and forces that depend on λ and μ otherwise (friction).
    pub auxiliary: Support,
    /// Contact points s.
    pub contact: Support,
    /// Kinematic equations with Z ≠ I.
    pub kinematics: Support,
    /// Stiff systems at the step sizes that accuracy allows.
    pub stiff: Support,
    /// Order of the error of p and v between accepted points, one for each of `orders`.
    pub dense: &'static [u32],
    /// The error test looks at p.
    pub controls_p: Support,
    /// The error test looks at v.
    pub controls_v: Support,
    /// The error test looks at λ and μ.
    pub controls_multipliers: Support,
}

use Support::{If, No, Yes};

/// All methods that options can choose.
pub const METHODS: [Features; 7] = [
    Features {
        kind: MethodKind::Radau,
        name: "Radau IIA",
        orders: &[5, 9, 13],
        position: Yes,
        velocity: Yes,
        acceleration: If("with FORM=0"),
        projects: false,
        invariants: Yes,
        redundant: If("with DECOMPC=3"),
        nonholonomic: Yes,
        force_elements: Yes,
        auxiliary: Yes,
        contact: Yes,
        kinematics: Yes,
        stiff: Yes,
        dense: &[4, 6, 8],
        controls_p: Yes,
        controls_v: Yes,
        controls_multipliers: Yes,
    },
    Features {
        kind: MethodKind::Hht,
        name: "HHT, generalised-α",
        orders: &[2],
        position: Yes,
        velocity: If("h yes, gI as reported with PROJECT=1"),
        acceleration: If("as reported with PROJECT=2"),
        projects: false,
        invariants: No,
        redundant: If("with DECOMPC=3"),
        nonholonomic: Yes,
        force_elements: Yes,
        auxiliary: Yes,
        contact: Yes,
        kinematics: Yes,
        stiff: Yes,
        dense: &[2],
        controls_p: Yes,
        controls_v: No,
        controls_multipliers: No,
    },
    Features {
        kind: MethodKind::RosenbrockNystroem,
        name: "Rosenbrock-Nyström",
        orders: &[4],
        position: Yes,
        velocity: Yes,
        acceleration: Yes,
        projects: true,
        invariants: No,
        redundant: If("with DECOMPC=3"),
        nonholonomic: Yes,
        force_elements: Yes,
        auxiliary: If("with FORM=0"),
        contact: If("with FORM=0"),
        kinematics: Yes,
        stiff: Yes,
        dense: &[4],
        controls_p: Yes,
        controls_v: Yes,
        controls_multipliers: No,
    },
    Features {
        kind: MethodKind::Newmark,
        name: "null-space Newmark",
        orders: &[2],
        position: Yes,
        velocity: Yes,
        acceleration: Yes,
        projects: false,
        invariants: No,
        redundant: If("with DECOMPC=3"),
        nonholonomic: Yes,
        force_elements: Yes,
        auxiliary: Yes,
        contact: Yes,
        kinematics: Yes,
        stiff: If("with SCHEME=3, 4"),
        dense: &[2],
        controls_p: Yes,
        controls_v: Yes,
        controls_multipliers: No,
    },
    Features {
        kind: MethodKind::HalfExplicit,
        name: "half-explicit Runge-Kutta",
        orders: &[5, 8],
        position: Yes,
        velocity: Yes,
        acceleration: Yes,
        projects: true,
        invariants: No,
        redundant: If("with DECOMPC=3"),
        nonholonomic: Yes,
        force_elements: Yes,
        auxiliary: If("with FORM=0"),
        contact: If("with FORM=0"),
        kinematics: Yes,
        stiff: No,
        dense: &[5, 8],
        controls_p: Yes,
        controls_v: Yes,
        controls_multipliers: No,
    },
    Features {
        kind: MethodKind::Automatic,
        name: "half-explicit, Radau IIA once stiff",
        orders: &[5, 8],
        position: Yes,
        velocity: Yes,
        acceleration: If("with FORM=0"),
        projects: false,
        invariants: Yes,
        redundant: If("with DECOMPC=3"),
        nonholonomic: Yes,
        force_elements: Yes,
        auxiliary: Yes,
        contact: Yes,
        kinematics: Yes,
        stiff: Yes,
        dense: &[4, 6],
        controls_p: Yes,
        controls_v: Yes,
        controls_multipliers: If("by Radau IIA"),
    },
    Features {
        kind: MethodKind::ByModel,
        name: "Radau IIA, with PARTS half-explicit until stiff",
        orders: &[5, 8, 9, 13],
        position: Yes,
        velocity: Yes,
        acceleration: If("with FORM=0"),
        projects: false,
        invariants: Yes,
        redundant: If("with DECOMPC=3"),
        nonholonomic: Yes,
        force_elements: Yes,
        auxiliary: Yes,
        contact: Yes,
        kinematics: Yes,
        stiff: Yes,
        dense: &[4, 8, 6, 8],
        controls_p: Yes,
        controls_v: Yes,
        controls_multipliers: If("by Radau IIA"),
    },
];

/// What the method does.
pub fn of(kind: MethodKind) -> Option<&'static Features> {
    METHODS.iter().find(|features| features.kind == kind)
}

impl Features {
    /// The rows of the table: what is asked for, and what this method does of it.
    pub fn rows(&self) -> [(&'static str, String); 18] {
        let numbers = |list: &[u32]| list.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
        let of = |support: Support| support.text().to_string();
        [
            ("order of p and v", numbers(self.orders)),
            ("g and c hold at accepted points", of(self.position)),
            ("gI and h hold", of(self.velocity)),
            ("gII and hI hold, with the multipliers", of(self.acceleration)),
            (
                "constraints hold to",
                if self.projects { "rounding" } else { "the accuracy of Newton's method" }.into(),
            ),
            ("invariants e", of(self.invariants)),
            ("redundant constraints", of(self.redundant)),
            ("nonholonomic constraints, μ", of(self.nonholonomic)),
            ("force elements r", of(self.force_elements)),
            ("auxiliary variables w, friction", of(self.auxiliary)),
            ("contact points s", of(self.contact)),
            ("Z ≠ I", of(self.kinematics)),
            ("stiff systems", of(self.stiff)),
            ("order of p and v between accepted points", numbers(self.dense)),
            ("error control of p, r", of(self.controls_p)),
            ("error control of v", of(self.controls_v)),
            ("error control of λ, μ", of(self.controls_multipliers)),
            ("METHOD", (self.kind as i64).to_string()),
        ]
    }
}

/// What a run with these options and dimensions asks for and will not get, or should think twice about. The run is made all
/// the same: an old driver may declare invariants and be used to their being ignored.
pub fn cautions(options: &Options, dims: &Dimensions) -> Vec<String> {
    let mut all: Vec<String> = options.caution().map(String::from).into_iter().collect();
    let Some(features) = of(options.method) else { return all };
    let number = options.method as i64;
    if dims.ni > 0 && features.invariants == No {
        all.push(format!(
            "warning: METHOD = {number} ({}) does not impose the {} solution invariants (NI); METHOD = 0 does",
            features.name, dims.ni
        ));
    }
    if options.project != 0 && options.method != MethodKind::Hht {
        all.push(format!(
            "warning: PROJECT = {} is without effect in METHOD = {number} ({}), whose points lie on the constraints",
            options.project, features.name
        ));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_is_declared_once() {
        for kind in MethodKind::ALL {
            assert_eq!(METHODS.iter().filter(|f| f.kind == kind).count(), 1, "{kind:?}");
        }
    }

    #[test]
    fn ignored_invariants_are_said() {
        let dims = Dimensions { np: 2, nv: 2, ni: 1, ..Dimensions::default() };
        for features in METHODS {
            let options = Options { method: features.kind, ..Options::of_call() };
            let said = cautions(&options, &dims);
            assert_eq!(said.len(), usize::from(features.invariants == No), "{said:?}");
            assert!(said.iter().all(|text| text.contains("invariants")));
            assert!(cautions(&options, &Dimensions { ni: 0, ..dims }).is_empty());
        }
        let projected = Options { project: 1, ..Options::of_call() };
        assert!(cautions(&projected, &dims)[0].contains("PROJECT = 1"));
    }
}
