use std::collections::BTreeMap;
use std::ops::Range;

use changeover_wire::{
    Answer, FieldChange, LargeText, LineProblem, LinkTexts, ManifestText, Problem, Question, Review, ReviewQuestion,
    ReviewedObject, Verdict,
};
use serde_json::json;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlTextAreaElement, InputEvent};
use yew::{
    Callback, Event, Html, NodeRef, Properties, TargetCast, classes, component, html, use_effect_with, use_memo,
    use_node_ref, use_state_eq,
};

use super::fold::Fold;
use super::form_heading::FormHeading;
use super::link_note::view_link_note;
use super::list_keys::keyed;
use super::manifest_editor::view_line_button;
use super::policy_settings_form::{EnteredSettings, PolicySettingsForm};
use super::proof_link::ProofLink;
use super::setting_input::breakable;
use super::share_menu::ShareMenu;
use super::text_file::{PastedText, problem_of_text};
use super::two_columns::TwoColumns;
use crate::dom;
use crate::hooks::{
    AddressContent, AnswerState, use_answer, use_debounced, use_settled, use_shared_address, use_state_in_tab,
};
use crate::number::group_count;
use crate::settings::Settings;
use crate::share::{DeepLink, Shareable, SharedReview, SharedState, Shown};

/// How long nothing must have changed before the question is asked, in milliseconds.
const QUIET: u32 = 150;

/// The milliseconds after which a result is announced.
const ANNOUNCEMENT_DELAY: u32 = 1000;

/// How many line numbers are in a block. Only the last block changes while the user types.
const BLOCK_LINES: usize = 500;

/// What happens because of fields that Kubernetes doesn't know: an error for kubectl, and a warning for other clients.
const STRICT: &str = "kubectl asks for strict field validation. For a client that doesn't, the API server drops the fields that it \
    doesn't know, and warns about each of them.";

/// How the list of problems with the policy's settings begins. Without valid settings, there is no verdict.
const INVALID_SETTINGS: &str = "The policy's settings are invalid:";

/// The id of the result in words.
const SPOKEN_ID: &str = "spoken-result";

/// The heading.
const TITLE: &str = "What would the API server say?";

/// The ids of the two texts.
const MANIFEST_ID: &str = "new-manifest";
const EXISTING_ID: &str = "old-manifest";

/// A question to the API server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReviewInputs {
    manifests: LargeText,
    existing: LargeText,
    settings: EnteredSettings,
}

impl Default for ReviewInputs {
    /// An update that has something of everything.
    fn default() -> Self {
        let existing = Settings::default().to_yaml();
        let manifests = existing.replace(":v1", ":v2").into();
        // The times of the first story and of the sandbox, so that the same rollout has the same figures.
        let settings = [("forecast", "true"), ("ready_after", "7s"), ("stop_after", "5s")];
        let settings = settings.map(|(path, text)| (String::from(path), String::from(text)));
        Self { manifests, existing: existing.into(), settings: BTreeMap::from(settings) }
    }
}

impl ReviewInputs {
    /// What a deep link brings; else what is asked at first.
    pub fn of_deep_link(deep_link: &DeepLink) -> Self {
        let shared = deep_link.peek(|state| state.review.clone());
        shared.map_or_else(Self::default, |SharedReview { manifests, existing, settings }| Self {
            manifests,
            existing,
            settings: settings.into_iter().collect(),
        })
    }

    /// What an address holds. `link_texts`: what the workbench says of these texts.
    fn shared(&self, link_texts: &LinkTexts) -> SharedState {
        let LinkTexts { text, before } = link_texts;
        let review = SharedReview {
            manifests: text.as_ref().unwrap_or(&self.manifests).clone(),
            existing: before.as_ref().unwrap_or(&self.existing).clone(),
            settings: self.settings.clone().into_iter().collect(),
        };
        SharedState { review: Some(review), ..SharedState::default() }
    }

    fn question(&self) -> Question {
        Question::Review(ReviewQuestion {
            manifests: self.manifests.clone(),
            existing: self.existing.clone(),
            settings: json!(self.settings),
        })
    }
}

/// The properties of [`ApiServerPage`].
#[derive(PartialEq, Properties)]
pub struct ApiServerPageProps {
    /// What is asked.
    pub inputs: ReviewInputs,
    /// What the address or a file brings.
    pub deep_link: DeepLink,
    /// The user asks something else.
    pub on_change: Callback<ReviewInputs>,
    /// The user opens a file with a state.
    pub on_open: Callback<SharedState>,
}

/// What is entered, in a line.
fn entered_in_words(entered: &EnteredSettings) -> String {
    let parts: Vec<String> =
        entered.iter().filter(|(_, text)| !text.is_empty()).map(|(path, text)| format!("{path} {text}")).collect();
    if parts.is_empty() { String::from("the defaults") } else { parts.join(", ") }
}

/// What the API server and the policy would say about manifests.
#[component]
pub fn ApiServerPage(props: &ApiServerPageProps) -> Html {
    let ApiServerPageProps { inputs, deep_link, on_change, on_open } = props;
    // Nothing of it is left for a later visit of the page.
    use_effect_with(deep_link.clone(), |deep_link| drop(deep_link.take()));
    use_effect_with((), |()| {
        dom::set_title(&format!("{TITLE} · Changeover"));
        dom::scroll_to_top();
    });
    let settled = use_settled(inputs.clone(), QUIET);
    let is_settled = settled == *inputs;
    let question = use_memo(settled, ReviewInputs::question);
    let AnswerState { answer, is_waiting, failure } = use_answer(Some((*question).clone()));
    let settings = use_answer(Some(Question::PolicySettings));
    let review = match answer.as_ref().map(|answered| &*answered.answer) {
        Some(Answer::Review(review)) => Some(review),
        _ => None,
    };
    let settings = match settings.answer.as_ref().map(|answered| &*answered.answer) {
        Some(Answer::PolicySettings(settings)) => settings.clone(),
        _ => Vec::new(),
    };
    let link_texts = review.and_then(|review| review.link_texts.as_ref());
    let is_answered = is_settled && !is_waiting && review.is_some();
    let whole = inputs.shared(&LinkTexts::default());
    let content = is_answered
        .then(|| AddressContent { whole: whole.clone(), shared: link_texts.map(|without| inputs.shared(without)) });
    let default = ReviewInputs::default().shared(&LinkTexts::default());
    // Keep what a reload needs first: the tab may have no room for both.
    let reach = use_shared_address(content.clone(), Some(whole.clone()), default.clone());
    use_state_in_tab(content.clone().map(|content| content.whole), whole, default);
    let shareable = content.map(|content| Shareable {
        title: String::from(TITLE),
        inputs: String::new(),
        file_name: String::from("manifest"),
        whole: content.whole,
        state: content.shared,
        manifests: Some(inputs.manifests.clone()),
        shown: Shown::Nothing,
    });
    let on_manifests = edit(inputs, on_change, |inputs, manifests| ReviewInputs { manifests, ..inputs });
    let on_existing = edit(inputs, on_change, |inputs, existing| ReviewInputs { existing, ..inputs });
    let on_settings = edit(inputs, on_change, |inputs, settings| ReviewInputs { settings, ..inputs });
    let unreadable = |text: ManifestText| {
        review.and_then(|review| review.unreadable.iter().find(|problem| problem.text == text)).cloned()
    };
    // A screen reader says the result once the user has stopped typing.
    let announcement = use_debounced(review.map(spoken_result).unwrap_or_default(), ANNOUNCEMENT_DELAY);
    let problems: Vec<Problem> = review.map(|review| review.settings_problems.clone()).unwrap_or_default();
    let has_problem = !problems.is_empty();
    // Unknown fields are an error only for kubectl.
    let is_refused = review.is_some_and(|review| review.objects.iter().any(|object| !object.refusals.is_empty()));
    let inputs_column = html! {
        <div class="inputs">
            <ManifestArea id={MANIFEST_ID} label="Your manifest" text={inputs.manifests.clone()}
                problem={unreadable(ManifestText::Text)} {is_refused} on_change={on_manifests} />
            <ManifestArea id={EXISTING_ID} label="The existing objects (leave empty if there are none)" text={inputs.existing.clone()}
                problem={unreadable(ManifestText::Before)} is_refused=false on_change={on_existing} />
            <Fold title={html! { <FormHeading>{ "The policy's settings" }</FormHeading> }} says={entered_in_words(&inputs.settings)}
                must_be_seen={has_problem}>
                <PolicySettingsForm {settings} entered={inputs.settings.clone()} {problems} on_change={on_settings} />
            </Fold>
            { view_link_note(reach) }
            <ProofLink />
        </div>
    };
    let result_column = html! {
        <div class="result" aria-busy={is_waiting.to_string()}>
            <h1 id={dom::TITLE_ID} tabindex="-1">{ TITLE }</h1>
            <p class="how-to-read">{ "The API server's messages are those of Kubernetes 1.37. The policy is Changeover's own, for Kubewarden. Nothing leaves this page." }</p>
            <p class="visually-hidden" id={SPOKEN_ID} role="status">{ announcement }</p>
            <div class="reviewed">
                { for review.and_then(|review| review.in_cluster.as_deref()).map(view_cluster) }
                { for review.into_iter().flat_map(view_review) }
                if let Some(review) = review.filter(|review| !review.settings_problems.is_empty()) {
                    <p class="verdict denied">{ INVALID_SETTINGS }</p>
                    { view_sentences(review.settings_problems.iter().map(Problem::to_string), "problem") }
                }
            </div>
            if let Some(failure) = failure { <p class="problem" role="alert">{ failure }</p> }
            <ShareMenu {shareable} on_open={on_open.clone()} />
        </div>
    };
    html! {
        <main id="main" class="sandbox api-server" tabindex="-1">
            <TwoColumns inputs={inputs_column} result={result_column} />
        </main>
    }
}

/// A callback that changes a part of the inputs.
fn edit<T: 'static>(
    inputs: &ReviewInputs,
    on_change: &Callback<ReviewInputs>,
    change: fn(ReviewInputs, T) -> ReviewInputs,
) -> Callback<T> {
    let inputs = inputs.clone();
    on_change.reform(move |value| change(inputs.clone(), value))
}

/// The properties of [`ManifestArea`].
#[derive(PartialEq, Properties)]
struct ManifestAreaProps {
    id: &'static str,
    label: &'static str,
    text: LargeText,
    /// What is wrong with the text.
    problem: Option<LineProblem>,
    /// Whether the API server refuses one of its objects. The result says why.
    is_refused: bool,
    on_change: Callback<LargeText>,
}

/// A manifest that is typed or pasted. What is too long is not taken.
#[component]
fn ManifestArea(props: &ManifestAreaProps) -> Html {
    let ManifestAreaProps { id, label, text, problem, is_refused, on_change } = props;
    let refusal = use_state_eq(|| None::<String>);
    let on_paste = {
        let refusal = refusal.setter();
        Callback::from(move |event: Event| {
            let problem = event.dyn_ref().map(PastedText::of).and_then(|pasted| pasted.problem);
            if problem.is_some() {
                event.prevent_default();
            }
            refusal.set(problem);
        })
    };
    let on_input = {
        let (on_change, refusal) = (on_change.clone(), refusal.setter());
        Callback::from(move |event: InputEvent| {
            let text = event.target_dyn_into::<HtmlTextAreaElement>().map(|area| area.value()).unwrap_or_default();
            let problem = problem_of_text("The text", &text);
            if problem.is_none() {
                on_change.emit(text.into());
            }
            refusal.set(problem);
        })
    };
    let (area, numbers) = (use_node_ref(), use_node_ref());
    let last_line = text.split('\n').count();
    let complete_blocks = last_line.saturating_sub(1).div_euclid(BLOCK_LINES);
    let last_block = complete_blocks.saturating_mul(BLOCK_LINES).saturating_add(1);
    let line_numbers = use_memo(last_block, |last_block| {
        let blocks = (1..*last_block).step_by(BLOCK_LINES);
        blocks.map(|first| view_line_numbers(first..first.saturating_add(BLOCK_LINES))).collect::<Html>()
    });
    use_effect_with(last_line, {
        let (area, numbers) = (area.clone(), numbers.clone());
        move |_| scroll_along(&area, &numbers)
    });
    let on_scroll = {
        let (area, numbers) = (area.clone(), numbers.clone());
        Callback::from(move |_: Event| scroll_along(&area, &numbers))
    };
    let refusal = refusal.as_ref().map(|refusal| html! { { refusal } });
    let problem = refusal.or_else(|| problem.as_ref().map(view_line_problem));
    let problem_id = format!("{id}-problem");
    let described_by = match (&problem, is_refused) {
        (Some(_), _) => Some(problem_id.clone()),
        (None, true) => Some(String::from(SPOKEN_ID)),
        (None, false) => None,
    };
    let is_invalid = described_by.is_some();
    html! {
        <div class="manifest-editor">
            <label for={*id}>{ *label }</label>
            <div class="numbered-text">
                <div class="line-numbers" aria-hidden="true">
                    // The widest number sets the width of the column.
                    <span>{ last_line.to_string() }</span>
                    <div ref={numbers}>
                        { (*line_numbers).clone() }
                        { view_line_numbers(last_block..last_line.saturating_add(1)) }
                    </div>
                </div>
                <textarea id={*id} ref={area} rows="12" spellcheck="false" autocomplete="off" autocapitalize="off" wrap="off"
                    value={String::from(&**text)} oninput={on_input} onpaste={on_paste} onscroll={on_scroll}
                    aria-invalid={is_invalid.then_some("true")} aria-describedby={described_by} />
            </div>
            if let Some(problem) = problem { <p class="problem" id={problem_id} role="alert">{ problem }</p> }
        </div>
    }
}

/// A block of line numbers, one on each line.
fn view_line_numbers(lines: Range<usize>) -> Html {
    let first = lines.start;
    let numbers: String = lines.map(|line| format!("{line}\n")).collect();
    html! { <div key={first}>{ numbers }</div> }
}

/// Scrolls the line numbers to where the text is.
fn scroll_along(area: &NodeRef, numbers: &NodeRef) {
    if let (Some(area), Some(numbers)) = (area.cast::<Element>(), numbers.cast::<Element>()) {
        numbers.set_scroll_top(area.scroll_top());
    }
}

/// What the policy can read of the cluster.
fn view_cluster(in_cluster: &str) -> Html {
    html! {
        <p class="note">
            { "Objects in the cluster: " }{ if in_cluster.is_empty() { "unknown" } else { in_cluster } }
            { ". With the setting " }<code>{ "context" }</code>
            { ", the policy reads the existing objects: add ResourceQuotas, PodDisruptionBudgets and owners to them." }
        </p>
    }
}

/// The result in words, with the first reason and how many more there are:
/// `Deployment "web": The API server refuses it. Line 6: spec.replicas: ... The policy denies it, too.`
fn spoken_result(review: &Review) -> String {
    let objects = review.objects.iter().map(spoken_object);
    let settings = (!review.settings_problems.is_empty()).then(|| sentence(INVALID_SETTINGS));
    objects.chain(settings).collect::<Vec<_>>().join(" ")
}

fn spoken_object(object: &ReviewedObject) -> String {
    let ReviewedObject { name, refusals, unknown, verdict, .. } = object;
    let fields = if refusals.is_empty() { unknown } else { refusals };
    let reasons: Vec<String> = fields.iter().map(spoken_problem).collect();
    let reason = spoken_reasons(&reasons);
    let said = sentence(api_server_sentence(object));
    let policy = verdict.as_ref().map(|verdict| {
        if verdict.is_allowed || refusals.is_empty() {
            format!(" {}{}", sentence(policy_sentence(verdict)), spoken_reasons(&verdict.violations))
        } else {
            String::from(" The policy denies it, too.")
        }
    });
    format!("{name}: {said}{reason}{}", policy.unwrap_or_default())
}

/// A heading of a list as a sentence of its own.
fn sentence(heading: &str) -> String {
    heading.strip_suffix(':').map_or_else(|| String::from(heading), |words| format!("{words}."))
}

/// ` Line 6: spec.replicas: ... (and 2 more).`, from several reasons; nothing without one.
fn spoken_reasons(reasons: &[String]) -> String {
    let Some(first) = reasons.first().map(|reason| without_pattern(reason)) else { return String::new() };
    let more = match reasons.len().saturating_sub(1) {
        0 => String::new(),
        more => format!(" (and {} more)", group_count(more)),
    };
    // A guess at what was meant is a question.
    let end = if more.is_empty() && first.ends_with('?') { "" } else { "." };
    format!(" {}{more}{end}", first.trim_end_matches('.'))
}

/// A reason up to its example and its regular expression: they take half a minute to hear, and the list has them.
fn without_pattern(reason: &str) -> &str {
    let starts = [" (e.g. ", " (regex used "].into_iter();
    starts.fold(reason, |reason, start| reason.split_once(start).map_or(reason, |(before, _)| before))
}

/// `Line 6: spec.replicas: ...`
fn spoken_problem(problem: &LineProblem) -> String {
    let line = problem.line.map(|line| format!("Line {line}: ")).unwrap_or_default();
    let path = if problem.path.is_empty() { String::new() } else { format!("{}: ", problem.path) };
    format!("{line}{path}{}", problem.message)
}

const fn api_server_sentence(object: &ReviewedObject) -> &'static str {
    match (object.is_known, object.refusals.is_empty(), object.unknown.is_empty()) {
        (false, ..) => "Objects of this kind are not checked here.",
        (true, false, _) => "The API server refuses it:",
        (true, true, false) => "The API server refuses it if kubectl sends it:",
        (true, true, true) if object.unchecked > 0 => "The API server accepts what is checked here.",
        (true, true, true) => "The API server accepts it.",
    }
}

const fn policy_sentence(verdict: &Verdict) -> &'static str {
    if verdict.is_allowed { "The policy allows it." } else { "The policy denies it:" }
}

/// `Line 6: spec.replicas: ...`, with a button that goes to the line.
fn view_line_problem(problem: &LineProblem) -> Html {
    let id = if problem.text == ManifestText::Before { EXISTING_ID } else { MANIFEST_ID };
    let path = if problem.path.is_empty() { String::new() } else { format!("{}: ", problem.path) };
    html! {
        <>
            if let Some(line) = problem.line { { view_line_button(id, line) }{ ": " } }
            { format!("{path}{}", problem.message) }
        </>
    }
}

fn refusal_name(refusal: &LineProblem) -> String {
    format!("{}: {}", refusal.path, refusal.message)
}

fn view_review(review: &Review) -> impl Iterator<Item = Html> {
    review.objects.iter().enumerate().map(|(index, object)| {
        let ReviewedObject { name, is_update, refusals, unknown, warnings, defaults, unchecked, verdict, .. } = object;
        let is_refused = !(refusals.is_empty() && unknown.is_empty());
        // Objects of several namespaces may have the same name.
        html! {
            <section key={index}>
                <h2>{ name }{ " " }<small>{ if *is_update { "update" } else { "create" } }</small></h2>
                <p class={classes!("verdict", is_refused.then_some("denied"))}>{ api_server_sentence(object) }</p>
                { for object.strict_refusal.as_deref().map(|refusal| view_strict_refusal(refusal, unknown)) }
                if !refusals.is_empty() {
                    <ul>
                        if let Some(refusal) = &object.decoding_refusal { <li key="decoder" class="problem">{ refusal }</li> }
                        { for keyed(refusals, refusal_name).into_iter().map(|(key, refusal)| html! {
                            <li key={key} class="problem">{ view_line_problem(refusal) }</li>
                        }) }
                    </ul>
                }
                { view_sentences(warnings.iter().map(|warning| format!("Warning: {warning}")), "") }
                if !defaults.is_empty() {
                    <details>
                        <summary>{ format!("Defaults that it sets ({})", defaults.len()) }</summary>
                        { view_changes(defaults) }
                    </details>
                }
                if *unchecked > 0 { <p class="note">{ format!("Fields that are not checked here: {unchecked}.") }</p> }
                if let Some(verdict) = verdict { { view_verdict(verdict) } }
            </section>
        }
    })
}

/// What happens because of fields that Kubernetes does not know.
fn view_strict_refusal(refusal: &str, unknown: &[LineProblem]) -> Html {
    html! {
        <>
            <ul>
                <li key="strict" class="problem">{ refusal }</li>
                { for keyed(unknown, refusal_name).into_iter().map(|(key, field)| html! {
                    <li key={key} class="problem">{ view_line_problem(field) }</li>
                }) }
            </ul>
            <p class="note">{ STRICT }</p>
        </>
    }
}

fn view_verdict(verdict: &Verdict) -> Html {
    let Verdict { is_allowed, violations, warnings, writes, response } = verdict;
    html! {
        <>
            <p class={classes!("verdict", (!is_allowed).then_some("denied"))}>
                { policy_sentence(verdict) }
            </p>
            { view_sentences(violations.iter().cloned(), "problem") }
            { view_sentences(warnings.iter().map(|warning| format!("Warning: {warning}")), "") }
            if !writes.is_empty() {
                <h3>{ "Its patch" }</h3>
                { view_changes(writes) }
            }
            <details>
                <summary>{ breakable("Its response as an AdmissionReview") }</summary>
                <pre tabindex="0" role="group" aria-label="AdmissionReview">{ response }</pre>
            </details>
        </>
    }
}

fn view_sentences(sentences: impl Iterator<Item = String>, class: &'static str) -> Html {
    let sentences: Vec<String> = sentences.collect();
    if sentences.is_empty() {
        return Html::default();
    }
    let items = keyed(&sentences, Clone::clone).into_iter();
    html! { <ul>{ for items.map(|(key, sentence)| html! { <li key={key} {class}>{ sentence }</li> }) }</ul> }
}

/// Changes as the lines of a diff.
fn view_changes(changes: &[FieldChange]) -> Html {
    let line = |(key, FieldChange { path, before, after }): (String, &FieldChange)| {
        html! {
            <key={key}>
                if let Some(before) = before { <del>{ format!("− {path}: {before}") }</del> }
                if let Some(after) = after { <ins>{ format!("+ {path}: {after}") }</ins> }
            </>
        }
    };
    let lines = keyed(changes, |change| change.path.clone()).into_iter().map(line);
    html! { <div class="diff" tabindex="0" role="group" aria-label="Changes">{ for lines }</div> }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(line: usize, path: &str, message: &str) -> LineProblem {
        LineProblem {
            severity: changeover_wire::Severity::Error,
            text: ManifestText::Text,
            line: Some(line),
            column: Some(1),
            path: path.into(),
            message: message.into(),
        }
    }

    fn verdict(violations: &[&str]) -> Verdict {
        Verdict {
            is_allowed: violations.is_empty(),
            violations: violations.iter().map(|violation| String::from(*violation)).collect(),
            warnings: Vec::new(),
            writes: Vec::new(),
            response: String::new(),
        }
    }

    fn reviewed(refusals: Vec<LineProblem>, verdict: Option<Verdict>) -> ReviewedObject {
        ReviewedObject {
            name: String::from("Deployment \"web\""),
            is_update: true,
            is_known: true,
            unknown: Vec::new(),
            strict_refusal: None,
            decoding_refusal: None,
            refusals,
            warnings: Vec::new(),
            defaults: Vec::new(),
            unchecked: 0,
            verdict,
        }
    }

    #[test]
    fn the_spoken_verdict_has_the_first_reason_and_no_colon_without_one() {
        let one = || problem(6, "spec.replicas", "must be a 32bit integer");
        let other = problem(4, "metadata.name", "is wrong.");
        for (refusals, verdict, expected) in [
            (vec![], Some(verdict(&[])), "The API server accepts it. The policy allows it."),
            (
                vec![one()],
                Some(verdict(&["spec.replicas: must be a 32bit integer"])),
                "The API server refuses it. Line 6: spec.replicas: must be a 32bit integer. The policy denies it, too.",
            ),
            (
                vec![other, one()],
                Some(verdict(&[])),
                "The API server refuses it. Line 4: metadata.name: is wrong (and 1 more). The policy allows it.",
            ),
            (
                vec![],
                Some(verdict(&["spec: Forbidden: x", "spec: Forbidden: y"])),
                "The API server accepts it. The policy denies it. spec: Forbidden: x (and 1 more).",
            ),
            (vec![one()], None, "The API server refuses it. Line 6: spec.replicas: must be a 32bit integer."),
            (
                vec![problem(4, "metadata.name", "is wrong (e.g. 'a', regex used for validation is '[a-z]')")],
                Some(verdict(&["metadata.name: is wrong"])),
                "The API server refuses it. Line 4: metadata.name: is wrong. The policy denies it, too.",
            ),
            (
                vec![],
                Some(verdict(&["spec: is wrong (regex used for validation is '[a-z]')", "spec: Forbidden: y"])),
                "The API server accepts it. The policy denies it. spec: is wrong (and 1 more).",
            ),
        ] {
            assert_eq!(spoken_object(&reviewed(refusals, verdict)), format!("Deployment \"web\": {expected}"));
        }
    }

    #[test]
    fn fields_that_are_not_checked_weaken_only_an_acceptance() {
        let said = |refusals| spoken_object(&ReviewedObject { unchecked: 1, ..reviewed(refusals, None) });
        assert_eq!(said(vec![]), "Deployment \"web\": The API server accepts what is checked here.");
        let refused = said(vec![problem(6, "spec.replicas", "must be a 32bit integer")]);
        assert!(refused.starts_with("Deployment \"web\": The API server refuses it."), "{refused}");
    }
}
