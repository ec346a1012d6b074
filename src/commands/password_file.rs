//! `--admin-password-file`: the file that contains or receives the first administrator's application password.

use std::{
    fs::{File, OpenOptions, Permissions},
    io::{self, ErrorKind, Read, Write},
    os::unix::fs::{OpenOptionsExt, PermissionsExt},
    path::Path,
};

use thiserror::Error;

use crate::auth::secret;

/// Only the owner may read the file.
const MODE: u32 = 0o600;
/// The maximum size of a password file, in bytes.
const MAX_LENGTH: u64 = 1024;

/// An error of a password file.
#[derive(Debug, Error)]
pub enum PasswordFileError {
    #[error("can't read the password file {path}: {cause}")]
    Read { path: String, cause: io::Error },
    #[error("can't write a new password to the file {path}: {cause}")]
    Write { path: String, cause: io::Error },
    #[error(
        "the password file {path} must contain {} letters and digits, or be empty or absent to receive a new password",
        secret::PASSWORD_LENGTH
    )]
    Invalid { path: String },
}

/// Returns the password in the file. If the file is empty or absent, writes a new password to it and to the disk first.
pub(super) fn read_or_create(path: &Path) -> Result<String, PasswordFileError> {
    match read(path)? {
        Some(password) => Ok(password),
        None => create(path),
    }
}

/// The password in the file, or none if the file is empty or absent.
fn read(path: &Path) -> Result<Option<String>, PasswordFileError> {
    let mut text = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MAX_LENGTH).read_to_end(&mut text));
    match read {
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(cause) => {
            let path = path.display().to_string();
            return Err(PasswordFileError::Read { path, cause });
        }
    }
    text.retain(|byte| !byte.is_ascii_whitespace());
    if text.is_empty() {
        return Ok(None);
    }
    String::from_utf8(text)
        .ok()
        .filter(|password| secret::is_password(password))
        .map(Some)
        .ok_or_else(|| PasswordFileError::Invalid {
            path: path.display().to_string(),
        })
}

/// Writes a new password, unless another process that starts at the same time has written one.
fn create(path: &Path) -> Result<String, PasswordFileError> {
    let failed = |cause| PasswordFileError::Write {
        path: path.display().to_string(),
        cause,
    };
    // Written in place, since a file that is mounted into a container can't be replaced.
    let mut file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .mode(MODE)
        .open(path)
        .map_err(failed)?;
    // Released when the file is closed.
    file.lock().map_err(failed)?;
    if let Some(password) = read(path)? {
        return Ok(password);
    }
    let password = secret::new_password().replace(' ', "");
    write(&mut file, path, &password).map_err(failed)?;
    Ok(password)
}

fn write(file: &mut File, path: &Path, password: &str) -> io::Result<()> {
    file.set_permissions(Permissions::from_mode(MODE))?;
    // Removes whitespace.
    file.set_len(0)?;
    file.write_all(format!("{password}\n").as_bytes())?;
    file.sync_all()?;
    // The directory entry of a new file must survive a crash, too.
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const PASSWORD: &str = "abcdefghijkl0123456789XY";

    fn directory() -> tempfile::TempDir {
        tempfile::tempdir().expect("a temporary directory")
    }

    fn mode(path: &Path) -> u32 {
        let metadata = fs::metadata(path).expect("the file exists");
        metadata.permissions().mode() & 0o777
    }

    #[test]
    fn password_is_read_from_the_file() {
        let directory = directory();
        let path = directory.path().join("password");
        for text in [
            PASSWORD,
            &format!("{PASSWORD}\n"),
            &format!(" {PASSWORD}\r\n"),
            "abcd efgh ijkl 0123 4567 89XY\n",
        ] {
            fs::write(&path, text).expect("the file is writable");
            let password = read_or_create(&path).expect("a password");
            assert_eq!(password, PASSWORD, "{text:?}");
            assert_eq!(fs::read_to_string(&path).expect("text"), text);
        }
    }

    #[test]
    fn empty_file_receives_a_password() {
        for before in [None, Some(""), Some("\n\n")] {
            let directory = directory();
            let path = directory.path().join("password");
            if let Some(text) = before {
                fs::write(&path, text).expect("the file is writable");
                fs::set_permissions(&path, Permissions::from_mode(0o644)).expect("the file is ours");
            }
            let password = read_or_create(&path).expect("a password");
            assert!(secret::is_password(&password));
            let text = fs::read_to_string(&path).expect("text");
            assert_eq!(text, format!("{password}\n"), "{before:?}");
            assert_eq!(mode(&path), MODE, "{before:?}");
            assert_eq!(read_or_create(&path).expect("a password"), password);
        }
    }

    #[test]
    fn invalid_file_is_refused_and_not_shown() {
        let directory = directory();
        let path = directory.path().join("password");
        for text in [
            "short".to_owned(),
            PASSWORD[1..].to_owned(),
            format!("{PASSWORD}Z"),
            PASSWORD.replace('X', "-"),
            PASSWORD.replace('X', "é"),
            PASSWORD.repeat(1000),
        ] {
            fs::write(&path, &text).expect("the file is writable");
            let error = read_or_create(&path).expect_err("no password");
            let message = error.to_string();
            assert!(message.contains("24 letters and digits"), "{message}");
            assert!(!message.contains(&text), "{message}");
            assert_eq!(fs::read_to_string(&path).expect("text"), text);
        }
    }

    #[test]
    fn error_names_an_unwritable_file() {
        let directory = directory();
        for path in [directory.path().to_owned(), directory.path().join("absent/password")] {
            let error = read_or_create(&path).expect_err("no password");
            let message = error.to_string();
            assert!(message.contains(&path.display().to_string()), "{message}");
        }
    }

    #[test]
    fn concurrent_starts_agree_on_one_password() {
        let directory = directory();
        let path = directory.path().join("password");
        let passwords: Vec<String> = std::thread::scope(|scope| {
            let starts: Vec<_> = (0..16)
                .map(|_| scope.spawn(|| read_or_create(&path).expect("a password")))
                .collect();
            let ends = starts.into_iter().map(std::thread::ScopedJoinHandle::join);
            ends.map(|end| end.expect("no panic")).collect()
        });
        assert!(passwords.iter().all(|password| *password == passwords[0]));
    }
}
