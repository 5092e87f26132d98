use web_sys::{HtmlInputElement, InputEvent};
use yew::{AttrValue, Callback, Html, Properties, TargetCast, classes, component, html};

use crate::hooks::use_debounced;

/// The fixed properties of a setting with a text input. `F`: the fields of the form.
pub struct Setting<F> {
    /// The field that it sets.
    pub field: F,
    /// The id of its input.
    pub id: &'static str,
    /// The label of its input.
    pub label: &'static str,
    /// The field's name in the API, if the label is another one.
    pub api_name: Option<&'static str>,
    /// The unit after the number.
    pub unit: Option<&'static str>,
    /// The value that applies if the input is empty.
    pub default: &'static str,
    /// The field's name in the API if the label has no room for it, and anything else worth knowing.
    pub hint: Option<&'static str>,
}

/// The properties of [`SettingInput`].
#[derive(PartialEq, Properties)]
pub struct SettingInputProps {
    /// The id of the input.
    pub id: String,
    /// The label of its input.
    pub label: String,
    /// The field's name in the API, if the label is not it.
    #[prop_or_default]
    pub api_name: Option<&'static str>,
    /// The text.
    pub value: String,
    /// The unit behind the number.
    #[prop_or_default]
    pub unit: Option<String>,
    /// The value that applies if nothing is typed.
    #[prop_or_default]
    pub placeholder: AttrValue,
    /// What else there is to know about it.
    #[prop_or_default]
    pub hint: Option<&'static str>,
    /// Whether the setting does not apply.
    #[prop_or_default]
    pub is_disabled: bool,
    /// What is wrong with the text.
    #[prop_or_default]
    pub problem: Option<String>,
    /// The user types.
    pub on_input: Callback<String>,
}

/// A setting that is typed. It keeps whatever the user types.
#[component]
pub fn SettingInput(props: &SettingInputProps) -> Html {
    let SettingInputProps { id, label, api_name, value, unit, placeholder, hint, is_disabled, problem, on_input } =
        props;
    let on_input = on_input.reform(|event: InputEvent| {
        event.target_dyn_into::<HtmlInputElement>().map(|input| input.value()).unwrap_or_default()
    });
    let (problem_id, hint_id) = (format!("{id}-problem"), format!("{id}-hint"));
    let described_by = [problem.as_ref().map(|_| problem_id.as_str()), hint.map(|_| hint_id.as_str())];
    let described_by = described_by.into_iter().flatten().collect::<Vec<_>>().join(" ");
    html! {
        <div class={classes!("setting", problem.is_some().then_some("invalid"))}>
            <label for={id.clone()}>
                { breakable(label) }
                if let Some(name) = api_name { { " " }<code>{ breakable(name) }</code> }
            </label>
            <span class="typed">
                <input id={id.clone()} type="text" autocomplete="off" spellcheck="false" placeholder={placeholder.clone()}
                    value={value.clone()} disabled={*is_disabled} oninput={on_input}
                    aria-invalid={problem.as_ref().map(|_| "true")}
                    aria-describedby={(!described_by.is_empty()).then_some(described_by)} />
                if let Some(unit) = unit { <span class="unit">{ unit }</span> }
            </span>
            if let Some(hint) = hint { <p class="hint" id={hint_id}>{ breakable(hint) }</p> }
            if let Some(problem) = problem { <TypedProblem id={problem_id} text={problem.clone()} /> }
        </div>
    }
}

/// A text in which a line may end before a capital in a word, and after an underscore or a dot in it. A name like
/// `progressDeadlineSeconds` or `pod_deletion_cost.min` begins a line of its own before it is broken there.
pub fn breakable(text: &str) -> Html {
    let words = text.split(' ').enumerate();
    html! {
        <>{ for words.map(|(index, word)| html! {
            <key={index}>if index > 0 { { " " } }{ view_word(word) }</>
        }) }</>
    }
}

fn view_word(word: &str) -> Html {
    let parts = parts_of_names(word);
    if parts.len() < 2 {
        return word.into();
    }
    html! {
        <span class="breakable">{ for parts.into_iter().enumerate().map(|(index, part)| html! {
            <key={index}>if index > 0 { <wbr /> }{ part }</>
        }) }</span>
    }
}

fn parts_of_names(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut before = ' ';
    for letter in text.chars() {
        if (before.is_lowercase() && letter.is_uppercase()) || ("_.".contains(before) && letter.is_alphabetic()) {
            parts.push(String::new());
        }
        if let Some(part) = parts.last_mut() {
            part.push(letter);
        }
        before = letter;
    }
    parts
}

/// The milliseconds after which a problem is announced.
const ANNOUNCEMENT_DELAY: u32 = 1000;

/// The properties of [`TypedProblem`].
#[derive(PartialEq, Properties)]
pub struct TypedProblemProps {
    /// The id of the text.
    #[prop_or_default]
    pub id: Option<AttrValue>,
    /// What is wrong.
    pub text: String,
}

/// What is wrong with what the user types. It changes with each key; a screen reader says it once typing has paused.
#[component]
pub fn TypedProblem(props: &TypedProblemProps) -> Html {
    let TypedProblemProps { id, text } = props;
    let announced = use_debounced(text.clone(), ANNOUNCEMENT_DELAY);
    html! {
        <>
            <p class="problem" id={id.clone()}>{ text }</p>
            if announced == *text { <p class="visually-hidden" role="alert">{ announced }</p> }
        </>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_parts() {
        assert_eq!(parts_of_names("progressDeadlineSeconds: how"), ["progress", "Deadline", "Seconds: how"]);
        assert_eq!(parts_of_names("pod_deletion_cost.min"), ["pod_", "deletion_", "cost.", "min"]);
        assert_eq!(parts_of_names("CPU in the quota. Like 1.5"), ["CPU in the quota. Like 1.5"]);
        assert_eq!(parts_of_names(""), [""]);
    }
}
