//! The written reference, made from the tables of the library: the option table, the code table and the argument list
//! of the call, and the Fortran module of the handle. `make header` and `make docs` write these texts; a test compares
//! them with the files in the tree.

use geoms::capi::inspect::Statistics;
use geoms::error::{Code, Origin, CODES};
use geoms::methods::features::METHODS;
use geoms::options::{Slot, OPTIONS};
use geoms::stats::{Stats, COUNTERS};
use geoms::VERSION;
use std::fmt::Write;
use std::path::{Path, PathBuf};

mod fortran;

/// A file that is made from the tables.
pub struct Generated {
    /// Its path from the root of the repository.
    pub path: &'static str,
    /// Its text.
    pub text: String,
}

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_path_buf).unwrap_or_default()
}

/// All generated files.
pub fn files() -> [Generated; 5] {
    let header = header();
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap_or_default();
    [
        Generated { path: "README.md", text: with_features(&readme) },
        Generated { path: "fortran/geoms_handle.f90", text: fortran::module(&header) },
        Generated { path: "docs/reference.md", text: reference(&header) },
        Generated { path: "docs/my-run-failed.md", text: my_run_failed() },
        Generated { path: "include/geoms.h", text: header },
    ]
}

const FEATURES_BEGIN: &str = "<!-- features: begin (made by `make docs`) -->\n";
const FEATURES_END: &str = "<!-- features: end -->";

/// The README with the table of the methods between its marks; unchanged if the marks are not there.
fn with_features(readme: &str) -> String {
    match (readme.split_once(FEATURES_BEGIN), readme.split_once(FEATURES_END)) {
        (Some((before, _)), Some((_, after))) => {
            format!("{before}{FEATURES_BEGIN}{}{FEATURES_END}{after}", features())
        }
        _ => readme.to_string(),
    }
}

/// Method by feature, as the methods declare them.
fn features() -> String {
    let mut s = String::from("| |");
    for method in &METHODS {
        let _ = write!(s, " {}: {} |", method.kind as i64, method.name);
    }
    let _ = writeln!(s, "\n| --- |{}", " --- |".repeat(METHODS.len()));
    let columns: Vec<_> = METHODS.iter().map(|method| method.rows()).collect();
    for (row, (what, _)) in columns[0].iter().enumerate().filter(|(_, (what, _))| *what != "METHOD") {
        let _ = write!(s, "| {what} |");
        for column in &columns {
            let _ = write!(s, " {} |", cell(&column[row].1));
        }
        s.push('\n');
    }
    s
}

/// The C header: the declarations as generated from the exported functions, and the constants of the tables.
pub fn header() -> String {
    let declarations = include_str!(concat!(env!("OUT_DIR"), "/geoms.h"));
    declarations.replacen("/* constants */", constants().trim_end(), 1).replacen(
        "/* counters */",
        counters().trim_end(),
        1,
    )
}

/// The structure of the counters, from their table.
fn counters() -> String {
    let mut s = String::from(
        "/**\n * Counters of a run. The structure does not grow: counters of later versions are read by name, with\n \
         * geoms_counter.\n */\ntypedef struct geoms_stats {\n",
    );
    for (name, meaning) in &COUNTERS[..Statistics::LENGTH] {
        let lines: String = meaning.lines().map(|line| format!("   *{line}\n")).collect();
        let _ = write!(s, "  /**\n{lines}   */\n  uint64_t {name};\n");
    }
    s + "} geoms_stats;\n"
}

/// `#define` lines for the version, the codes and the option slots.
fn constants() -> String {
    let mut s = String::from("\n/* Version of the header; geoms_version() gives that of the library. */\n");
    let _ = writeln!(s, "#define GEOMS_VERSION \"{VERSION}\"");
    for (name, number) in ["MAJOR", "MINOR", "PATCH"].iter().zip(VERSION.split('.')) {
        let _ = writeln!(s, "#define GEOMS_VERSION_{name} {number}");
    }
    s.push_str("\n/* IDID on return: 0, or one of these. */\n#define GEOMS_IDID_SUCCESS 0\n");
    for code in CODES {
        let _ = writeln!(s, "/** {} */", code.sentence());
        let _ = writeln!(s, "#define GEOMS_IDID_{} ({})", upper_snake(code.name()), code.idid());
    }
    s.push_str(
        "\n/* Options: indices into iopt and ropt, counted from 0; IOPT(2) of the manual is iopt[1]. */\n",
    );
    for entry in OPTIONS {
        let (array, slot) = match entry.slot {
            Slot::Iopt(k) => ("IOPT", k),
            Slot::Ropt(k) => ("ROPT", k),
        };
        let _ = writeln!(s, "/** {}: {} */", entry.slot, entry.meaning);
        let _ = writeln!(s, "#define GEOMS_{array}_{} {}", entry.name, slot - 1);
    }
    s
}

/// `StoppedByEom` becomes `STOPPED_BY_EOM`.
fn upper_snake(name: &str) -> String {
    let mut s = String::new();
    for (i, c) in name.chars().enumerate() {
        if c.is_ascii_uppercase() && i > 0 {
            s.push('_');
        }
        s.push(c.to_ascii_uppercase());
    }
    s
}

/// Text inside a table cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('<', "&lt;").replace('>', "&gt;").replace('*', "\\*")
}

/// One row of the argument table: name, type, direction, meaning.
type Argument = (&'static str, &'static str, &'static str, &'static str);

/// The 35 arguments in their order.
const ARGUMENTS: [Argument; 35] = [
    ("NP", "integer", "in", "Number of position variables p."),
    ("NV", "integer", "in", "Number of velocity variables v."),
    ("NR", "integer", "in", "Number of dynamic force element variables r."),
    ("NW", "integer", "in", "Number of auxiliary variables w."),
    ("NS", "integer", "in", "Number of contact point variables s."),
    ("NL", "integer", "in", "Number of holonomic constraints g and multipliers λ."),
    ("NM", "integer", "in", "Number of nonholonomic constraints h and multipliers μ."),
    ("NI", "integer", "in", "Number of solution invariants e."),
    (
        "M",
        "integer",
        "in",
        "Number of equations in RDA: NP+NV+NR+NW+NS+3*NL+2*NM+NI, with IOPT(5)=1 NP+NV+NR+NW+NS+2*NL+NM+NI.",
    ),
    ("N", "integer", "in", "Number of unknowns, NP+NV+NR+NW+NS+NL+NM, at least 1."),
    ("NIVCOND", "integer", "in", "Number of conditions in IVCOND."),
    ("X", "double X(N)", "in, out", "State [ w λ μ | r | v | s p ]: the initial values; the last accepted point."),
    ("T", "double", "in, out", "Initial time; the time reached."),
    ("TEND", "double", "in", "Final time, not before T. TEND=T only makes the initial values consistent."),
    (
        "H",
        "double",
        "in, out",
        "First step size, not positive: chosen by the library; the next step size, before it was cut to land on TEND.",
    ),
    ("RTOL", "double, or RTOL(N)", "in", "Relative tolerance, at least 10*UROUND. Never written."),
    ("ATOL", "double, or ATOL(N)", "in", "Absolute tolerance, positive. Never written."),
    ("ITOL", "integer", "in", "0: RTOL and ATOL are scalars, 1: both are arrays."),
    ("IOPT", "integer IOPT(40)", "in", "Integer options, 0 = default; see below. Never written."),
    ("ROPT", "double ROPT(40)", "in", "Real options, 0 = default; see below. Never written."),
    ("IVCOND", "subroutine", "", "Conditions on the initial values. Called if IOPT(17)=0 and NIVCOND>0."),
    ("EOM", "subroutine", "", "Right-hand sides RDA of all equations."),
    ("MAS", "subroutine", "", "Mass matrix, NV by NV, full storage whatever its structure."),
    ("JAC", "subroutine", "", "NEGATIVE partial derivatives of RDA in six blocks. Called if IJAC=1."),
    ("IJAC", "integer", "in", "1: JAC is supplied, 0: differences."),
    ("SOLOUT", "subroutine", "", "Called at the initial point and after every accepted step if IOUT=1."),
    ("IOUT", "integer", "in", "1: SOLOUT is called."),
    ("LIWORK", "integer", "in", "Length of IWORK, at least 20."),
    ("IWORK", "integer IWORK(LIWORK)", "out", "Counters, see below."),
    (
        "LRWORK",
        "integer",
        "in",
        "Length of RWORK, at least the largest that applies of: 5*N if IOPT(17)=0; 5*MAX(M1,M2,M3,N1,N3,N4) if \
         IOPT(11)=3; N if IOPT(11)=2; 2*N if IOPT(12)=1.",
    ),
    ("RWORK", "double RWORK(LRWORK)", "", "Neither read nor written; the library has its own work space."),
    ("RPAR", "double RPAR(*)", "", "Passed on to the subroutines."),
    ("IPAR", "integer IPAR(*)", "", "Passed on to the subroutines."),
    (
        "IERR",
        "integer",
        "in, out",
        "Looked at after every call of a subroutine: negative stops the run; positive is ignored unless \
         IOPT(16)=1 and IOPT(20)=1.",
    ),
    ("IDID", "integer", "in, out", "0 on entry; 0 or a negative code on return."),
];

const SUBROUTINES: &str = "\
```fortran
      SUBROUTINE IVCOND(N,T,X,NCOND,COND,IPAR,RPAR,IERR)
      SUBROUTINE EOM(M,N,T,X,RDA,IOPT,ROPT,IPAR,RPAR,IERR)
      SUBROUTINE MAS(T,NX,X,M,N,MA,IOPT,ROPT,IPAR,RPAR,IERR)
      SUBROUTINE JAC(M1,M2,M3,M4,M5,M6,N1,N2,N3,N4,M,N,T,X,
     #               FX1,FX2,FX3,FX4,FX5,FX6,
     #               IOPT,ROPT,RPAR,IPAR,IERR)
      SUBROUTINE SOLOUT(NACCPT,TOLD,T,X,N,NN2,NN3,NN4,CONTX,H,
     #                  C1M1,C2M1,RPAR,IPAR,IERR)
      DOUBLE PRECISION FUNCTION GEDENSOUT(I,TOUT,N,NN2,NN3,NN4,T,H,
     #                                    CONTX,C1M1,C2M1)
```

Mind the order: IPAR,RPAR in IVCOND, EOM and MAS; RPAR,IPAR in JAC and SOLOUT. The subroutines are given the
caller's own IOPT, ROPT, IPAR, RPAR and IERR, and fresh copies of the other scalars; X is not to be changed.

| array | rows | columns |
| --- | --- | --- |
| RDA, IOPT(5)=0 | [ d gII hI \\| gI h e \\| c g \\| b \\| f_dyn \\| f_kin ], M1 to M6 of them | |
| RDA, IOPT(5)=1 | [ d \\| gI h e \\| c g \\| b \\| f_dyn \\| f_kin ] | |
| FX1(M1,N) | d, gII, hI | all of x |
| FX2(M2,N3+N4) | gI, h, e | v, s, p |
| FX3(M3,N4) | c, g | s, p |
| FX4(M4,N) | b | all of x |
| FX5(M5,N) | f_dyn | all of x |
| FX6(M6,N3+N4) | f_kin | v, s, p |

N1=NW+NL+NM, N2=NR, N3=NV, N4=NS+NP. f_dyn contains the constraint forces. FX1 to FX6 come in as zeros.
";

/// The reference of the call: arguments, options, counters, codes.
pub fn reference(header: &str) -> String {
    let mut s = String::from(
        "# Reference of the GEOMS call\n\nMade from the tables in the sources by `make docs`; do not edit.\n\n\
         The equations, with the primes for time derivatives:\n\n\
         ```text\n\
         p' = Z(p) v                                                  f_kin\n\
         M(p,t) v' = f(p,v,r,w,s,λ,μ,t) - Zᵀ Gᵀ λ - Zᵀ Hᵀ μ           f_dyn\n\
         r' = b(p,v,r,w,s,λ,μ,t)\n\
         0  = d(p,v,r,w,s,λ,μ,t)\n\
         0  = c(p,s,t)\n\
         0  = H(p,s,t) Z(p) v + h(p,s,t)\n\
         0  = g(p,s,t)\n\
         0  = e(p,v,s,t)\n\
         ```\n\n\
         gI and gII are the first and second time derivative of g, hI the first of the nonholonomic constraints.\n\n\
         ## Arguments\n\n| | argument | type | | meaning |\n| --- | --- | --- | --- | --- |\n",
    );
    for (i, (name, kind, direction, meaning)) in ARGUMENTS.iter().enumerate() {
        let _ = writeln!(s, "| {} | {name} | {} | {direction} | {} |", i + 1, cell(kind), cell(meaning));
    }
    s.push_str(
        "\n`geoms_64_` and `gedensout_64_` are the same with 64-bit INTEGER. A null pointer for an argument or for a \
         subroutine that is called gives -1001. After a refused argument nothing but IDID has changed.\n\n\
         ## Subroutines\n\n",
    );
    s.push_str(SUBROUTINES);
    s.push_str(
        "\n## Options\n\nThe value 0 selects the default, which is that of the call also where a handle begins with another. IOPT(1) and IOPT(7) are not used. IOPT(18) to IOPT(40) are \
         read only if IOPT(16)=1, because drivers written from the manual need not clear them. Entries of IOPT(18..40) and \
         ROPT(10..40) that are not in the table must be zero.\n\n| entry | name | allowed | default | meaning |\n| --- | --- | --- | --- | --- |\n",
    );
    for e in OPTIONS {
        let (allowed, meaning) = (cell(e.range), cell(e.meaning));
        let handle = e.handle.map_or(String::new(), |value| format!("; handle: {}", cell(value)));
        let default = format!("{}{handle}", cell(e.default));
        let _ = writeln!(s, "| {} | {} | {allowed} | {default} | {meaning} |", e.slot, e.name);
    }
    let _ = write!(
        s,
        "\n## Methods\n\nWhat each value of METHOD does. Nothing is refused that an old driver may declare: a run with \
         invariants and a method that does not impose them is made, and a warning goes to the unit or the log at its \
         start; `cautions` gives it to Rust programs.\n\n{}",
        features()
    );
    s.push_str("\n## Counters\n\n| name | IWORK | meaning |\n| --- | --- | --- |\n");
    let iwork = Stats::default().iwork();
    for (k, (name, meaning)) in COUNTERS.iter().enumerate() {
        let (name, entry) = match iwork.get(k) {
            Some((manual, _)) => (*manual, format!("IWORK({})", k + 1)),
            None => (*name, String::new()),
        };
        let meaning = meaning.split_whitespace().collect::<Vec<_>>().join(" ");
        let _ = writeln!(s, "| {name} | {entry} | {} |", cell(&meaning));
    }
    s.push_str(
        "\nNSTEP = NACCPT + NERJCT + NCRJCT. NEOM counts neither the calls for consistent initial values nor those \
         for a difference Jacobian. IWORK(12) to IWORK(LIWORK) are not touched. \
         A handle gives all of them at once (`geoms_statistics`) or one by its name (`geoms_counter`).\n\n\
         ## IDID\n\nThe first two digits name the part of the solver. Origin: `manual`, `added` (an addition of this \
         library), `never` (a code of the manual for a step that this implementation does not have).\n\n\
         | IDID | meaning | what to try | origin |\n| --- | --- | --- | --- |\n| 0 | Success. | | manual |\n",
    );
    for code in CODES {
        let origin = match code.origin() {
            Origin::Manual => "manual",
            Origin::Added => "added",
            Origin::Unreachable => "never",
        };
        let (sentence, advice) = (cell(code.sentence()), cell(code.advice()));
        let _ = writeln!(s, "| {} | {sentence} | {advice} | {origin} |", code.idid());
    }
    s.push_str(HANDLE);
    for (name, text) in handle_functions(header) {
        let _ = writeln!(s, "| `{name}` | {} |", cell(&text));
    }
    s
}

/// Heading of the functions of the handle.
const HANDLE: &str = "
## The handle, for C and C++

One handle is one run: `geoms_create`, callbacks and options, `geoms_start`, `geoms_integrate`, `geoms_free`. Exact
declarations, structures and callback types are in `include/geoms.h`; `include/geoms.hpp` has the same as a class for
C++17, in which callbacks may be lambdas and throw; `fortran/geoms_handle.f90` is the same for Fortran 2003 and later.

- A callback returns 0, or a positive number if it cannot be evaluated there (a smaller step is tried), or a negative one
  to stop the run with the code of that callback. It gets the pointer of `geoms_set_user` as its last argument.
- Shortly before the beginning and behind the end of a run the model is asked by the checks, and with METHOD = 1, 2, 3, or 4 with
  FORM=1, by differences in time. A positive number says that it cannot be evaluated there, and it is looked at from the other side; a
  negative one ends the run unless it was a check. METHOD=2 has a stage 15 % of the step behind its end.
- Functions return 0 or more if all went well, otherwise a code of the table above; `geoms_last_error` has the details.
- Options have the names of the option table, in any case. FORM is given to `geoms_create`, messages go to
  `geoms_set_log`, a positive return value always means RECOVER.
- A call that is refused or fails changes nothing; only a run that was on its way stands at its last accepted point. This
  holds for starts, resets and restored states, too: the run of before can go on.
- Saved states carry the version of their format, their length and a checksum. A state of another version, of another system
  or with a damaged byte is refused.
- Callbacks of the model, options and tolerances act with the next `geoms_start`; output, log, events and the user
  pointer at once.
- Handles are independent of each other. One handle serves one call at a time: a second one, from a callback or from
  another thread, is refused with -1005. `geoms_request_stop` may be called at any time; `geoms_dense` and `geoms_time` also
  from the output function.

| function | what it does |
| --- | --- |
";

/// Name and first paragraph of every function of the handle, as the header has them.
fn handle_functions(header: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for part in header.split("/**\n").skip(1) {
        let Some((comment, rest)) = part.split_once(" */\n") else { continue };
        let declaration = rest.split(';').next().unwrap_or_default();
        let Some((head, _)) = declaration.split_once('(') else { continue };
        let name = head.rsplit([' ', '*']).next().unwrap_or_default();
        let lower = name.starts_with("geoms_") && !name.ends_with('_');
        if !lower || declaration.contains('{') || head.contains("typedef") {
            continue;
        }
        let lines = comment.lines().map(|line| line.trim_start_matches(" *").trim());
        let text: Vec<&str> = lines.take_while(|line| !line.is_empty()).collect();
        found.push((name.to_string(), text.join(" ")));
    }
    found
}

/// A family of codes: its first two digits, a title, and a paragraph on how to go about it.
const FAMILIES: [(i32, &str, &str); 10] = [
    (
        10,
        "The call itself",
        "The run has not begun and nothing but IDID has changed. Set IOPT(2)=6 and read the message: it names the \
         argument, the value found and what is allowed. The usual causes in an old driver are an N or M that does not \
         fit IOPT(5), an ATOL of zero, and options that were not cleared.",
    ),
    (
        11,
        "The integration",
        "X, T and H hold the last accepted point, so the call can be repeated from there with other options. The \
         message lists the last rejected attempts with the reason of each, and the component of x that dominated: \
         look at that component of the model first. Steps that shrink to nothing mean a jump or a singularity in the \
         model; a Newton iteration that does not converge mostly means that JAC does not belong to EOM (compare with \
         IJAC=0).",
    ),
    (12, "Difference Jacobian", "EOM was called at points around the solution and refused one of them."),
    (
        14,
        "Rank of the constraints, QR",
        "Constraints that say the same thing twice cannot be decomposed by QR or LU. With IOPT(11)=3 redundant \
         constraints are integrated and the multipliers of smallest norm returned. If the constraints are not meant \
         to be redundant, the message names the row to look at.",
    ),
    (18, "Orthogonal transformations", "Codes of the original that cannot occur here."),
    (20, "Error estimate", "A code of the original that cannot occur here."),
    (
        21,
        "Initial values",
        "The given X does not satisfy the constraints and their derivatives, and could not be corrected. Positions and \
         velocities are yours to choose within the constraints: say which by IVCOND, one condition for each degree \
         of freedom, or give consistent p and v and set IOPT(17)=1. Too many conditions contradict the constraints, \
         too few leave a variable open; the message says which.",
    ),
    (
        24,
        "Rank of the constraints, SVD",
        "The rank of the constraints must be the same along the whole solution, and the same on position, velocity and \
         acceleration level, but for single points: where a mechanism passes a singular position, as the bars of a \
         parallelogram in one line, the motion is smooth and can be followed (IOPT(16)=1 and IOPT(32)=1; the handle does \
         so without being asked). Without that, or where it comes to rest there, -2406 names time, rows and the smallest singular \
         value. A rank that is missing everywhere is redundancy, which IOPT(11)=3 copes with.",
    ),
    (26, "Rank of the constraints, LU", "As for QR above; IOPT(11)=3 is the way out for redundant constraints."),
    (0, "Others", "Codes outside these families."),
];

/// What to do after a failure: the code table by families.
pub fn my_run_failed() -> String {
    let mut s = String::from(
        "# My run failed\n\nMade from the tables in the sources by `make docs`; do not edit.\n\n\
         1. Look at IDID below. IDID is negative after a failure and 0 after success.\n\
         2. Set IOPT(2)=6 (screen) or open a unit and pass its number: the message gives the time, the step size, the \
         cause, the component concerned, the last rejected steps and what to try. See [porting](porting.md) for units.\n\
         3. Look at IWORK: NCRJCT large beside NACCPT means trouble in Newton's method (JAC, IOPT(4)=1, IOPT(10)=1); \
         NERJCT large means that the solution is less smooth than the tolerance asks for.\n\
         4. X and T hold the last accepted point, and IDID must be set to 0 before the next call.\n",
    );
    for (family, title, paragraph) in FAMILIES {
        let member = |code: &&Code| {
            let digits = -code.idid() / 100;
            digits == family || family == 0 && !FAMILIES.iter().any(|f| f.0 == digits)
        };
        let codes: Vec<&Code> = CODES.iter().filter(member).collect();
        if codes.is_empty() {
            continue;
        }
        let _ = write!(s, "\n## {title}");
        if family > 0 {
            let _ = write!(s, " (-{family}..)");
        }
        let _ = writeln!(s, "\n\n{paragraph}");
        for code in codes.iter().filter(|c| c.origin() != Origin::Unreachable) {
            let _ =
                write!(s, "\n**{}**: {}  \n{}\n", code.idid(), cell(code.sentence()), cell(code.advice()));
        }
        let never: Vec<String> = codes
            .iter()
            .filter(|c| c.origin() == Origin::Unreachable)
            .map(|c| c.idid().to_string())
            .collect();
        if !never.is_empty() {
            let _ = writeln!(s, "\nNever returned: {}.", never.join(", "));
        }
    }
    s
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_in_the_tree_are_up_to_date() {
        for file in files() {
            let found = std::fs::read_to_string(root().join(file.path)).unwrap_or_default();
            assert!(found == file.text, "{} is out of date: run `make docs`", file.path);
        }
    }

    #[test]
    fn header_has_every_function_and_constant() {
        let header = header();
        for name in ["geoms_", "gedensout_", "geoms_64_", "gedensout_64_"] {
            assert!(header.contains(&format!(" {name}(const ")), "{name}");
        }
        for name in ["geoms_version", "geoms_strerror", "geoms_advice"] {
            assert!(header.contains(&format!("const char *{name}(")), "{name}");
        }
        let listed = handle_functions(&header);
        for name in ["geoms_create", "geoms_integrate", "geoms_request_stop", "geoms_constraint_forces"] {
            assert!(listed.iter().any(|(n, text)| n == name && !text.is_empty()), "{name}");
        }
        assert!(header.contains("#define GEOMS_IDID_STOPPED_BY_EOM (-1102)\n"));
        assert!(header.contains("#define GEOMS_IOPT_LUN 1\n"));
        assert!(header.contains("#define GEOMS_ROPT_HMAX 6\n"));
        let defines = header.matches("#define GEOMS_IDID_").count();
        assert_eq!(defines, CODES.len() + 1);
        assert!(header.contains(&format!("#define GEOMS_VERSION \"{VERSION}\"\n")));
        let parts: Vec<&str> = VERSION.split('.').collect();
        assert!(header.contains(&format!("#define GEOMS_VERSION_PATCH {}\n", parts[2])));
    }

    #[test]
    fn every_code_belongs_to_a_family() {
        assert!(!my_run_failed().contains("## Others"));
    }
}
