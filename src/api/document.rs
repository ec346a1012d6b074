//! The OpenAPI document: poem-openapi's output with the overlays applied.

use std::{
    borrow::Cow,
    sync::{Arc, OnceLock},
};

use poem::http::{HeaderMap, header};
use poem_openapi::{
    registry::{MetaSchema, MetaSchemaRef, Registry},
    types::Type,
};
use serde::Serialize;
use serde_json::{Value, value::RawValue};

use super::{error_examples, idempotency, normalize_document, overlay, service, shared_responses};
use crate::{
    calendar::Variant,
    config::Language,
    extract::{Members, selectable},
    response::Representation,
};

/// Content that poem-openapi's metadata can't express: introduction, shared headers, links and examples of responses.
const DOCUMENT_OVERLAYS: [&str; 3] = [
    include_str!(concat!(env!("OUT_DIR"), "/document.overlay.json")),
    include_str!(concat!(env!("OUT_DIR"), "/links.overlay.json")),
    include_str!(concat!(env!("OUT_DIR"), "/examples.overlay.json")),
];
/// The Spanish translation.
const SPANISH_OVERLAY: &str = include_str!(concat!(env!("OUT_DIR"), "/es.overlay.json"));

/// The interface description in one language, as a value and as serialised JSON.
#[derive(Clone)]
pub struct Document {
    pub value: Arc<Value>,
    text: Arc<RawValue>,
    pub language: Language,
}

impl Serialize for Document {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.text.serialize(serializer)
    }
}

/// The documents of one server. Each is generated on first use, so that the server starts fast.
pub struct Documents {
    variant: Variant,
    default: Language,
}

impl Documents {
    pub fn new(variant: Variant, default: Language) -> Self {
        Self { variant, default }
    }

    /// The language that `Accept-Language` prefers (RFC 9110, section 12.5.4). Regions are ignored: `es-MX` selects
    /// `es`.
    pub fn preferred_language(&self, headers: &HeaderMap) -> Language {
        let accept_language = headers.get(header::ACCEPT_LANGUAGE);
        let languages = accept_language
            .and_then(|value| value.to_str().ok())
            .map(accept_language::parse_with_quality);
        languages
            .iter()
            .flatten()
            .filter(|(_, quality)| *quality > 0.0)
            .find_map(|(tag, _)| match tag.split('-').next() {
                Some(language) if language.eq_ignore_ascii_case("es") => Some(Language::Es),
                Some(language) if language.eq_ignore_ascii_case("en") => Some(Language::En),
                _ => None,
            })
            .unwrap_or(self.default)
    }

    /// The document in the preferred language.
    pub fn preferred(&self, headers: &HeaderMap) -> &'static Document {
        document(self.variant, self.preferred_language(headers))
    }

    /// The English document, from which the index is generated.
    pub fn canonical(&self) -> &'static Document {
        canonical(self.variant)
    }
}

/// The English document of a variant.
pub fn canonical(variant: Variant) -> &'static Document {
    document(variant, Language::En)
}

/// The document of a variant in a language. It depends on nothing else, and is generated once per process.
fn document(variant: Variant, language: Language) -> &'static Document {
    static DOCUMENTS: [[OnceLock<Document>; 2]; 2] = [const { [const { OnceLock::new() }; 2] }; 2];
    DOCUMENTS[variant as usize][language as usize].get_or_init(|| {
        let value = emit(variant, language);
        let text = RawValue::from_string(value.to_string()).expect("a JSON value serialises to JSON");
        Document {
            value: Arc::new(value),
            text: text.into(),
            language,
        }
    })
}

/// Generates the document of a variant in a language.
pub fn emit(variant: Variant, language: Language) -> Value {
    let mut document = without_overlays(variant);
    for overlay in DOCUMENT_OVERLAYS {
        apply(&mut document, overlay);
    }
    if language == Language::Es {
        apply(&mut document, SPANISH_OVERLAY);
    }
    shared_responses::share(&mut document);
    document
}

/// poem-openapi's output for one variant, normalised and with examples of errors.
fn without_overlays(variant: Variant) -> Value {
    let mut document = serde_json::from_str(&service().spec()).expect("poem-openapi emits JSON");
    normalize_document::normalize(&mut document, variant);
    idempotency::declare(&mut document);
    error_examples::insert(&mut document, variant);
    document
}

/// Applies an overlay. Targets that exist in one variant only are skipped in the other.
fn apply(document: &mut Value, overlay: &str) {
    let overlay = serde_json::from_str(overlay).expect("build.rs wrote JSON");
    overlay::apply(document, &overlay).expect("build.rs checked the targets");
}

/// The targets of overlays that exist in no variant. A test requires that there are none.
pub fn missing_targets() -> Vec<String> {
    let missing_in = |variant| {
        let mut document = without_overlays(variant);
        let mut missing = Vec::new();
        for overlay in DOCUMENT_OVERLAYS.into_iter().chain([SPANISH_OVERLAY]) {
            let overlay = serde_json::from_str(overlay).expect("build.rs wrote JSON");
            let targets = overlay::apply(&mut document, &overlay);
            missing.extend(targets.expect("build.rs checked the targets"));
        }
        missing
    };
    let in_b = missing_in(Variant::B);
    let mut in_both = missing_in(Variant::A);
    in_both.retain(|target| in_b.contains(target));
    in_both
}

impl Representation for Document {}

selectable!(Document, "info"; Members::named(&["openapi", "info", "servers", "tags", "paths", "components"]));

/// The schema of the document is a named object; client generators name the type after it.
impl Type for Document {
    const IS_REQUIRED: bool = true;
    type RawValueType = Self;
    type RawElementValueType = Self;

    fn name() -> Cow<'static, str> {
        "Document".into()
    }

    fn schema_ref() -> MetaSchemaRef {
        MetaSchemaRef::Reference(Self::name().into_owned())
    }

    fn register(registry: &mut Registry) {
        registry.create_schema::<Self, _>(Self::name().into_owned(), |_| MetaSchema {
            description: Some("An interface description in OpenAPI 3.0."),
            additional_properties: Some(Box::new(MetaSchemaRef::Inline(Box::new(MetaSchema::ANY)))),
            ..MetaSchema::new("object")
        });
    }

    fn as_raw_value(&self) -> Option<&Self> {
        Some(self)
    }

    fn raw_element_iter<'a>(&'a self) -> Box<dyn Iterator<Item = &'a Self> + 'a> {
        Box::new(std::iter::once(self))
    }
}
