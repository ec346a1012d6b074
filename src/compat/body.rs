//! Request bodies: converted to a JSON object that the native API reads.

use poem::{
    Request,
    http::{HeaderValue, header},
};
use serde_json::{Map, Value};

use super::{
    entities,
    existing::{self, Existing},
    request::CompatRequest,
    validation::{self, RejectedFields},
};
use crate::{
    Almanac,
    error::Problem,
    extract::{
        body::{multipart, read_whole},
        form,
        input::Fields,
    },
    store::images,
};

const JSON: &str = "application/json";

/// Replaces the body with a JSON object for the native API. Returns the fields that The Events Calendar rejects.
///
/// As WordPress does, it takes fields that the body lacks from the query, and reads no fields from JSON that is not an
/// object or from an unknown media type. Fields that equal the current representation are removed: they are unchanged,
/// and must not overwrite a stored text with its texturized form.
pub(super) async fn rewrite_body(request: &mut Request, compat: &CompatRequest) -> Result<RejectedFields, Problem> {
    // The native API rejects it.
    if request.headers().contains_key(header::CONTENT_ENCODING) {
        return Ok(RejectedFields::default());
    }
    let limit = Almanac::of(request)?.settings.body_limit;
    let body = request.take_body();
    let bytes = read_whole(request.headers(), body, limit).await?;
    let Some(mut fields) = parse_fields(request.content_type().unwrap_or_default(), &bytes).await else {
        request.set_body(bytes.to_vec());
        return Ok(RejectedFields::default());
    };
    for (name, value) in form::parse(&compat.query).map_or_else(|_| Map::new(), Fields::into_values) {
        fields.entry(name).or_insert(value);
    }
    let Existing { members, stored_name } = existing::find(request, compat, &fields).await?;
    fields.retain(|name, value| members.get(name) != Some(value));
    let clears_image = take_cleared_image(&mut fields);
    let image = fields.get("image").and_then(Value::as_i64);
    let mut rejected = match compat.target() {
        Some(target) => validation::replace_rejected(target.kind, &mut fields),
        None => RejectedFields::default(),
    };
    if let Some(id) = image
        && let store = &Almanac::of(request)?.store
        && let Ok(known) = store.bounded(images::find_all(store.reader(), &[id])).await
        && known.is_empty()
    {
        // The Events Calendar reports an unknown image before the wrong type of its ID.
        rejected.reclassify_as_invalid("image");
    }
    entities::decode(&mut fields);
    if let (Some(name), Some(target)) = (stored_name, compat.target()) {
        fields.insert(target.kind.name().to_owned(), name.into());
    }
    if clears_image {
        fields.insert("image".to_owned(), Value::Null);
    }
    request.set_body(Value::Object(fields).to_string());
    let media_type = HeaderValue::from_static(JSON);
    request.headers_mut().insert(header::CONTENT_TYPE, media_type);
    Ok(rejected)
}

/// Removes `"image": false`, the representation of an object without an image, and returns whether it was present. In
/// nested objects it becomes null.
fn take_cleared_image(fields: &mut Map<String, Value>) -> bool {
    const CLEARED: Value = Value::Bool(false);
    for name in ["venue", "organizer"] {
        let nested = match fields.get_mut(name) {
            Some(Value::Array(items)) => items.as_mut_slice(),
            Some(value) => std::slice::from_mut(value),
            None => continue,
        };
        for object in nested.iter_mut().filter_map(Value::as_object_mut) {
            if object.get("image") == Some(&CLEARED) {
                object.insert("image".to_owned(), Value::Null);
            }
        }
    }
    let clears_image = fields.get("image") == Some(&CLEARED);
    if clears_image {
        fields.shift_remove("image");
    }
    clears_image
}

/// Parses the fields of a body. `None` if the body is malformed, so that the native API reports the error.
async fn parse_fields(media_type: &str, bytes: &[u8]) -> Option<Map<String, Value>> {
    let essence = media_type.split(';').next().unwrap_or_default();
    let essence = essence.trim().to_ascii_lowercase();
    let looks_like_json = bytes.trim_ascii_start().starts_with(b"{");
    match essence.as_str() {
        _ if bytes.is_empty() => Some(Map::new()),
        "multipart/form-data" => {
            let fields = multipart(media_type, bytes).await.ok()?;
            Some(fields.into_values())
        }
        "" | "application/x-www-form-urlencoded" if !looks_like_json => {
            let fields = form::parse(std::str::from_utf8(bytes).ok()?).ok()?;
            Some(fields.into_values())
        }
        other if other.is_empty() || other.contains("urlencoded") || other.ends_with("json") => {
            match serde_json::from_slice(bytes).ok()? {
                Value::Object(fields) => Some(fields),
                _ => Some(Map::new()),
            }
        }
        _ => Some(Map::new()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::parse_fields;

    #[tokio::test]
    async fn body_formats() {
        for (media_type, body, expected) in [
            (super::JSON, r#"{"a": 1}"#, Some(json!({"a": 1}))),
            (super::JSON, "[1,2]", Some(json!({}))),
            (super::JSON, "\"a\"", Some(json!({}))),
            (super::JSON, "", Some(json!({}))),
            (super::JSON, "{\"a\": ", None),
            ("", r#"{"a": 1}"#, Some(json!({"a": 1}))),
            (
                "application/x-www-form-urlencoded",
                "a[b]=1",
                Some(json!({"a": {"b": "1"}})),
            ),
            ("text/plain", "a=1", Some(json!({}))),
            (
                "multipart/form-data; boundary=x",
                "--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--x--\r\n",
                Some(json!({"a": "1"})),
            ),
            ("multipart/form-data", "a=1", None),
        ] {
            let found = parse_fields(media_type, body.as_bytes()).await;
            let found = found.map(serde_json::Value::Object);
            assert_eq!(found, expected, "{media_type} {body}");
        }
    }
}
