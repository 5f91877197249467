//! The 35-argument call: checks only if they are asked for, findings on the unit.

use geoms::capi::fortran::geoms_;

/// A pendulum whose gI has a factor of RPAR(1), and the number of its evaluations in IPAR(1).
// SAFETY (both): the arrays have the lengths of the call below.
#[allow(clippy::too_many_arguments)]
unsafe extern "C" fn eom(
    _m: *const i32,
    _n: *const i32,
    _t: *const f64,
    x: *const f64,
    rda: *mut f64,
    _iopt: *const i32,
    _ropt: *const f64,
    ipar: *mut i32,
    rpar: *mut f64,
    _ierr: *mut i32,
) {
    let (x, rda) = unsafe { (std::slice::from_raw_parts(x, 5), std::slice::from_raw_parts_mut(rda, 7)) };
    let factor = unsafe {
        *ipar += 1;
        *rpar
    };
    let (v, p) = ([x[1], x[2]], [x[3], x[4]]);
    let f = [-2.0 * p[0] * x[0], -9.81 - 2.0 * p[1] * x[0]];
    rda[0] = 2.0 * (v[0] * v[0] + v[1] * v[1] + p[0] * f[0] + p[1] * f[1]);
    rda[1] = factor * 2.0 * (p[0] * v[0] + p[1] * v[1]);
    rda[2] = p[0] * p[0] + p[1] * p[1] - 1.0;
    rda[3..5].copy_from_slice(&f);
    rda[5..7].copy_from_slice(&v);
}

#[allow(clippy::too_many_arguments)]
unsafe extern "C" fn mas(
    _t: *const f64,
    _nx: *const i32,
    _x: *const f64,
    _m: *const i32,
    _n: *const i32,
    ma: *mut f64,
    _iopt: *const i32,
    _ropt: *const f64,
    _ipar: *mut i32,
    _rpar: *mut f64,
    _ierr: *mut i32,
) {
    unsafe { std::slice::from_raw_parts_mut(ma, 4) }.copy_from_slice(&[1.0, 0.0, 0.0, 1.0]);
}

/// IDID, evaluations, x and IWORK.
fn call(factor: f64, options: &[(usize, i32)]) -> (i32, i32, [f64; 5], [i32; 20]) {
    let (two, zero, one) = (2, 0, 1);
    let (m, n, liwork, lrwork) = (7, 5, 20, 100);
    let mut x = [0.0, 0.0, 0.0, 1.0, 0.0];
    let (mut t, tend, mut h, tol) = (0.0, 1.0, 0.01, 1e-6);
    let (mut iopt, ropt) = ([0; 40], [0.0; 40]);
    options.iter().for_each(|(k, v)| iopt[k - 1] = *v);
    let (mut iwork, mut rwork) = ([0; 20], [0.0; 100]);
    let (mut rpar, mut ipar, mut ierr, mut idid) = (factor, 0, 0, 0);
    // SAFETY: every array has the length that the manual asks for.
    unsafe {
        geoms_(
            &two,
            &two,
            &zero,
            &zero,
            &zero,
            &one,
            &zero,
            &zero,
            &m,
            &n,
            &zero,
            x.as_mut_ptr(),
            &mut t,
            &tend,
            &mut h,
            &tol,
            &tol,
            &zero,
            iopt.as_ptr(),
            ropt.as_ptr(),
            None,
            Some(eom),
            Some(mas),
            None,
            &zero,
            None,
            &zero,
            &liwork,
            iwork.as_mut_ptr(),
            &lrwork,
            rwork.as_mut_ptr(),
            &mut rpar,
            &mut ipar,
            &mut ierr,
            &mut idid,
        );
    }
    (idid, ipar, x, iwork)
}

#[test]
fn findings_go_to_the_unit_if_they_are_asked_for() {
    const UNIT: i32 = 7193;
    let file = format!("fort.{UNIT}");
    let _ = std::fs::remove_file(&file);
    let plain = call(2.0, &[]);
    let silent = call(2.0, &[(2, UNIT)]);
    assert_eq!(plain, silent);
    let said = std::fs::read_to_string(&file).expect("unit");
    assert!(!said.contains("warning"), "{said}");
    let checked = call(2.0, &[(2, UNIT), (16, 1), (26, 2)]);
    let said = std::fs::read_to_string(&file).expect("unit");
    let _ = std::fs::remove_file(&file);
    assert!(
        said.contains("warning: gI(1) against the rate of g(1)") && said.contains("factor of 2"),
        "{said}"
    );
    // The run is the same, bit by bit, and so are its counters; only the model was called more often.
    assert_eq!((checked.0, checked.2, checked.3), (plain.0, plain.2, plain.3));
    assert!(checked.1 > plain.1);
    assert_eq!(call(2.0, &[(16, 1), (26, 2), (27, 2)]).0, -1120);
    let watched = call(1.0, &[(16, 1), (26, 1), (27, 2)]);
    assert_eq!((watched.0, watched.2), (0, call(1.0, &[]).2));
}
