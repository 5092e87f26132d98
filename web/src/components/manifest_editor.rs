use std::rc::Rc;

use changeover_wire::{LargeText, LineProblem, ManifestText, Severity};
use gloo_events::{EventListener, EventListenerOptions, EventListenerPhase};
use js_sys::{Function, Reflect};
use serde_json::{Value, json};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::spawn_local;
use web_sys::{Element, File, HtmlInputElement, HtmlTextAreaElement, InputEvent};
use yew::{
    Callback, Event, Html, MouseEvent, NodeRef, Properties, TargetCast, component, html, use_context, use_effect_with,
    use_mut_ref, use_node_ref, use_state_eq,
};

use super::text_file::{MAX_BYTES, PastedText, all_of, problem_of_text, too_long};
use crate::dom;
use crate::number::{count_to_f64, to_i64};
use crate::workbench::Workbench;

/// The id of the text.
pub const EDITOR_ID: &str = "manifests";

/// What the text is.
const LABEL: &str = "Your manifests, or the state of your cluster";

/// How the sentence about its length begins.
const WHOLE_TEXT: &str = "The whole text";

/// A change to the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ManifestEdit {
    /// The user typed, or pasted something into the text.
    Typed(LargeText),
    /// The user replaced the whole text with a pasted one that may be the state of a cluster.
    Pasted(LargeText),
}

impl ManifestEdit {
    /// The change that leads to a text. `pasted`: a text that may be the state of a cluster, pasted since the last change. If
    /// the user pasted it into other text, it adds an object to that text.
    fn new(text: LargeText, pasted: Option<&str>) -> Self {
        if pasted == Some(&*text) { Self::Pasted(text) } else { Self::Typed(text) }
    }
}

/// The properties of [`ManifestEditor`].
#[derive(PartialEq, Properties)]
pub struct ManifestEditorProps {
    /// The text.
    pub text: LargeText,
    /// What is wrong with it.
    pub problems: Vec<LineProblem>,
    /// The first error, read aloud.
    pub error: Option<String>,
    /// The id of what describes it, until the editor is loaded.
    pub described_by: &'static str,
    /// What has come of the text.
    pub report: Html,
    /// The user changes it.
    pub on_change: Callback<ManifestEdit>,
    /// The user opens files.
    pub on_files: Callback<Vec<File>>,
}

/// The user's manifests as a text that they type, paste or open; the page takes what they drop. It keeps whatever they type. Until the editor is loaded,
/// it is a plain text.
#[component]
pub fn ManifestEditor(props: &ManifestEditorProps) -> Html {
    let ManifestEditorProps { text, problems, error, described_by, report, on_change, on_files } = props;
    let workbench = use_context::<Rc<Workbench>>();
    let is_loaded = use_state_eq(|| false);
    use_effect_with(workbench, {
        let is_loaded = is_loaded.setter();
        move |workbench| {
            if let Some(workbench) = workbench.clone() {
                spawn_local(async move { is_loaded.set(workbench.load_editor().await) });
            }
        }
    });
    let editor = use_node_ref();
    // What was pasted since the last change of the text, if it may be the state of a cluster.
    let pasted = use_mut_ref(|| None::<String>);
    let had_focus = use_state_eq(|| false);
    use_effect_with(*is_loaded, {
        let (editor, had_focus) = (editor.clone(), had_focus.clone());
        move |_| {
            if *had_focus && let Some(editor) = editor.cast::<Element>() {
                dom::focus(&editor);
            }
        }
    });
    // The last text from the editor, until the page sets another one: handing a large text back would cost a frame.
    let own_text = use_mut_ref(|| None::<LargeText>);
    use_effect_with((*is_loaded, text.clone()), {
        let (editor, own_text) = (editor.clone(), own_text.clone());
        move |(_, text)| {
            let is_own = own_text.borrow().as_ref() == Some(text);
            if !is_own {
                own_text.replace(None);
                set_property(&editor, "value", text);
            }
        }
    });
    use_effect_with((*is_loaded, diagnostics(problems)), {
        let editor = editor.clone();
        move |(_, diagnostics)| set_property(&editor, "problems", diagnostics)
    });
    use_effect_with((*is_loaded, error.clone()), {
        let editor = editor.clone();
        move |(_, error)| set_property(&editor, "error", error.as_deref().unwrap_or_default())
    });
    let length_problem = use_state_eq(|| None::<String>);
    use_effect_with((*is_loaded, on_change.clone()), {
        let (editor, pasted, own_text) = (editor.clone(), pasted.clone(), own_text);
        let length_problem = length_problem.setter();
        move |(_, on_change)| {
            let on_change = on_change.clone();
            let listener = editor.cast::<Element>().map(|element| {
                EventListener::new(&element.clone(), "edit", move |_| {
                    let value = Reflect::get(&element, &JsValue::from_str("value"));
                    if let Some(text) = value.ok().and_then(|value| value.as_string()) {
                        // What is typed stays in the editor, even if nothing reads it.
                        let problem = problem_of_text(WHOLE_TEXT, &text);
                        length_problem.set(problem.clone());
                        if problem.is_some() {
                            return;
                        }
                        let text = LargeText::from(text);
                        own_text.replace(Some(text.clone()));
                        on_change.emit(ManifestEdit::new(text, pasted.take().as_deref()));
                    }
                })
            });
            move || drop(listener)
        }
    });
    use_effect_with(*is_loaded, {
        let (editor, length_problem) = (editor.clone(), length_problem.setter());
        move |_| {
            let listener = editor.cast::<Element>().map(|element| {
                EventListener::new(&element, "toolong", move |_| length_problem.set(Some(too_long(WHOLE_TEXT))))
            });
            move || drop(listener)
        }
    });
    let container = use_node_ref();
    use_effect_with((), {
        let (container, pasted, length_problem) = (container.clone(), pasted.clone(), length_problem.setter());
        move |()| {
            // Before the editor gets it.
            let options = EventListenerOptions { phase: EventListenerPhase::Capture, passive: false };
            let listener = container.cast::<Element>().map(|element| {
                EventListener::new_with_options(&element, "paste", options, move |event| {
                    let Some(PastedText { problem, cluster_state }) = event.dyn_ref().map(PastedText::of) else {
                        return;
                    };
                    if problem.is_some() {
                        event.prevent_default();
                        event.stop_propagation();
                    }
                    pasted.replace(cluster_state);
                    length_problem.set(problem);
                })
            });
            move || drop(listener)
        }
    });
    let on_input = {
        let (on_change, length_problem) = (on_change.clone(), length_problem.setter());
        Callback::from(move |event: InputEvent| {
            if let Some(area) = event.target_dyn_into::<HtmlTextAreaElement>() {
                let text = area.value();
                let problem = problem_of_text(WHOLE_TEXT, &text);
                if problem.is_none() {
                    on_change.emit(ManifestEdit::new(text.into(), pasted.take().as_deref()));
                }
                length_problem.set(problem);
            }
        })
    };
    let on_open = {
        let (on_files, length_problem) = (on_files.clone(), length_problem.setter());
        Callback::from(move |event: Event| {
            let input = event.target_dyn_into::<HtmlInputElement>();
            let files = input.as_ref().and_then(HtmlInputElement::files);
            let files = files.map(|files| all_of(&files)).unwrap_or_default();
            if !files.is_empty() {
                length_problem.set(None);
                on_files.emit(files);
            }
            // So that the same files can be opened again.
            if let Some(input) = input {
                input.set_value("");
            }
        })
    };
    let on_focus = |has_it: bool| {
        let had_focus = had_focus.setter();
        Callback::from(move |_: yew::FocusEvent| had_focus.set(has_it))
    };
    html! {
        <div class="manifest-editor" ref={container}>
            if *is_loaded {
                <span class="editor-label" aria-hidden="true">{ LABEL }</span>
                <yaml-editor id={EDITOR_ID} ref={editor} aria-label={LABEL} maxlength={MAX_BYTES.to_string()} />
            } else {
                <label for={EDITOR_ID}>{ LABEL }</label>
                <textarea id={EDITOR_ID} spellcheck="false" autocomplete="off" autocapitalize="off" wrap="off" rows="22"
                    value={String::from(&**text)} oninput={on_input} aria-describedby={*described_by}
                    aria-invalid={error.as_ref().map(|_| "true")} onfocusin={on_focus(true)} onfocusout={on_focus(false)} />
            }
            if let Some(problem) = &*length_problem { <p class="problem" role="alert">{ problem }</p> }
            { report.clone() }
            <p class="open-file">
                <label class="link" for="manifest-file">{ "Open a file" }</label>
                <input id="manifest-file" class="visually-hidden" type="file" accept=".yaml,.yml,.json,text/*" multiple=true
                    onchange={on_open} />
                { " or several at once, drop them here, or paste YAML or JSON: one or more documents, the output of " }<code>{ "helm template" }</code>
                { ", or the output of " }<code>{ "kubectl get deploy,rs,pods,quota,limits,pdb,nodes -o yaml" }</code>
                { ". Nothing leaves this page." }
            </p>
        </div>
    }
}

/// Sets a property of the editor, if it is there.
fn set_property(editor: &NodeRef, name: &str, value: &str) {
    if let Some(editor) = editor.cast::<Element>().filter(|element| element.tag_name() == "YAML-EDITOR") {
        // Fails only for objects that are frozen.
        let _ = Reflect::set(&editor, &JsValue::from_str(name), &JsValue::from_str(value));
    }
}

/// The problems as the editor takes them.
fn diagnostics(problems: &[LineProblem]) -> String {
    let own = problems.iter().filter(|problem| problem.text == ManifestText::Text);
    let diagnostic = |problem: &LineProblem| {
        json!({
            "line": problem.line.unwrap_or(1),
            "column": problem.column.unwrap_or(1),
            "severity": if problem.severity == Severity::Error { "error" } else { "warning" },
            "message": problem.message,
        })
    };
    Value::Array(own.map(diagnostic).collect()).to_string()
}

/// A button that moves the cursor of an editor to a line, from 1. `id`: that of the editor.
pub fn view_line_button(id: &'static str, line: usize) -> Html {
    let onclick = Callback::from(move |_: MouseEvent| go_to_line(id, line));
    html! { <button type="button" class="link" {onclick}>{ format!("Line {line}") }</button> }
}

fn go_to_line(id: &str, line: usize) {
    let document = web_sys::window().and_then(|window| window.document());
    let Some(element) = document.and_then(|document| document.get_element_by_id(id)) else { return };
    if let Some(area) = element.dyn_ref::<HtmlTextAreaElement>() {
        select_line(area, line);
        return;
    }
    let go_to = Reflect::get(&element, &JsValue::from_str("goToLine")).ok();
    if let Some(go_to) = go_to.and_then(|it| it.dyn_into::<Function>().ok()) {
        // Nothing depends on it.
        let _ = go_to.call1(&element, &JsValue::from_f64(count_to_f64(line)));
    }
}

fn select_line(area: &HtmlTextAreaElement, line: usize) {
    let text = area.value();
    let before = text.split_inclusive('\n').take(line.saturating_sub(1));
    let start: usize = before.map(|line| line.encode_utf16().count()).sum();
    let length = text.lines().nth(line.saturating_sub(1)).map_or(0, |line| line.encode_utf16().count());
    let [start, end] = [start, start.saturating_add(length)].map(|at| u32::try_from(at).unwrap_or(u32::MAX));
    // Fails only for inputs without text.
    let _ = area.focus();
    let _ = area.set_selection_range(start, end);
    // Browsers don't scroll to it. Its lines have one height, and one of them stays above it.
    let above = count_to_f64(line.saturating_sub(2)) / count_to_f64(text.split('\n').count());
    area.set_scroll_top(i32::try_from(to_i64(above * f64::from(area.scroll_height()))).unwrap_or(i32::MAX));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_paste_over_the_whole_text_is_the_state_of_a_cluster() {
        let edit = |text: &str, pasted: Option<&str>| ManifestEdit::new(text.into(), pasted);
        assert_eq!(edit("uid: a\n", Some("uid: a\n")), ManifestEdit::Pasted("uid: a\n".into()));
        for pasted in [None, Some("uid: b\n")] {
            assert_eq!(edit("uid: a\n---\nuid: b\n", pasted), ManifestEdit::Typed("uid: a\n---\nuid: b\n".into()));
        }
    }
}
