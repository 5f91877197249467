//! Compiles the C shim of the messages and makes the C header from the exported functions.

use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let sources =
        ["fortran", "boundary", "functions", "handle", "settings", "run", "inspect", "diagnose", "interrupt"]
            .map(|name| format!("src/capi/{name}.rs"));
    let others = ["src/capi/unit.c", "cbindgen.toml", "build.rs"];
    for file in sources.iter().map(String::as_str).chain(others) {
        println!("cargo:rerun-if-changed={file}");
    }
    cc::Build::new().file("src/capi/unit.c").warnings(true).extra_warnings(true).compile("geoms_unit");

    // So that programs ask for this interface of the library and not for the path it was linked from.
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "linux") {
        println!(
            "cargo:rustc-cdylib-link-arg=-Wl,-soname,libgeoms.so.{}",
            std::env::var("CARGO_PKG_VERSION_MAJOR")?
        );
    }

    // Constants are added to this by `geoms::reference::header`, which has the tables.
    let config = cbindgen::Config::from_file("cbindgen.toml")?;
    let mut builder = cbindgen::Builder::new().with_config(config);
    for source in sources {
        builder = builder.with_src(source);
    }
    builder.generate()?.write_to_file(Path::new(&std::env::var("OUT_DIR")?).join("geoms.h"));
    Ok(())
}
