//! Links OpenBLAS into the extension, hidden and with one thread, so that a wheel needs nothing of the machine it is installed
//! on: the archive of `packaging/static-openblas.sh`, as in the private build of the library.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (finder, threads, runtime) =
        ("../packaging/static-openblas.sh", "../packaging/one-thread.c", "runtime.c");
    for file in [finder, threads, runtime, "build.rs"] {
        println!("cargo:rerun-if-changed={file}");
    }
    println!("cargo:rerun-if-env-changed=CC");
    let found = Command::new(finder).output()?;
    if !found.status.success() {
        return Err(String::from_utf8_lossy(&found.stderr).into());
    }
    let archive = String::from_utf8(found.stdout)?;
    // The library asks for -lopenblas; what the linker finds under that name, before that of the machine, is the archive. So the
    // library itself is the one that is built without Python.
    let folder = env::var("OUT_DIR")?;
    fs::write(Path::new(&folder).join("libopenblas.so"), format!("INPUT({})\n", archive.trim()))?;
    println!("cargo:rustc-link-search=native={folder}");
    // Objects, not an archive: nothing refers to the initialisation of one-thread.c, which has to come behind OpenBLAS.
    for object in cc::Build::new().files([threads, runtime]).warnings(true).pic(true).compile_intermediates()
    {
        println!("cargo:rustc-cdylib-link-arg={}", object.display());
    }
    println!("cargo:rustc-cdylib-link-arg=-Wl,-u,openblas_set_num_threads");
    for argument in ["-Wl,--exclude-libs,ALL", "-lpthread", "-lm", "-ldl"] {
        println!("cargo:rustc-cdylib-link-arg={argument}");
    }
    Ok(())
}
