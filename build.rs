//! Compiles the C shim of the messages and says which BLAS and LAPACK are linked.

use std::env;
use std::process::Command;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for file in ["src/capi/unit.c", "build.rs"] {
        println!("cargo:rerun-if-changed={file}");
    }
    // No path of the machine in the object, so that a build elsewhere is the same.
    let [root, out] = [env::var("CARGO_MANIFEST_DIR")?, env::var("OUT_DIR")?];
    cc::Build::new()
        .file("src/capi/unit.c")
        .warnings(true)
        .extra_warnings(true)
        .flag_if_supported(format!("-ffile-prefix-map={root}=geoms"))
        .flag_if_supported(format!("-ffile-prefix-map={out}=out"))
        .compile("geoms_unit");
    link_blas();
    Ok(())
}

/// The libraries of the chosen feature; with `openblas-src` that crate names them, with `external-blas` the
/// dependent.
fn link_blas() {
    let chosen = |feature: &str| env::var_os(format!("CARGO_FEATURE_{feature}")).is_some();
    let elsewhere = chosen("OPENBLAS_SRC") || chosen("EXTERNAL_BLAS") || env::var_os("DOCS_RS").is_some();
    let libraries: &[&str] = if elsewhere {
        &[]
    } else if chosen("LAPACK") {
        &["lapack", "blas"]
    } else {
        &["openblas"]
    };
    for library in libraries {
        for folder in folders(library) {
            println!("cargo:rustc-link-search=native={folder}");
        }
        println!("cargo:rustc-link-lib=dylib={library}");
    }
}

/// Where pkg-config finds a library, if it is not where the linker looks anyway. Not for other machines: their files have
/// other places, which `PKG_CONFIG` (a pkg-config for that machine) or `RUSTFLAGS=-L...` names.
fn folders(library: &str) -> Vec<String> {
    println!("cargo:rerun-if-env-changed=PKG_CONFIG");
    println!("cargo:rerun-if-env-changed=PKG_CONFIG_PATH");
    let named = env::var("PKG_CONFIG");
    if named.is_err() && env::var("HOST").ok() != env::var("TARGET").ok() {
        return Vec::new();
    }
    let found =
        Command::new(named.as_deref().unwrap_or("pkg-config")).args(["--libs-only-L", library]).output();
    let Ok(found) = found else { return Vec::new() };
    let text = String::from_utf8_lossy(&found.stdout);
    text.split_whitespace().filter_map(|flag| flag.strip_prefix("-L")).map(String::from).collect()
}
