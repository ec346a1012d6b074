//! The response headers in the document. All declared headers are always sent.

use poem_openapi::registry::{MetaHeader, MetaSchema, MetaSchemaRef};
use serde_json::Value;

/// A response header.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Header {
    pub name: &'static str,
    pub description: &'static str,
    pub example: Example,
}

/// An example. It determines the type of the header.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Example {
    Text(&'static str),
    /// A non-negative integer.
    Count(u64),
}

pub(crate) const ETAG: Header = Header {
    name: "ETag",
    description: "Version of the representation, for If-None-Match on reads and If-Match on writes.",
    example: Example::Text(r#""3-a6fc5691c46ee9b711de""#),
};
pub(crate) const LOCATION: Header = Header {
    name: "Location",
    description: "URL of the new object.",
    example: Example::Text("https://calendar.example.org/calendar/events/v1/events/1"),
};
pub(crate) const LINK: Header = Header {
    name: "Link",
    description: "Links to the first, previous, next and last page (RFC 8288).",
    example: Example::Text(
        r#"<https://calendar.example.org/calendar/events/v1/events?page=1>; rel="first", <https://calendar.example.org/calendar/events/v1/events?page=3>; rel="last", <https://calendar.example.org/calendar/events/v1/events?page=2>; rel="next""#,
    ),
};
pub(crate) const TOTAL: Header = Header {
    name: "X-TEC-Total",
    description: "Number of items on all pages.",
    example: Example::Count(12),
};
pub(crate) const TOTAL_PAGES: Header = Header {
    name: "X-TEC-TotalPages",
    description: "Number of pages.",
    example: Example::Count(3),
};
pub(crate) const WP_TOTAL: Header = Header {
    name: "X-WP-Total",
    description: "The same as X-TEC-Total.",
    example: Example::Count(12),
};
pub(crate) const WP_TOTAL_PAGES: Header = Header {
    name: "X-WP-TotalPages",
    description: "The same as X-TEC-TotalPages.",
    example: Example::Count(3),
};
pub(crate) const CONTENT_LANGUAGE: Header = Header {
    name: "Content-Language",
    description: "Language of the texts: `en` or `es`.",
    example: Example::Text("en"),
};
pub(crate) const WWW_AUTHENTICATE: Header = Header {
    name: "WWW-Authenticate",
    description: "Supported authentication schemes.",
    example: Example::Text(r#"Basic realm="Almanac", charset="UTF-8", Bearer"#),
};
pub(crate) const RETRY_AFTER: Header = Header {
    name: "Retry-After",
    description: "Seconds to wait before a retry.",
    example: Example::Count(1),
};

impl From<Header> for MetaHeader {
    fn from(header: Header) -> Self {
        let (schema, example) = match header.example {
            Example::Text(text) => (MetaSchema::new("string"), Value::from(text)),
            Example::Count(count) => (
                MetaSchema {
                    minimum: Some(0.0),
                    ..MetaSchema::new_with_format("integer", "int64")
                },
                count.into(),
            ),
        };
        Self {
            name: header.name.to_owned(),
            description: Some(header.description.to_owned()),
            required: true,
            deprecated: false,
            schema: MetaSchemaRef::Inline(Box::new(MetaSchema {
                example: Some(example),
                ..schema
            })),
        }
    }
}
