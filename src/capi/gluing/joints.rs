//! Joints between the ports of subdomains.

use super::{call, numbers, numbers_or_zero, Glue};
use crate::capi::handle::refused;
use crate::gluing::spatial::Spatial;
use crate::gluing::Law;
use std::ffi::c_int;

/// Hold the differences y_a - y_b of the first n components of two ports at constants, null for zeros: a revolute joint of planar frames with
/// n = 2, a rigid one with n = 3, a spherical one of points in space. Returns the number of the joint.
///
/// # Safety
/// The pointer is null or one of geoms_glue_create; the array is null or has n entries.
#[no_mangle]
pub unsafe extern "C" fn geoms_glue_coincide(
    glue: *mut Glue,
    subdomain_a: c_int,
    port_a: c_int,
    subdomain_b: c_int,
    port_b: c_int,
    n: c_int,
    offset_or_null: *const f64,
) -> c_int {
    // SAFETY: the contract of this function.
    unsafe {
        call(glue, |inner| {
            let offset = numbers_or_zero("offset", offset_or_null, n)?;
            inner.join([subdomain_a, port_a, subdomain_b, port_b], Law::Coincide { offset })
        })
    }
}

/// A force k (u - rest) + c u' in each of the first n components, u = y_a - y_b: bushing, torsion spring. A null rest is zero. Returns the
/// number of the joint.
///
/// # Safety
/// The pointer is null or one of geoms_glue_create; the arrays have n entries.
#[no_mangle]
pub unsafe extern "C" fn geoms_glue_bushing(
    glue: *mut Glue,
    subdomain_a: c_int,
    port_a: c_int,
    subdomain_b: c_int,
    port_b: c_int,
    n: c_int,
    stiffness: *const f64,
    damping: *const f64,
    rest_or_null: *const f64,
) -> c_int {
    // SAFETY: the contract of this function.
    unsafe {
        call(glue, |inner| {
            let law = Law::Bushing {
                stiffness: numbers("stiffness", stiffness, n)?,
                damping: numbers("damping", damping, n)?,
                rest: numbers_or_zero("rest", rest_or_null, n)?,
            };
            inner.join([subdomain_a, port_a, subdomain_b, port_b], law)
        })
    }
}

/// Hold two points, the first `dimension` components of the ports, at a constant distance. Returns the number of the joint.
///
/// # Safety
/// The pointer is null or one of geoms_glue_create.
#[no_mangle]
pub unsafe extern "C" fn geoms_glue_distance(
    glue: *mut Glue,
    subdomain_a: c_int,
    port_a: c_int,
    subdomain_b: c_int,
    port_b: c_int,
    dimension: c_int,
    distance: f64,
) -> c_int {
    // SAFETY: the contract of this function.
    unsafe {
        call(glue, |inner| {
            let dimension = usize::try_from(dimension).unwrap_or(0);
            let law = Law::Distance { dimension, length: distance };
            inner.join([subdomain_a, port_a, subdomain_b, port_b], law)
        })
    }
}

/// Planar frames: b slides along a direction that is fixed in a (an angle in its frame), at a distance `offset` to the left of the line through a,
/// and turned against it by `angle`. Returns the number of the joint.
///
/// # Safety
/// The pointer is null or one of geoms_glue_create.
#[no_mangle]
pub unsafe extern "C" fn geoms_glue_prismatic(
    glue: *mut Glue,
    subdomain_a: c_int,
    port_a: c_int,
    subdomain_b: c_int,
    port_b: c_int,
    direction: f64,
    offset: f64,
    angle: f64,
) -> c_int {
    // SAFETY: the contract of this function.
    unsafe {
        call(glue, |inner| {
            let law = Law::Prismatic { direction, offset, angle };
            inner.join([subdomain_a, port_a, subdomain_b, port_b], law)
        })
    }
}

/// geoms_glue_spatial: the points coincide, the bodies turn about their common e3.
pub const GEOMS_REVOLUTE: c_int = 0;
/// geoms_glue_spatial: the bodies turn about their common e3 and slide along it.
pub const GEOMS_CYLINDRICAL: c_int = 1;
/// geoms_glue_spatial: the bodies slide along their common e3 without turning.
pub const GEOMS_PRISMATIC: c_int = 2;
/// geoms_glue_spatial: the points coincide, e1 of a stays perpendicular to e2 of b.
pub const GEOMS_UNIVERSAL: c_int = 3;
/// geoms_glue_spatial: points and axes coincide.
pub const GEOMS_FIXED: c_int = 4;

/// A joint of two frames in space (geoms_glue_port_spatial): GEOMS_REVOLUTE, GEOMS_CYLINDRICAL, GEOMS_PRISMATIC, GEOMS_UNIVERSAL or GEOMS_FIXED; a
/// spherical one is geoms_glue_coincide with n = 3. Returns the number of the joint.
///
/// # Safety
/// The pointer is null or one of geoms_glue_create.
#[no_mangle]
pub unsafe extern "C" fn geoms_glue_spatial(
    glue: *mut Glue,
    kind: c_int,
    subdomain_a: c_int,
    port_a: c_int,
    subdomain_b: c_int,
    port_b: c_int,
) -> c_int {
    // SAFETY: the contract of this function.
    unsafe {
        call(glue, |inner| {
            let found = match kind {
                GEOMS_REVOLUTE => Spatial::Revolute,
                GEOMS_CYLINDRICAL => Spatial::Cylindrical,
                GEOMS_PRISMATIC => Spatial::Prismatic,
                GEOMS_UNIVERSAL => Spatial::Universal,
                GEOMS_FIXED => Spatial::Fixed,
                _ => {
                    let allowed =
                        "GEOMS_REVOLUTE, GEOMS_CYLINDRICAL, GEOMS_PRISMATIC, GEOMS_UNIVERSAL, GEOMS_FIXED";
                    return Err(refused("kind", kind, allowed));
                }
            };
            inner.join([subdomain_a, port_a, subdomain_b, port_b], Law::Spatial(found))
        })
    }
}

/// A spring-damper along the line between two points, the first `dimension` components of the ports. Returns the number of the joint.
///
/// # Safety
/// The pointer is null or one of geoms_glue_create.
#[no_mangle]
pub unsafe extern "C" fn geoms_glue_spring(
    glue: *mut Glue,
    subdomain_a: c_int,
    port_a: c_int,
    subdomain_b: c_int,
    port_b: c_int,
    dimension: c_int,
    stiffness: f64,
    damping: f64,
    rest: f64,
) -> c_int {
    // SAFETY: the contract of this function.
    unsafe {
        call(glue, |inner| {
            let dimension = usize::try_from(dimension).unwrap_or(0);
            let law = Law::SpringDamper { dimension, stiffness, damping, length: rest };
            inner.join([subdomain_a, port_a, subdomain_b, port_b], law)
        })
    }
}
