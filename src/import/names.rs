//! Finds venues, organizers, categories and tags by their names, and creates those that do not exist.

use super::{
    ImportError,
    fit::Fit,
    page::{Identity, Page},
    records::{Common, Record, TermRecord},
};
use crate::{
    calendar::{TermReference, status::Status, text::fold},
    store::{Term, imports, linked_resource::LinkedResource, term as store_term},
};

/// Finds a venue or an organizer by its ID or its name.
pub(super) async fn find<R: Record, E: LinkedResource>(
    page: &Page<'_>,
    text: &str,
) -> Result<Option<i64>, ImportError> {
    if let Ok(id) = text.parse::<i64>()
        && page.existing::<R>(id).await?.is_some()
    {
        return Ok(Some(id));
    }
    Ok(imports::same_name::<E>(&page.transaction, text).await?)
}

/// The ID of the venue or organizer with this name, which is created if there is none.
pub(super) async fn linked_resource<R: Record, E: LinkedResource>(
    page: &mut Page<'_>,
    name: &str,
    new: impl FnOnce(Common) -> R,
) -> Result<i64, ImportError> {
    let kind = E::KIND;
    let mut fit = Fit::default();
    let title = fit.title("name", name);
    if let Some(id) = imports::same_name::<E>(&page.transaction, &title).await? {
        return Ok(id);
    }
    let key = fold(&title);
    page.load(kind, std::slice::from_ref(&key)).await?;
    // What was deleted by hand is needed again.
    page.forget(kind, &key);
    let record = new(Common {
        title,
        status: Status::Publish.as_str().to_owned(),
        ..Common::default()
    });
    let id = page.linked_resource(Identity { key: &key, id: None }, record).await?;
    page.note(kind, &key, fit.notes);
    Ok(id)
}

/// The ID of a category or tag with this name, which is created if there is none.
pub(super) async fn term<E: Term>(page: &mut Page<'_>, name: &str) -> Result<i64, ImportError> {
    let mut fit = Fit::default();
    let name = fit.title("name", name);
    let reference = [TermReference::Name(name.clone())];
    let found = store_term::resolve::<E>(&page.transaction, &reference).await?;
    if let Some(id) = found.into_iter().next().flatten() {
        return Ok(id);
    }
    let key = fold(&name);
    page.load(E::KIND, std::slice::from_ref(&key)).await?;
    // A term that was deleted by hand is needed again.
    page.forget(E::KIND, &key);
    let record = TermRecord {
        name,
        ..TermRecord::default()
    };
    page.term::<E>(Identity { key: &key, id: None }, record).await
}
