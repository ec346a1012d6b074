//! Images.

use poem_openapi::Object;
use serde::Serialize;

use crate::{extract::JsonObject, response::Nullable, store::entity::image};

/// An image, known by its address; null where there is none.
#[derive(Clone, Debug, Object, Serialize)]
#[oai(rename = "Image")]
pub struct ImageView {
    /// Its number, which `image` takes on writes.
    pub id: i64,
    /// Where the image is.
    pub url: String,
    /// The end of the file's name, such as `jpg`; empty if it has none.
    pub extension: String,
    /// In pixels; null where it is not known.
    pub width: Nullable<i64>,
    /// In pixels; null where it is not known.
    pub height: Nullable<i64>,
    /// Smaller versions by name; without members where there are none.
    pub sizes: JsonObject,
}

impl From<&image::Model> for ImageView {
    fn from(image: &image::Model) -> Self {
        Self {
            id: image.id,
            url: image.url.clone(),
            extension: extension(&image.url),
            width: Nullable(None),
            height: Nullable(None),
            sizes: JsonObject::default(),
        }
    }
}

fn extension(url: &str) -> String {
    let path = url::Url::parse(url).map_or_else(|_| String::new(), |url| url.path().to_owned());
    std::path::Path::new(&path)
        .extension()
        .map(|extension| extension.to_string_lossy().to_ascii_lowercase())
        .unwrap_or_default()
}
