//! Writes the files that are made from the tables: the C header, the Fortran module and the generated pages of `docs/`.

fn main() -> std::io::Result<()> {
    for file in geoms_documents::files() {
        let path = geoms_documents::root().join(file.path);
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
