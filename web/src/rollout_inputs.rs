//! The inputs. Each keeps what was typed into it; what the core says about it stands beside it.

use changeover_core::Problem;
use yew::Html;

use crate::element::{button, el, text, words};
use crate::rollout_form::{Field, Form, field_of};

/// An input: its field, its id, its label (with the name of the API's field), its unit and what stands for nothing typed.
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

/// The field of the input with that id.
pub(crate) fn field(id: &str) -> Option<Field> {
    INPUTS.iter().find(|(_, other, ..)| *other == id).map(|(field, ..)| *field)
}

/// Draws the inputs.
pub(crate) fn view(form: &Form, problem: Option<&Problem>, open: bool) -> Vec<Html> {
    let at = problem.map(|problem| (field_of(problem), problem));
    let expanded = [
        ("type", "button"),
        ("class", "change"),
        ("data-do", "inputs"),
        ("aria-expanded", if open { "true" } else { "false" }),
        ("aria-controls", "rollout"),
    ];
    let mut inputs = Vec::new();
    for input in &INPUTS {
        let here = at.filter(|(found, _)| *found == Some(input.0)).map(|(_, problem)| problem);
        inputs.push(view_input(input, form, here));
    }
    if let Some((None, problem)) = at {
        inputs.push(words("p", &[("class", "problem"), ("role", "alert")], &problem.to_string()));
    }
    // Shown once that takes long.
    let working = format!("Working out {} pods…", form.text(Field::Replicas));
    inputs.push(words("p", &[("class", "working")], &working));
    let class = if open { "controls open" } else { "controls" };
    vec![
        words("button", &expanded, "Change the rollout"),
        el("form", &[("id", "rollout"), ("class", class), ("aria-label", "The rollout")], inputs),
    ]
}

fn view_input((field, id, label, unit, default): &Input, form: &Form, problem: Option<&Problem>) -> Html {
    let said = format!("{id}-problem");
    let typed = form.text(*field);
    let (bad, described) = problem.map_or(("", ""), |_| ("true", &*said));
    let common = [("id", *id), ("?aria-invalid", bad), ("?aria-describedby", described)];
    let mut inside = Vec::new();
    if *field == Field::Strategy {
        let options = ["RollingUpdate", "Recreate"].map(|name| {
            words("option", &[("value", name), ("?selected", if name == typed { "selected" } else { "" })], name)
        });
        inside.push(el("select", &common, options.into()));
    } else {
        let disabled = if form.applies(*field) { "" } else { "disabled" };
        let own = [
            ("type", "text"),
            ("autocomplete", "off"),
            ("spellcheck", "false"),
            ("placeholder", *default),
            ("value", typed),
            ("?disabled", disabled),
        ];
        inside.push(el("input", &[common.as_slice(), &own].concat(), Vec::new()));
    }
    if !unit.is_empty() {
        inside.push(words("span", &[("class", "unit")], unit));
    }
    let mut control = vec![words("label", &[("for", id)], label), el("span", &[("class", "typed")], inside)];
    if let Some(problem) = problem {
        // The one that is about two inputs has a plainer sentence before it.
        let class = if problem.message.contains("`maxSurge` is 0") { "problem neither" } else { "problem" };
        control.push(words("p", &[("class", class), ("id", &said), ("role", "alert")], &problem.to_string()));
    }
    el("div", &[("key", id), ("class", if problem.is_some() { "control bad" } else { "control" })], control)
}

/// A line with a button.
pub(crate) fn offer(said: &str, does: &str, name: &str) -> Html {
    let button = button(does, "plain", "", text(name));
    // Words that are none would indent it all the same.
    el("p", &[("class", "offer")], if said.is_empty() { vec![button] } else { vec![text(said), button] })
}
