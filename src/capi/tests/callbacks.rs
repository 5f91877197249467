//! What the subroutines are given, interpolation, panics, texts.

use super::*;

/// The adapter over the subroutines of a [`Caller`].
fn callbacks(caller: &mut Caller) -> Callbacks<i32> {
    let [np, nv, nr, nw, ns, nl, nm, ni] = DIMS.map(|d| d as usize);
    let a = caller.arguments();
    Callbacks {
        layout: Layout::new(Dimensions { np, nv, nr, nw, ns, nl, nm, ni }, Form::StrangenessFree),
        x: vec![0.0; N as usize],
        recover: false,
        nivcond: 2,
        has_jac: true,
        arguments: a,
    }
}

#[test]
fn subroutines_are_given_what_the_manual_says() {
    let mut caller = Caller::new();
    let mut system = callbacks(&mut caller);
    let x: Vec<f64> = (0..N).map(f64::from).collect();

    let mut rda = vec![0.0; M as usize];
    assert_eq!(system.eom(0.5, &x, &mut rda), Outcome::Continue);
    assert_eq!(rda[M as usize - 1], 3.0);

    let mut mass = [0.0; 36];
    assert_eq!(system.mass(0.5, &x, &mut mass), Outcome::Stop);
    assert_eq!(mass[35], 3.0);

    let mut fx = JacobianBlocks::new(&system.layout);
    assert_eq!(system.jacobian(0.5, &x, &mut fx), Outcome::Continue);
    for (k, block) in fx.fx.iter().enumerate() {
        assert_eq!(block.last(), Some(&(k as f64 + 1.0)), "FX{}", k + 1);
    }

    // A positive IERR is ignored, unless it was asked for: then the library resets it.
    let mut cond = [0.0; 2];
    assert_eq!(system.initial_conditions(0.5, &x, &mut cond), Outcome::Continue);
    assert_eq!(cond[1], 3.0);
    assert_eq!(caller.ierr, 4);
    let mut system = Callbacks { recover: true, ..callbacks(&mut caller) };
    assert_eq!(system.initial_conditions(0.5, &x, &mut cond), Outcome::Retry);
    assert_eq!(caller.ierr, 0);
}

#[test]
fn solout_can_interpolate() {
    let mut caller = Caller::new();
    let x: Vec<f64> = (0..N).map(f64::from).collect();
    // A straight line in every component: x + s.
    let mut contx = x.clone();
    contx.extend(vec![1.0; N as usize]);
    contx.extend(vec![0.0; 2 * N as usize]);
    let dense = DenseOutput { t: 0.5, h: 0.25, contx: &contx, nodes: &[C2M1, C1M1] };
    let step = AcceptedStep { naccpt: 4, t_old: 0.25, t: 0.5, x: &x, h: 0.25, dense };
    let mut output = Output { callbacks: callbacks(&mut caller), contx: vec![0.0; 4 * N as usize] };
    assert_eq!(output.accepted(&step), Outcome::Continue);
    assert!((caller.rpar[0] - (2.0 + (0.45 - 0.5) / 0.25)).abs() < 1e-15);
}

#[test]
fn interpolation_refuses_what_it_cannot_read() {
    let (tout, t, h, c1m1, c2m1) = (0.9, 1.0, 1.0, C1M1, C2M1);
    let contx = [1.0, 2.0, 3.0, 4.0];
    let (n, nn2, nn3, nn4) = (1i64, 2i64, 3i64, 4i64);
    let at = |i: i64, contx: *const f64, nn4: i64| {
        // SAFETY: null or valid.
        unsafe {
            gedensout_64_(
                &raw const i,
                &raw const tout,
                &raw const n,
                &raw const nn2,
                &raw const nn3,
                &raw const nn4,
                &raw const t,
                &raw const h,
                contx,
                &raw const c1m1,
                &raw const c2m1,
            )
        }
    };
    let s: f64 = 0.9 - 1.0;
    let expected = 1.0 + s * (2.0 + (s - C2M1) * (3.0 + (s - C1M1) * 4.0));
    assert!((at(1, contx.as_ptr(), nn4) - expected).abs() < 1e-15);
    assert!(at(0, contx.as_ptr(), nn4).is_nan());
    assert!(at(2, contx.as_ptr(), nn4).is_nan());
    assert!(at(1, std::ptr::null(), nn4).is_nan());
    assert!(at(1, contx.as_ptr(), 3).is_nan());
}

#[test]
fn a_panic_becomes_a_code() {
    assert_eq!(guarded(|| 3), Ok(3));
    assert_eq!(guarded(|| panic!("deliberately")), Err::<(), _>(Code::Internal));
}

#[test]
fn texts_for_c() {
    // SAFETY: static, terminated strings.
    let text = |p: *const std::ffi::c_char| unsafe { CStr::from_ptr(p) }.to_str().expect("UTF-8");
    assert_eq!(text(geoms_version()), env!("CARGO_PKG_VERSION"));
    assert_eq!(text(geoms_strerror(0)), "Success.");
    assert_eq!(text(geoms_strerror(-1)), "Not a code of this library.");
    for code in CODES {
        assert_eq!(text(geoms_strerror(code.idid())), code.sentence());
        assert_eq!(text(geoms_advice(code.idid())), code.advice());
    }
}

#[test]
fn a_panic_inside_a_handle_becomes_a_code_and_the_handle_stays_usable() {
    use crate::capi::handle::{call, geoms_create, geoms_free, CDimensions};
    use crate::capi::inspect::geoms_last_error;
    let dims = CDimensions { np: 1, nv: 1, nr: 0, nw: 0, ns: 0, nl: 0, nm: 0, ni: 0 };
    // SAFETY: the handle is not freed before the end.
    unsafe {
        let handle = geoms_create(&raw const dims, 0);
        assert_eq!(call(handle, |_, _| panic!("deliberately")), Code::Internal.idid());
        assert_eq!(geoms_last_error(handle, std::ptr::null_mut()), Code::Internal.idid());
        assert_eq!(call(handle, |_, _| Ok(5)), 5);
        // A call within a call is refused.
        let inner = |_: &_, _: &mut _| Ok(call(handle, |_, _| Ok(7)));
        assert_eq!(call(handle, inner), Code::InUse.idid());
        geoms_free(handle);
    }
}
