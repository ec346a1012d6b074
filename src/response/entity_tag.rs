//! Entity tags (RFC 9110, section 8.8.3).

/// A strong tag: the version of the object, for `If-Match`, and a hash of what distinguishes the representation from
/// others, such as its bytes.
pub(crate) fn entity_tag(version: Option<i64>, content: &[u8]) -> String {
    let digest = blake3::hash(content).to_hex();
    let hash = &digest[..20];
    match version {
        Some(version) => format!("\"{version}-{hash}\""),
        None => format!("\"{hash}\""),
    }
}
