use std::rc::Rc;

use changeover_wire::{
    Advice, AdviceQuestion, AdvisedSetting, Answer, AskedRollout, Problem, Question, Relaxation, Runs, RunsQuestion,
    format_clock,
};
use serde_json::{Map, Value};
use yew::{
    Callback, Html, MouseEvent, Properties, SubmitEvent, UseReducerHandle, component, html, use_context,
    use_effect_with, use_state, use_state_eq,
};

use super::sandbox_page::SandboxInputs;
use super::setting_input::SettingInput;
use crate::hooks::{AnswerState, RUNS, RunsAction, RunsState, use_answer, use_runs};
use crate::number::group_digits;
use crate::settings::{Settings, typed_duration, typed_value};
use crate::workbench::Workbench;

/// Up to how much longer each stage of a pod takes in the runs, in percent, where the settings have no random delay.
const JITTER_PERCENT: u32 = 20;

/// A wish that is typed.
struct Wish {
    id: &'static str,
    label: &'static str,
    unit: Option<&'static str>,
    placeholder: &'static str,
    /// What the path of a problem with it begins with.
    path: &'static str,
}

const WISHES: [Wish; 4] = [
    Wish { id: "ask-max-pods", label: "Never more than", unit: Some("pods"), placeholder: "", path: "wish.maxPods" },
    Wish {
        id: "ask-min-available",
        label: "Available at least",
        unit: Some("pods"),
        placeholder: "",
        path: "wish.minAvailable",
    },
    Wish { id: "ask-within", label: "Complete within", unit: None, placeholder: "like 90s or 2m", path: "wish.within" },
    Wish { id: "ask-quota", label: "Fits a quota of", unit: Some("pods"), placeholder: "", path: "quotas[0]" },
];

/// The wishes, as they are typed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct TypedWishes([String; 4]);

impl TypedWishes {
    /// The wish as core reads it, without the quota.
    fn wish(&self) -> Value {
        let [most, least, within, _] = self.0.each_ref().map(|text| text.trim());
        let values = [
            ("maxPods", most, typed_value(most)),
            ("minAvailable", least, typed_value(least)),
            ("within", within, Value::from(typed_duration(within))),
        ];
        let made = values.into_iter().filter(|(_, text, _)| !text.is_empty());
        Value::Object(made.map(|(key, _, value)| (String::from(key), value)).collect::<Map<_, _>>())
    }

    fn quota(&self) -> Option<Value> {
        let [.., quota] = &self.0;
        Some(quota.trim()).filter(|text| !text.is_empty()).map(typed_value)
    }
}

/// What was asked, and of which settings.
#[derive(Clone, PartialEq)]
struct Asked {
    settings: Settings,
    question: AdviceQuestion,
}

/// A setting that the user takes.
#[derive(Clone, PartialEq)]
pub struct TakenSetting {
    /// The settings with it.
    pub settings: Settings,
    /// Whether it needs the proposed policy.
    pub is_proposed: bool,
}

/// The properties of [`Ask`].
#[derive(PartialEq, Properties)]
pub struct AskProps {
    /// What the user set.
    pub inputs: SandboxInputs,
    /// The user takes a setting.
    pub on_take: Callback<TakenSetting>,
}

/// Ask: which settings keep a wish, and what random delays make of the settings as they are.
#[component]
pub fn Ask(props: &AskProps) -> Html {
    let AskProps { inputs, on_take } = props;
    let settings = &inputs.settings;
    let workbench = use_context::<Rc<Workbench>>();
    let wishes = use_state_eq(TypedWishes::default);
    let asked = use_state(|| None::<Asked>);
    let answer = use_answer((*asked).clone().map(|asked| Question::Advice(asked.question)));
    let runs = use_runs();
    use_effect_with((inputs.settings.clone(), inputs.source.clone()), {
        let runs = runs.dispatcher();
        move |_| runs.dispatch(RunsAction::Clear)
    });
    let on_submit = {
        let (wishes, inputs, asked) = (wishes.clone(), inputs.clone(), asked.setter());
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            let question =
                AdviceQuestion { rollout: asked_rollout(&inputs), wish: wishes.wish(), quota: wishes.quota() };
            asked.set(Some(Asked { settings: inputs.settings.clone(), question }));
        })
    };
    let on_stop = {
        let asked = asked.setter();
        Callback::from(move |_: MouseEvent| {
            if let Some(workbench) = &workbench {
                workbench.stop();
            }
            asked.set(None);
        })
    };
    let on_run = {
        let (runs, inputs, wish) = (runs.dispatcher(), inputs.clone(), wishes.wish());
        Callback::from(move |_: MouseEvent| {
            let has_wish = wish.as_object().is_some_and(|wish| !wish.is_empty());
            runs.dispatch(RunsAction::Start(RunsQuestion {
                rollout: asked_rollout(&inputs),
                wish: if has_wish { wish.clone() } else { Value::Null },
                jitter_percent: JITTER_PERCENT,
                seed: 0,
                runs: 0,
            }));
        })
    };
    let AnswerState { answer, is_waiting, failure } = answer;
    let shown = asked.as_ref().zip(answer.as_ref().map(|answered| &*answered.answer));
    let problem = match shown {
        Some((_, Answer::Refused(problem))) => Some(problem),
        _ => None,
    };
    let field_of = |problem: &Problem| WISHES.iter().position(|wish| problem.path.starts_with(wish.path));
    let input = |(index, wish): (usize, &'static Wish)| {
        let on_input = {
            let wishes = wishes.clone();
            Callback::from(move |text: String| {
                let mut changed = (*wishes).clone();
                if let Some(slot) = changed.0.get_mut(index) {
                    *slot = text;
                }
                wishes.set(changed);
            })
        };
        let problem = problem.filter(|problem| field_of(problem) == Some(index)).map(|problem| problem.message.clone());
        html! {
            <SettingInput key={wish.id} id={wish.id} label={wish.label} unit={wish.unit.map(String::from)}
                placeholder={wish.placeholder} value={wishes.0.get(index).cloned().unwrap_or_default()} {problem} {on_input} />
        }
    };
    html! {
        <section class="ask" aria-labelledby="ask-title">
            <h2 id="ask-title">{ "Ask for settings" }</h2>
            <p class="note">{ "Say what an update must keep to. Changeover simulates the settings that may keep it, and lists what each one costs." }</p>
            <form aria-labelledby="ask-title" onsubmit={on_submit}>
                { for WISHES.iter().enumerate().map(input) }
                <button type="submit" class="primary">{ "Find settings" }</button>
            </form>
            if let Some(problem) = problem.filter(|problem| field_of(problem).is_none()) {
                <p class="problem" role="alert">{ readable(problem) }</p>
            }
            if let Some(failure) = failure { <p class="problem" role="alert">{ failure }</p> }
            <p role="status" class="asking">
                if is_waiting && asked.is_some() {
                    { "Simulating settings… " }<button type="button" onclick={on_stop}>{ "Stop" }</button>
                }
            </p>
            if let Some((asked, Answer::Advice(advice))) = shown {
                <div aria-busy={is_waiting.to_string()} class={is_waiting.then_some("stale")}>
                    { view_advice(advice, asked, settings, on_take) }
                </div>
            }
            { view_runs(&runs, on_run) }
        </section>
    }
}

/// The rollout of the sandbox.
fn asked_rollout(inputs: &SandboxInputs) -> AskedRollout {
    match inputs.manifests() {
        None => AskedRollout::Lane(inputs.settings.source()),
        Some(manifests) => AskedRollout::Manifests(manifests.to_wire(&inputs.settings)),
    }
}

/// A problem in the words of the page.
fn readable(problem: &Problem) -> String {
    if problem.path == "wish" {
        return String::from("Enter at least one limit.");
    }
    problem.to_string()
}

fn view_advice(advice: &Advice, asked: &Asked, settings: &Settings, on_take: &Callback<TakenSetting>) -> Html {
    let Advice { as_it_is, fits, close, relax, simulated } = advice;
    let keeps = as_it_is.misses.is_empty();
    let today = fits.iter().filter(|setting| !setting.is_proposed).count();
    let answer = match (keeps, today) {
        (true, 0) => "Your settings keep this.",
        (true, _) => "Your settings keep this, and so do others.",
        (false, 0) => "No setting of today's Kubernetes keeps all of this.",
        (false, _) => "These settings keep it:",
    };
    let row = |setting: &AdvisedSetting, note: &str| {
        let taken = asked.settings.patched(&setting.patch);
        let is_current = taken == *settings && !setting.is_proposed;
        view_row(setting, note, is_current, on_take, taken)
    };
    html! {
        <div class="table" tabindex="0" role="region" aria-label="Settings that keep it">
            <table>
                <caption>{ answer }</caption>
                <thead>
                    <tr>
                        { for ["Setting", "Pods at most", "Available at least", "Complete after", "Last old pod gone", ""].map(|head| html! {
                            <th scope="col">{ head }</th>
                        }) }
                    </tr>
                </thead>
                <tbody>
                    { row(as_it_is, "your settings") }
                    { for fits.iter().map(|setting| row(setting, "")) }
                    { for relax.iter().map(|Relaxation { sentence, setting }| row(setting, sentence)) }
                    { for close.iter().map(|setting| row(setting, "just misses it")) }
                </tbody>
            </table>
            <p class="note">{ format!("{simulated} settings were simulated, with your pods and no random delay but your own.") }</p>
        </div>
    }
}

fn view_row(
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
    let (word, label) =
        if is_proposed { ("Compare", format!("Compare with {name}")) } else { ("Use", format!("Use {name}")) };
    html! {
        <tr class={is_current.then_some("marked")}>
            <th scope="row">
                { name }
                if is_proposed { { " " }<span class="proposed">{ "proposed" }</span> }
                if !note.is_empty() { <span class="note">{ note.to_owned() }</span> }
                { for misses.iter().map(|miss| html! { <span class="note">{ format!("misses: {miss}") }</span> }) }
            </th>
            <td>{ group_digits(*peak) }</td>
            <td>{ group_digits(*lowest_available) }</td>
            <td>{ clock(complete) }</td>
            <td>{ clock(last_old_pod_gone) }</td>
            <td>
                // The same button, so that focus stays on it.
                <button type="button" aria-label={(!is_current).then_some(label)} aria-disabled={is_current.then_some("true")}
                    onclick={if is_current { Callback::noop() } else { take }}>
                    { if is_current { "in use" } else { word } }
                </button>
            </td>
        </tr>
    }
}

fn view_runs(runs: &UseReducerHandle<RunsState>, on_run: Callback<MouseEvent>) -> Html {
    let count = runs.done.map_or(0, |done| done.runs);
    let stop = {
        let runs = runs.dispatcher();
        Callback::from(move |_: MouseEvent| runs.dispatch(RunsAction::Stop))
    };
    html! {
        <div class="runs">
            <h3>{ "And with random delays?" }</h3>
            <p class="note">{ format!(
                "Real pods are not equally fast. {RUNS} runs of your settings, in which each stage of a pod takes up to {JITTER_PERCENT} % longer, or as your random delay says, give ranges."
            ) }</p>
            if runs.is_running() {
                <p class="asking">
                    <progress max={RUNS.to_string()} value={count.to_string()} aria-label="Runs" />
                    { format!(" {count} of {RUNS} ") }
                    <button type="button" onclick={stop}>{ "Stop" }</button>
                </p>
            } else {
                <button type="button" onclick={on_run}>{ format!("Simulate {RUNS} runs") }</button>
            }
            if let Some(done) = &runs.done {
                <p role={(!runs.is_running()).then_some("status")}>{ ranges(done) }</p>
            }
            if let Some(problem) = &runs.problem { <p class="problem" role="alert">{ problem }</p> }
        </div>
    }
}

/// `In 200 runs: 22 to 26 pods at most, 12 available at least, complete after 0:18 to 0:31.`
fn ranges(runs: &Runs) -> String {
    let range = |least: String, most: String| if least == most { least } else { format!("{least} to {most}") };
    let count = |of: changeover_wire::Range| range(of.least.to_string(), of.most.to_string());
    let complete = match runs.complete {
        None => String::from("never complete"),
        Some(times) => {
            let all =
                if runs.completed < runs.runs { format!(" in {} of them", runs.completed) } else { String::new() };
            format!("complete{all} after {}", range(format_clock(times.least), format_clock(times.most)))
        }
    };
    let kept = match runs.kept {
        kept if kept == runs.runs => String::new(),
        kept => format!(" Only {kept} of {} runs keep your limits.", runs.runs),
    };
    format!(
        "In {} runs: {} pods at most, {} available at least, {complete}.{kept}",
        runs.runs,
        count(runs.peak),
        count(runs.lowest_available)
    )
}

#[cfg(test)]
mod tests {
    use changeover_wire::Range;
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_typed_is_a_wish() {
        let wishes = TypedWishes([" 16 ", "x", "90", "20"].map(String::from));
        assert_eq!(wishes.wish(), json!({ "maxPods": 16, "minAvailable": "x", "within": "90s" }));
        assert_eq!(wishes.quota(), Some(json!(20)));
        assert_eq!((TypedWishes::default().wish(), TypedWishes::default().quota()), (json!({}), None));
    }

    #[test]
    fn ranges_are_a_sentence() {
        let second = 1_000_000_000;
        let runs = Runs {
            runs: 200,
            kept: 200,
            peak: Range { least: 22, most: 26 },
            lowest_available: Range::of(12),
            completed: 200,
            complete: Some(Range { least: 18 * second, most: 31 * second }),
        };
        let all = "In 200 runs: 22 to 26 pods at most, 12 available at least, complete after 0:18 to 0:31.";
        assert_eq!(ranges(&runs), all);
        let some = Runs { kept: 180, completed: 10, ..runs };
        let expected = "In 200 runs: 22 to 26 pods at most, 12 available at least, complete in 10 of them after 0:18 to \
                        0:31. Only 180 of 200 runs keep your limits.";
        assert_eq!(ranges(&some), expected);
    }
}
