//! Glued runs for C programs: subdomains made from handles, ports, joints, transports, and the run itself.
//!
//! | file | what |
//! | --- | --- |
//! | this one | the object, its transport, its errors |
//! | [`describe`] | subdomains, ports, options |
//! | [`joints`] | joints |
//! | [`run`] | start, integrate, save and resume, results |
//!
//! All participants of a run make the same calls, except that a subdomain's model is given by its owner alone. See docs/gluing.md.

pub mod describe;
pub mod joints;
pub mod run;

use super::boundary::guarded;
use super::functions::{Callbacks, Roots};
use super::handle::{null, refused};
use super::inspect::{ErrorInfo, LastError};
use super::run::{GEOMS_EVENT, GEOMS_REACHED};
use crate::error::{Code, Failure};
use crate::gluing::port::{Coordinates, Function, PlanarFrame, Port};
use crate::gluing::save::Saving;
use crate::gluing::spatial::SpatialFrame;
use crate::gluing::transport::{Alone, Lost, Transport};
use crate::gluing::{Assembly, End, Glued, Joint, Law, Part, Settings, Stop};
use crate::options::MassStructure;
use crate::system::Outcome;
use std::cell::UnsafeCell;
use std::ffi::{c_char, c_int, c_void, CStr};
use std::sync::atomic::{AtomicBool, Ordering};

/// A port: y and its derivatives by p, column-major, one row for each y, which come in as zeros. Returns as the functions of a model do.
pub type PortFunction = Option<
    unsafe extern "C" fn(t: f64, p: *const f64, y: *mut f64, jacobian: *mut f64, user: *mut c_void) -> c_int,
>;

/// Send n numbers to a participant without waiting for it. Returns 0, or -1-r if participant r is lost.
pub type SendFunction =
    Option<unsafe extern "C" fn(to: c_int, data: *const f64, n: i64, user: *mut c_void) -> c_int>;

/// Receive n numbers from a participant, in the order in which they were sent. Returns 0, or -1-r if participant r is lost.
pub type ReceiveFunction =
    Option<unsafe extern "C" fn(from: c_int, data: *mut f64, n: i64, user: *mut c_void) -> c_int>;

/// Tell all other participants that one is lost. Returns 0.
pub type AbandonFunction = Option<unsafe extern "C" fn(lost: c_int, user: *mut c_void) -> c_int>;

#[derive(Clone, Copy)]
struct Functions {
    rank: usize,
    size: usize,
    send: SendFunction,
    receive: ReceiveFunction,
    abandon: AbandonFunction,
    user: *mut c_void,
}

impl Functions {
    fn lost(returned: c_int) -> Result<(), Lost> {
        match returned {
            0 => Ok(()),
            r => Err(Lost { rank: usize::try_from(-1 - i64::from(r)).unwrap_or(0) }),
        }
    }
}

fn count(n: usize) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

fn number(rank: usize) -> c_int {
    c_int::try_from(rank).unwrap_or(c_int::MAX)
}

impl Transport for Functions {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn send(&mut self, to: usize, data: &[f64]) -> Result<(), Lost> {
        let Some(send) = self.send else { return Err(Lost { rank: to }) };
        // SAFETY: `data` has the length given; the function is the caller's.
        Self::lost(unsafe { send(number(to), data.as_ptr(), count(data.len()), self.user) })
    }

    fn receive(&mut self, from: usize, data: &mut [f64]) -> Result<(), Lost> {
        let Some(receive) = self.receive else { return Err(Lost { rank: from }) };
        // SAFETY: `data` has the length given; the function is the caller's.
        Self::lost(unsafe { receive(number(from), data.as_mut_ptr(), count(data.len()), self.user) })
    }

    fn abandon(&mut self, lost: Lost) {
        if let Some(abandon) = self.abandon {
            // SAFETY: the function is the caller's.
            let _ = unsafe { abandon(number(lost.rank), self.user) };
        }
    }
}

#[derive(Clone)]
enum PortOf {
    Frame(PlanarFrame),
    Spatial(SpatialFrame),
    Coordinates(Vec<usize>),
    Function { size: usize, depends_on_time: bool, function: PortFunction, user: *mut c_void },
}

/// A subdomain as it was described, so that a run can be started more than once.
struct Subdomain {
    owner: usize,
    model: Option<(Callbacks, MassStructure, Vec<f64>)>,
    ports: Vec<PortOf>,
    roots: Option<Roots>,
}

impl Subdomain {
    fn part(&self) -> Option<Part<'static>> {
        let (model, mass, x) = self.model.as_ref()?;
        let mut part = Part::new(Box::new(model.clone()), x).with_mass(*mass);
        part.ports = self.ports.iter().map(port).collect();
        Some(part)
    }
}

fn port(port: &PortOf) -> Box<dyn Port> {
    match port {
        PortOf::Frame(frame) => Box::new(*frame),
        PortOf::Spatial(frame) => Box::new(*frame),
        PortOf::Coordinates(indices) => Box::new(Coordinates(indices.clone())),
        &PortOf::Function { size, depends_on_time, function, user } => Box::new(Function {
            size,
            depends_on_time,
            function: move |t: f64, p: &[f64], y: &mut [f64], jacobian: &mut [f64]| {
                let Some(function) = function else { return Outcome::Stop };
                // SAFETY: p, y and the Jacobian have NP, `size` and size·NP entries; the function is the caller's.
                match unsafe { function(t, p.as_ptr(), y.as_mut_ptr(), jacobian.as_mut_ptr(), user) } {
                    0 => Outcome::Continue,
                    1.. => Outcome::Retry,
                    _ => Outcome::Stop,
                }
            },
        }),
    }
}

/// A glued run: its description, and the run once it has started.
pub struct Glue {
    busy: AtomicBool,
    inner: UnsafeCell<Inner>,
}

struct Inner {
    settings: Settings,
    transport: Option<Functions>,
    subdomains: Vec<Subdomain>,
    joints: Vec<Joint>,
    run: Option<Glued<'static>>,
    saving: Option<Saving>,
    event: Option<(usize, usize)>,
    /// Given for the next restart.
    changed: Vec<(usize, Vec<f64>)>,
    error: LastError,
}

impl Inner {
    fn run(&mut self) -> Result<&mut Glued<'static>, Failure> {
        let missing =
            || Failure::new(Code::NotReady, "there is no run: call geoms_glue_start or geoms_glue_resume");
        self.run.as_mut().ok_or_else(missing)
    }

    fn subdomain(&mut self, k: c_int) -> Result<&mut Subdomain, Failure> {
        let n = self.subdomains.len();
        let found = usize::try_from(k).ok().and_then(|k| self.subdomains.get_mut(k));
        found.ok_or_else(|| refused("subdomain", k, format!("0 <= subdomain < {n}")))
    }

    fn add_port(&mut self, k: c_int, port: PortOf) -> Result<c_int, Failure> {
        let subdomain = self.subdomain(k)?;
        if let Some((model, _, _)) = &subdomain.model {
            let np = model.layout.dims.np;
            let spatial: [usize; 7];
            let indices: &[usize] = match &port {
                PortOf::Frame(frame) => &frame.body,
                PortOf::Spatial(frame) => {
                    let ([x, y, z], [a, b, c, d]) = (frame.origin, frame.attitude);
                    spatial = [x, y, z, a, b, c, d];
                    &spatial
                }
                PortOf::Coordinates(indices) => indices,
                PortOf::Function { .. } => &[],
            };
            if let Some(bad) = indices.iter().find(|&&i| i >= np) {
                return Err(refused("index", bad, format!("0 <= index < np = {np}")));
            }
        }
        subdomain.ports.push(port);
        Ok(number(subdomain.ports.len() - 1))
    }

    fn join(&mut self, [a, port_a, b, port_b]: [c_int; 4], law: Law) -> Result<c_int, Failure> {
        let mut end = |subdomain: c_int, port: c_int| {
            let ports = self.subdomain(subdomain)?.ports.len();
            match (usize::try_from(subdomain), usize::try_from(port)) {
                (Ok(subdomain), Ok(port)) if port < ports => Ok(End { subdomain, port }),
                _ => Err(refused("port", port, format!("0 <= port < {ports}"))),
            }
        };
        let ends = [end(a, port_a)?, end(b, port_b)?];
        if a == b {
            return Err(refused(
                "subdomain_b",
                b,
                format!("not {a}: a joint within a subdomain belongs to its model"),
            ));
        }
        if let Some((name, value, allowed)) = law.refused() {
            return Err(refused(name, value, allowed));
        }
        self.joints.push(Joint { ends, law });
        Ok(number(self.joints.len() - 1))
    }

    fn assembly(&self) -> (Assembly<'static>, Box<dyn Transport>) {
        let mut assembly = Assembly::new();
        let rank = self.transport.map_or(0, |t| t.rank);
        for (k, s) in self.subdomains.iter().enumerate() {
            let part = if s.owner == rank { s.part() } else { None };
            assembly.subdomain(s.owner, part);
            if let (Some(roots), true) = (s.roots, s.owner == rank) {
                assembly.events(k, Box::new(roots));
            }
        }
        self.joints.iter().for_each(|j| {
            assembly.join(j.clone());
        });
        match self.transport {
            Some(functions) => (assembly, Box::new(functions)),
            None => (assembly, Box::new(Alone)),
        }
    }

    fn stopped(&mut self, stop: Stop) -> c_int {
        match stop {
            Stop::End => GEOMS_REACHED,
            Stop::Event { subdomain, index } => {
                self.event = Some((subdomain, index));
                GEOMS_EVENT
            }
        }
    }
}

/// Perform a call; it is refused while another one runs.
///
/// # Safety
/// The pointer is null or was made by `geoms_glue_create` and not freed.
unsafe fn call(glue: *const Glue, f: impl FnOnce(&mut Inner) -> Result<c_int, Failure>) -> c_int {
    // SAFETY: the contract of this function; only shared references are ever made.
    let Some(glue) = (unsafe { glue.as_ref() }) else { return Code::BadArgument.idid() };
    if glue.busy.swap(true, Ordering::Acquire) {
        return Code::InUse.idid();
    }
    // SAFETY: `busy` was false, so no other call has a reference, and none gets one before it is false again.
    let inner = unsafe { &mut *glue.inner.get() };
    let failure = match guarded(|| f(inner)) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(failure)) => Err(failure),
        Err(code) => {
            inner.run = None;
            Err(Failure::new(code, "the run is lost; its description is kept"))
        }
    };
    let returned = failure.unwrap_or_else(|failure| {
        let _ = guarded(|| inner.error = LastError::new(&failure));
        failure.code.idid()
    });
    glue.busy.store(false, Ordering::Release);
    returned
}

/// Copies of n numbers of the caller.
///
/// # Safety
/// `from` is null or has n entries.
unsafe fn numbers<T: Copy>(name: &str, from: *const T, n: c_int) -> Result<Vec<T>, Failure> {
    let size = usize::try_from(n).ok().filter(|&n| n > 0).ok_or_else(|| refused("n", n, "> 0"))?;
    if from.is_null() {
        return Err(null(name));
    }
    // SAFETY: not null, and the caller's.
    Ok((0..size).map(|i| unsafe { from.add(i).read_unaligned() }).collect())
}

/// As [`numbers`]; null stands for zeros.
///
/// # Safety
/// As [`numbers`].
unsafe fn numbers_or_zero(name: &str, from: *const f64, n: c_int) -> Result<Vec<f64>, Failure> {
    if from.is_null() {
        return Ok(vec![0.0; usize::try_from(n).unwrap_or(0)]);
    }
    // SAFETY: the contract of this function.
    unsafe { numbers(name, from, n) }
}

/// A string of the caller.
///
/// # Safety
/// `from` is null or a terminated string.
unsafe fn text(name: &str, from: *const c_char) -> Result<String, Failure> {
    if from.is_null() {
        return Err(null(name));
    }
    // SAFETY: not null, and the caller's.
    Ok(unsafe { CStr::from_ptr(from) }.to_string_lossy().into_owned())
}

/// A glued run without subdomains; null if there is no memory. To be freed with geoms_glue_free.
#[no_mangle]
pub extern "C" fn geoms_glue_create() -> *mut Glue {
    let made = guarded(|| {
        let inner = Inner {
            settings: Settings::default(),
            transport: None,
            subdomains: Vec::new(),
            joints: Vec::new(),
            run: None,
            saving: None,
            event: None,
            changed: Vec::new(),
            error: LastError::none(),
        };
        Box::new(Glue { busy: AtomicBool::new(false), inner: UnsafeCell::new(inner) })
    });
    made.map_or(std::ptr::null_mut(), Box::into_raw)
}

/// Free a glued run; null is allowed. The handles of its models are not freed. Has no effect from within one of its callbacks.
///
/// # Safety
/// The pointer is null or was made by geoms_glue_create, and is not used any more.
#[no_mangle]
pub unsafe extern "C" fn geoms_glue_free(glue: *mut Glue) {
    // SAFETY: the contract of this function.
    if glue.is_null() || unsafe { &*glue }.busy.load(Ordering::Acquire) {
        return;
    }
    // SAFETY: made by Box::into_raw, and no call runs.
    let boxed = unsafe { Box::from_raw(glue) };
    let _ = guarded(|| drop(boxed));
}

/// Number of this participant and of all of them, and how they exchange numbers; for MPI see geoms_mpi.h. Without this call there is one
/// participant, number 0.
///
/// # Safety
/// The pointer is null or one of geoms_glue_create; the functions keep to their lengths.
#[no_mangle]
pub unsafe extern "C" fn geoms_glue_set_transport(
    glue: *mut Glue,
    rank: c_int,
    size: c_int,
    send: SendFunction,
    receive: ReceiveFunction,
    abandon: AbandonFunction,
    user: *mut c_void,
) -> c_int {
    // SAFETY: the contract of this function.
    unsafe {
        call(glue, |inner| {
            let size_ =
                usize::try_from(size).ok().filter(|&s| s > 0).ok_or_else(|| refused("size", size, "> 0"))?;
            let rank_ = usize::try_from(rank).ok().filter(|&r| r < size_);
            let rank = rank_.ok_or_else(|| refused("rank", rank, format!("0 <= rank < {size}")))?;
            if size_ > 1 && (send.is_none() || receive.is_none()) {
                return Err(null(if send.is_none() { "send" } else { "receive" }));
            }
            inner.transport = Some(Functions { rank, size: size_, send, receive, abandon, user });
            Ok(0)
        })
    }
}

/// The last error of a glued run. Returns its code, 0 if nothing has gone wrong. The strings are valid until the next call.
///
/// # Safety
/// The pointer is null or one of geoms_glue_create; `out` is null or points to an error.
#[no_mangle]
pub unsafe extern "C" fn geoms_glue_last_error(glue: *mut Glue, out: *mut ErrorInfo) -> c_int {
    // SAFETY: the contract of this function.
    unsafe {
        call(glue, |inner| {
            let info = inner.error.info();
            if !out.is_null() {
                out.write_unaligned(info);
            }
            Ok(info.code)
        })
    }
}
