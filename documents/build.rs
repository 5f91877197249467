//! Makes the C header from the exported functions. Constants are added to it by `geoms_documents::header`, which has the
//! tables.

use std::path::Path;

/// Files of src/capi with exported functions, in the order of the header.
const EXPORTED: [&str; 14] = [
    "fortran",
    "boundary",
    "functions",
    "handle",
    "settings",
    "run",
    "inspect",
    "tables",
    "diagnose",
    "gluing/mod",
    "gluing/describe",
    "gluing/joints",
    "gluing/run",
    "interrupt",
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let out = std::env::var("OUT_DIR")?;
    let config = cbindgen::Config::from_file("../cbindgen.toml")?;
    let mut builder = cbindgen::Builder::new().with_config(config);
    println!("cargo:rerun-if-changed=../cbindgen.toml");
    for name in EXPORTED {
        let source = format!("../src/capi/{name}.rs");
        println!("cargo:rerun-if-changed={source}");
        let written = Path::new(&out).join(format!("{}.rs", name.replace('/', "_")));
        // Files are listed above; cbindgen would look for modules beside the copy.
        let text: Vec<String> = std::fs::read_to_string(source)?
            .lines()
            .filter(|line| !line.starts_with("pub mod "))
            .map(str::to_string)
            .collect();
        std::fs::write(&written, twins(&(text.join("\n") + "\n")))?;
        builder = builder.with_src(written);
    }
    builder.generate()?.write_to_file(Path::new(&out).join("geoms.h"));
    Ok(())
}

/// The text with `twins! { ... }` of src/capi/fortran.rs written out, because cbindgen does not expand macros: every function
/// once for INTEGER of 32 and once for 64 bits.
fn twins(source: &str) -> String {
    let Some((before, rest)) = source.split_once("\ntwins! {\n") else { return source.to_string() };
    let Some((functions, after)) = rest.split_once("\n}\n") else { return source.to_string() };
    let mut text = before.to_string();
    for wide in [false, true] {
        text.push('\n');
        for line in functions.lines() {
            let names = line
                .trim()
                .strip_prefix("fn ")
                .and_then(|l| l.strip_suffix('('))
                .and_then(|l| l.split_once(" | "));
            match names {
                Some((narrow, other)) => {
                    if wide {
                        text += &format!(
                            "/// The same as `{narrow}` for programs with 64-bit INTEGER.\n///\n/// # Safety\n/// As `{narrow}`.\n"
                        );
                    }
                    text += &format!(
                        "#[no_mangle]\npub unsafe extern \"C\" fn {}(\n",
                        if wide { other } else { narrow }
                    );
                }
                None if wide && line.trim_start().starts_with("///") => {}
                None => {
                    // What the function does is no part of the header.
                    let end = line.split_once(" as ").filter(|_| line.trim_start().starts_with(')'));
                    let line = end.map_or(line.to_string(), |(head, _)| format!("{head} {{}}"));
                    text += &(line.replace("Int,", if wide { "i64," } else { "i32," }) + "\n");
                }
            }
        }
    }
    text + after
}
