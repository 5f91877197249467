//! What is glued: subdomains, ports, events, options.

use super::{call, number, numbers, numbers_or_zero, text, Glue, PortFunction, PortOf, Subdomain};
use crate::capi::functions::{EventsFunction, Roots};
use crate::capi::handle::{look, null, refused, Handle};
use crate::error::{Code, Failure};
use crate::gluing::port::PlanarFrame;
use crate::gluing::spatial::SpatialFrame;
use crate::gluing::{Projection, Topology};
use std::ffi::{c_char, c_int, c_void};

/// geoms_glue_set_int "topology": the interface is solved at one place.
pub const GEOMS_FLAT: c_int = 0;
/// geoms_glue_set_int "topology": halves of halves in the order of the subdomains, for chains.
pub const GEOMS_BISECTION: c_int = 1;
/// geoms_glue_set_int "topology": along the joints, data go to neighbours only; for chains and trees.
pub const GEOMS_NEIGHBOUR: c_int = 2;
/// geoms_glue_set_int "topology": at one place, after the subdomains of each participant among themselves. The round-off of the results
/// depends on who has which subdomain; with the other ones it does not.
pub const GEOMS_GROUPED: c_int = 3;
/// geoms_glue_set_int "topology": halves of halves that few joints connect, whatever the order of the subdomains; for grids and loops of joints.
pub const GEOMS_DISSECTION: c_int = 4;

/// Add a subdomain that participant `owner` computes. It gives a handle with equations, mass matrix and, if there is one, the Jacobian, whose
/// functions and option "masstrct" are taken as they are now, and the initial values x; the others give null for both. Returns the number
/// of the subdomain.
///
/// # Safety
/// The pointers are null or valid; x has as many entries as geoms_dimension says.
#[no_mangle]
pub unsafe extern "C" fn geoms_glue_add(
    glue: *mut Glue,
    owner: c_int,
    model_or_null: *const Handle,
    x_or_null: *const f64,
) -> c_int {
    // SAFETY: the contract of this function.
    unsafe {
        call(glue, |inner| {
            let owner = usize::try_from(owner).map_err(|_| refused("owner", owner, ">= 0"))?;
            let mut model = None;
            if !model_or_null.is_null() {
                let found = look(model_or_null, |h| (h.model.clone(), h.options.mass));
                let (functions, mass) =
                    found.ok_or_else(|| Failure::new(Code::InUse, "the handle of the model"))?;
                if let Some(what) = functions.missing() {
                    return Err(Failure::new(Code::NotReady, what));
                }
                let n = c_int::try_from(functions.layout.n).unwrap_or(c_int::MAX);
                model = Some((functions, mass, numbers("x", x_or_null, n)?));
            }
            inner.subdomains.push(Subdomain { owner, model, ports: Vec::new(), roots: None });
            Ok(number(inner.subdomains.len() - 1))
        })
    }
}

/// Indices of positions.
///
/// # Safety
/// The pointer is null or has n entries.
unsafe fn places(name: &'static str, pointer: *const c_int, n: c_int) -> Result<Vec<usize>, Failure> {
    // SAFETY: the contract of this function.
    let list = unsafe { numbers(name, pointer, n)? };
    list.into_iter().map(|i| usize::try_from(i).map_err(|_| refused("index", i, ">= 0"))).collect()
}

/// Add a port of a planar body: a point of the body and its angle, (x, y, angle). `ix`, `iy` and `iangle` are the indices of the body's
/// coordinates among the positions p, from 0; (at_x, at_y) is the point in the frame of the body. Returns the number of the port.
///
/// # Safety
/// The pointer is null or one of geoms_glue_create.
#[no_mangle]
pub unsafe extern "C" fn geoms_glue_port_frame(
    glue: *mut Glue,
    subdomain: c_int,
    ix: c_int,
    iy: c_int,
    iangle: c_int,
    at_x: f64,
    at_y: f64,
) -> c_int {
    // SAFETY: the contract of this function.
    unsafe {
        call(glue, |inner| {
            let mut body = [0; 3];
            for (to, from) in body.iter_mut().zip([ix, iy, iangle]) {
                *to = usize::try_from(from).map_err(|_| refused("index", from, ">= 0"))?;
            }
            inner.add_port(subdomain, PortOf::Frame(PlanarFrame { body, at: [at_x, at_y] }))
        })
    }
}

/// Add a port of a body in space: a point of the body and its axes, (point, e1, e2, e3), 12 components. `origin` has the 3 indices of the body's
/// origin and `attitude` the 4 indices of its unit quaternion, the real part first, among the positions p, from 0; `at` is the point in the
/// frame of the body, null for its origin. Returns the number of the port.
///
/// # Safety
/// The pointer is null or one of geoms_glue_create; the arrays have 3, 4 and 3 entries.
#[no_mangle]
pub unsafe extern "C" fn geoms_glue_port_spatial(
    glue: *mut Glue,
    subdomain: c_int,
    origin: *const c_int,
    attitude: *const c_int,
    at_or_null: *const f64,
) -> c_int {
    // SAFETY: the contract of this function.
    unsafe {
        call(glue, |inner| {
            let list = places("origin", origin, 3)?.into_iter().chain(places("attitude", attitude, 4)?);
            let mut found = [0; 7];
            found.iter_mut().zip(list).for_each(|(to, from)| *to = from);
            let [x, y, z, a, b, c, d] = found;
            let mut at = [0.0; 3];
            at.copy_from_slice(&numbers_or_zero("at", at_or_null, 3)?);
            inner.add_port(
                subdomain,
                PortOf::Spatial(SpatialFrame { origin: [x, y, z], attitude: [a, b, c, d], at }),
            )
        })
    }
}

/// Add a port that shows n of the positions p; indices from 0. Returns the number of the port.
///
/// # Safety
/// The pointer is null or one of geoms_glue_create; `indices` has n entries.
#[no_mangle]
pub unsafe extern "C" fn geoms_glue_port_coordinates(
    glue: *mut Glue,
    subdomain: c_int,
    n: c_int,
    indices: *const c_int,
) -> c_int {
    // SAFETY: the contract of this function.
    unsafe {
        call(glue, |inner| {
            let list = places("indices", indices, n)?;
            inner.add_port(subdomain, PortOf::Coordinates(list))
        })
    }
}

/// Add a port given by a function with n components; depends_on_time says whether t matters. Returns the number of the port.
///
/// # Safety
/// The pointer is null or one of geoms_glue_create; the function keeps to its lengths.
#[no_mangle]
pub unsafe extern "C" fn geoms_glue_port(
    glue: *mut Glue,
    subdomain: c_int,
    n: c_int,
    depends_on_time: c_int,
    port: PortFunction,
    user: *mut c_void,
) -> c_int {
    // SAFETY: the contract of this function.
    unsafe {
        call(glue, |inner| {
            let size = usize::try_from(n).ok().filter(|&n| n > 0).ok_or_else(|| refused("n", n, "> 0"))?;
            if inner.subdomain(subdomain)?.model.is_some() && port.is_none() {
                return Err(null("port"));
            }
            let depends_on_time = depends_on_time != 0;
            inner.add_port(subdomain, PortOf::Function { size, depends_on_time, function: port, user })
        })
    }
}

/// Functions of x of a subdomain at whose changes of sign the run stops; given by its owner.
///
/// # Safety
/// The pointer is null or one of geoms_glue_create; the function keeps to its lengths.
#[no_mangle]
pub unsafe extern "C" fn geoms_glue_set_events(
    glue: *mut Glue,
    subdomain: c_int,
    n: c_int,
    events: EventsFunction,
    user: *mut c_void,
) -> c_int {
    // SAFETY: the contract of this function.
    unsafe {
        call(glue, |inner| {
            let count = usize::try_from(n).map_err(|_| refused("n", n, ">= 0"))?;
            let roots = (count > 0).then_some(Roots { function: events, count, user });
            inner.subdomain(subdomain)?.roots = roots;
            Ok(0)
        })
    }
}

/// Set a real option, the same in all participants: "radius" (spectral radius at infinity, from 0 to below 1; 0.8), "rtol", "atol" (of the
/// positions; 1e-6), "hmax", "event_tolerance" (1e-10).
///
/// # Safety
/// The pointer is null or one of geoms_glue_create; `name` is null or a string.
#[no_mangle]
pub unsafe extern "C" fn geoms_glue_set_real(glue: *mut Glue, name: *const c_char, value: f64) -> c_int {
    // SAFETY: the contract of this function.
    unsafe {
        call(glue, |inner| {
            let (name, s) = (text("name", name)?, &mut inner.settings);
            let (slot, allowed, fits) = match name.to_ascii_lowercase().as_str() {
                "radius" => (&mut s.radius, "from 0 to below 1", (0.0..1.0).contains(&value)),
                "rtol" => (&mut s.rtol, ">= 0, finite", value >= 0.0 && value.is_finite()),
                "atol" => (&mut s.atol, "> 0, finite", value > 0.0 && value.is_finite()),
                "hmax" => (&mut s.hmax, "> 0", value > 0.0),
                "event_tolerance" => {
                    (&mut s.event_tolerance, "> 0, finite", value > 0.0 && value.is_finite())
                }
                _ => return Err(refused("name", name, "radius, rtol, atol, hmax, event_tolerance")),
            };
            if !fits {
                return Err(refused(name, value, allowed));
            }
            *slot = value;
            Ok(0)
        })
    }
}

/// Set an integer option, the same in all participants: "project" (1: velocities of the results satisfy the constraints; default; 2: steps go on
/// from these, which costs the forces an order; 0: they satisfy them to O(h²)), "fixed" (1: steps of constant size), "topology" (GEOMS_FLAT, GEOMS_BISECTION, GEOMS_NEIGHBOUR, GEOMS_GROUPED,
/// GEOMS_DISSECTION).
///
/// # Safety
/// The pointer is null or one of geoms_glue_create; `name` is null or a string.
#[no_mangle]
pub unsafe extern "C" fn geoms_glue_set_int(glue: *mut Glue, name: *const c_char, value: c_int) -> c_int {
    // SAFETY: the contract of this function.
    unsafe {
        call(glue, |inner| {
            let (name, s) = (text("name", name)?, &mut inner.settings);
            match (name.to_ascii_lowercase().as_str(), value) {
                ("project", 0) => s.project = Projection::None,
                ("project", 1) => s.project = Projection::Result,
                ("project", 2) => s.project = Projection::Continued,
                ("fixed", 0 | 1) => s.fixed_step = value == 1,
                ("topology", GEOMS_FLAT) => s.topology = Topology::Flat,
                ("topology", GEOMS_BISECTION) => s.topology = Topology::Bisection,
                ("topology", GEOMS_NEIGHBOUR) => s.topology = Topology::Neighbour,
                ("topology", GEOMS_GROUPED) => s.topology = Topology::Grouped,
                ("topology", GEOMS_DISSECTION) => s.topology = Topology::Dissection,
                ("project", _) => return Err(refused(name, value, "0, 1, 2")),
                ("fixed", _) => return Err(refused(name, value, "0, 1")),
                ("topology", _) => {
                    return Err(refused(
                        name,
                        value,
                        "GEOMS_FLAT, GEOMS_BISECTION, GEOMS_NEIGHBOUR, GEOMS_GROUPED, GEOMS_DISSECTION",
                    ))
                }
                _ => return Err(refused("name", name, "project, fixed, topology")),
            }
            Ok(0)
        })
    }
}
