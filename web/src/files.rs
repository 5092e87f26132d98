//! The files of the stories, fetched once each.

use std::cell::RefCell;
use std::collections::HashMap;

use changeover_wire::{Problem, Recording};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Document, Element, Response};
use yew::AttrValue;

/// The folder of the stories.
const FOLDER: &str = "scenarios/";

/// What has arrived of the stories.
#[derive(Default)]
pub struct StoryFiles {
    texts: RefCell<HashMap<String, String>>,
    first_picture: RefCell<Option<FirstPicture>>,
}

/// The picture that a document has of its story, so that it can be seen before the story is simulated.
#[derive(Clone, Debug, PartialEq)]
pub struct FirstPicture {
    /// The name of the story.
    pub story: String,
    /// How many lanes there are.
    pub lanes: usize,
    /// The lanes as HTML.
    pub html: AttrValue,
}

impl PartialEq for StoryFiles {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl StoryFiles {
    /// Waits for the files that the document preloads. A file that can't be fetched is fetched again when it is needed.
    ///
    /// # Errors
    /// If the document can't be searched.
    pub async fn fetch_preloaded(&self, document: &Document) -> Result<(), JsValue> {
        let links = document.query_selector_all("link[rel=preload]")?;
        let links = (0..links.length()).filter_map(|index| links.item(index)?.dyn_into::<Element>().ok());
        for address in links.filter_map(|link| link.get_attribute("href")) {
            if let Some(name) = address.strip_prefix(FOLDER) {
                drop(self.text(name).await);
            }
        }
        Ok(())
    }

    /// Keeps the picture that the document has of its story, before the app takes the document's place.
    ///
    /// # Errors
    /// If the document can't be searched.
    pub fn keep_first_picture(&self, document: &Document) -> Result<(), JsValue> {
        let lanes = document.query_selector("[data-story]")?;
        self.first_picture.replace(lanes.and_then(|lanes| {
            Some(FirstPicture {
                story: lanes.get_attribute("data-story")?,
                lanes: usize::try_from(lanes.child_element_count()).ok()?,
                html: lanes.inner_html().into(),
            })
        }));
        Ok(())
    }

    /// The picture of a story, if the document had one.
    pub fn first_picture(&self, story: &str) -> Option<FirstPicture> {
        self.first_picture.borrow().clone().filter(|picture| picture.story == story)
    }

    /// The text of a file in the folder of the stories.
    ///
    /// # Errors
    /// If it can't be fetched. A later call tries again.
    pub async fn text(&self, name: &str) -> Result<String, Problem> {
        if let Some(text) = self.texts.borrow().get(name) {
            return Ok(text.clone());
        }
        let text = fetch(&format!("{FOLDER}{name}")).await.map_err(|reason| Problem::new(name, reason))?;
        self.texts.borrow_mut().insert(String::from(name), text.clone());
        Ok(text)
    }

    /// The JSON of a file.
    ///
    /// # Errors
    /// If it can't be fetched or is no JSON.
    pub async fn json(&self, name: &str) -> Result<serde_json::Value, Problem> {
        let text = self.text(name).await?;
        serde_json::from_str(&text).map_err(|error| self.unreadable(name, &error))
    }

    /// The recording of a story.
    ///
    /// # Errors
    /// If it can't be fetched or read.
    pub async fn recording(&self, story: &str) -> Result<Recording, Problem> {
        let name = format!("{story}.recording.json");
        let text = self.text(&name).await?;
        serde_json::from_str(&text).map_err(|error| self.unreadable(&name, &error))
    }

    /// The problem of a file that can't be read, which is fetched again when it is needed: the next one may work.
    fn unreadable(&self, name: &str, error: &serde_json::Error) -> Problem {
        self.texts.borrow_mut().remove(name);
        Problem::new(name, format!("can't be read as JSON: {error}"))
    }
}

async fn fetch(url: &str) -> Result<String, String> {
    let failed = |error: JsValue| {
        let message = error.dyn_ref::<js_sys::Error>().map(|error| String::from(error.message()));
        format!("can't be fetched: {}", message.unwrap_or_else(|| String::from("the request failed")))
    };
    let window = web_sys::window().ok_or("can't be fetched: there is no window")?;
    let response: Response = JsFuture::from(window.fetch_with_str(url)).await.map_err(failed)?.unchecked_into();
    if !response.ok() {
        return Err(format!("can't be fetched: the server says {}", response.status()));
    }
    let text = JsFuture::from(response.text().map_err(failed)?).await.map_err(failed)?;
    Ok(text.as_string().unwrap_or_default())
}
