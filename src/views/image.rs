//! Images.

use poem_openapi::Object;
use serde::Serialize;

use crate::{extract::JsonObject, response::Nullable, store::entity::image};

/// An image, identified by its URL; null if there is none.
#[derive(Clone, Debug, Object, Serialize)]
#[oai(rename = "Image")]
pub(crate) struct ImageView {
    /// The ID, which writes accept as `image`.
    pub id: i64,
    /// The URL of the image file.
    pub url: String,
    /// The file name extension, such as `jpg`; empty if there is none.
    pub extension: String,
    /// In pixels; null if unknown.
    pub width: Nullable<i64>,
    /// In pixels; null if unknown.
    pub height: Nullable<i64>,
    /// Smaller versions by name; an empty object if there are none.
    pub sizes: JsonObject,
}

impl From<&image::Model> for ImageView {
    fn from(image: &image::Model) -> Self {
        Self {
            id: image.id,
            url: image.url.clone(),
            extension: extension(&image.url),
            width: Nullable(image.width),
            height: Nullable(image.height),
            sizes: JsonObject::default(),
        }
    }
}

impl ImageView {
    /// The image with its URL at this base URL, if this server itself has it: its URL is stored as a path.
    pub(crate) fn at(mut self, base: &str) -> Self {
        if self.url.starts_with('/') {
            self.url.insert_str(0, base);
        }
        self
    }
}

fn extension(url: &str) -> String {
    let path = match url.starts_with('/') {
        true => url.to_owned(),
        false => url::Url::parse(url).map_or_else(|_| String::new(), |url| url.path().to_owned()),
    };
    std::path::Path::new(&path)
        .extension()
        .map(|extension| extension.to_string_lossy().to_ascii_lowercase())
        .unwrap_or_default()
}
