//! Extractors of the caller of an operation.

use std::{net::Ipv4Addr, num::NonZeroU32, ops::Deref, sync::Arc};

use chrono::{DateTime, SubsecRound, Utc};
use poem::{Request, RequestBody, Result};
use poem_openapi::{
    ApiExtractor, ApiExtractorType, ExtractParamOptions,
    registry::{MetaSecurityScheme, Registry},
};

use super::{
    Identity,
    credentials::{Login, log_in},
    user_name,
};
use crate::{
    Almanac,
    calendar::{Language, Variant},
    error::Problem,
    extract::Leniency,
    middleware::{base_url::Address, cross_site::CrossSite},
    response::MediaType,
    store::{DataVersion, Snapshot, Store},
};

/// The context of a request, besides its parameters and body.
#[derive(Clone)]
pub(crate) struct Caller {
    pub almanac: Arc<Almanac>,
    pub identity: Identity,
    pub address: Arc<Address>,
    /// The time of the request, to the second. All checks of one request use the same time.
    pub now: DateTime<Utc>,
    /// The request target.
    pub uri: poem::http::Uri,
    pub if_match: Option<String>,
    pub leniency: Leniency,
    pub variant: Variant,
    /// The preferred language of texts.
    pub language: Language,
    /// The negotiated media type of the response.
    pub media_type: MediaType,
    /// The data version, if the response cache has polled it for this request.
    data_version: Option<DataVersion>,
    /// The store of the transaction that encloses the request, if there is one.
    enclosed_store: Option<Store>,
}

impl Caller {
    /// The time of the request as a Unix timestamp.
    pub(crate) fn timestamp(&self) -> i64 {
        self.now.timestamp()
    }

    /// The store for all reads and writes of the request.
    pub(crate) fn store(&self) -> &Store {
        self.enclosed_store.as_ref().unwrap_or(&self.almanac.store)
    }

    /// Returns true if both callers would store the same event from a payload, and get the same response.
    pub(crate) fn is_interchangeable_with(&self, other: &Self) -> bool {
        self.identity == other.identity
            && self.address.base == other.address.base
            && self.now == other.now
            && self.leniency == other.leniency
            && self.variant == other.variant
            && self.language == other.language
    }

    /// Runs a read whose statements see one state of the data ([`crate::store::Store::read`]).
    pub(crate) async fn read<T, F>(&self, read: impl Fn(Arc<Snapshot>) -> F) -> Result<T, Problem>
    where
        F: Future<Output = Result<T, Problem>>,
    {
        self.store().read(self.data_version, read).await
    }

    /// The same caller for reads after the first one: later data must not be taken for those of the polled version.
    #[must_use]
    pub(crate) fn without_data_version(self) -> Self {
        Self {
            data_version: None,
            ..self
        }
    }

    /// Checks `If-Match` against the version of the object (RFC 9110, section 13.1.1).
    pub(crate) fn check_precondition(&self, version: i64) -> Result<(), Problem> {
        let Some(header) = &self.if_match else {
            return Ok(());
        };
        let matches = header.split(',').map(str::trim).any(|tag| {
            tag == "*"
                || tag
                    .strip_prefix('"')
                    .and_then(|tag| tag.split_once('-'))
                    .is_some_and(|(tagged, _)| tagged == version.to_string())
        });
        if matches {
            Ok(())
        } else {
            Err(Problem::precondition_failed())
        }
    }

    /// Checks `If-Match` for an object that does not exist.
    pub(crate) fn check_absent(&self) -> Result<(), Problem> {
        match self.if_match {
            Some(_) => Err(Problem::precondition_failed()),
            None => Ok(()),
        }
    }

    /// Counts further requests of the client, with `--rate-limit`: those that a batch contains.
    pub(crate) fn count_requests(&self, requests: u32) -> Result<(), Problem> {
        match (&self.almanac.rate_limiter, NonZeroU32::new(requests)) {
            (Some(limiter), Some(requests)) => limiter.count_client(self.address.client, requests),
            _ => Ok(()),
        }
    }

    /// Authenticates the request.
    pub(crate) async fn of(request: &Request) -> Result<Self, Problem> {
        let (caller, _) = Self::log_in(request).await?;
        Ok(caller)
    }

    /// Authenticates the request. Returns the login, too, if there are credentials.
    async fn log_in(request: &Request) -> Result<(Self, Option<Login>), Problem> {
        let mut caller = Self::anonymous(request)?;
        let Self {
            almanac, address, now, ..
        } = &caller;
        let login = log_in(&almanac.store, request, now.timestamp())
            .await
            .map_err(|problem| {
                let user = user_name(request.headers());
                let failed_logins = &almanac.failed_logins;
                failed_logins.limit(address.client, user.as_deref(), problem)
            })?;
        if let Some(login) = &login {
            caller.identity = login.identity();
        }
        Ok((caller, login))
    }

    /// A caller for work of the server itself, which no request has asked for.
    pub(crate) fn internal(almanac: Arc<Almanac>, base_url: String, identity: Identity) -> Self {
        let settings = &almanac.settings;
        Self {
            identity,
            address: Arc::new(Address {
                base: base_url,
                client: Ipv4Addr::UNSPECIFIED.into(),
            }),
            now: Utc::now().trunc_subsecs(0),
            uri: poem::http::Uri::default(),
            if_match: None,
            leniency: Leniency::default(),
            variant: settings.variant,
            language: settings.language,
            media_type: MediaType::default(),
            data_version: None,
            enclosed_store: None,
            almanac,
        }
    }

    /// The caller without authentication, regardless of the credentials in the request.
    pub(crate) fn anonymous(request: &Request) -> Result<Self, Problem> {
        let almanac = request
            .data::<Arc<Almanac>>()
            .ok_or_else(|| Problem::internal("the request has no application data"))?;
        let header = request.headers().get(poem::http::header::IF_MATCH);
        Ok(Self {
            almanac: almanac.clone(),
            identity: Identity::Anonymous,
            address: Address::known(request, &almanac.settings),
            now: Utc::now().trunc_subsecs(0),
            uri: request.uri().clone(),
            if_match: header.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned()),
            leniency: request.data().copied().unwrap_or_default(),
            variant: request.data().copied().unwrap_or(almanac.settings.variant),
            language: almanac.documents.preferred_language(request.headers()),
            media_type: request.data().copied().unwrap_or_default(),
            data_version: request.data().copied(),
            enclosed_store: request.data::<Store>().cloned(),
        })
    }
}

/// The caller of an operation that needs no credentials. If there are any, they must be correct.
pub(crate) struct Reader(Caller);

/// The caller of a read that requires credentials.
pub(crate) struct User {
    pub caller: Caller,
    pub login: Login,
}

/// The caller of an operation that requires credentials. The operation checks the permissions.
pub(crate) struct Writer {
    caller: Caller,
    pub login: Login,
}

impl Deref for Reader {
    type Target = Caller;

    fn deref(&self) -> &Caller {
        &self.0
    }
}

impl Deref for Writer {
    type Target = Caller;

    fn deref(&self) -> &Caller {
        &self.caller
    }
}

/// Whether a browser may have attached stored credentials to a cross-site request.
fn has_ambient_credentials(request: &Request) -> bool {
    request.data::<CrossSite>().is_some() && user_name(request.headers()).is_some()
}

/// 403 for a write from another site with credentials that a browser has stored.
pub(crate) fn cross_site_write() -> Problem {
    Problem::forbidden(CROSS_SITE_WRITE)
}

const CROSS_SITE_WRITE: &str = "Cross-site writes with HTTP Basic are not allowed. Use a bearer token, or allow the \
    site with --cors-origin.";

const BASIC: &str = "basic";
const BEARER: &str = "bearer";

fn register_schemes(registry: &mut Registry) {
    let scheme = |scheme, bearer_format, description| MetaSecurityScheme {
        ty: "http",
        description: Some(description),
        name: None,
        key_in: None,
        scheme: Some(scheme),
        bearer_format,
        flows: None,
        openid_connect_url: None,
    };
    registry.create_security_scheme(
        BASIC,
        scheme(
            BASIC,
            None,
            "HTTP Basic (RFC 7617) with a user name and an application password. Browsers store these credentials: a \
             write that a browser sends with them from another site returns 403.",
        ),
    );
    registry.create_security_scheme(
        BEARER,
        scheme(
            BEARER,
            Some("alm_…"),
            "An API token (RFC 6750), created with `almanac token add`.",
        ),
    );
}

impl<'a> ApiExtractor<'a> for Reader {
    const TYPES: &'static [ApiExtractorType] = &[ApiExtractorType::SecurityScheme];
    type ParamType = ();
    type ParamRawType = ();

    fn register(registry: &mut Registry) {
        register_schemes(registry);
    }

    fn security_schemes() -> Vec<&'static str> {
        vec![BASIC, BEARER]
    }

    fn has_security_fallback() -> bool {
        true
    }

    async fn from_request(
        request: &'a Request,
        _body: &mut RequestBody,
        _options: ExtractParamOptions<()>,
    ) -> Result<Self> {
        Ok(Self(Caller::of(request).await?))
    }
}

impl<'a> ApiExtractor<'a> for User {
    const TYPES: &'static [ApiExtractorType] = &[ApiExtractorType::SecurityScheme];
    type ParamType = ();
    type ParamRawType = ();

    fn register(registry: &mut Registry) {
        register_schemes(registry);
    }

    fn security_schemes() -> Vec<&'static str> {
        vec![BASIC, BEARER]
    }

    async fn from_request(
        request: &'a Request,
        _body: &mut RequestBody,
        _options: ExtractParamOptions<()>,
    ) -> Result<Self> {
        match Caller::log_in(request).await? {
            (caller, Some(login)) => Ok(Self { caller, login }),
            (_, None) => Err(Problem::not_logged_in().into()),
        }
    }
}

impl<'a> ApiExtractor<'a> for Writer {
    const TYPES: &'static [ApiExtractorType] = &[ApiExtractorType::SecurityScheme];
    type ParamType = ();
    type ParamRawType = ();

    fn register(registry: &mut Registry) {
        register_schemes(registry);
    }

    fn security_schemes() -> Vec<&'static str> {
        vec![BASIC, BEARER]
    }

    async fn from_request(
        request: &'a Request,
        _body: &mut RequestBody,
        _options: ExtractParamOptions<()>,
    ) -> Result<Self> {
        match Caller::log_in(request).await? {
            (_, None) => Err(Problem::not_logged_in().into()),
            _ if has_ambient_credentials(request) => Err(cross_site_write().into()),
            (caller, Some(login)) => Ok(Self { caller, login }),
        }
    }
}
