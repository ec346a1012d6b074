//! The SHA-256 of bytes that are written or read.

use std::io::{self, Write};

use sha2::{Digest, Sha256};

/// Passes bytes through, and computes their SHA-256.
pub(super) struct Hashing<T> {
    pub inner: T,
    digest: Sha256,
    /// The number of bytes so far.
    pub bytes: u64,
}

impl<T> Hashing<T> {
    pub(super) fn new(inner: T) -> Self {
        Self {
            inner,
            digest: Sha256::new(),
            bytes: 0,
        }
    }

    /// Adds bytes that were read from `inner`.
    pub(super) fn note(&mut self, bytes: &[u8]) {
        self.digest.update(bytes);
        self.bytes += bytes.len() as u64;
    }

    /// The SHA-256 of the bytes so far.
    pub(super) fn digest(&self) -> [u8; 32] {
        self.digest.clone().finalize().into()
    }

    /// The same in hexadecimal.
    pub(super) fn hexadecimal(&self) -> String {
        hex::encode(self.digest())
    }
}

impl<W: Write> Write for Hashing<W> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(buffer)?;
        self.note(&buffer[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}
