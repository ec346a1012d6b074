//! TLS of requests to other servers.

use std::{env, sync::Arc};

use rustls::{
    ClientConfig, Error, RootCertStore,
    crypto::ring,
    pki_types::{CertificateDer, pem::PemObject},
};

/// The variable with a PEM file of further root certificates, such as that of an organisation. The name is that of
/// OpenSSL.
const FILE_VARIABLE: &str = "SSL_CERT_FILE";

/// TLS with the root certificates of Mozilla, which are part of the program, since containers have none, and those of
/// `SSL_CERT_FILE`. Fails if that file can't be read, or has no certificate.
pub(crate) fn tls() -> Result<ClientConfig, Error> {
    let mut roots = RootCertStore {
        roots: webpki_roots::TLS_SERVER_ROOTS.to_vec(),
    };
    if let Some(file) = env::var_os(FILE_VARIABLE).filter(|file| !file.is_empty()) {
        let refused = |reason: String| Error::General(format!("{FILE_VARIABLE}={}: {reason}", file.display()));
        let certificates = CertificateDer::pem_file_iter(&file).map_err(|error| refused(error.to_string()))?;
        let before = roots.len();
        for certificate in certificates {
            let certificate = certificate.map_err(|error| refused(error.to_string()))?;
            roots.add(certificate).map_err(|error| refused(error.to_string()))?;
        }
        if roots.len() == before {
            return Err(refused("must be a PEM file with certificates".to_owned()));
        }
    }
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    Ok(builder.with_root_certificates(roots).with_no_client_auth())
}
