use std::rc::Rc;

use wasm_bindgen::JsCast;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{DragEvent, File, HtmlInputElement, HtmlTextAreaElement, InputEvent};
use yew::{Callback, Event, Html, Properties, TargetCast, component, html, use_state};

/// The id of the text.
const ID: &str = "manifests";

/// The properties of [`ManifestEditor`].
#[derive(PartialEq, Properties)]
pub struct ManifestEditorProps {
    /// The text.
    pub text: Rc<str>,
    /// Whether something is wrong with it.
    pub is_invalid: bool,
    /// The id of what describes it.
    pub described_by: &'static str,
    /// The user changes it.
    pub on_change: Callback<Rc<str>>,
}

/// The user's manifests as a text that they type, paste, open or drop. It keeps whatever they type.
#[component]
pub fn ManifestEditor(props: &ManifestEditorProps) -> Html {
    let ManifestEditorProps { text, is_invalid, described_by, on_change } = props;
    let file_problem = use_state(|| None::<String>);
    let on_input = {
        let (on_change, file_problem) = (on_change.clone(), file_problem.setter());
        Callback::from(move |event: InputEvent| {
            if let Some(area) = event.target_dyn_into::<HtmlTextAreaElement>() {
                file_problem.set(None);
                on_change.emit(area.value().into());
            }
        })
    };
    let on_file = {
        let (on_change, file_problem) = (on_change.clone(), file_problem.setter());
        Callback::from(move |file: File| {
            let (on_change, file_problem) = (on_change.clone(), file_problem.clone());
            spawn_local(async move {
                match read_text(&file).await {
                    Ok(text) => {
                        file_problem.set(None);
                        on_change.emit(text.into());
                    }
                    Err(problem) => file_problem.set(Some(problem)),
                }
            });
        })
    };
    let on_open = {
        let on_file = on_file.clone();
        Callback::from(move |event: Event| {
            let input = event.target_dyn_into::<HtmlInputElement>();
            if let Some(file) = input.as_ref().and_then(|input| input.files()?.get(0)) {
                on_file.emit(file);
            }
            // So that the same file can be opened again.
            if let Some(input) = input {
                input.set_value("");
            }
        })
    };
    let on_drop = Callback::from(move |event: DragEvent| {
        // A dropped text goes where the browser puts it.
        if let Some(file) = event.data_transfer().and_then(|transfer| transfer.files()?.get(0)) {
            event.prevent_default();
            on_file.emit(file);
        }
    });
    let on_drag_over = Callback::from(|event: DragEvent| event.prevent_default());
    html! {
        <div class="manifest-editor" ondragover={on_drag_over} ondrop={on_drop}>
            <label for={ID}>{ "Your manifests, or the state of your cluster" }</label>
            <textarea id={ID} spellcheck="false" autocomplete="off" autocapitalize="off" wrap="off" rows="22"
                value={text.to_string()} oninput={on_input} aria-invalid={is_invalid.then_some("true")}
                aria-describedby={*described_by} />
            <p class="open-file">
                <label class="link" for="manifest-file">{ "Open a file" }</label>
                <input id="manifest-file" class="visually-hidden" type="file" accept=".yaml,.yml,.json,text/*"
                    onchange={on_open} />
                { ", drop one here, or paste: YAML or JSON, several documents, what " }<code>{ "helm template" }</code>
                { " renders, what " }<code>{ "kubectl get deploy,rs,pods -o yaml" }</code>
                { " prints. Nothing leaves this page." }
            </p>
            if let Some(problem) = &*file_problem { <p class="problem" role="alert">{ problem }</p> }
        </div>
    }
}

/// The text of a file.
async fn read_text(file: &File) -> Result<String, String> {
    let name = file.name();
    let text = JsFuture::from(file.text()).await.ok().and_then(|text| text.as_string());
    match text {
        None => Err(format!("{name}: can't be read")),
        // Bytes that are no UTF-8 are read as this character.
        Some(text) if text.contains(['\0', '\u{fffd}']) => {
            Err(format!("{name}: must be text: YAML or JSON. What was here stays."))
        }
        Some(text) => Ok(text),
    }
}

/// Moves the cursor to the beginning of a line, from 1.
pub fn go_to_line(line: usize) {
    let document = web_sys::window().and_then(|window| window.document());
    let area = document.and_then(|document| document.get_element_by_id(ID)?.dyn_into::<HtmlTextAreaElement>().ok());
    let Some(area) = area else { return };
    let text = area.value();
    let before = text.split_inclusive('\n').take(line.saturating_sub(1));
    let start: usize = before.map(|line| line.encode_utf16().count()).sum();
    let length = text.lines().nth(line.saturating_sub(1)).map_or(0, |line| line.encode_utf16().count());
    let [start, end] = [start, start.saturating_add(length)].map(|at| u32::try_from(at).unwrap_or(u32::MAX));
    // Fails only for inputs without text.
    let _ = area.focus();
    let _ = area.set_selection_range(start, end);
}
