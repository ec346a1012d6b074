//! The directory of uploaded images in a backup, as a tar archive.

use std::{
    ffi::{OsStr, OsString},
    fs::{self, File},
    io::{self, Read, Write},
    path::{Component, Path, PathBuf},
};

use tar::{Archive, Builder, Header};
use tempfile::TempDir;

use super::{BackupError, temporary};
use crate::transfer::Progress;

/// The ending of files that are being written. They get their name when they are complete.
const PARTIAL: &str = "part";
/// The mode of files in the archive.
const MODE: u32 = 0o644;
/// Directories within directories. Symbolic links may lead in circles.
const MAX_DEPTH: usize = 32;

/// Writes all files of a directory. Returns their number.
pub(super) fn archive(directory: &Path, output: impl Write, progress: &Progress) -> io::Result<u64> {
    let mut paths = Vec::new();
    find_files(directory, Path::new(""), 0, &mut paths)?;
    paths.sort_unstable();
    progress.begin("backing up images", paths.len() as u64);
    let mut archive = Builder::new(output);
    let mut files = 0;
    for path in paths {
        check_cancelled(progress)?;
        let file = match File::open(directory.join(&path)) {
            Ok(file) => file,
            // It has been removed meanwhile.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(error),
        };
        let length = file.metadata()?.len();
        let mut header = Header::new_gnu();
        header.set_size(length);
        header.set_mode(MODE);
        let mut content = file.take(length);
        archive.append_data(&mut header, &path, &mut content)?;
        if content.limit() > 0 {
            let path = path.display();
            return Err(io::Error::other(format!(
                "the image {path} has been truncated while it was read"
            )));
        }
        files += 1;
        progress.add(1);
    }
    archive.into_inner()?.flush()?;
    Ok(files)
}

/// Finds the files below a directory. `below` is its path from the top.
fn find_files(top: &Path, below: &Path, depth: usize, files: &mut Vec<PathBuf>) -> io::Result<()> {
    if depth > MAX_DEPTH {
        let path = below.display();
        return Err(io::Error::other(format!("directories are nested too deeply: {path}")));
    }
    for entry in fs::read_dir(top.join(below))? {
        let name = entry?.file_name();
        let path = below.join(&name);
        if is_hidden(&name) || path.extension() == Some(OsStr::new(PARTIAL)) {
            continue;
        }
        // Of the target of a symbolic link.
        match fs::metadata(top.join(&path)) {
            Ok(metadata) if metadata.is_dir() => find_files(top, &path, depth + 1, files)?,
            Ok(metadata) if metadata.is_file() => files.push(path),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn is_hidden(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".")
}

fn check_cancelled(progress: &Progress) -> io::Result<()> {
    match progress.is_cancelled() {
        true => Err(io::ErrorKind::Interrupted.into()),
        false => Ok(()),
    }
}

/// Reads an archive to its end, and passes each file to `store`. Returns their number.
pub(super) fn read(
    input: impl Read,
    progress: &Progress,
    mut store: impl FnMut(&Path, &mut dyn Read) -> io::Result<()>,
) -> io::Result<u64> {
    let mut archive = Archive::new(input);
    let mut files = 0;
    for entry in archive.entries()? {
        check_cancelled(progress)?;
        let mut entry = entry?;
        let path = entry.path()?.into_owned();
        // Nothing else is in an archive that this program has written.
        let is_name = |part: Component<'_>| matches!(part, Component::Normal(name) if !is_hidden(name));
        if !entry.header().entry_type().is_file() || !path.components().all(is_name) {
            return Err(io::Error::other("its archive of images has something else than images"));
        }
        progress.add(entry.size());
        store(&path, &mut entry)?;
        files += 1;
    }
    // The end of the content is compared with its checksum.
    io::copy(&mut archive.into_inner(), &mut io::sink())?;
    Ok(files)
}

/// Images of a backup, in a temporary directory, which is removed unless they are put in place.
pub(super) struct ExtractedUploads {
    folder: TempDir,
    pub(super) directory: PathBuf,
    /// The names that are in the directory already, while others are moved.
    placed: Vec<OsString>,
}

impl ExtractedUploads {
    /// Extracts an archive below a directory, which must be empty, and is created if it does not exist. Returns the
    /// number of files, too.
    pub(super) fn new(input: impl Read, directory: &Path, progress: &Progress) -> io::Result<(Self, u64)> {
        fs::create_dir_all(directory)?;
        // The directory may be a volume of its own, to which nothing can be renamed from elsewhere.
        let folder = temporary::folder_in(directory)?;
        let files = read(input, progress, |path, content| {
            let path = folder.path().join(path);
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent)?;
            }
            io::copy(content, &mut File::create_new(path)?).map(drop)
        })?;
        // One call instead of one for each file.
        rustix::fs::syncfs(File::open(folder.path())?)?;
        let extracted = Self {
            folder,
            directory: directory.to_owned(),
            placed: Vec::new(),
        };
        Ok((extracted, files))
    }

    /// Moves the images to their directory: all of them, or none if that fails.
    pub(super) fn put_in_place(mut self) -> io::Result<()> {
        for entry in fs::read_dir(self.folder.path())? {
            let entry = entry?;
            let name = entry.file_name();
            fs::rename(entry.path(), self.directory.join(&name))?;
            self.placed.push(name);
        }
        File::open(&self.directory)?.sync_all()?;
        self.placed.clear();
        Ok(())
    }
}

impl Drop for ExtractedUploads {
    /// Moves images back to the temporary directory, which is removed next.
    fn drop(&mut self) {
        for name in &self.placed {
            // What can't be moved stays, so that the next restore finds the directory not empty.
            let _ = fs::rename(self.directory.join(name), self.folder.path().join(name));
        }
    }
}

/// Checks that images can be restored to a directory: it is empty or does not exist. Hidden files are no images.
pub(super) fn check_empty(directory: &Path) -> Result<(), BackupError> {
    let unusable = |cause| BackupError::Replace {
        path: directory.to_owned(),
        cause,
    };
    let entries = match fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(cause) => return Err(unusable(cause)),
    };
    for entry in entries {
        if !is_hidden(&entry.map_err(unusable)?.file_name()) {
            return Err(BackupError::UploadsNotEmpty(directory.to_owned()));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(path: &Path, content: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    #[test]
    fn images_are_restored() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("from"), folder.path().join("to"));
        let long = format!("{}.jpg", "ä".repeat(100));
        for (path, content) in [
            ("2026/11/hall.png", "a hall"),
            ("empty.png", ""),
            (&long, "a long name"),
        ] {
            write(&from.join(path), content);
        }
        write(&from.join("2026/new.png.part"), "not complete");
        write(&from.join(".almanac-1.partial/old.png"), "of a killed restore");
        std::os::unix::fs::symlink(from.join("empty.png"), from.join("link.png")).unwrap();
        std::os::unix::fs::symlink(from.join("missing.png"), from.join("broken.png")).unwrap();
        let mut bytes = Vec::new();
        assert_eq!(archive(&from, &mut bytes, &Progress::default()).unwrap(), 4);

        let (extracted, files) = ExtractedUploads::new(bytes.as_slice(), &to, &Progress::default()).unwrap();
        assert_eq!(files, 4);
        check_empty(&to).unwrap();
        extracted.put_in_place().unwrap();
        for (path, content) in [
            ("2026/11/hall.png", "a hall"),
            ("empty.png", ""),
            ("link.png", ""),
            (&long, "a long name"),
        ] {
            assert_eq!(fs::read_to_string(to.join(path)).unwrap(), content, "{path}");
        }
        assert_eq!(fs::read_dir(&to).unwrap().count(), 4);
        assert!(matches!(check_empty(&to), Err(BackupError::UploadsNotEmpty(_))));
    }

    #[test]
    fn all_images_are_put_in_place_or_none() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("from"), folder.path().join("to"));
        write(&from.join("2026/11/hall.png"), "a hall");
        write(&from.join("new.png"), "new");
        let mut bytes = Vec::new();
        archive(&from, &mut bytes, &Progress::default()).unwrap();
        let (extracted, _) = ExtractedUploads::new(bytes.as_slice(), &to, &Progress::default()).unwrap();
        // A file can't replace a directory.
        write(&to.join("new.png/other.png"), "other");
        extracted.put_in_place().unwrap_err();
        assert_eq!(fs::read_dir(&to).unwrap().count(), 1);
        assert!(to.join("new.png/other.png").exists());
    }

    #[test]
    fn directories_in_circles_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(folder.path(), folder.path().join("again")).unwrap();
        let error = archive(folder.path(), io::sink(), &Progress::default()).unwrap_err();
        assert!(error.to_string().contains("nested too deeply"), "{error}");
    }

    #[test]
    fn archive_stays_in_its_directory() {
        let folder = tempfile::tempdir().unwrap();
        let to = folder.path().join("to");
        for path in ["../outside.png", "/outside.png", ".hidden.png"] {
            let mut header = Header::new_gnu();
            header.as_gnu_mut().unwrap().name[..path.len()].copy_from_slice(path.as_bytes());
            header.set_size(0);
            header.set_cksum();
            let mut builder = Builder::new(Vec::new());
            builder.append(&header, io::empty()).unwrap();
            let bytes = builder.into_inner().unwrap();
            let extracted = ExtractedUploads::new(bytes.as_slice(), &to, &Progress::default());
            assert!(extracted.is_err(), "{path}");
            assert!(!folder.path().join("outside.png").exists());
        }
    }
}
