//! Writes the files that are made from the tables: the C header and the generated pages of `docs/`.

use std::path::Path;

fn main() -> std::io::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for file in geoms::reference::files() {
        let path = root.join(file.path);
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        // An unchanged file keeps its date.
        if std::fs::read_to_string(&path).is_ok_and(|found| found == file.text) {
            continue;
        }
        std::fs::write(&path, file.text)?;
        println!("wrote {}", file.path);
    }
    Ok(())
}
