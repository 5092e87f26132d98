//! The inputs of the rollout form. The core's problem with a value is shown beside its input.

use changeover_core::Problem;
use yew::Html;

use crate::element::{element, text_element};
use crate::rollout_form::{Field, RolloutForm, problem_field};

/// An input: field, id, label (with the API's field name), unit, placeholder.
type Input = (Field, &'static str, &'static str, &'static str, &'static str);

const INPUTS: [Input; 8] = [
    (Field::Replicas, "replicas", "Replicas", "", "1"),
    (Field::Surge, "surge", "Extra pods (maxSurge)", "", "25%"),
    (Field::Unavailable, "unavailable", "May be missing (maxUnavailable)", "", "25%"),
    (Field::Strategy, "strategy", "Strategy", "", ""),
    (Field::Ready, "ready", "Ready after", "s", ""),
    (Field::Grace, "grace", "Grace period", "s", "30"),
    (Field::MinReady, "min-ready", "Ready for (minReadySeconds)", "s", "0"),
    (Field::Jitter, "jitter", "Random spread", "%", ""),
];

/// The field of the input with an id.
pub(crate) fn input_field(id: &str) -> Option<Field> {
    INPUTS.iter().find(|(_, other, ..)| *other == id).map(|(field, ..)| *field)
}

/// The form with all inputs.
pub(crate) fn view(form: &RolloutForm, problem: Option<&Problem>, open: bool) -> Vec<Html> {
    let field_and_problem = problem.map(|problem| (problem_field(problem), problem));
    let expanded = [
        ("type", "button"),
        ("class", "change"),
        ("data-do", "inputs"),
        ("aria-expanded", if open { "true" } else { "false" }),
        ("aria-controls", "rollout"),
    ];
    let mut inputs = Vec::new();
    for input in &INPUTS {
        let input_problem = field_and_problem.filter(|(found, _)| *found == Some(input.0)).map(|(_, problem)| problem);
        inputs.push(view_input(input, form, input_problem));
    }
    if let Some((None, problem)) = field_and_problem {
        inputs.push(text_element("p", &[("class", "problem"), ("role", "alert")], &problem.to_string()));
    }
    // Shown if it takes long.
    let working = format!("Working out {} pods…", form.text(Field::Replicas));
    inputs.push(text_element("p", &[("class", "working")], &working));
    let class = if open { "controls open" } else { "controls" };
    vec![
        text_element("button", &expanded, "Change the rollout"),
        element("form", &[("id", "rollout"), ("class", class), ("aria-label", "The rollout")], inputs),
    ]
}

fn view_input((field, id, label, unit, default): &Input, form: &RolloutForm, problem: Option<&Problem>) -> Html {
    let problem_id = format!("{id}-problem");
    let value = form.text(*field);
    let (invalid, described) = problem.map_or(("", ""), |_| ("true", &*problem_id));
    let common = [("id", *id), ("?aria-invalid", invalid), ("?aria-describedby", described)];
    let mut children = Vec::new();
    if *field == Field::Strategy {
        let options = ["RollingUpdate", "Recreate"].map(|name| {
            text_element("option", &[("value", name), ("?selected", if name == value { "selected" } else { "" })], name)
        });
        children.push(element("select", &common, options.into()));
    } else {
        let disabled = if form.applies(*field) { "" } else { "disabled" };
        let specific = [
            ("type", "text"),
            ("autocomplete", "off"),
            ("spellcheck", "false"),
            ("placeholder", *default),
            ("value", value),
            ("?disabled", disabled),
        ];
        children.push(element("input", &[common.as_slice(), &specific].concat(), Vec::new()));
    }
    if !unit.is_empty() {
        children.push(text_element("span", &[("class", "unit")], unit));
    }
    let mut control =
        vec![text_element("label", &[("for", id)], label), element("span", &[("class", "typed")], children)];
    if let Some(problem) = problem {
        // The problem that is about two inputs gets a plainer sentence in the style sheet.
        let class = if problem.message.contains("`maxSurge` is 0") { "problem neither" } else { "problem" };
        control.push(text_element(
            "p",
            &[("class", class), ("id", &problem_id), ("role", "alert")],
            &problem.to_string(),
        ));
    }
    element("div", &[("key", id), ("class", if problem.is_some() { "control bad" } else { "control" })], control)
}
