//! Part of the build script. Compresses the assets of the pages, and adds a hash of the content to each file name, so
//! that clients may cache the files indefinitely.

use std::{
    env, fs,
    io::{Cursor, Read, Write},
    path::Path,
};

use flate2::{Compression, write::GzEncoder};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use sha2::{Digest, Sha256};
use utoipa_swagger_ui_vendored::SWAGGER_UI_VENDORED;
use zip::ZipArchive;

use super::Result;

/// The assets of this repository, and their directory.
const FOLDER: &str = "src/pages/assets";
const OWN_ASSETS: [&str; 7] = [
    "almanac.css",
    "calendar.js",
    "embed.js",
    "explorer.css",
    "explorer.js",
    "frame.js",
    "icon.svg",
];
/// The files that the explorer needs from Swagger UI, and their directory in its archive.
const RELEASE: &str = "swagger-ui-5.32.6/dist";
const SWAGGER_UI: [&str; 2] = ["swagger-ui.css", "swagger-ui-bundle.js"];

/// Writes the assets to `OUT_DIR`. Returns the code of a constant for each, and of the list of all.
pub(crate) fn prepare() -> Result<TokenStream> {
    println!("cargo::rerun-if-changed={FOLDER}");
    let mut assets = Vec::new();
    for name in OWN_ASSETS {
        assets.push((name, fs::read(Path::new(FOLDER).join(name))?));
    }
    let mut release = ZipArchive::new(Cursor::new(SWAGGER_UI_VENDORED))?;
    for name in SWAGGER_UI {
        let mut bytes = Vec::new();
        let path = format!("{RELEASE}/{name}");
        release.by_name(&path)?.read_to_end(&mut bytes)?;
        assets.push((name, bytes));
    }
    let mut names = Vec::new();
    let mut code = TokenStream::new();
    for (name, bytes) in assets {
        let constant = format_ident!("{}", name.to_uppercase().replace(['.', '-'], "_"));
        code.extend(asset(&constant, name, &bytes)?);
        names.push(constant);
    }
    Ok(quote! {
        #code
        /// All assets.
        pub(crate) const ALL: &[Asset] = &[#(#names),*];
    })
}

fn asset(constant: &proc_macro2::Ident, name: &str, bytes: &[u8]) -> Result<TokenStream> {
    let (stem, extension) = name.rsplit_once('.').ok_or("an asset has no extension")?;
    let media_type = match extension {
        "css" => "text/css; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "svg" => "image/svg+xml",
        _ => return Err(format!("the media type of {name} is unknown").into()),
    };
    let hash = hex::encode(&Sha256::digest(bytes)[..8]);
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    gzip.write_all(bytes)?;
    let folder = env::var("OUT_DIR")?;
    let (plain, compressed) = (format!("{folder}/{name}"), format!("{folder}/{name}.gz"));
    fs::write(&plain, bytes)?;
    fs::write(&compressed, gzip.finish()?)?;
    let file = format!("{stem}.{hash}.{extension}");
    let path = format!("/assets/{file}");
    Ok(quote! {
        pub(crate) const #constant: Asset = Asset {
            file: #file,
            path: #path,
            hash: #hash,
            media_type: #media_type,
            plain: include_bytes!(#plain),
            gzip: include_bytes!(#compressed),
        };
    })
}
