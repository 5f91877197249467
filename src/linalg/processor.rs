//! Loops compiled twice, for any processor and for one with AVX2 and FMA; which one runs is decided at run time.

#![allow(unsafe_code)] // CPUID; the calls of functions compiled for AVX2 are in the macro

use std::cell::Cell;

/// a·b + c, in one rounding where the processor has it.
#[inline(always)]
pub(crate) fn fused<const FMA: bool>(a: f64, b: f64, c: f64) -> f64 {
    if FMA {
        a.mul_add(b, c)
    } else {
        a * b + c
    }
}

/// What the processor can do. Kept per thread, and not in a global variable that threads would share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Processor {
    pub(crate) fma: bool,
}

thread_local! {
    /// The answer: on a virtual machine CPUID leaves it and takes microseconds, and a solver asks a hundred times.
    static ANSWER: Cell<Option<Processor>> = const { Cell::new(None) };
}

/// For tests: solvers that are made in `run`, on this thread, take the kernels for any processor.
#[doc(hidden)]
pub fn without_fma<T>(run: impl FnOnce() -> T) -> T {
    struct Back(Option<Processor>);
    impl Drop for Back {
        fn drop(&mut self) {
            ANSWER.set(self.0);
        }
    }
    let _back = Back(ANSWER.replace(Some(Processor { fma: false })));
    run()
}

impl Processor {
    /// True if kernels with AVX2 and FMA are used.
    pub fn has_fma(self) -> bool {
        self.fma
    }

    /// What solvers of this thread use: what the processor can do, except in [`without_fma`].
    pub fn detect() -> Self {
        let processor = ANSWER.get().unwrap_or_else(Processor::ask);
        ANSWER.set(Some(processor));
        processor
    }

    /// Ask the processor, and the operating system whether it keeps the wide registers.
    #[cfg(target_arch = "x86_64")]
    fn ask() -> Self {
        use std::arch::x86_64::{__cpuid, __cpuid_count, _xgetbv};
        #[target_feature(enable = "xsave")]
        unsafe fn enabled() -> u64 {
            // SAFETY: called with OSXSAVE only.
            unsafe { _xgetbv(0) }
        }
        // SAFETY: every x86-64 processor has CPUID; leaf 7 is asked for if there is one, XGETBV if the system allows it.
        #[allow(unused_unsafe)]
        let fma = unsafe {
            let bit = |register: u32, k: u32| register >> k & 1 == 1;
            let features = __cpuid(1).ecx;
            let (has_fma, os_saves, avx) = (bit(features, 12), bit(features, 27), bit(features, 28));
            let avx2 = __cpuid(0).eax >= 7 && bit(__cpuid_count(7, 0).ebx, 5);
            has_fma && os_saves && avx && avx2 && enabled() & 6 == 6
        };
        Processor { fma }
    }

    /// Nothing is known of other processors.
    #[cfg(not(target_arch = "x86_64"))]
    fn ask() -> Self {
        Processor { fma: false }
    }
}

/// `kernel!(name, body, [generics], [their names], (arguments) -> result)`: a function that calls `body`, whose last generic
/// parameter says whether there is FMA. `body` and what it calls have to be `inline(always)`.
macro_rules! kernel {
    ($(#[$doc:meta])* $name:ident, $body:ident, [$($generics:tt)*], [$($names:tt)*], ($($arg:ident: $type:ty),*) $(-> $result:ty)?) => {
        $(#[$doc])*
        #[inline]
        pub fn $name<$($generics)*>(processor: $crate::linalg::processor::Processor, $($arg: $type),*) $(-> $result)? {
            #[cfg(target_arch = "x86_64")]
            if processor.fma {
                #[target_feature(enable = "avx2,fma")]
                unsafe fn fast<$($generics)*>($($arg: $type),*) $(-> $result)? {
                    $body::<$($names,)* true>($($arg),*)
                }
                // SAFETY: the processor has what the function needs.
                return unsafe { fast::<$($names)*>($($arg),*) };
            }
            let _ = processor;
            $body::<$($names,)* false>($($arg),*)
        }
    };
}
pub(crate) use kernel;

#[cfg(test)]
mod tests {
    use super::*;

    /// The same answer as the standard library's.
    #[test]
    #[cfg(target_arch = "x86_64")]
    fn the_processor_is_known() {
        let expected =
            std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma");
        assert_eq!(Processor::detect().fma, expected);
        assert!(!without_fma(Processor::detect).fma);
        assert_eq!(Processor::detect().fma, expected, "as before");
    }
}
