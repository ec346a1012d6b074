//! `almanac import tec` from sites that behave in unusual ways.

use std::{path::Path, process::Output, sync::Arc};

use rcgen::CertifiedKey;
use serde_json::{Value, json};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{ServerConfig, crypto::ring, pki_types::PrivateKeyDer},
};

use crate::{
    failure, lines, on_both_databases,
    stub::{Site, Stub, event},
    support::program::program,
    tec::{ADMIN_SECRET, import_site, import_site_as_admin, site},
};

/// TLS with a new certificate for this machine, and that certificate in PEM.
fn tls() -> (TlsAcceptor, String) {
    let CertifiedKey { cert, signing_key } =
        rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).expect("a certificate");
    let key = PrivateKeyDer::try_from(signing_key.serialize_der()).expect("a key");
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(vec![cert.der().clone()], key)
        .expect("a certificate with its key");
    (TlsAcceptor::from(Arc::new(config)), cert.pem())
}

/// Imports the site with the root certificates of this file.
async fn import_with_roots(url: &str, address: &str, file: &Path) -> Output {
    let mut command = program(&["import", "tec", address, "--rate", "1000/s", "--database-url", url]);
    command.env("SSL_CERT_FILE", file);
    let output = tokio::task::spawn_blocking(move || command.output()).await;
    output.expect("no panic").expect("the program starts")
}

on_both_databases! {
    async fn unusual_sites(database) {
        let events: Vec<Value> = (1..=25).map(|id| event(id, &json!({}))).collect();
        let plain = Site::with(&[("events", json!(events))]);
        for site in [
            Site { max_per_page: 10, ..plain.clone() },
            Site { fails_every: 3, ..plain.clone() },
            Site { folder: "/blog", ..plain.clone() },
            Site { is_query_only: true, ..plain.clone() },
        ] {
            let folder = site.folder;
            let stub = Stub::start(site).await;
            let url = database.url().await;
            let printed = lines(&import_site(&url, &format!("{}{folder}/", stub.address), &[]).await);
            assert!(printed.iter().any(|line| line.starts_with("25 created")), "{printed:?}");
        }
    }

    async fn redirects_are_followed(database) {
        let stub = Stub::start(Site { folder: "/blog", ..site() }).await;
        let moved = (301, vec![("Location", format!("{}/blog/", stub.address))], Vec::new());
        stub.site().files.insert("/".to_owned(), moved);
        let url = database.url().await;
        let printed = lines(&import_site(&url, &stub.address, &[]).await);
        assert!(printed.iter().any(|line| line.starts_with("7 created")), "{printed:?}");
    }

    async fn http_leads_to_https(database) {
        let (tls, certificate) = tls();
        let secure = Stub::start_with_tls(site(), tls).await;
        let plain = Stub::start(Site::default()).await;
        let moved = (301, vec![("Location", format!("{}/", secure.address))], Vec::new());
        plain.site().files.insert("/".to_owned(), moved);
        let url = database.url().await;
        let unknown = failure(&import_site(&url, &plain.address, &[]).await);
        assert!(unknown.contains("certificate"), "{unknown}");
        let folder = tempfile::tempdir().expect("a directory");
        let file = folder.path().join("roots.pem");
        std::fs::write(&file, "no certificate").expect("a file");
        let refused = failure(&import_with_roots(&url, &plain.address, &file).await);
        assert!(refused.contains("must be a PEM file with certificates"), "{refused}");
        std::fs::write(&file, certificate).expect("a file");
        let printed = lines(&import_with_roots(&url, &plain.address, &file).await);
        assert!(printed.iter().any(|line| line.starts_with("7 created")), "{printed:?}");
    }

    async fn bot_walls_and_other_sites_are_named(database) {
        let url = database.url().await;
        let walled = Stub::start(Site { is_walled: true, ..site() }).await;
        let refused = failure(&import_site(&url, &walled.address, &[]).await);
        for part in ["does not seem to be a site with The Events Calendar", "HTML page instead of JSON"] {
            assert!(refused.contains(part), "{part}: {refused}");
        }
        let stub = Stub::start(site()).await;
        lines(&import_site(&url, &stub.address, &[]).await);
        stub.site().files.insert(
            "/wp-json/tribe/events/v1/tags".to_owned(),
            (200, Vec::new(), b"<!DOCTYPE html><title>Are you human?</title>".to_vec()),
        );
        let refused = failure(&import_site(&url, &stub.address, &[]).await);
        assert!(refused.contains("HTML page instead of JSON"), "{refused}");
    }

    async fn password_is_sent_to_the_interface_only(database) {
        let mut site = site();
        site.credentials = Some(ADMIN_SECRET);
        let stub = Stub::start(site).await;
        let url = database.url().await;
        let uploads = tempfile::tempdir().expect("a directory");
        let folder = uploads.path().display().to_string();
        let arguments = ["--user", "admin", "--images", "copy", "--uploads", &folder];
        lines(&import_site_as_admin(&url, &stub.address, &arguments).await);
        let targets = stub.with_credentials();
        assert!(targets.iter().any(|target| target.contains("/events?")), "{targets:?}");
        assert!(targets.iter().all(|target| target.starts_with("/wp-json/tribe/events/v1/")), "{targets:?}");
        let other = Stub::start(Site::default()).await;
        let home = (302, vec![("Location", format!("{}/", stub.address))], Vec::new());
        other.site().files.insert("/".to_owned(), home);
        let refused = failure(&import_site_as_admin(&url, &other.address, &["--user", "admin"]).await);
        assert!(refused.contains("the password is not sent"), "{refused}");
    }
}
