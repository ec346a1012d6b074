//! Copies of the images of a site, under the same paths.

use std::path::{Path, PathBuf};

use reqwest::StatusCode;
use serde_json::Value;
use tokio::fs;
use url::Url;

use super::{super::ImportError, client::Site, discovery::at_host_of};
use crate::calendar::uploads::{UPLOADS, image_path};

/// Copies the image of an object with its sizes. Returns notes on those that can't be copied.
pub(super) async fn copy(site: &Site<'_>, object: &Value, folder: &Path) -> Result<Vec<String>, ImportError> {
    let image = &object["image"];
    let sizes = image["sizes"].as_object().into_iter().flatten().map(|(_, size)| size);
    let mut notes = Vec::new();
    for address in [image]
        .into_iter()
        .chain(sizes)
        .filter_map(|image| image["url"].as_str())
    {
        let Some((url, path)) = local(address, &site.home) else {
            notes.push(format!(
                "the image {address} is not below {UPLOADS} of the site, and is linked instead of copied"
            ));
            continue;
        };
        let file = folder.join(path);
        if fs::try_exists(&file).await.unwrap_or(false) {
            continue;
        }
        let response = match site.file(&url).await {
            Ok(response) if response.status == StatusCode::OK => response,
            Ok(response) => {
                let status = response.status.as_u16();
                notes.push(format!("the image {address} can't be copied: status {status}"));
                continue;
            }
            Err(ImportError::Stopped) => return Err(ImportError::Stopped),
            Err(error) => {
                notes.push(format!("the image {address} can't be copied: {error}"));
                continue;
            }
        };
        store(&file, &response.body)
            .await
            .map_err(|error| ImportError::Source(format!("can't write {}: {error}", file.display())))?;
    }
    Ok(notes)
}

/// Writes a file under a temporary name first, so that it is complete or absent.
async fn store(file: &Path, content: &[u8]) -> std::io::Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder).await?;
    }
    let mut name = file.as_os_str().to_owned();
    name.push(".part");
    let temporary = PathBuf::from(name);
    fs::write(&temporary, content).await?;
    fs::rename(&temporary, file).await
}

/// The URL of an image of the site, and its path in the folder. None for an address elsewhere.
fn local(address: &str, home: &Url) -> Option<(Url, PathBuf)> {
    let url = at_host_of(Url::parse(address).ok()?, home)?;
    let (_, below) = url.path().split_once(UPLOADS)?;
    let (path, _) = image_path(below)?;
    Some((url, path))
}
