//! TLS of requests.

use std::sync::Arc;

use rustls::{ClientConfig, Error, RootCertStore, crypto::ring};

/// TLS with the root certificates of Mozilla, which are part of the program: containers have none.
pub(crate) fn tls() -> Result<ClientConfig, Error> {
    let roots = RootCertStore {
        roots: webpki_roots::TLS_SERVER_ROOTS.to_vec(),
    };
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    Ok(builder.with_root_certificates(roots).with_no_client_auth())
}
