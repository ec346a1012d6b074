//! The file of a backup: a header, the compressed sections, the manifest as JSON, the length of the manifest in 8 bytes
//! (big-endian), and the SHA-256 of all that. A change of any byte is therefore noticed.

use std::{
    fs::File,
    io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Take, Write},
    path::{Path, PathBuf},
};

use super::{
    BackupError, Manifest,
    hashing::Hashing,
    manifest::{FORMAT, Section},
};
use crate::transfer::{Progress, TransferError};

/// The first bytes of a backup.
const HEADER: &[u8] = b"ALMANAC BACKUP 1\n";
/// The length of a SHA-256, in bytes.
const DIGEST: u64 = 32;
/// The length of the manifest's length, in bytes.
const LENGTH: u64 = 8;
/// The longest manifest, in bytes.
const MAX_MANIFEST: u64 = 1024 * 1024;
/// The buffer of copies, in bytes.
const BUFFER: usize = 256 * 1024;
/// zstd's default level.
const LEVEL: i32 = 3;

/// Writes a backup: sections, and then the manifest.
pub(super) struct BackupWriter(Hashing<BufWriter<File>>);

impl BackupWriter {
    pub(super) fn new(file: File) -> io::Result<Self> {
        let mut file = Hashing::new(BufWriter::with_capacity(BUFFER, file));
        file.write_all(HEADER)?;
        Ok(Self(file))
    }

    /// Begins a section.
    pub(super) fn section(self) -> io::Result<SectionWriter> {
        Ok(SectionWriter {
            start: self.0.bytes,
            content: Hashing::new(zstd::Encoder::new(self.0, LEVEL)?),
        })
    }

    /// Completes the file, and waits until it is on the disk.
    pub(super) fn finish(self, manifest: &Manifest) -> io::Result<()> {
        let Self(mut file) = self;
        let json = serde_json::to_vec(manifest)?;
        file.write_all(&json)?;
        file.write_all(&(json.len() as u64).to_be_bytes())?;
        let digest = file.digest();
        let mut file = file.inner;
        file.write_all(&digest)?;
        file.flush()?;
        file.get_ref().sync_all()
    }
}

/// Writes a section.
pub(super) struct SectionWriter {
    start: u64,
    content: Hashing<zstd::Encoder<'static, Hashing<BufWriter<File>>>>,
}

impl SectionWriter {
    /// Completes the section.
    pub(super) fn finish(self) -> io::Result<(BackupWriter, Section)> {
        let Self { start, content } = self;
        let (bytes, sha256) = (content.bytes, content.hexadecimal());
        let file = content.inner.finish()?;
        let section = Section {
            start,
            compressed: file.bytes - start,
            bytes,
            sha256,
        };
        Ok((BackupWriter(file), section))
    }
}

impl Write for SectionWriter {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.content.write(buffer)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.content.flush()
    }
}

/// Whether the file begins like a backup.
pub(super) fn is_backup(path: &Path) -> io::Result<bool> {
    let mut start = Vec::new();
    File::open(path)?.take(HEADER.len() as u64).read_to_end(&mut start)?;
    Ok(start == HEADER)
}

/// A backup whose bytes are complete and unchanged.
pub(super) struct Backup {
    path: PathBuf,
    pub manifest: Manifest,
}

impl Backup {
    /// Reads a whole file, and compares it with its SHA-256.
    pub(super) fn open(path: &Path, progress: &Progress) -> Result<Self, TransferError> {
        let unreadable = |cause: io::Error| match cause.kind() {
            io::ErrorKind::Interrupted => TransferError::Interrupted,
            _ => TransferError::from(BackupError::Read {
                path: path.to_owned(),
                cause,
            }),
        };
        let damaged = |reason: &str| {
            TransferError::from(BackupError::Damaged {
                path: path.to_owned(),
                reason: reason.to_owned(),
            })
        };
        let mut file = File::open(path).map_err(unreadable)?;
        let length = file.metadata().map_err(unreadable)?.len();
        if !is_backup(path).map_err(unreadable)? {
            return Err(BackupError::NotABackup(path.to_owned()).into());
        }
        let fixed = HEADER.len() as u64 + LENGTH + DIGEST;
        let hashed = length
            .checked_sub(DIGEST)
            .filter(|_| length >= fixed)
            .ok_or_else(|| damaged("it is truncated"))?;
        progress.begin("checking the backup", length);
        let found = digest_of(&mut file, hashed, progress).map_err(unreadable)?;
        let mut stored = [0; DIGEST as usize];
        file.read_exact(&mut stored).map_err(unreadable)?;
        if found != stored {
            return Err(damaged("it is truncated, or has been changed"));
        }
        // What the digest covers is as it was written. These checks are for files that another program has made.
        let mut manifest_length = [0; LENGTH as usize];
        file.seek(SeekFrom::Start(hashed - LENGTH)).map_err(unreadable)?;
        file.read_exact(&mut manifest_length).map_err(unreadable)?;
        let manifest_length = u64::from_be_bytes(manifest_length);
        if manifest_length > MAX_MANIFEST || manifest_length > length - fixed {
            return Err(damaged("its manifest is too long"));
        }
        let start = hashed - LENGTH - manifest_length;
        file.seek(SeekFrom::Start(start)).map_err(unreadable)?;
        let mut json = Vec::new();
        file.take(manifest_length).read_to_end(&mut json).map_err(unreadable)?;
        let manifest: Manifest = serde_json::from_slice(&json).map_err(|_| damaged("it has no manifest"))?;
        if !manifest.is_printable() {
            return Err(damaged("its manifest has control characters"));
        }
        if manifest.format != FORMAT {
            let format = manifest.format;
            return Err(damaged(&format!(
                "its format is {format}, and this version of Almanac reads format {FORMAT}"
            )));
        }
        let is_inside = |section: &Section| {
            let end = section.start.checked_add(section.compressed);
            section.start >= HEADER.len() as u64 && end.is_some_and(|end| end <= start)
        };
        if !manifest.sections().all(is_inside) {
            return Err(damaged("its manifest has sections that the file does not have"));
        }
        Ok(Self {
            path: path.to_owned(),
            manifest,
        })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The content of a section, decompressed. Its end is an error if it is not the content of the manifest.
    pub(super) fn content(&self, section: &Section) -> Result<ContentReader, BackupError> {
        let unreadable = |cause| BackupError::Read {
            path: self.path.clone(),
            cause,
        };
        let mut file = File::open(&self.path).map_err(unreadable)?;
        file.seek(SeekFrom::Start(section.start)).map_err(unreadable)?;
        let compressed = BufReader::with_capacity(BUFFER, file.take(section.compressed));
        Ok(ContentReader {
            decoder: Hashing::new(zstd::Decoder::with_buffer(compressed).map_err(unreadable)?),
            bytes: section.bytes,
            sha256: section.sha256.clone(),
        })
    }
}

/// Computes the SHA-256 of the first bytes of a file.
fn digest_of(file: &mut File, length: u64, progress: &Progress) -> io::Result<[u8; DIGEST as usize]> {
    let mut hashing = Hashing::new(io::sink());
    copy(&mut file.take(length), &mut hashing, progress)?;
    Ok(hashing.digest())
}

/// Reads the content of a section.
pub(super) struct ContentReader {
    decoder: Hashing<zstd::Decoder<'static, BufReader<Take<File>>>>,
    /// The length of the content, in bytes.
    bytes: u64,
    sha256: String,
}

impl Read for ContentReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.decoder.inner.read(buffer)?;
        self.decoder.note(&buffer[..read]);
        // More than the manifest states may be more than the disk can hold.
        let is_wrong = match read {
            0 if !buffer.is_empty() => self.decoder.bytes != self.bytes || self.decoder.hexadecimal() != self.sha256,
            _ => self.decoder.bytes > self.bytes,
        };
        match is_wrong {
            true => Err(io::Error::other(
                "the content of the backup is not that of its manifest",
            )),
            false => Ok(read),
        }
    }
}

/// Copies bytes, and adds their number to the progress. Stops if the transfer is cancelled.
pub(super) fn copy(input: &mut impl Read, output: &mut impl Write, progress: &Progress) -> io::Result<()> {
    let mut buffer = vec![0; BUFFER];
    loop {
        if progress.is_cancelled() {
            return Err(io::ErrorKind::Interrupted.into());
        }
        match input.read(&mut buffer)? {
            0 => return Ok(()),
            read => {
                output.write_all(&buffer[..read])?;
                progress.add(read as u64);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transfer::{Counts, backup::Content};

    /// A backup of this content. `change` changes its manifest.
    fn write(path: &Path, content: &[u8], change: fn(&mut Manifest)) -> Manifest {
        let mut section = BackupWriter::new(File::create(path).unwrap())
            .unwrap()
            .section()
            .unwrap();
        section.write_all(content).unwrap();
        let (writer, database) = section.finish().unwrap();
        let mut manifest = Manifest {
            format: FORMAT,
            version: "1".to_owned(),
            created_at: "2027-01-01T00:00:00Z".to_owned(),
            content: Content::Rows,
            schema: vec!["m1".to_owned()],
            counts: Counts::from([("events".to_owned(), 3)]),
            database,
            uploads: None,
        };
        change(&mut manifest);
        writer.finish(&manifest).unwrap();
        manifest
    }

    fn read(path: &Path) -> Result<(Manifest, Vec<u8>), String> {
        let backup = Backup::open(path, &Progress::default()).map_err(|error| error.to_string())?;
        let mut content = Vec::new();
        let reader = backup.content(&backup.manifest.database);
        let mut reader = reader.map_err(|error| error.to_string())?;
        reader.read_to_end(&mut content).map_err(|error| error.to_string())?;
        Ok((backup.manifest, content))
    }

    #[test]
    fn content_is_read_as_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.almanac");
        let content: Vec<u8> = (0..300_000_u32).flat_map(u32::to_le_bytes).collect();
        let manifest = write(&path, &content, |_| ());
        assert_eq!(read(&path), Ok((manifest, content)));
    }

    #[test]
    fn flipped_byte_and_truncation_are_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.almanac");
        write(&path, b"some rows", |_| ());
        let bytes = std::fs::read(&path).unwrap();
        for index in 0..bytes.len() {
            let mut wrong = bytes.clone();
            wrong[index] ^= 1;
            std::fs::write(&path, &wrong).unwrap();
            assert!(read(&path).is_err(), "byte {index} of {}", bytes.len());
            std::fs::write(&path, &bytes[..index]).unwrap();
            assert!(read(&path).is_err(), "{index} of {} bytes", bytes.len());
        }
        std::fs::write(&path, &bytes).unwrap();
        assert!(read(&path).is_ok());
    }

    #[test]
    fn content_that_is_longer_than_stated_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.almanac");
        write(&path, &vec![0; 10 * BUFFER], |manifest| manifest.database.bytes = 10);
        let error = read(&path).expect_err("a wrong manifest");
        assert!(error.contains("not that of its manifest"), "{error}");
    }
    #[test]
    fn section_outside_the_file_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.almanac");
        for change in [
            (|manifest| manifest.database.start = 3) as fn(&mut Manifest),
            |manifest| manifest.database.compressed += 1,
            |manifest| manifest.database.compressed = u64::MAX,
        ] {
            write(&path, b"some rows", change);
            let error = read(&path).expect_err("a wrong manifest");
            assert!(error.contains("sections that the file does not have"), "{error}");
        }
    }
}
