use serde_json::Value;

use crate::error::wrong;
use crate::position::{Inside, Place};
use crate::{Document, Error, ErrorKind};

/// Puts the document, or if it is a list its items, at the end of `documents`. Items of a typed list (`PodList`) get
/// the kind that the list's name says, where they have none.
///
/// Upstream: staging/src/k8s.io/apimachinery/pkg/apis/meta/v1/unstructured/helpers.go decodeToList
pub(crate) fn flatten(mut document: Document, documents: &mut Vec<Document>) -> Result<(), Error> {
    let item_kind = text(&document.value, "kind").and_then(|kind| kind.strip_suffix("List")).map(str::to_owned);
    let (Some(item_kind), Some(Value::Array(items))) = (item_kind, document.value.get_mut("items").map(Value::take))
    else {
        documents.push(document);
        return Ok(());
    };
    let version = text(&document.value, "apiVersion").map(str::to_owned);
    let places = match document.place.child("items").map(|items| items.inside.clone()) {
        Some(Inside::List(places)) => places,
        _ => Vec::new(),
    };
    for (index, mut value) in items.into_iter().enumerate() {
        let place = places.get(index).cloned().unwrap_or(Place { at: document.place.at, inside: Inside::Scalar });
        let Some(item) = value.as_object_mut() else {
            let message = wrong(&value, "an object");
            return Err(Error::new(ErrorKind::NotAnObject, Some(place.at), message).below(&format!("items[{index}]")));
        };
        if !item_kind.is_empty() && !item.contains_key("kind") {
            item.insert("kind".to_owned(), item_kind.as_str().into());
            if let (Some(version), false) = (&version, item.contains_key("apiVersion")) {
                item.insert("apiVersion".to_owned(), version.as_str().into());
            }
        }
        documents.push(Document { value, place });
    }
    Ok(())
}

fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key).and_then(Value::as_str)
}
