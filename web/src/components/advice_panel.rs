use std::rc::Rc;

use changeover_wire::{
    Advice, AdviceQuestion, AdvisedSetting, Answer, Problem, Question, Relaxation, Runs, RunsQuestion, SimulatedChange,
    format_clock,
};
use web_sys::HtmlInputElement;
use yew::{
    Callback, Event, Html, MouseEvent, Properties, SubmitEvent, TargetCast, UseReducerHandle, classes, component, html,
    use_context, use_effect_with, use_memo, use_state,
};

use super::list_keys::keyed;
use super::problems::view_problems;
use super::setting_input::SettingInput;
use super::worst_case::WorstCasePanel;
use crate::asked_limits::{AskedLimits, Limit};
use crate::dom;
use crate::hooks::{AnswerState, RUNS, RunsAction, RunsState, use_answer, use_runs};
use crate::manifests::{OwnManifests, SandboxSource};
use crate::number::{group_count, group_digits, plural_count};
use crate::problem_words::in_words;
use crate::sandbox_inputs::SandboxInputs;
use crate::settings::{Comparison, Field, PodReplacementPolicy, Settings};
use crate::workbench::Workbench;

/// Up to how much longer each stage of a pod takes in the runs, in percent, where the settings have no random delay.
const JITTER_PERCENT: u32 = 20;

/// What the settings are compared with once the user takes a proposed one.
pub const PROPOSED: Comparison = Comparison::Policy(PodReplacementPolicy::TerminationComplete);

/// The id of the button that asks.
const FIND_ID: &str = "ask-find";

/// The input of a constraint.
struct ConstraintInput {
    limit: Limit,
    id: &'static str,
    label: &'static str,
    unit: Option<&'static str>,
    placeholder: &'static str,
    /// What the path of a problem with it begins with.
    path: &'static str,
}

impl ConstraintInput {
    fn is_about(&self, problem: &Problem) -> bool {
        problem.path.starts_with(self.path)
    }
}

const CONSTRAINTS: [ConstraintInput; 4] = [
    ConstraintInput {
        limit: Limit::MaxPods,
        id: "ask-max-pods",
        label: "Never more than",
        unit: Some("pods"),
        placeholder: "",
        path: "constraints.maxPods",
    },
    ConstraintInput {
        limit: Limit::MinAvailable,
        id: "ask-min-available",
        label: "Available at least",
        unit: Some("pods"),
        placeholder: "",
        path: "constraints.minAvailable",
    },
    ConstraintInput {
        limit: Limit::Within,
        id: "ask-within",
        label: "Complete within",
        unit: None,
        placeholder: "like 90s",
        path: "constraints.within",
    },
    ConstraintInput {
        limit: Limit::QuotaPods,
        id: "ask-quota",
        label: "Fits a quota of",
        unit: Some("pods"),
        placeholder: "",
        path: "quotas[0]",
    },
];

/// What was asked, and of which rollout.
#[derive(Clone, PartialEq)]
struct Asked {
    limits: AskedLimits,
    settings: Settings,
    source: SandboxSource,
    question: AdviceQuestion,
}

impl Asked {
    /// Whether an answer is about these inputs: those of the question, or one of its rows.
    fn is_about(&self, inputs: &SandboxInputs, advice: &Advice) -> bool {
        let is_same_text = match (&self.source, &inputs.source) {
            (SandboxSource::Controls, SandboxSource::Controls) => true,
            (SandboxSource::Manifests(asked), SandboxSource::Manifests(own))
                if asked.before == own.before && asked.workload == own.workload =>
            {
                let times = |own: &OwnManifests| (own.read_at.clone(), own.given_at.clone());
                asked.text == own.text && times(asked) == times(own)
            }
            _ => return false,
        };
        if self.settings == inputs.settings {
            return is_same_text;
        }
        // A row that is taken is written to the text.
        let relaxed = advice.relax.iter().map(|relaxation| &relaxation.setting);
        let mut rows = advice.fits.iter().chain(&advice.nearest).chain(relaxed);
        rows.any(|row| self.settings.patched(&row.patch) == inputs.settings)
    }
}

/// A setting that the user takes.
#[derive(Clone, PartialEq)]
pub struct TakenSetting {
    /// The settings with it.
    pub settings: Settings,
    /// Whether it needs the proposed policy.
    pub is_proposed: bool,
}

/// The properties of [`AdvicePanel`].
#[derive(PartialEq, Properties)]
pub struct AdvicePanelProps {
    /// What the user set.
    pub inputs: SandboxInputs,
    /// Whether the picture shows an earlier rollout because something is invalid, so that nothing can be asked.
    pub is_invalid: bool,
    /// The user takes a setting.
    pub on_take: Callback<TakenSetting>,
    /// The user changes the limits.
    pub on_limits: Callback<AskedLimits>,
}

/// Ask: which settings meet the constraints, and what random delays make of the settings as they are.
#[component]
pub fn AdvicePanel(props: &AdvicePanelProps) -> Html {
    let AdvicePanelProps { inputs, is_invalid, on_take, on_limits } = props;
    let SandboxInputs { settings, limits, .. } = inputs;
    let workbench = use_context::<Rc<Workbench>>();
    let asked = use_state(|| None::<Asked>);
    let answer = use_answer((*asked).clone().map(|asked| Question::Advice(asked.question)));
    let runs = use_runs();
    let limits_of_runs = use_state(AskedLimits::default);
    use_effect_with((inputs.settings.clone(), inputs.source.clone()), {
        let runs = runs.dispatcher();
        move |_| runs.dispatch(RunsAction::Clear)
    });
    let on_submit = {
        let (inputs, asked) = (inputs.clone(), asked.setter());
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            let question = AdviceQuestion {
                rollout: inputs.asked_rollout(),
                constraints: inputs.limits.constraints(),
                quota: inputs.limits.quota(),
            };
            let SandboxInputs { limits, settings, source, .. } = inputs.clone();
            asked.set(Some(Asked { limits, settings, source, question }));
        })
    };
    let on_stop = {
        let asked = asked.setter();
        Callback::from(move |_: MouseEvent| {
            if let Some(workbench) = &workbench {
                workbench.stop(|question| matches!(question, Question::Advice(_)));
            }
            asked.set(None);
            // The button goes away.
            dom::focus_by_id(FIND_ID);
        })
    };
    let on_run = {
        let (runs, inputs, limits_of_runs) = (runs.dispatcher(), inputs.clone(), limits_of_runs.setter());
        Callback::from(move |_: MouseEvent| {
            limits_of_runs.set(inputs.limits.clone());
            let question = RunsQuestion {
                rollout: inputs.asked_rollout(),
                constraints: inputs.limits.constraints_of_runs(),
                quota: inputs.limits.quota(),
                jitter_percent: JITTER_PERCENT,
                seed: 0,
                runs: 0,
            };
            runs.dispatch(RunsAction::Start(Box::new(question)));
        })
    };
    let AnswerState { answer, is_waiting, failure } = answer;
    let shown = asked.as_ref().zip(answer.as_ref().map(|answered| &*answered.answer));
    let (asked_limits, problems): (_, &[Problem]) = match shown {
        Some((asked, Answer::Refused(problems))) => (&asked.limits, problems.as_slice()),
        _ => (limits, &[]),
    };
    let quota_pods = settings.number(Field::QuotaPods).filter(|_| inputs.manifests().is_none());
    let quota = limits.quota().and_then(|quota| i32::try_from(quota.as_i64()?).ok()).or(quota_pods);
    let input = |typed: &'static ConstraintInput| {
        let on_input = {
            let limits = limits.clone();
            on_limits.reform(move |text: String| limits.with_text(typed.limit, text))
        };
        let problem = problems.iter().find(|problem| typed.is_about(problem));
        let problem = problem.map(|problem| readable(asked_limits, problem));
        html! {
            <SettingInput key={typed.id} id={typed.id} label={typed.label} unit={typed.unit.map(String::from)}
                placeholder={typed.placeholder} value={limits.text(typed.limit).to_owned()} {problem} {on_input} />
        }
    };
    let on_fits_quotas = {
        let limits = limits.clone();
        on_limits.reform(move |event: Event| {
            let fits_quotas = event.target_dyn_into::<HtmlInputElement>().is_some_and(|input| input.checked());
            AskedLimits { fits_quotas, ..limits.clone() }
        })
    };
    let is_outdated = shown.is_some_and(|(asked, answer)| match answer {
        Answer::Advice(advice) => !asked.is_about(inputs, advice),
        _ => false,
    });
    let is_searching = is_waiting && asked.is_some();
    // The panel is drawn for each part of an answer, and the text may be large.
    let rollout = use_memo(inputs.clone(), SandboxInputs::asked_rollout);
    html! {
        <section class={classes!("ask", is_invalid.then_some("stale"))} inert={*is_invalid} aria-labelledby="ask-title">
            <h2 id="ask-title">{ "Ask for settings" }</h2>
            <p class="note">{ "Enter the limits that a rollout must stay within. Changeover simulates the settings that might do so and lists what each one costs." }</p>
            if let Some(left_out) = left_out(inputs) { <p class="note">{ left_out }</p> }
            <form aria-labelledby="ask-title" onsubmit={on_submit}>
                { for CONSTRAINTS.iter().map(input) }
                <label class="switch">
                    <input type="checkbox" checked={limits.fits_quotas} onchange={on_fits_quotas} />
                    { " Fits the cluster's quotas" }
                </label>
                <button type="submit" class="primary" id={FIND_ID}>{ "Find settings" }</button>
            </form>
            { view_readable(problems.iter().filter(|problem| !has_input(problem)), asked_limits) }
            if let Some(failure) = failure { <p class="problem" role="alert">{ failure }</p> }
            <p class="asking">
                <span role="status">
                    if is_searching {
                        { "Simulating settings… " }
                    } else if let Some((_, Answer::Advice(advice))) = shown {
                        <span class="visually-hidden">{ found(advice) }</span>
                    }
                </span>
                if is_searching { <button type="button" onclick={on_stop}>{ "Stop" }</button> }
            </p>
            if let Some((asked, Answer::Advice(advice))) = shown {
                if is_outdated {
                    <p class="note">{ "You have changed your settings since. To update these numbers, find settings again." }</p>
                }
                <div aria-busy={is_waiting.to_string()} class={(is_waiting || is_outdated).then_some("stale")}>
                    { view_advice(advice, asked, inputs, on_take) }
                </div>
            }
            { view_runs(&runs, &limits_of_runs, on_run) }
            <WorstCasePanel {rollout} {quota} />
        </section>
    }
}

/// A problem in the words of the page. `limits`: those that were asked for.
fn readable(limits: &AskedLimits, problem: &Problem) -> String {
    if let Some(input) = CONSTRAINTS.iter().find(|input| input.is_about(problem)) {
        return in_words(input.label, limits.text(input.limit), &problem.message);
    }
    match problem.path.as_str() {
        "constraints" => String::from("Enter at least one limit."),
        "constraints.quotas" => String::from(
            "The cluster has no ResourceQuota. Set one under “The cluster around it”, or add one to your YAML.",
        ),
        _ => problem.to_string(),
    }
}

/// Whether the limit that a problem is about has an input, which says what is wrong.
fn has_input(problem: &Problem) -> bool {
    CONSTRAINTS.iter().any(|input| input.is_about(problem))
}

/// Problems in the words of the page. `limits`: those that were asked for.
fn view_readable<'a>(problems: impl Iterator<Item = &'a Problem>, limits: &AskedLimits) -> Html {
    view_problems(&problems.map(|problem| readable(limits, problem)).collect::<Vec<_>>())
}

/// What happens in the picture and not in the answers.
fn left_out(inputs: &SandboxInputs) -> Option<&'static str> {
    let has_second = !inputs.settings.text(Field::SecondRollout).trim().is_empty();
    has_second.then_some("The second rollout is left out.")
}

/// How many settings were found, for users who don't see the table appear.
fn found(advice: &Advice) -> String {
    let mut text = format!("Other settings that stay within your limits: {}.", group_count(advice.fits.len()));
    let missing = advice.relax.len().saturating_add(others(advice).count());
    if missing > 0 {
        text.push_str(&format!(" Settings that miss a limit: {}.", group_count(missing)));
    }
    text
}

/// The settings that miss a limit and that no relaxed limit is about.
fn others(advice: &Advice) -> impl Iterator<Item = &AdvisedSetting> {
    let is_relaxed =
        |setting: &AdvisedSetting| advice.relax.iter().any(|relaxation| relaxation.setting.name == setting.name);
    advice.nearest.iter().filter(move |setting| !is_relaxed(setting))
}

fn view_advice(advice: &Advice, asked: &Asked, inputs: &SandboxInputs, on_take: &Callback<TakenSetting>) -> Html {
    let Advice { current, fits, relax, simulated, plays, has_quotas, .. } = advice;
    let keeps = current.misses.is_empty();
    let today = fits.iter().filter(|setting| !setting.is_proposed).count();
    let answer = match (keeps, today) {
        (true, 0) => "Your settings stay within your limits.",
        (true, _) => "Your settings stay within your limits, and so do others.",
        (false, 0) if relax.iter().any(|relaxation| relaxation.setting.misses.len() > 1) => {
            "No settings of today's Kubernetes stay within all of your limits. Changing a single limit is not enough."
        }
        (false, 0) => "No settings of today's Kubernetes stay within all of your limits.",
        (false, _) => "Your settings miss a limit. Other settings stay within all limits.",
    };
    let row = |key: &str, setting: &AdvisedSetting, note: &str| {
        let taken = asked.settings.patched(&setting.patch);
        let is_current = taken == inputs.settings && (!setting.is_proposed || inputs.comparison == PROPOSED);
        view_row(key, setting, note, is_current, on_take, taken)
    };
    html! {
        <div class="table" tabindex="0" role="region" aria-label="Settings within your limits">
            <table>
                <caption>{ answer }</caption>
                <thead>
                    <tr>
                        { for ["Setting", "Pods at most", "Available at least", "Complete after", "Last old pod gone"].map(|head| html! {
                            <th scope="col">{ head }</th>
                        }) }
                        <th scope="col"><span class="visually-hidden">{ "Use" }</span></th>
                    </tr>
                </thead>
                <tbody>
                    { row(&current.name, current, "your settings") }
                </tbody>
                if !fits.is_empty() {
                    <tbody>
                        { view_group("Settings that stay within your limits") }
                        { for outages_last(fits).map(|setting| row(&setting.name, setting, outage_note(setting))) }
                    </tbody>
                }
                if !relax.is_empty() || others(advice).next().is_some() {
                    <tbody>
                        { view_group("Settings that miss a limit") }
                        // The same setting may be listed for several relaxed limits.
                        { for relax.iter().map(|Relaxation { sentence, setting }| row(sentence, setting, sentence)) }
                        { for others(advice).map(|setting| row(&setting.name, setting, "")) }
                    </tbody>
                }
            </table>
            <p class="note">{ format!(
                "Simulated: {}, with your pods and only the random delay that you set. {}", plural_count(*simulated, "setting"), played(*plays)
            ) }</p>
            if *has_quotas {
                <p class="note">{ "The cluster's quotas are enforced, as in the picture: they refuse pods, which slows a rollout down or stops it." }</p>
            }
            if asked.question.quota.is_some() {
                <p class="note">{ "The quota that you entered above is only a limit: the numbers show what each setting needs, and this quota refuses no pods." }</p>
            }
        </div>
    }
}

/// The settings in their order, but those that leave no pod available at some time last.
fn outages_last(settings: &[AdvisedSetting]) -> impl Iterator<Item = &AdvisedSetting> {
    let serving = settings.iter().filter(|setting| !is_outage(setting));
    serving.chain(settings.iter().filter(|setting| is_outage(setting)))
}

/// Whether no pod is available at some time.
const fn is_outage(setting: &AdvisedSetting) -> bool {
    setting.lowest_available <= 0
}

/// What a setting that meets the limits costs, where nobody would want it unasked.
const fn outage_note(setting: &AdvisedSetting) -> &'static str {
    if is_outage(setting) { "no pod is available for a while" } else { "" }
}

/// The heading of a group of rows.
fn view_group(title: &'static str) -> Html {
    html! { <tr key={title} class="group"><th scope="rowgroup" colspan="6">{ title }</th></tr> }
}

/// What was simulated with each setting.
const fn played(plays: SimulatedChange) -> &'static str {
    match plays {
        SimulatedChange::Change => "Each row plays the update in the picture.",
        SimulatedChange::FromNow => {
            "Each row starts from the state that you pasted, and plays what happens from now on if you apply the setting now."
        }
        SimulatedChange::Restart => {
            "The picture has no rollout, so each row plays a restart of all pods, as kubectl rollout restart does."
        }
    }
}

fn view_row(
    key: &str,
    setting: &AdvisedSetting,
    note: &str,
    is_current: bool,
    on_take: &Callback<TakenSetting>,
    settings: Settings,
) -> Html {
    let AdvisedSetting { name, is_proposed, peak, lowest_available, complete, last_old_pod_gone, misses, .. } = setting;
    let clock = |time: &Option<i64>| time.map_or_else(|| String::from("never"), format_clock);
    let is_proposed = *is_proposed;
    let take = on_take.reform(move |_: MouseEvent| TakenSetting { settings: settings.clone(), is_proposed });
    let (word, done, label) = if is_proposed {
        // It sets all but the policy, which the second lane has.
        let others = name.strip_suffix(", TerminationComplete").unwrap_or(name);
        ("Use and compare", "compared", format!("Use and compare with TerminationComplete: {others}"))
    } else {
        ("Use", "in use", format!("Use {name}"))
    };
    html! {
        <tr key={key} class={is_current.then_some("marked")}>
            <th scope="row">
                { name }
                if is_proposed { { " " }<span class="proposed">{ "proposed" }</span> }
                if !note.is_empty() { <span class="note">{ note.to_owned() }</span> }
                // In a fragment of its own: keys count only where all children have one.
                <>{ for keyed(misses, Clone::clone).into_iter().map(|(key, miss)| html! {
                    <span key={key} class="note">{ format!("misses: {miss}") }</span>
                }) }</>
            </th>
            <td>{ group_digits(*peak) }</td>
            <td>{ group_digits(*lowest_available) }</td>
            <td>{ clock(complete) }</td>
            <td>{ clock(last_old_pod_gone) }</td>
            <td>
                // The same button, so that focus stays on it.
                <button type="button" aria-label={(!is_current).then_some(label)} aria-disabled={is_current.then_some("true")}
                    onclick={if is_current { Callback::noop() } else { take }}>
                    { if is_current { done } else { word } }
                </button>
            </td>
        </tr>
    }
}

fn view_runs(runs: &UseReducerHandle<RunsState>, limits: &AskedLimits, on_run: Callback<MouseEvent>) -> Html {
    let count = runs.done.map_or(0, |done| done.runs);
    let is_running = runs.is_running();
    let stop = {
        let runs = runs.dispatcher();
        Callback::from(move |_: MouseEvent| runs.dispatch(RunsAction::Stop))
    };
    html! {
        <div class="runs">
            <h3>{ "And with random delays?" }</h3>
            <p class="note">{ format!(
                "Real pods vary in speed. To see ranges, simulate {RUNS} runs of your settings. As in the table, each run plays the rollout in the picture or, if there is none, a restart of all pods. In each run, every stage of a pod takes up to {JITTER_PERCENT}% longer (or up to your random delay)."
            ) }</p>
            <p class="asking">
                if is_running {
                    <progress max={RUNS.to_string()} value={count.to_string()} aria-label="Runs" />
                    { format!(" {count} of {RUNS} ") }
                }
                // The same button, so that focus stays on it.
                <button type="button" onclick={if is_running { stop } else { on_run }}>
                    { if is_running { String::from("Stop") } else { format!("Simulate {RUNS} runs") } }
                </button>
            </p>
            if let Some(done) = &runs.done {
                <p role={(!is_running).then_some("status")}>{ ranges(done) }</p>
            }
            { view_readable(runs.problems.iter(), limits) }
        </div>
    }
}

/// `In 200 runs: at most 22 to 26 pods, at least 12 available, complete after 0:18 to 0:31.`
fn ranges(runs: &Runs) -> String {
    let range = |least: String, most: String| if least == most { least } else { format!("{least} to {most}") };
    let count = |of: changeover_wire::Range| range(group_digits(of.least), group_digits(of.most));
    let complete = match runs.complete {
        None => String::from("never complete"),
        Some(times) => {
            let all =
                if runs.completed < runs.runs { format!(" in {} of them", runs.completed) } else { String::new() };
            format!("complete{all} after {}", range(format_clock(times.least), format_clock(times.most)))
        }
    };
    let met = match runs.met {
        met if met == runs.runs => String::new(),
        0 => format!(" None of the {} runs stays within your limits.", runs.runs),
        1 => format!(" Only 1 of {} runs stays within your limits.", runs.runs),
        met => format!(" Only {met} of {} runs stay within your limits.", runs.runs),
    };
    // Else a number without a range would seem to be left out.
    let is_one_time = |of: changeover_wire::Range| format_clock(of.least) == format_clock(of.most);
    let is_same = [runs.peak, runs.lowest_available].iter().all(|of| of.least == of.most)
        && runs.completed == runs.runs
        && runs.complete.is_some_and(is_one_time);
    format!(
        "In {}{} runs: at most {} pods, at least {} available, {complete}.{met}",
        if is_same { "all " } else { "" },
        runs.runs,
        count(runs.peak),
        count(runs.lowest_available)
    )
}

#[cfg(test)]
mod tests {
    use changeover_core::object::Time;
    use changeover_wire::Range;
    use serde_json::{Value, json};

    use super::*;

    fn row(patch: Value) -> AdvisedSetting {
        AdvisedSetting {
            name: String::new(),
            is_proposed: false,
            peak: 0,
            lowest_available: 0,
            complete: None,
            last_old_pod_gone: None,
            misses: Vec::new(),
            patch,
        }
    }

    #[test]
    fn an_answer_is_about_the_text_that_was_asked_and_its_rows() {
        let patch = json!({ "spec": { "strategy": { "rollingUpdate": { "maxSurge": 7 } } } });
        let advice = Advice {
            current: row(Value::Null),
            fits: vec![row(patch.clone())],
            nearest: Vec::new(),
            relax: Vec::new(),
            simulated: 1,
            plays: SimulatedChange::Change,
            has_quotas: false,
        };
        let controls = SandboxInputs::default();
        let yaml = controls.with_text("kind: Deployment".into());
        let asked = |inputs: &SandboxInputs| Asked {
            limits: inputs.limits.clone(),
            settings: inputs.settings.clone(),
            source: inputs.source.clone(),
            question: AdviceQuestion { rollout: inputs.asked_rollout(), constraints: Value::Null, quota: None },
        };
        assert!(asked(&controls).is_about(&controls, &advice));
        assert!(!asked(&controls).is_about(&yaml, &advice), "another source");
        assert!(asked(&yaml).is_about(&yaml, &advice));
        let probed = yaml.with_text("kind: Deployment # initialDelaySeconds: 60".into());
        assert!(!asked(&yaml).is_about(&probed, &advice), "another text");
        let later = yaml.with_read_at(Time(0));
        assert!(!asked(&yaml).is_about(&later, &advice), "another time of the state");
        let update = yaml.with_manifests(|own| OwnManifests { before: Some("kind: Deployment".into()), ..own });
        assert!(!asked(&yaml).is_about(&update, &advice), "another change");
        let taken = yaml.with_settings(yaml.settings.patched(&patch));
        assert_ne!(taken.settings, yaml.settings);
        let written = taken.with_manifests(|own| OwnManifests { text: "kind: Deployment # 7".into(), ..own });
        assert!(asked(&yaml).is_about(&taken, &advice));
        assert!(asked(&yaml).is_about(&written, &advice));
    }

    #[test]
    fn ranges_are_a_sentence() {
        let second = 1_000_000_000;
        let runs = Runs {
            runs: 200,
            met: 200,
            peak: Range { least: 22, most: 26 },
            lowest_available: Range::of(12),
            completed: 200,
            complete: Some(Range { least: 18 * second, most: 31 * second }),
        };
        let all = "In 200 runs: at most 22 to 26 pods, at least 12 available, complete after 0:18 to 0:31.";
        assert_eq!(ranges(&runs), all);
        let same = Runs { peak: Range::of(26), complete: Some(Range::of(18 * second)), ..runs };
        assert_eq!(ranges(&same), "In all 200 runs: at most 26 pods, at least 12 available, complete after 0:18.");
        assert!(ranges(&Runs { complete: None, completed: 0, ..same }).starts_with("In 200 runs: "));
        let some = Runs { met: 180, completed: 10, ..runs };
        let expected = "In 200 runs: at most 22 to 26 pods, at least 12 available, complete in 10 of them after 0:18 to \
                        0:31. Only 180 of 200 runs stay within your limits.";
        assert_eq!(ranges(&some), expected);
        for (met, end) in [
            (0, " None of the 200 runs stays within your limits."),
            (1, " Only 1 of 200 runs stays within your limits."),
        ] {
            assert!(ranges(&Runs { met, ..runs }).ends_with(end), "{end}");
        }
    }
}
