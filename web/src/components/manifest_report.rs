use changeover_core::foreign_text::isolated;
use changeover_core::object::Time;
use changeover_core::scenario::{Duration, reading_time};
use changeover_wire::{
    LineProblem, ManifestChange, ManifestObject, ManifestText, Reading, Severity, UNKNOWN_STATE, WorkloadKind,
    WorkloadName,
};
use web_sys::HtmlSelectElement;
use yew::{Callback, Event, Html, MouseEvent, Properties, TargetCast, classes, component, html};

use super::foreign_text::view_text;
use super::list_keys::keyed;
use super::manifest_editor::{EDITOR_ID, view_line_button};
use crate::manifests::ManifestsState;
use crate::manifests::change_sentence;
use crate::number::{group_count, plural_count};

/// The id of the sentence that sums up the text.
pub const SUMMARY_ID: &str = "manifests-summary";

/// The nanoseconds that a state may be older than its paste without a question.
const UNNOTICED: i64 = 10 * Time::SECOND;

/// How many objects that are not simulated are named where nothing else is there.
const NAMED: usize = 2;

/// The properties of [`ManifestReport`].
#[derive(PartialEq, Properties)]
pub struct ManifestReportProps {
    /// What has come of the text.
    pub state: ManifestsState,
    /// When the user pasted or opened the text.
    pub given_at: Option<String>,
    /// Whether no pod of a Deployment runs before its change.
    pub runs_none: bool,
    /// The user chooses which workload is shown.
    pub on_show: Callback<WorkloadName>,
    /// The user chooses the time of the state of a running cluster.
    pub on_read_at: Callback<Time>,
}

/// What the user's text holds, and what is wrong with it.
#[component]
pub fn ManifestReport(props: &ManifestReportProps) -> Html {
    let ManifestReportProps { state, given_at, runs_none, on_show, on_read_at } = props;
    if let Some(failure) = &state.failure {
        return html! { <p class="problem" role="alert">{ format!("The text can't be read: {failure}. Reload the page.") }</p> };
    }
    let Some(reading) = &state.reading else {
        return html! { <p class="note">{ "Reading…" }</p> };
    };
    let on_select = {
        let (on_show, workloads) = (on_show.clone(), reading.workloads.clone());
        Callback::from(move |event: Event| {
            let index = event.target_dyn_into::<HtmlSelectElement>().map(|select| select.selected_index());
            let chosen = index.and_then(|index| workloads.get(usize::try_from(index).ok()?));
            if let Some(chosen) = chosen {
                on_show.emit(chosen.clone());
            }
        })
    };
    let workloads = &reading.workloads;
    let several_namespaces =
        workloads.iter().any(|it| Some(&it.namespace) != workloads.first().map(|first| &first.namespace));
    let label = |it: &WorkloadName| {
        let kind = if it.kind == WorkloadKind::Deployment { String::new() } else { format!("{} ", it.kind.name()) };
        let namespace = if several_namespaces { format!("{}/", it.namespace) } else { String::new() };
        format!("{kind}{namespace}{}", it.name)
    };
    let times = StateTimes::of(reading, given_at.as_deref());
    html! {
        <div class="manifest-report">
            // No status: it may change with each key. The page announces its result, or what keeps it from having one.
            <p id={SUMMARY_ID}>{ summary(reading, times, *runs_none) }</p>
            if let Some(times) = times { { view_other_time(times, on_read_at) } }
            if !reading.problems.is_empty() {
                <ul class="line-problems" aria-label="Problems in the text">
                    { for keyed(&reading.problems, problem_name).into_iter().map(view_problem) }
                </ul>
            }
            if workloads.len() > 1 {
                <div class="setting">
                    <label for="shown-workload">{ "Show" }</label>
                    <select id="shown-workload" onchange={on_select}>
                        { for keyed(workloads, workload_name).into_iter().map(|(key, it)| html! {
                            <option key={key} selected={Some(it) == reading.shown.as_ref()}>{ isolated(&label(it)) }</option>
                        }) }
                    </select>
                </div>
            }
            { view_objects(reading) }
        </div>
    }
}

/// The times of the state of a running cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct StateTimes {
    /// From which it goes on.
    chosen: Time,
    /// The latest one in it.
    newest: Time,
    /// When the user gave it, if it may have been read then.
    given: Option<Time>,
}

impl StateTimes {
    /// None for manifests, and for a state without times.
    fn of(reading: &Reading, given_at: Option<&str>) -> Option<Self> {
        let chosen = Time::parse(reading.read_at.as_deref()?)?;
        let newest = Time::parse(reading.newest_time.as_deref()?)?;
        let is_possible = |given: &Time| given.since(newest) >= UNNOTICED && reading_time(newest, *given) == *given;
        Some(Self { chosen, newest, given: given_at.and_then(Time::parse).filter(is_possible) })
    }

    /// How the chosen one relates to the others.
    fn in_words(self) -> String {
        let Self { chosen, newest, given } = self;
        let between = |from: Time, to: Time| Duration(to.since(from)).in_words();
        match given {
            _ if chosen != newest => format!("{} after the latest time in it", between(newest, chosen)),
            Some(given) => format!("the latest time in it, {} before you gave it", between(newest, given)),
            None => String::from("the latest time in it"),
        }
    }

    /// The other time that the user may choose, with the name of the choice.
    fn other(self) -> Option<(Time, &'static str)> {
        let given = self.given?;
        Some(if self.chosen == self.newest {
            (given, "Go on from when you gave it")
        } else {
            (self.newest, "Go on from the latest time in it")
        })
    }
}

/// What can be played, or why nothing can, as a sentence.
fn playable(reading: &Reading) -> Result<&WorkloadName, String> {
    let error_count = errors(reading).count();
    if error_count > 0 {
        return Err(format!("Fix {} before this can be played.", plural_count(error_count, "problem")));
    }
    reading.shown.as_ref().ok_or_else(|| {
        if reading.object_count == 0 {
            return String::from(
                "There are no objects. If kubectl printed this, check its namespace (-n NAME, or -A for all).",
            );
        }
        let objects = plural_count(reading.object_count, "object");
        // Events are not simulated, but say what holds up the pods.
        let others = reading.objects.iter().filter(|object| object.kind != "Event");
        let left_out = others.filter_map(|object| Some((object, object.left_out.as_ref()?)));
        let reason = |(object, why): (&ManifestObject, &String)| format!(" {}: {why}.", kind_and_name(object));
        let reasons: String = left_out.take(NAMED).map(reason).collect();
        format!(
            "{objects}, but no Deployment, StatefulSet, DaemonSet, Job or CronJob: there is nothing to play.{reasons}"
        )
    })
}

/// The first problem that must be fixed before anything can be played, read aloud.
pub fn spoken_error(reading: &Reading) -> Option<String> {
    errors(reading).next().map(spoken_problem)
}

/// Why nothing can be played, read aloud with the first problem.
pub fn spoken_obstacle(reading: &Reading) -> Option<String> {
    let obstacle = playable(reading).err()?;
    Some([Some(obstacle), spoken_error(reading)].into_iter().flatten().collect::<Vec<_>>().join(" "))
}

/// What the text contains, in a sentence or two. `runs_none`: no pod of a Deployment runs before its change.
fn summary(reading: &Reading, times: Option<StateTimes>, runs_none: bool) -> String {
    let shown = match playable(reading) {
        Ok(shown) => shown,
        Err(obstacle) => return obstacle,
    };
    let objects = plural_count(reading.object_count, "object");
    let change = change_sentence(&reading.change);
    let sentence = match &reading.read_at {
        Some(time) => {
            let why = times.map(|times| format!(", {}", times.in_words())).unwrap_or_default();
            format!("{objects}: the state of a cluster at {time}{why}. 0:00: {change}.")
        }
        None if reading.change == ManifestChange::Create => {
            format!("{objects}. 0:00: you create {} {}.", shown.kind.name(), shown.name)
        }
        None if runs_none && shown.kind == WorkloadKind::Deployment => {
            format!("{objects}. No pod of {} is running. 0:00: {change}.", shown.name)
        }
        None if reading.problems.iter().any(|problem| problem.message.contains(UNKNOWN_STATE)) => format!(
            "{objects}, but not the state of {}: as if all of its pods that can run were running. 0:00: {change}.",
            shown.name
        ),
        None => format!("{objects}. All pods of {} that can run are running. 0:00: {change}.", shown.name),
    };
    format!("{sentence}{}", unmodeled(reading))
}

/// The choice of another time. It stays in place, so that the focus does, too.
fn view_other_time(times: StateTimes, on_read_at: &Callback<Time>) -> Html {
    let Some((time, name)) = times.other() else { return Html::default() };
    let onclick = on_read_at.reform(move |_: MouseEvent| time);
    html! { <p class="note"><button type="button" class="link" {onclick}>{ name }</button></p> }
}

/// What must be fixed before anything can be played.
fn errors(reading: &Reading) -> impl Iterator<Item = &LineProblem> {
    reading.problems.iter().filter(|problem| problem.severity == Severity::Error)
}

fn workload_name(workload: &WorkloadName) -> String {
    format!("{} {}/{}", workload.kind.name(), workload.namespace, workload.name)
}

/// The line is not part of the name: a problem stays the same while its line moves.
fn problem_name(problem: &LineProblem) -> String {
    format!("{}: {}", problem.path, problem.message)
}

/// `Rollout web`, or the kind alone of what has no name.
fn kind_and_name(object: &ManifestObject) -> String {
    format!("{} {}", object.kind, object.name).trim_end().to_owned()
}

/// What replaces pods by rules of its own, as further sentences.
fn unmodeled(reading: &Reading) -> String {
    let controllers = reading.objects.iter().filter(|object| ["Canary", "Rollout"].contains(&object.kind.as_str()));
    controllers.take(NAMED).map(|object| format!(" {} is not modeled.", kind_and_name(object))).collect()
}

fn object_name(object: &ManifestObject) -> String {
    format!("{} {}/{}", object.kind, object.namespace, object.name)
}

/// What is wrong, with the path of its field.
fn sentence(problem: &LineProblem) -> String {
    let path = Some(&problem.path).filter(|path| !path.is_empty());
    path.map_or_else(|| problem.message.clone(), |path| format!("{path}: {}", problem.message))
}

/// The line of a problem in the text.
fn line_in_text(problem: &LineProblem) -> Option<usize> {
    problem.line.filter(|_| problem.text == ManifestText::Text)
}

/// Where a problem is that is not in the text.
fn place(problem: &LineProblem) -> String {
    match (problem.text, problem.line) {
        (ManifestText::Before, Some(line)) => format!("What runs now, line {line}: "),
        (ManifestText::Surroundings, _) => String::from("In the controls: "),
        _ => String::new(),
    }
}

/// A problem read aloud.
fn spoken_problem(problem: &LineProblem) -> String {
    let place = line_in_text(problem).map_or_else(|| place(problem), |line| format!("Line {line}: "));
    format!("{place}{}", sentence(problem))
}

fn view_problem((key, problem): (String, &LineProblem)) -> Html {
    html! {
        <li key={key} class={classes!((problem.severity == Severity::Warning).then_some("warning"))}>
            if let Some(line) = line_in_text(problem) {
                { view_line_button(EDITOR_ID, line) }{ ": " }
            }
            { place(problem) }
            if problem.severity == Severity::Warning { { "Warning: " } }
            { view_text(&sentence(problem)) }
        </li>
    }
}

fn view_objects(reading: &Reading) -> Html {
    if reading.objects.is_empty() {
        return Html::default();
    }
    let title = match reading.left_out_count {
        0 => String::from("What the text contains"),
        count => format!("What the text contains ({} not simulated)", group_count(count)),
    };
    let more = reading.object_count.saturating_sub(reading.objects.len());
    html! {
        <details class="manifest-objects">
            <summary>{ title }</summary>
            <ul>
                <>{ for keyed(&reading.objects, object_name).into_iter().map(view_object) }</>
                if more > 0 { <li>{ format!("and {} more", group_count(more)) }</li> }
            </ul>
        </details>
    }
}

fn view_object((key, object): (String, &ManifestObject)) -> Html {
    let kind = if object.kind.is_empty() { "(no kind)" } else { &object.kind };
    html! {
        <li key={key}>
            { view_line_button(EDITOR_ID, object.line) }
            { ": " }{ view_text(kind) }{ " " }<bdi>{ &object.name }</bdi>
            if let Some(why) = &object.left_out { <span class="note">{ format!(" ({why})") }</span> }
        </li>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_a_state_is_named_for_what_it_is() {
        let newest = Time(0);
        let at = |seconds: i64| newest.plus_seconds(seconds);
        for (chosen, given, words, other) in [
            (0, None, "the latest time in it", None),
            (
                0,
                Some(267),
                "the latest time in it, 4 min 27 s before you gave it",
                Some((267, "Go on from when you gave it")),
            ),
            (267, Some(267), "4 min 27 s after the latest time in it", Some((0, "Go on from the latest time in it"))),
            (267, None, "4 min 27 s after the latest time in it", None),
        ] {
            let times = StateTimes { chosen: at(chosen), newest, given: given.map(at) };
            assert_eq!(times.in_words(), words);
            assert_eq!(times.other(), other.map(|(seconds, name)| (at(seconds), name)));
        }
    }

    #[test]
    fn a_problem_is_spoken_with_its_place() {
        let replicas = LineProblem {
            severity: Severity::Error,
            text: ManifestText::Text,
            line: Some(6),
            column: Some(3),
            path: "spec.replicas".into(),
            message: "Invalid value: -4".into(),
        };
        let whole = LineProblem { line: None, path: String::new(), message: "not YAML".into(), ..replicas.clone() };
        let before = LineProblem { text: ManifestText::Before, ..replicas.clone() };
        for (problem, expected) in [
            (&replicas, "Line 6: spec.replicas: Invalid value: -4"),
            (&whole, "not YAML"),
            (&before, "What runs now, line 6: spec.replicas: Invalid value: -4"),
        ] {
            assert_eq!(spoken_problem(problem), expected);
        }
    }
}
