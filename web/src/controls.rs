//! The inputs. Each keeps what was typed into it; what the core says about it stands beside it.

use changeover_core::Problem;
use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

use crate::app::Message;
use crate::form::{Field, Form, field_of};

/// An input: its field, its id, its label, its unit and what stands for nothing typed.
struct Input {
    field: Field,
    id: &'static str,
    label: &'static str,
    unit: &'static str,
    default: &'static str,
}

const fn input(
    field: Field,
    id: &'static str,
    label: &'static str,
    unit: &'static str,
    default: &'static str,
) -> Input {
    Input { field, id, label, unit, default }
}

const INPUTS: [Input; 7] = [
    input(Field::Replicas, "replicas", "Replicas", "", "1"),
    input(Field::Surge, "surge", "Surge", "", "25%"),
    input(Field::Unavailable, "unavailable", "Unavailable", "", "25%"),
    input(Field::Ready, "ready", "Ready after", "s", ""),
    input(Field::Grace, "grace", "Grace period", "s", "30"),
    input(Field::MinReady, "min-ready", "Min ready", "s", "0"),
    input(Field::Jitter, "jitter", "Jitter", "%", ""),
];

/// Draws the inputs.
pub(crate) fn view(form: &Form, problem: Option<&Problem>, open: bool, send: &Callback<Message>) -> Html {
    let at = problem.map(|problem| (field_of(problem), problem));
    let homeless = at.filter(|(field, _)| field.is_none()).map(|(_, problem)| problem);
    let toggle = send.reform(|_: MouseEvent| Message::Inputs);
    html! { <>
        <button type="button" class="change" aria-expanded={if open { "true" } else { "false" }} aria-controls="rollout" onclick={toggle}>
            {"Change the rollout"}
        </button>
        <form id="rollout" class={classes!("controls", open.then_some("open"))} aria-label="The rollout" onsubmit={|event: SubmitEvent| event.prevent_default()}>
            {for INPUTS.iter().take(3).map(|input| view_input(input, form, problem_of(at, input.field), send))}
            {view_strategy(form, problem_of(at, Field::Strategy), send)}
            {for INPUTS.iter().skip(3).map(|input| view_input(input, form, problem_of(at, input.field), send))}
            if let Some(problem) = homeless {
                <p class="problem" role="alert">{problem.to_string()}</p>
            }
        </form>
    </> }
}

fn problem_of(at: Option<(Option<Field>, &Problem)>, field: Field) -> Option<&Problem> {
    at.filter(|(found, _)| *found == Some(field)).map(|(_, problem)| problem)
}

fn view_input(input: &Input, form: &Form, problem: Option<&Problem>, send: &Callback<Message>) -> Html {
    let field = input.field;
    let oninput = send.reform(move |event: InputEvent| {
        let element: Option<HtmlInputElement> = event.target_dyn_into();
        Message::Input(field, element.map_or_else(String::new, |element| element.value()))
    });
    let said = problem.map(|_| format!("{}-problem", input.id));
    html! {
        <div key={input.id} class={classes!("control", problem.map(|_| "bad"))}>
            <label for={input.id}>{input.label}</label>
            <span class="typed">
                <input id={input.id} type="text" autocomplete="off" spellcheck="false" placeholder={input.default}
                    value={form.text(field).to_owned()} disabled={!form.applies(field)}
                    aria-invalid={problem.map(|_| "true")} aria-describedby={said} {oninput} />
                if !input.unit.is_empty() { <span class="unit">{input.unit}</span> }
            </span>
            {view_problem(input.id, problem)}
        </div>
    }
}

fn view_strategy(form: &Form, problem: Option<&Problem>, send: &Callback<Message>) -> Html {
    let onchange = send.reform(|event: Event| {
        let element: Option<HtmlSelectElement> = event.target_dyn_into();
        Message::Input(Field::Strategy, element.map_or_else(String::new, |element| element.value()))
    });
    let chosen = form.text(Field::Strategy);
    html! {
        <div key="strategy" class={classes!("control", problem.map(|_| "bad"))}>
            <label for="strategy">{"Strategy"}</label>
            <select id="strategy" aria-describedby={problem.map(|_| "strategy-problem")} {onchange}>
                {for ["RollingUpdate", "Recreate"].map(|name| html! { <option value={name} selected={name == chosen}>{name}</option> })}
            </select>
            {view_problem("strategy", problem)}
        </div>
    }
}

fn view_problem(id: &str, problem: Option<&Problem>) -> Html {
    problem.map_or_else(Html::default, |problem| {
        html! { <p class="problem" id={format!("{id}-problem")} role="alert">{problem.to_string()}</p> }
    })
}
