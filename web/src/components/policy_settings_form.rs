use std::collections::BTreeMap;

use changeover_wire::{PolicySetting, Problem, SettingInput as Input};
use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::{Callback, Event, Html, Properties, TargetCast, component, html};

use super::problems::view_problems;
use super::setting_input::{SettingInput, breakable};
use super::two_columns::ONE_COLUMN;
use crate::hooks::use_media;

/// The values entered by the user, by the path of the setting.
pub type EnteredSettings = BTreeMap<String, String>;

/// The properties of [`PolicySettingsForm`].
#[derive(PartialEq, Properties)]
pub struct PolicySettingsFormProps {
    /// The settings that there are.
    pub settings: Vec<PolicySetting>,
    /// What is entered.
    pub entered: EnteredSettings,
    /// What is wrong with it.
    pub problems: Vec<Problem>,
    /// The user changes it.
    pub on_change: Callback<EnteredSettings>,
}

/// The settings of the policy as a form: a group for each map in them.
#[component]
pub fn PolicySettingsForm(props: &PolicySettingsFormProps) -> Html {
    let PolicySettingsFormProps { settings, problems, .. } = props;
    let is_one_column = use_media(ONE_COLUMN);
    let groups = settings.chunk_by(|a, b| group(&a.path) == group(&b.path));
    let unplaced = problems.iter().filter(|problem| !settings.iter().any(|setting| is_about(problem, setting)));
    html! {
        <form class="settings policy-settings" aria-label="Settings of the policy"
            onsubmit={Callback::from(|event: yew::SubmitEvent| event.prevent_default())}>
            { for groups.map(|settings| view_group(settings, props, is_one_column)) }
            { view_problems(&unplaced.map(Problem::to_string).collect::<Vec<_>>()) }
        </form>
    }
}

/// The settings of a map, with its name: the names of its settings say little without it. `is_one_column`: the level of its heading
/// depends on that of the form's.
fn view_group(settings: &[PolicySetting], props: &PolicySettingsFormProps, is_one_column: bool) -> Html {
    let inputs = settings.iter().map(|setting| view_setting(setting, props));
    let title = settings.first().map(|first| group(&first.path)).filter(|title| !title.is_empty());
    let Some(title) = title else { return html! { <>{ for inputs }</> } };
    let id = format!("policy-group-{title}");
    html! {
        <div role="group" aria-labelledby={id.clone()}>
            <h4 {id} aria-level={is_one_column.then_some("3")}><code>{ breakable(title) }</code></h4>
            { for inputs }
        </div>
    }
}

/// The map that a setting is in.
fn group(path: &str) -> &str {
    path.rsplit_once('.').map_or("", |(group, _)| group)
}

fn is_about(problem: &Problem, setting: &PolicySetting) -> bool {
    problem.path.strip_prefix(setting.path.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

fn view_setting(setting: &PolicySetting, props: &PolicySettingsFormProps) -> Html {
    let PolicySettingsFormProps { entered, problems, on_change, .. } = props;
    let PolicySetting { path, input, default } = setting;
    let id = format!("policy-{path}");
    let label = path.rsplit_once('.').map_or(path.as_str(), |(_, name)| name).to_owned();
    let text = entered.get(path).cloned().unwrap_or_default();
    let enter = {
        let (entered, on_change, path) = (entered.clone(), on_change.clone(), path.clone());
        Callback::from(move |text: String| {
            let mut entered = entered.clone();
            entered.insert(path.clone(), text);
            on_change.emit(entered);
        })
    };
    let problem = problems.iter().find(|problem| is_about(problem, setting)).map(Problem::to_string);
    let view_problem = |problem: &Option<String>| {
        problem.iter().map(|problem| html! { <p class="problem" role="alert">{ problem }</p> }).collect::<Html>()
    };
    match input {
        Input::Switch => {
            let on_change = enter.reform(|event: Event| {
                let is_checked = event.target_dyn_into::<HtmlInputElement>().is_some_and(|input| input.checked());
                String::from(if is_checked { "true" } else { "" })
            });
            html! {
                <div class="setting wide" key={id}>
                    <label class="switch"><input type="checkbox" checked={text == "true"} onchange={on_change} />{ " " }{ breakable(&label) }</label>
                    { view_problem(&problem) }
                </div>
            }
        }
        Input::Choice(words) => {
            let on_change = enter.reform(|event: Event| {
                event.target_dyn_into::<HtmlSelectElement>().map(|select| select.value()).unwrap_or_default()
            });
            html! {
                <div class="setting" key={id.clone()}>
                    <label for={id.clone()}>{ breakable(&label) }</label>
                    <span class="typed">
                        <select {id} onchange={on_change}>
                            <option value="" selected={text.is_empty()}>{ format!("({default})") }</option>
                            { for words.iter().map(|word| html! {
                                <option value={word.clone()} selected={*word == text}>{ word }</option>
                            }) }
                        </select>
                    </span>
                    { view_problem(&problem) }
                </div>
            }
        }
        Input::Choices(words) => html! {
            <fieldset class="setting wide" key={id}>
                <legend>{ breakable(&label) }</legend>
                { for words.iter().map(|word| view_choice(word, &text, &enter)) }
                { view_problem(&problem) }
            </fieldset>
        },
        Input::Text | Input::Texts => html! {
            <SettingInput key={path.clone()} {id} {label} value={text} placeholder={default.clone()}
                hint={(*input == Input::Texts).then_some("separated by commas")} {problem} on_input={enter} />
        },
    }
}

/// One of several words, which stand in the text with commas between them.
fn view_choice(word: &str, text: &str, enter: &Callback<String>) -> Html {
    let chosen: Vec<String> = text.split(',').filter(|chosen| !chosen.is_empty()).map(String::from).collect();
    let is_chosen = chosen.iter().any(|chosen| chosen == word);
    let word = word.to_owned();
    let on_change = enter.reform({
        let word = word.clone();
        move |_: Event| {
            let others = chosen.iter().filter(|chosen| **chosen != word).cloned();
            let all: Vec<String> = others.chain((!is_chosen).then(|| word.clone())).collect();
            all.join(",")
        }
    });
    html! {
        <label class="switch"><input type="checkbox" checked={is_chosen} onchange={on_change} />{ " " }{ breakable(&word) }</label>
    }
}
