//! The paths of images that were copied from a site with WordPress.

use std::path::PathBuf;

use percent_encoding::percent_decode_str;

/// The path below which WordPress serves images.
pub(crate) const UPLOADS: &str = "/wp-content/uploads/";

/// The media types of images, by the endings of their names.
const MEDIA_TYPES: [(&str, &str); 7] = [
    ("avif", "image/avif"),
    ("gif", "image/gif"),
    ("jpeg", "image/jpeg"),
    ("jpg", "image/jpeg"),
    ("png", "image/png"),
    ("svg", "image/svg+xml"),
    ("webp", "image/webp"),
];

/// The path of an image in the directory of uploads, and its media type. `below` is the path of a URL after
/// [`UPLOADS`]. None if it leads out of the directory, to a hidden file, or to something other than an image.
pub(crate) fn image_path(below: &str) -> Option<(PathBuf, &'static str)> {
    let mut path = PathBuf::new();
    for segment in below.split('/') {
        let segment = percent_decode_str(segment).decode_utf8().ok()?;
        let is_name = !segment.is_empty()
            && !segment.starts_with('.')
            && !segment.contains(|letter: char| letter.is_control() || letter == '/' || letter == '\\');
        if !is_name {
            return None;
        }
        path.push(segment.as_ref());
    }
    let ending = path.extension()?.to_str()?.to_ascii_lowercase();
    let media_type = image_media_type(&ending)?;
    Some((path, media_type))
}

/// The media type of an image whose name has this ending, in lower case.
pub(crate) fn image_media_type(ending: &str) -> Option<&'static str> {
    let known = MEDIA_TYPES.into_iter().find(|(known, _)| *known == ending);
    known.map(|(_, media_type)| media_type)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_in_the_directory() {
        for (below, expected) in [
            ("2026/11/pic.jpg", Some(("2026/11/pic.jpg", "image/jpeg"))),
            ("pic%20a.PNG", Some(("pic a.PNG", "image/png"))),
            ("%2e%2e/%2e%2e/etc/a.png", None),
            ("a%2fb.jpg", None),
            ("", None),
            (".htaccess.png", None),
            ("2026//a.png", None),
            ("page.html", None),
        ] {
            let expected = expected.map(|(path, media_type)| (PathBuf::from(path), media_type));
            assert_eq!(image_path(below), expected, "{below}");
        }
    }
}
