//! CPU time of this thread, and silence around codes that print.

/// Seconds of CPU time of this thread.
pub fn cpu() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a valid place for the answer.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64
}

/// Sends standard output to /dev/null while it lives: the Fortran codes report failures there.
pub struct Silence(libc::c_int);

impl Silence {
    pub fn new() -> Self {
        use std::io::Write;
        let _ = std::io::stdout().flush();
        // SAFETY: plain system calls on descriptors of our own.
        unsafe {
            let kept = libc::dup(1);
            let null = libc::open(c"/dev/null".as_ptr(), libc::O_WRONLY);
            libc::dup2(null, 1);
            libc::close(null);
            Silence(kept)
        }
    }
}

impl Drop for Silence {
    fn drop(&mut self) {
        // SAFETY: as above.
        unsafe {
            libc::fflush(std::ptr::null_mut());
            libc::dup2(self.0, 1);
            libc::close(self.0);
        }
    }
}
