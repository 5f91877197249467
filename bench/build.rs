//! The peers, as Debian has them (see ../.ci/setup-bench).

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    for library in [
        "siconos_externals",
        "sundials_ida",
        "sundials_nvecserial",
        "sundials_sunmatrixsparse",
        "sundials_sunlinsolklu",
        "lapack",
    ] {
        println!("cargo:rustc-link-lib=dylib={library}");
    }
}
