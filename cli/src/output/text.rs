//! Answers for people.

use std::collections::BTreeSet;

use changeover_core::object::Time;
use changeover_core::prediction::{
    JobPrediction, Outcome, PendingPods, QuotaPrediction, ReasonKind, ResourceDemand, VerdictResult,
    WorkloadPrediction, WorstCases,
};

use super::figures::{self, FigureSource, Figures};
use super::phrases::{self, Names, Unended};
use super::picture::{self, Scale};
use super::table::Table;
use crate::finding::{Finding, Job, Workload, pods_that, quota_problems, worst_problems};
use crate::options::AssumptionOptions;
use crate::report::{QuotaStanding, Report};
use crate::style::{Palette, Role, Screen};
use crate::time_format::{clock, length};

/// The most workloads that get a block each; more are a table.
const MAX_BLOCKS: usize = 5;

/// The width of the labels in a block.
const LABEL: usize = 12;

/// The most and the least width of the longest bar in the table.
const TABLE_BAR: usize = 20;
const MIN_TABLE_BAR: usize = 6;

/// A prediction.
pub fn predict(report: &Report<'_>, screen: Screen) -> String {
    let prediction = &report.predicted.prediction;
    let names = Names::of(prediction);
    let page = Page { report, screen, palette: screen.palette, names };
    let mut blocks: Vec<String> = Vec::from([page.verdict()]);
    let (mut active, quiet): (Vec<&Workload<'_>>, Vec<&Workload<'_>>) =
        report.workloads.iter().partition(|workload| report.shows(&workload.object(), workload.is_active()));
    // What is at risk comes first.
    active.sort_by_key(|workload| !report.findings.iter().any(|finding| finding.object == workload.object()));
    if active.len() <= MAX_BLOCKS || report.is_verbose {
        blocks.extend(active.iter().map(|workload| page.workload(workload)));
    } else {
        blocks.push(page.table(&active));
    }
    let (jobs, quiet_jobs): (Vec<&Job<'_>>, Vec<&Job<'_>>) =
        report.jobs.iter().partition(|job| report.shows(&job.object(), job.is_active()));
    blocks.extend(jobs.iter().map(|job| page.job(job)));
    let several = prediction.workloads.len().saturating_add(prediction.jobs.len()) > 1;
    if several && !(active.is_empty() && jobs.is_empty()) {
        blocks.push(page.together());
    }
    // Without pods, everything fits, which would promise too much for what is not modeled.
    if phrases::nothing_predicted(prediction).is_none() {
        // A warning says of the others that they are exceeded already.
        let quotas = prediction.quotas.iter().filter(|quota| report.shows(&quota.object(), true));
        blocks.extend(quotas.map(|quota| page.quota(quota)));
        blocks.extend(page.pending());
    }
    blocks.extend(page.warnings());
    let still = quiet.iter().map(|workload| (&workload.prediction.namespace, &workload.prediction.name));
    let still_jobs = quiet_jobs.iter().map(|job| (&job.prediction.namespace, &job.prediction.name));
    blocks.push(page.end(&still.chain(still_jobs).collect::<Vec<_>>()));
    blocks.join("\n")
}

/// What the parts of a prediction have in common.
#[derive(Clone, Copy)]
struct Page<'a> {
    report: &'a Report<'a>,
    screen: Screen,
    palette: Palette,
    names: Names,
}

impl Page<'_> {
    /// The verdict, with what is found.
    fn verdict(self) -> String {
        let role = match self.report.verdict.result {
            VerdictResult::Fits => Role::Good,
            VerdictResult::DoesNotFit => Role::Bad,
            VerdictResult::NotJudged => Role::Warning,
        };
        let verdict = phrases::marked_verdict(self.report);
        let mut block = format!("{}\n", self.screen.wrap(&self.palette.paint(role, &verdict), 2));
        // The verdict may say the same.
        let is_new = |finding: &&Finding| !verdict.contains(finding.message.trim_end_matches('.'));
        let found = self.report.findings.iter().filter(is_new);
        let found = found.map(|finding| (finding.object.as_str(), finding.message.as_str()));
        for (about, message) in self.by_message(found) {
            let about = if about.is_empty() { about } else { format!("{about}: ") };
            block.push_str(&format!("{}\n", self.screen.wrap(&format!("  {about}{message}"), 4)));
        }
        if let Some(command) = self.report.advice {
            block.push_str(&format!("Find settings that fit: {command}\n"));
        }
        if let Some(command) = self.report.explanation {
            block.push_str(&format!("See what blocks it: {command}\n"));
        }
        block
    }

    /// Adds a row whose label has this width.
    fn row(self, block: &mut String, width: usize, label: &str, text: &str) {
        let row = self.screen.wrap(&format!("  {label:<width$} {text}"), width.saturating_add(3));
        block.push_str(&format!("{row}\n"));
    }

    /// Adds rows with one label, at the first of them.
    fn rows(self, block: &mut String, width: usize, label: &str, texts: impl IntoIterator<Item = String>) {
        for (index, text) in texts.into_iter().enumerate() {
            self.row(block, width, if index == 0 { label } else { "" }, &text);
        }
    }

    fn heading(self, workload: &Workload<'_>) -> String {
        let name = self.names.workload(workload.prediction);
        let mut change = phrases::change_or_state(workload);
        let length = name.chars().count().saturating_add(change.chars().count());
        if length.saturating_add(2) > self.screen.width && !self.report.is_verbose {
            change = phrases::change_in_short(workload).unwrap_or(change);
        }
        let heading = format!("{}  {change}", self.palette.paint(Role::Heading, &name));
        format!("{}\n", self.screen.wrap(&heading, 2))
    }

    /// What becomes of a Deployment: six lines, or everything.
    fn workload(self, workload: &Workload<'_>) -> String {
        let WorkloadPrediction { outcome: today, proposed, with_quotas, ranges, worst, not_explored, change, .. } =
            workload.prediction;
        let (before, after) = workload.desired();
        let desired = if before == after { before.to_string() } else { format!("{before} → {after}") };
        let unended = self.unended(workload);
        let mut block = self.heading(workload);
        let width = self.label_width(&today.resources);
        if change.as_ref().is_some_and(|change| change.deleted) {
            self.row(&mut block, width, "pods", &at_most(today));
            self.resources(&mut block, width, &today.resources);
            self.row(&mut block, width, "time", &phrases::pods_gone(today));
            return block;
        }
        let most = format!("{desired} desired, {}{}", at_most(today), self.above_limit(workload));
        self.row(&mut block, width, "pods", &most);
        self.resources(&mut block, width, &today.resources);
        let allowed = change.as_ref().filter(|change| change.rollout && !change.created);
        let allowed =
            allowed.map_or_else(String::new, |change| format!(" (the strategy allows {})", change.min_available));
        self.row(&mut block, width, "available", &format!("at least {}{allowed}", today.lowest_available));
        // A scaling down is complete at once.
        let is_at_once = |time: Option<i64>| time.is_some_and(|time| time < Time::SECOND);
        if !(is_at_once(today.complete) && is_at_once(today.last_old_pod_gone)) {
            self.row(&mut block, width, "time", &phrases::times(today, unended));
        }
        if let Some(ranges) = ranges {
            self.row(&mut block, width, &format!("{} runs", ranges.runs), &phrases::ranges(ranges, unended));
        }
        let limited = visibly_other(with_quotas.as_ref(), today);
        if let Some(limited) = limited {
            self.row(&mut block, width, "with quotas", &phrases::outcome(limited, unended));
        }
        if let Some(proposed) = visibly_other(proposed.as_ref(), today) {
            self.row(&mut block, width, "proposed", &self.proposed(&phrases::outcome(proposed, unended)));
        }
        if let Some(worst) = worst {
            self.worst(&mut block, width, worst);
        }
        if let Some(why) = not_explored {
            self.row(&mut block, width, "worst", &phrases::not_explored(*why));
        }
        if self.report.is_verbose {
            let lines = picture::lines(workload.series, self.start(), self.palette, self.columns());
            block.push_str(&picture_block(&lines, with_quotas.is_some()));
        } else if limited.is_none() {
            let peak = picture::line_of_peak(workload.series, self.start(), self.palette, self.columns());
            block.extend(peak.map(|line| format!("  {line}\n")));
        }
        block
    }

    /// What is known of a workload's rollout that is not complete when its simulation ends.
    fn unended(self, workload: &Workload<'_>) -> Unended {
        Unended::rollout(&self.report.predicted.prediction, &workload.object())
    }

    fn figures(self, workload: &Workload<'_>) -> Vec<Figures> {
        Figures::of_workload(workload.prediction, self.unended(workload))
    }

    /// Why a Deployment has more pods than its limit, as the end of a row: `, 5 terminating (limit 13)`.
    fn above_limit(self, workload: &Workload<'_>) -> String {
        let Some(change) = &workload.prediction.change else { return String::new() };
        let points = &workload.series.points;
        // Of equal moments the first one, as in the picture.
        let peak = points.iter().rev().max_by_key(|point| point.counts.holding());
        let terminating = peak.map_or(0, |point| point.counts.terminating);
        match terminating {
            _ if workload.prediction.outcome.peak <= change.limit => String::new(),
            0 => format!(" (limit {})", change.limit),
            _ => format!(", {terminating} terminating (limit {})", change.limit),
        }
    }

    /// Adds the demand of each resource, if everything is asked for: what limits it has a block of its own.
    fn resources(self, block: &mut String, width: usize, resources: &[ResourceDemand]) {
        for resource in resources.iter().filter(|_| self.report.is_verbose) {
            self.row(block, width, &resource.resource, &resource_demand(resource));
        }
    }

    /// The width of the labels of a block, which may have a row for each of these resources.
    fn label_width(self, resources: &[ResourceDemand]) -> usize {
        let resources = if self.report.is_verbose { resources } else { &[] };
        widest(resources.iter().map(|demand| &demand.resource))
    }

    /// Adds the worst of all orders of events, and the orders that lead to it.
    fn worst(self, block: &mut String, width: usize, worst: &WorstCases) {
        self.row(block, width, "worst", &phrases::worst(&worst.outcome));
        self.rows(block, width, "", phrases::longest(&worst.outcome));
        let proposed = worst.proposed.as_ref();
        if let Some(proposed) = proposed {
            self.row(block, width, "", &self.proposed(&phrases::worst(proposed)));
            self.rows(block, width, "", phrases::longest(proposed));
        }
        let all = [("", Some(&worst.outcome)), (" (proposed)", proposed)];
        for (policy, worst) in all.into_iter().filter(|_| self.report.is_verbose) {
            for (number, steps) in worst.into_iter().flat_map(phrases::orders) {
                block.push_str(&format!("\n  One order that leads to {number}{policy}:\n"));
                for (index, step) in steps.iter().enumerate() {
                    self.row(block, 4, &format!("{:>3}.", index.saturating_add(1)), step);
                }
            }
        }
    }

    /// The width of a picture, which is indented.
    const fn columns(self) -> usize {
        self.screen.width.saturating_sub(2)
    }

    /// The time of the change.
    fn start(self) -> Time {
        self.report.predicted.today.scenario.start
    }

    /// What a proposed outcome is, with what it comes from.
    fn proposed(self, outcome: &str) -> String {
        format!("{outcome} {}", self.palette.paint(Role::Aside, &format!("({})", phrases::PROPOSED)))
    }

    fn job(self, job: &Job<'_>) -> String {
        let JobPrediction { namespace, name, outcome: today, other_policy, with_quotas, .. } = job.prediction;
        let title = format!("Job {}", self.names.name(namespace, name));
        let change = phrases::job_change_or_state(job.prediction);
        let unended = Unended::job(&self.report.predicted.prediction, &job.object());
        let mut block = format!("{}  {change}\n", self.palette.paint(Role::Heading, &title));
        let width = self.label_width(&today.resources);
        self.row(&mut block, width, "pods", &format!("at most {}{}", today.peak, at(today.peak_at)));
        self.resources(&mut block, width, &today.resources);
        if job.prediction.change.as_ref().is_none_or(|change| !change.deleted) {
            self.row(&mut block, width, "time", &phrases::job_result(today, unended));
        }
        if let Some(limited) = with_quotas {
            self.row(&mut block, width, "with quotas", &phrases::job_outcome(limited, unended));
        }
        if let Some(other) = other_policy.as_ref().filter(|_| self.report.is_verbose) {
            let which = self.palette.paint(Role::Aside, "(the other podReplacementPolicy)");
            self.row(&mut block, width, "otherwise", &format!("{} {which}", phrases::job_outcome(other, unended)));
        }
        if self.report.is_verbose {
            let lines = picture::job_lines(job.series, self.start(), self.palette, self.columns());
            block.push_str(&picture_block(&lines, with_quotas.is_some()));
        }
        block
    }

    /// The Deployments as rows. Where the terminal is too narrow, the bars are shorter or left out, and then what the pods request.
    fn table(self, workloads: &[&Workload<'_>]) -> String {
        let rows: Vec<(&Workload<'_>, Vec<Figures>)> =
            workloads.iter().map(|workload| (*workload, self.figures(workload))).collect();
        let all = rows.iter().flat_map(|(_, rows)| rows);
        let resources = figures::resources(all.clone());
        let without_bars = self.table_of(&rows, &resources, 0);
        let table = match self.screen.width.checked_sub(without_bars.width()) {
            None => self.table_of(&rows, &BTreeSet::new(), 0),
            Some(room) if room < MIN_TABLE_BAR => without_bars,
            Some(room) => self.table_of(&rows, &resources, room.min(TABLE_BAR)),
        };
        let mut lines = table.lines_within(self.screen.width).into_iter();
        let heading = lines.next().map(|line| self.palette.paint(Role::Heading, &line));
        let sources: Vec<FigureSource> = all.map(|row| row.source).collect();
        let aside = |sentence: String| self.screen.wrap(&self.palette.paint(Role::Aside, &sentence), 2);
        let legend = figures::legend(&sources).into_iter().map(aside);
        heading.into_iter().chain(lines).chain(legend).map(|line| format!("{line}\n")).collect()
    }

    /// A table of these rows, with columns for these resources, and bars of at most this width.
    fn table_of(self, rows: &[(&Workload<'_>, Vec<Figures>)], resources: &BTreeSet<String>, bar_width: usize) -> Table {
        let names = resources.iter().map(String::as_str);
        let headings = ["Deployment", "pods", "at most", "limit"].into_iter().chain(names);
        // The last column is aligned to the left.
        let mut table = Table::new(headings.chain(["available", "complete", "old gone", ""]));
        let peak = rows.iter().map(|(workload, _)| workload.series.peak()).max().unwrap_or(0);
        let scale = Scale::new(peak, i32::try_from(bar_width).unwrap_or(i32::MAX));
        for (workload, figures) in rows {
            for row in figures {
                let [name, pods, limit, bar] = if row.source == FigureSource::Today {
                    self.own_cells(workload, scale)
                } else {
                    [format!("  {}", row.source.label()), String::new(), String::new(), String::new()]
                };
                let Figures { pods: at_most, available, complete, last_old_pod_gone, .. } = row;
                let before = [name, pods, at_most.clone(), limit].into_iter().chain(row.requests(resources));
                let after = [available, complete, last_old_pod_gone].map(String::clone);
                table.push(before.chain(after).chain([if bar_width > 0 { bar } else { String::new() }]));
            }
        }
        table
    }

    /// What only the first row of a Deployment has: its name, its desired pods, their limit, and a bar of the most pods.
    fn own_cells(self, workload: &Workload<'_>, scale: Scale) -> [String; 4] {
        let WorkloadPrediction { change, .. } = workload.prediction;
        let (before, desired) = workload.desired();
        let pods = if before == desired { desired.to_string() } else { format!("{before} → {desired}") };
        let peak = workload.series.points.iter().max_by_key(|point| point.counts.holding());
        [
            self.names.workload(workload.prediction),
            pods,
            change.as_ref().map_or_else(String::new, |change| change.limit.to_string()),
            peak.map_or_else(String::new, |point| scale.bar(&point.counts, self.palette)),
        ]
    }

    fn together(self) -> String {
        let prediction = &self.report.predicted.prediction;
        let together = &prediction.total;
        let title = phrases::together(prediction);
        let mut block = format!("{}\n", self.palette.paint(Role::Heading, &title));
        let width = self.label_width(&together.outcome.resources);
        self.row(&mut block, width, "pods", &at_most(&together.outcome));
        self.resources(&mut block, width, &together.outcome.resources);
        self.row(&mut block, width, "available", &format!("at least {}", together.outcome.lowest_available));
        let unended = Unended::together(prediction);
        self.row(&mut block, width, "time", &phrases::times(&together.outcome, unended));
        if let Some(ranges) = &together.ranges {
            self.row(&mut block, width, &format!("{} runs", ranges.runs), &phrases::ranges(ranges, unended));
        }
        if let Some(limited) = &together.with_quotas {
            self.row(&mut block, width, "with quotas", &phrases::outcome(limited, unended));
        }
        if let Some(proposed) = &together.proposed {
            self.row(&mut block, width, "proposed", &self.proposed(&phrases::outcome(proposed, unended)));
        }
        block
    }

    fn quota(self, quota: &QuotaPrediction) -> String {
        let title = format!("ResourceQuota {}", self.names.name(&quota.namespace, &quota.name));
        let verdict = match self.report.standing(quota) {
            QuotaStanding::PartlyCounted => (Role::Warning, "fits by what is modeled"),
            QuotaStanding::Fits => (Role::Good, "✓ fits"),
            QuotaStanding::Unmatched => (Role::Warning, "no object that runs pods is in its namespace"),
            QuotaStanding::ExceededAlready => (Role::Warning, "is exceeded with or without the change"),
            QuotaStanding::Exceeded => (Role::Bad, "✗ does not fit"),
        };
        let mut block =
            format!("{}  {}\n", self.palette.paint(Role::Heading, &title), self.palette.paint(verdict.0, verdict.1));
        if let Some(others) = phrases::used_by_others(quota) {
            self.row(&mut block, LABEL, "others", &others);
        }
        let is_said = |problem: &String| self.report.findings.iter().any(|finding| finding.message.contains(problem));
        for problem in quota_problems(quota).into_iter().filter(|problem| self.report.is_verbose || !is_said(problem)) {
            self.row(&mut block, LABEL, "demand", &problem);
        }
        if let Some(refusals) = &quota.refusals {
            let (first, last) = (clock(refusals.first), clock(refusals.last));
            let when = if first == last { format!("at {first}") } else { format!("from {first} to {last}") };
            let wait = if refusals.given_up {
                "; not tried again until something changes".to_owned()
            } else if refusals.longest_wait > 0 {
                format!("; the next try comes after up to {}", length(refusals.longest_wait))
            } else {
                String::new()
            };
            let times =
                if refusals.count == 1 { "1 request".to_owned() } else { format!("{} requests", refusals.count) };
            self.row(&mut block, LABEL, "refused", &format!("{times} {when}{wait}"));
            self.row(&mut block, LABEL, "", &refusals.message);
        }
        if let Some(fit) = quota.fits_in_runs {
            let runs = self.report.predicted.prediction.assumptions.runs;
            self.row(&mut block, LABEL, "runs", &format!("fits in {fit} of {runs}"));
        }
        if let Some(worst) = &quota.worst {
            let problems = worst_problems(worst);
            let fits = problems.is_empty().then(|| "fits in every order".to_owned());
            self.rows(&mut block, LABEL, "worst", problems.into_iter().chain(fits));
        }
        if let Some(why) = phrases::worst_not_known(quota, self.names) {
            self.row(&mut block, LABEL, "worst", &why);
        }
        if let Some(proposed) = &quota.proposed {
            let verdict = if proposed.fits { "fits" } else { "does not fit either" };
            self.row(&mut block, LABEL, "proposed", &self.proposed(verdict));
        }
        block
    }

    fn pending(self) -> Option<String> {
        let prediction = &self.report.predicted.prediction;
        let pending = prediction.pending.as_ref()?;
        let title = self.palette.paint(Role::Heading, "nodes");
        if pending.is_empty() {
            let mut reasons = self.report.verdict.reasons.iter();
            let decides = reasons.any(|reason| {
                use ReasonKind::{CutShort, NotModeledField, NotModeledWorkload, NotRead};
                matches!(reason.kind, CutShort | NotModeledField | NotModeledWorkload | NotRead)
            });
            let is_by_choice = self.report.verdict.reasons.iter().any(|reason| reason.kind == ReasonKind::Pending);
            let (role, words) = match (is_by_choice, decides) {
                (true, _) => (Role::Warning, "with others of equally good nodes, pods find none"),
                (false, false) => (Role::Good, "✓ every pod finds one"),
                (false, true) => (Role::Warning, "every pod finds one by what is modeled"),
            };
            return Some(format!("{title}  {}\n", self.palette.paint(role, words)));
        }
        let mut block = format!("{title}\n");
        let name = |pods: &PendingPods| self.names.name_of(&pods.workload);
        let names: Vec<String> = pending.iter().map(name).collect();
        let width = widest(names.iter());
        for (PendingPods { most, stay, at, message, .. }, name) in pending.iter().zip(&names) {
            let stay = match stay {
                0 => " until others are gone".to_owned(),
                stay if stay == most => " for good".to_owned(),
                stay => format!(", {stay} of them for good"),
            };
            let waiting = pods_that(*most, "waits", "wait");
            self.row(&mut block, width, name, &format!("{waiting} from {}{stay}: {message}", clock(*at)));
        }
        Some(block)
    }

    fn warnings(self) -> Option<String> {
        let said = self.report.other_warnings().map(|warning| (warning.object.as_str(), warning.message.as_str()));
        let warnings = self.by_message(said);
        let line = |(about, message): (String, &str)| {
            let mark = self.palette.paint(Role::Warning, "!");
            // It may end with a command.
            let parts = message.rsplit_once(": ").filter(|(_, end)| end.contains(" explain "));
            let (message, command) = parts.map_or((message, None), |(text, end)| (text, Some(end)));
            format!("{}\n", self.screen.wrap_with_command(&format!("{mark} {about}: {message}"), command, 2))
        };
        (!warnings.is_empty()).then(|| warnings.into_iter().map(line).collect())
    }

    /// Each message once; with everything, once for each object.
    fn by_message<'a>(self, said: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<(String, &'a str)> {
        if self.report.is_verbose {
            return said.map(|(object, message)| (self.names.object(object), message)).collect();
        }
        phrases::by_message(said, self.names)
    }

    /// What did not change, what was not played, and what is assumed.
    fn end(self, quiet: &[(&String, &String)]) -> String {
        let prediction = &self.report.predicted.prediction;
        let nothing = phrases::nothing_predicted(prediction);
        let is_quiet = quiet.len() == self.report.workloads.len().saturating_add(prediction.jobs.len());
        let unchanged = if nothing.is_none() && is_quiet {
            let has = |kind: ReasonKind| self.report.verdict.reasons.iter().any(|reason| reason.kind == kind);
            let others_change = has(ReasonKind::NotModeledWorkload) || has(ReasonKind::RemovedWorkload);
            let unchanged = if others_change || phrases::runs_others(prediction) {
                "No Deployment, no StatefulSet and no Job changes."
            } else if has(ReasonKind::NotRead) {
                "Nothing else changes."
            } else {
                "Nothing changes."
            };
            Some(unchanged.to_owned())
        } else {
            self.unchanged(quiet)
        };
        let cut = prediction.why_cut_short().map(|cut| self.palette.paint(Role::Warning, &cut));
        let only_in_old = phrases::only_in_old(prediction);
        let lines = [unchanged, only_in_old, phrases::estimates(prediction), phrases::not_modeled(prediction), cut];
        let lines = lines.into_iter().flatten().chain([self.palette.paint(Role::Aside, &self.assumed())]);
        lines.map(|line| format!("{}\n", self.screen.wrap(&line, 2))).collect()
    }

    /// Which workloads nothing happens to, or how many there are; none without any.
    fn unchanged(self, quiet: &[(&String, &String)]) -> Option<String> {
        const NAMED: usize = 5;
        let named = if self.report.is_verbose { quiet.len() } else { NAMED };
        let names = quiet.iter().take(named).map(|(namespace, name)| self.names.name(namespace, name));
        let names = names.collect::<Vec<_>>().join(", ");
        match quiet.len().saturating_sub(named) {
            0 => (!quiet.is_empty()).then(|| format!("Unchanged: {names}")),
            more => Some(format!("Unchanged: {names} and {more} more")),
        }
    }

    fn assumed(self) -> String {
        let prediction = &self.report.predicted.prediction;
        if !self.report.is_verbose {
            return AssumptionOptions::describe_briefly(&prediction.assumed);
        }
        let is_changed = prediction.workloads.iter().any(|workload| workload.change.is_some());
        let flags = [
            ("--run-for", !prediction.jobs.is_empty()),
            ("--concurrent", is_changed),
            ("-A", self.report.misses_pods_of_nodes),
        ];
        let flags: Vec<&str> = flags.into_iter().filter(|(_, matters)| *matters).map(|(flag, _)| flag).collect();
        self.report.assumptions.describe(&prediction.assumed, &flags)
    }
}

/// Another outcome, if it does not read the same.
fn visibly_other<'a>(other: Option<&'a Outcome>, today: &Outcome) -> Option<&'a Outcome> {
    other.filter(|other| phrases::outcome(other, Unended::Never) != phrases::outcome(today, Unended::Never))
}

/// The picture below a block; empty if the picture has at most one line.
fn picture_block(lines: &[String], is_without_quotas: bool) -> String {
    if lines.len() <= 1 {
        return String::new();
    }
    let title = if is_without_quotas { "  without the quotas:\n" } else { "" };
    let lines: String = lines.iter().map(|line| format!("  {line}\n")).collect();
    format!("\n{title}{lines}")
}

/// The width of labels that may be longer than those of a block.
fn widest<'a>(labels: impl Iterator<Item = &'a String>) -> usize {
    labels.map(|label| label.chars().count()).fold(LABEL, usize::max)
}

/// ` at 0:11`, unless it is at once.
fn at(nanos: i64) -> String {
    if nanos < Time::SECOND { String::new() } else { format!(" at {}", clock(nanos)) }
}

/// `at most 20 at 0:05`
fn at_most(outcome: &Outcome) -> String {
    let at = at(outcome.peak_at);
    format!("at most {}{at}", outcome.peak)
}

/// `5, at most 10 at 0:05, 6 at the end`
fn resource_demand(demand: &ResourceDemand) -> String {
    let ResourceDemand { before, peak, peak_at, after, .. } = demand;
    let at = at(*peak_at);
    let end = if before == after { String::new() } else { format!(", {after} at the end") };
    format!("{before} before, at most {peak}{at}{end}")
}
