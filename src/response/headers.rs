//! The headers of answers, as the document describes them. What is declared is always sent.

use poem_openapi::registry::{MetaHeader, MetaSchema, MetaSchemaRef};
use serde_json::Value;

/// A header of an answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Header {
    pub name: &'static str,
    pub description: &'static str,
    pub example: Example,
}

/// An example, from which the type of the header follows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Example {
    Text(&'static str),
    /// A number that counts something.
    Count(u64),
}

pub const ETAG: Header = Header {
    name: "ETag",
    description: "The version of what is shown, for If-None-Match on reads and If-Match on writes.",
    example: Example::Text(r#""3-a6fc5691c46ee9b711de""#),
};
pub const LOCATION: Header = Header {
    name: "Location",
    description: "The address of the new object.",
    example: Example::Text("https://calendar.example.org/calendar/events/v1/events/1"),
};
pub const LINK: Header = Header {
    name: "Link",
    description: "The first, previous, next and last page (RFC 8288).",
    example: Example::Text(
        r#"<https://calendar.example.org/calendar/events/v1/events?page=1>; rel="first", <https://calendar.example.org/calendar/events/v1/events?page=3>; rel="last", <https://calendar.example.org/calendar/events/v1/events?page=2>; rel="next""#,
    ),
};
pub const TOTAL: Header = Header {
    name: "X-TEC-Total",
    description: "Items on all pages.",
    example: Example::Count(12),
};
pub const TOTAL_PAGES: Header = Header {
    name: "X-TEC-TotalPages",
    description: "How many pages there are.",
    example: Example::Count(3),
};
pub const WP_TOTAL: Header = Header {
    name: "X-WP-Total",
    description: "The same as X-TEC-Total.",
    example: Example::Count(12),
};
pub const WP_TOTAL_PAGES: Header = Header {
    name: "X-WP-TotalPages",
    description: "The same as X-TEC-TotalPages.",
    example: Example::Count(3),
};
pub const CONTENT_LANGUAGE: Header = Header {
    name: "Content-Language",
    description: "The language of its texts: `en` or `es`.",
    example: Example::Text("en"),
};
pub const WWW_AUTHENTICATE: Header = Header {
    name: "WWW-Authenticate",
    description: "The schemes that there are.",
    example: Example::Text(r#"Basic realm="Almanac", charset="UTF-8", Bearer"#),
};
pub const RETRY_AFTER: Header = Header {
    name: "Retry-After",
    description: "Seconds after which to try again.",
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
