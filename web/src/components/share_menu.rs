use std::ops::RangeInclusive;

use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{Blob, HtmlInputElement};
use yew::{
    Callback, Event, Html, MouseEvent, Properties, TargetCast, component, html, use_context, use_state, use_state_eq,
};
use yew_router::Routable;

use crate::dom;
use crate::hooks::use_dialog;
use crate::route::Route;
use crate::share::{
    PictureFile, ReopenFrom, ShareTools, Shareable, SharedState, SharedStory, Shown, StateProblem, data,
};

/// A larger file was not downloaded from the page.
const MAX_FILE: f64 = 20_000_000.0;

/// What the menu offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Png,
    Svg,
    Csv,
    Json,
    Yaml,
    Markdown,
    State,
}

impl Format {
    const ALL: [Self; 7] = [Self::Png, Self::Svg, Self::Csv, Self::Json, Self::Yaml, Self::Markdown, Self::State];

    const fn label(self) -> &'static str {
        match self {
            Self::Png => "Picture (PNG)",
            Self::Svg => "Picture (SVG)",
            Self::Csv => "Numbers (CSV)",
            Self::Json => "Numbers (JSON)",
            Self::Yaml => "Manifest (YAML)",
            Self::Markdown => "Pull request comment (Markdown)",
            Self::State => "Everything, to open here again",
        }
    }

    const fn extension(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Svg => "svg",
            Self::Csv => "csv",
            Self::Json => "json",
            Self::Yaml => "yaml",
            Self::Markdown => "md",
            Self::State => "changeover.json",
        }
    }

    /// What it is made of.
    const fn part(self) -> Part {
        match self {
            Self::Png | Self::Svg | Self::Csv | Self::Json | Self::Markdown => Part::Picture,
            Self::Yaml => Part::Manifest,
            Self::State => Part::Everything,
        }
    }
}

/// What is copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Copied {
    Link,
    EmbedCode,
}

impl Copied {
    const fn label(self) -> &'static str {
        match self {
            Self::Link => "Copy link",
            Self::EmbedCode => "Copy embed code",
        }
    }
}

/// A part of what can be shared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Everything,
    Link,
    Manifest,
    Picture,
}

/// Whether the page has a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Availability {
    Available,
    /// Unavailable until the user fixes a problem; the id of the text that explains it.
    Missing(&'static str),
    /// It never has it.
    Absent,
}

impl Part {
    const fn of(self, shareable: &Shareable) -> Availability {
        match self {
            Self::Manifest if shareable.manifests.is_none() => Availability::Absent,
            Self::Link if shareable.state.is_none() => Availability::Missing(UNREADABLE),
            Self::Picture => match shareable.shown {
                Shown::Nothing => Availability::Absent,
                Shown::Outdated => Availability::Missing(OUTDATED),
                Shown::Current(_) => Availability::Available,
            },
            Self::Everything | Self::Link | Self::Manifest => Availability::Available,
        }
    }
}

/// The id of the text that says why there is no link.
const UNREADABLE: &str = "share-unreadable";

/// Why there is no link.
const NO_LINK: &str =
    "Your YAML can't be parsed, so the page can't tell which parts of it a link may contain. Fix it to get a link.";

/// The id of the text that says why there is no picture.
const OUTDATED: &str = "share-outdated";

/// The sizes of the objects of a link that the menu shows, in bytes. No link has room for more.
const SHOWN_SIZES: RangeInclusive<usize> = 1..=200_000;

/// The id of the text that says which files contain the user's whole text.
const WHOLE_NOTE: &str = "share-whole";

/// What the menu says about the last thing that was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Outcome {
    Said(&'static str),
    /// The browser does not copy: the user can.
    ToCopy(String),
    Problem(&'static str),
}

/// The properties of [`ShareMenu`].
#[derive(PartialEq, Properties)]
pub struct ShareMenuProps {
    /// What can be shared; none while it changes.
    pub shareable: Option<Shareable>,
    /// The user opens a file with a state.
    pub on_open: Callback<SharedState>,
    /// The user opens the menu: nothing plays meanwhile.
    #[prop_or_default]
    pub on_menu: Callback<()>,
}

/// A button, and the menu of what can be taken away.
#[component]
pub fn ShareMenu(props: &ShareMenuProps) -> Html {
    let ShareMenuProps { shareable, on_open, on_menu } = props;
    let tools = use_context::<ShareTools>();
    let is_open = use_state_eq(|| false);
    let dialog = use_dialog(*is_open);
    let outcome = use_state(|| None::<Outcome>);
    let open = {
        let (is_open, outcome, on_menu) = (is_open.clone(), outcome.clone(), on_menu.clone());
        Callback::from(move |_: MouseEvent| {
            on_menu.emit(());
            outcome.set(None);
            is_open.set(true);
        })
    };
    let close = {
        let is_open = is_open.clone();
        Callback::from(move |()| is_open.set(false))
    };
    let on_copy = {
        let (tools, shareable, outcome) = (tools.clone(), shareable.clone(), outcome.setter());
        Callback::from(move |what: Copied| {
            let Some((tools, shareable)) = tools.clone().zip(shareable.clone()) else { return };
            let outcome = outcome.clone();
            spawn_local(async move { outcome.set(Some(copy(&tools, &shareable, what).await)) });
        })
    };
    let offline_tools = tools.clone();
    let on_download = {
        let (shareable, outcome) = (shareable.clone(), outcome.setter());
        Callback::from(move |format: Format| {
            let Some((tools, shareable)) = tools.clone().zip(shareable.clone()) else { return };
            let outcome = outcome.clone();
            spawn_local(async move {
                let saved = download(&tools, &shareable, format).await;
                outcome.set(Some(saved.map_or(Outcome::Problem("Your browser could not make this file."), |()| {
                    Outcome::Said("Downloaded")
                })));
            });
        })
    };
    let on_offline = {
        let (tools, outcome) = (offline_tools, outcome.setter());
        Callback::from(move |_: MouseEvent| {
            let Some(tools) = tools.clone() else { return };
            let outcome = outcome.clone();
            outcome.set(Some(Outcome::Said("Loading all files…")));
            spawn_local(async move {
                outcome.set(Some(match tools.keep_offline().await {
                    Ok(()) => Outcome::Said("Every page opens offline now"),
                    Err(_) => Outcome::Problem("Your browser could not keep the files of this page."),
                }));
            });
        })
    };
    let on_file = {
        let (outcome, on_open, close) = (outcome.setter(), on_open.clone(), close.clone());
        Callback::from(move |event: Event| {
            let Some(input) = event.target_dyn_into::<HtmlInputElement>() else { return };
            let Some(file) = input.files().and_then(|files| files.get(0)) else { return };
            // The same file can be chosen again.
            input.set_value("");
            let (outcome, on_open, close) = (outcome.clone(), on_open.clone(), close.clone());
            spawn_local(async move {
                match read(&file).await {
                    Ok(state) => {
                        close.emit(());
                        on_open.emit(state);
                    }
                    Err(problem) => outcome.set(Some(Outcome::Problem(problem.of_file()))),
                }
            });
        })
    };
    html! {
        <>
            <button type="button" class="share-button" aria-haspopup="dialog" onclick={open}>{ "Share and download…" }</button>
            <dialog ref={dialog} class="help share" aria-labelledby="share-title" onclose={close.reform(|_| ())}>
                if *is_open {
                    <header>
                        <h2 id="share-title">{ "Share and download" }</h2>
                        <button type="button" class="icon" aria-label="Close" title="Close (Esc)"
                            onclick={close.reform(|_: MouseEvent| ())}>{ "✕" }</button>
                    </header>
                    <p class="note">{ "A link contains your settings and what Changeover reads of your objects: names, labels, images, numbers and Kubernetes' own words. Other texts, such as values of environment variables, paths and commands (except a hook's sleep), are numbered instead. Comments are left out, and Secrets, ConfigMaps and custom resources keep only their names. Nothing is sent to a server." }</p>
                    { view_actions(shareable.as_ref(), &on_copy, &on_download) }
                    <p>
                        <label for="share-file">{ "Open a downloaded “everything” file " }</label>
                        <input id="share-file" type="file" accept=".json,application/json" onchange={on_file} />
                    </p>
                    <h2>{ "Without a network" }</h2>
                    <div class="share-actions">
                        <button type="button" onclick={on_offline}>{ "Keep everything offline" }</button>
                    </div>
                    <div class="outcome" role="status">{ view_outcome(outcome.as_ref()) }</div>
                }
            </dialog>
        </>
    }
}

fn view_actions(shareable: Option<&Shareable>, on_copy: &Callback<Copied>, on_download: &Callback<Format>) -> Html {
    let Some(shareable) = shareable else { return html! { <p>{ "One moment…" }</p> } };
    // Only what has a picture can be embedded.
    let has_picture = shareable.shown != Shown::Nothing;
    let copied = [Copied::Link, Copied::EmbedCode].into_iter().filter(|what| has_picture || *what == Copied::Link);
    let missing = |part: Part| matches!(part.of(shareable), Availability::Missing(_));
    html! {
        <>
            <div class="share-actions">
                { for copied.map(|what| {
                    let on_click = on_copy.reform(move |_: MouseEvent| what);
                    view_action(what.label(), Part::Link.of(shareable), None, on_click)
                }) }
            </div>
            if missing(Part::Link) {
                <p class="note" id={UNREADABLE}>{ NO_LINK }</p>
            }
            if let Some(objects) = shareable.state.as_ref().map(SharedState::objects).filter(|it| SHOWN_SIZES.contains(&it.len())) {
                <details>
                    <summary>{ "Show the objects in the link" }</summary>
                    <pre tabindex="0" aria-label="The objects in the link">{ objects }</pre>
                </details>
            }
            <h2>{ "Download" }</h2>
            <div class="share-actions">
                { for Format::ALL.map(|format| {
                    let on_click = on_download.reform(move |_: MouseEvent| format);
                    let note = matches!(format, Format::Yaml | Format::State).then_some(WHOLE_NOTE);
                    view_action(format.label(), format.part().of(shareable), note, on_click)
                }) }
            </div>
            <p class="note" id={WHOLE_NOTE}>
                { "“Manifest” and “Everything” contain your text as it stands, secrets included." }
            </p>
            if missing(Part::Picture) {
                <p class="note" id={OUTDATED}>
                    { "The picture still shows the previous result. Fix the problem to download the picture and its numbers." }
                </p>
            }
        </>
    }
}

/// A button; one that can do nothing yet can still be found, and says why. `note`: the id of a text about what it does.
fn view_action(
    label: &'static str,
    availability: Availability,
    note: Option<&'static str>,
    on_click: Callback<MouseEvent>,
) -> Html {
    let reason = match availability {
        Availability::Absent => return Html::default(),
        Availability::Available => None,
        Availability::Missing(reason) => Some(reason),
    };
    let onclick = if reason.is_none() { on_click } else { Callback::noop() };
    html! {
        <button type="button" aria-disabled={reason.map(|_| "true")} aria-describedby={reason.or(note)} {onclick}>{ label }</button>
    }
}

fn view_outcome(outcome: Option<&Outcome>) -> Html {
    match outcome {
        None => Html::default(),
        Some(Outcome::Said(what)) => html! { <p>{ *what }</p> },
        Some(Outcome::ToCopy(text)) => html! {
            <p>
                <label for="share-text">{ "Your browser doesn't allow copying here. Select the text and copy it: " }</label>
                <input id="share-text" type="text" readonly=true value={text.clone()} />
            </p>
        },
        Some(Outcome::Problem(problem)) => html! { <p class="problem">{ *problem }</p> },
    }
}

async fn copy(tools: &ShareTools, shareable: &Shareable, what: Copied) -> Outcome {
    let Some(state) = &shareable.state else { return Outcome::Problem(NO_LINK) };
    let Ok(Some(fragment)) = tools.fragment(state).await else {
        return Outcome::Problem(
            "This is too large for a link. Download “everything” instead, and send that file: it opens here.",
        );
    };
    let text = match what {
        Copied::Link => format!("{}{fragment}", dom::page_address()),
        Copied::EmbedCode => embed_code(&shareable.title, &(dom::site_address() + &embed_path(state, &fragment))),
    };
    match tools.copy(&text).await {
        Ok(()) => Outcome::Said("Copied"),
        Err(_) => Outcome::ToCopy(text),
    }
}

/// The address that shows a state in another page, from the root of the site. The document of a story contains its picture.
fn embed_path(state: &SharedState, fragment: &str) -> String {
    let Some(story) = &state.story else { return format!("{}{fragment}", path_of(&Route::Embed)) };
    let name = story.name.clone();
    let beginning = SharedStory { name: name.clone(), ..SharedStory::default() };
    let is_beginning = *state == SharedState { story: Some(beginning), ..SharedState::default() };
    let fragment = if is_beginning { "" } else { fragment };
    format!("{}{fragment}", path_of(&Route::EmbeddedStory { name }))
}

/// The path of a page from the root of the site.
fn path_of(route: &Route) -> String {
    String::from(route.to_path().trim_start_matches('/'))
}

/// The element that shows what is shared in another page.
fn embed_code(title: &str, address: &str) -> String {
    let title = title.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;");
    format!(
        r#"<iframe src="{address}" title="{title}" width="100%" height="760" style="border: 0" loading="lazy"></iframe>"#
    )
}

async fn download(tools: &ShareTools, shareable: &Shareable, format: Format) -> Result<(), JsValue> {
    let name = |format: Format| format!("{}.{}", shareable.file_name, format.extension());
    if format == Format::Yaml {
        let manifests = shareable.manifests.as_deref().unwrap_or_default();
        return tools.save(&name(format), "application/yaml", manifests).await;
    }
    if format == Format::State {
        return tools.save(&name(format), "application/json", &shareable.whole.to_text()).await;
    }
    let Some(state) = &shareable.state else { return Err(JsValue::from_str("there is no state")) };
    let Shown::Current(playback) = &shareable.shown else { return Err(JsValue::from_str("there is no picture")) };
    let reopen_from = match tools.fragment(state).await? {
        Some(fragment) => ReopenFrom::Link(format!("{}{fragment}", dom::page_address())),
        None => ReopenFrom::File { page: dom::page_address(), name: name(Format::State) },
    };
    let name = name(format);
    if matches!(format, Format::Png | Format::Svg) {
        let (title, inputs) = (shareable.title.clone(), shareable.inputs.clone());
        let link = String::from(reopen_from.address());
        return tools.save_picture(&PictureFile { name, title, inputs, link, as_png: format == Format::Png }).await;
    }
    tools.save_data(&name, format.extension(), &data(shareable, playback, &reopen_from)).await
}

async fn read(file: &web_sys::File) -> Result<SharedState, StateProblem> {
    if file.size() > MAX_FILE {
        return Err(StateProblem::Broken);
    }
    let text = JsFuture::from(file.unchecked_ref::<Blob>().text()).await.map_err(|_| StateProblem::Broken)?;
    SharedState::parse(&text.as_string().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_embedded_story_has_a_document_of_its_own() {
        let at_caption = |caption: u32| {
            let story = SharedStory { name: String::from("quota"), caption, ..SharedStory::default() };
            SharedState { story: Some(story), ..SharedState::default() }
        };
        assert_eq!(embed_path(&at_caption(0), "#state=abc"), "embed/quota/");
        assert_eq!(embed_path(&at_caption(1), "#state=abc"), "embed/quota/#state=abc");
        assert_eq!(embed_path(&SharedState::default(), "#state=abc"), "embed/#state=abc");
    }

    #[test]
    fn no_title_ends_its_attribute() {
        let code = embed_code(r#"Scale "web" <up> & down"#, "https://example.com/embed/#state=abc");
        assert!(code.contains(r#" title="Scale &quot;web&quot; &lt;up> &amp; down" "#), "{code}");
    }
}
