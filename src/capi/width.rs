//! Is INTEGER of the program as wide as the library thinks? A symbol of Fortran does not say, so a program compiled with
//! `-fdefault-integer-8` links `libgeoms` without complaint, reads its dimensions with garbage in the upper halves and
//! crashes. Here such a call is refused.
//!
//! - A program of 32 bits that calls the library for 64: its scalars lie 4 bytes apart, where two integers of 64 bits would
//!   overlap. That is certain.
//! - A program of 64 bits that calls the library for 32: every scalar is alone in an aligned slot of 8 bytes whose upper
//!   half extends the sign, and so is every pair of words in IOPT. Compilers pack integers of 32 bits, so in a program of 32
//!   bits that would be 15 coincidences; not so where each argument is a block on the heap (foreign function
//!   interfaces of scripting languages), or between the red zones of the address sanitizer. Both are left alone.

#![allow(unsafe_code)]

use super::fortran::Arguments;
use super::FortranInteger;

/// What is wrong, and what the caller's INTEGER is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mismatch {
    /// INTEGER of the program has 32 bits, that of the call 64.
    Narrow,
    /// INTEGER of the program has 64 bits, that of the call 32.
    Wide,
}

/// Different addresses in the program's own memory that make a judgement.
const ENOUGH: usize = 5;

/// The width that the program shows, if it is not `I`. Null pointers are for others to refuse.
///
/// # Safety
/// Every pointer is null or points to what the manual says.
pub(super) unsafe fn mismatch<I: FortranInteger>(args: &Arguments<I>) -> Option<Mismatch> {
    // IERR and IDID last: they need not have a value yet.
    let scalars = [
        args.np,
        args.nv,
        args.nr,
        args.nw,
        args.ns,
        args.nl,
        args.nm,
        args.ni,
        args.m,
        args.n,
        args.nivcond,
        args.itol,
        args.ijac,
        args.iout,
        args.liwork,
        args.lrwork,
        args.ierr,
        args.idid,
    ];
    let arrays = [args.iopt, args.iwork, args.ipar];
    if scalars.iter().chain(&arrays).any(|p| p.is_null()) {
        return None;
    }
    let places = Places::of(&scalars.map(|p| p as usize));
    if size_of::<I>() == 8 {
        return places.packed().then_some(Mismatch::Narrow);
    }
    if !places.could_be_wide() || arrays.iter().any(|&p| p as usize % 8 != 0) {
        return None;
    }
    // SAFETY: IOPT has 40 entries.
    let iopt: [u32; 40] = std::array::from_fn(|k| unsafe { args.iopt.cast::<u32>().add(k).read() });
    if !iopt.chunks_exact(2).all(extends_the_sign) || !places.in_the_program() || sanitized() {
        return None;
    }
    // SAFETY: an aligned slot of 8 bytes lies in one page, so all of it can be read.
    let extended = |p: &*const I| extends_the_sign(&unsafe { p.cast::<[u32; 2]>().read() });
    scalars[..16].iter().all(extended).then_some(Mismatch::Wide)
}

/// Where the scalars are; each address once, in their order.
struct Places(Vec<usize>);

impl Places {
    fn of(addresses: &[usize]) -> Self {
        let mut sorted = addresses.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        Self(sorted)
    }

    /// Two of them are so close that they cannot be 8 bytes long.
    fn packed(&self) -> bool {
        self.0.windows(2).any(|pair| pair[1] - pair[0] < 8)
    }

    fn could_be_wide(&self) -> bool {
        cfg!(target_endian = "little") && !self.packed() && self.0.iter().all(|address| address % 8 == 0)
    }

    /// Enough of them are variables or constants of compiled code, on the stack or in a loaded file.
    fn in_the_program(&self) -> bool {
        let stack = stack();
        self.0.iter().filter(|address| stack.contains(address) || in_a_loaded_file(**address)).count()
            >= ENOUGH
    }
}

/// The two halves of a number that fits in the lower one, little-endian.
fn extends_the_sign(halves: &[u32]) -> bool {
    matches!(halves, [low, high] if *high == if *low >> 31 == 1 { u32::MAX } else { 0 })
}

fn in_a_loaded_file(address: usize) -> bool {
    // SAFETY: dladdr takes any address and writes the structure if it knows it.
    unsafe {
        let mut info: libc::Dl_info = std::mem::zeroed();
        libc::dladdr(address as *const libc::c_void, &raw mut info) != 0
    }
}

/// The stack of this thread; empty if that is not known.
#[cfg(target_os = "linux")]
fn stack() -> std::ops::Range<usize> {
    // SAFETY: the attributes are initialised by the first call, and released.
    unsafe {
        let mut attributes: libc::pthread_attr_t = std::mem::zeroed();
        if libc::pthread_getattr_np(libc::pthread_self(), &raw mut attributes) != 0 {
            return 0..0;
        }
        let (mut low, mut size) = (std::ptr::null_mut(), 0);
        let found = libc::pthread_attr_getstack(&raw const attributes, &raw mut low, &raw mut size) == 0;
        libc::pthread_attr_destroy(&raw mut attributes);
        if found {
            low as usize..(low as usize).saturating_add(size)
        } else {
            0..0
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn stack() -> std::ops::Range<usize> {
    0..0
}

/// Does the program run with the address sanitizer?
fn sanitized() -> bool {
    // SAFETY: a look into the table of symbols.
    unsafe { !libc::dlsym(libc::RTLD_DEFAULT, c"__asan_init".as_ptr()).is_null() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_tell_what_cannot_be_wide() {
        assert!(Places::of(&[8, 12, 32]).packed());
        assert!(Places::of(&[0x1002, 0x1006]).packed());
        assert!(!Places::of(&[8, 16, 8, 16]).packed());
        assert!(Places::of(&[8, 16, 160]).could_be_wide());
        assert!(!Places::of(&[8, 16, 164]).could_be_wide());
        assert!(!Places::of(&[8, 12]).could_be_wide());
    }

    #[test]
    fn halves_of_a_number() {
        assert!(
            extends_the_sign(&[7, 0]) && extends_the_sign(&[u32::MAX, u32::MAX]) && extends_the_sign(&[0, 0])
        );
        assert!(
            !extends_the_sign(&[0, 6])
                && !extends_the_sign(&[u32::MAX, 0])
                && !extends_the_sign(&[1, u32::MAX])
        );
    }

    #[test]
    fn variables_are_in_the_program_and_blocks_are_not() {
        static FIXED: [i64; 3] = [1, 2, 3];
        let local = [1_i64, 2, 3];
        let blocks: Vec<Box<i64>> = (0..12).map(Box::new).collect();
        let of = |numbers: &[i64]| numbers.iter().map(|n| std::ptr::from_ref(n) as usize).collect::<Vec<_>>();
        let heap: Vec<usize> = blocks.iter().map(|b| std::ptr::from_ref::<i64>(b) as usize).collect();
        assert!(Places::of(&[of(&FIXED), of(&local)].concat()).in_the_program());
        assert!(!Places::of(&heap).in_the_program());
        assert!(!Places::of(&[heap, of(&local)].concat()).in_the_program(), "three variables say too little");
    }
}
