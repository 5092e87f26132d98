//! Which settings have an effect, depending on their origin.

use changeover_wire::{MAX_OTHER_DEPLOYMENTS, PreStopHooks, Reading};

use super::{Field, OPTIONAL_PATHS, Settings};

/// The origin of the settings. It decides which of them have an effect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SettingsOrigin {
    /// From the settings.
    #[default]
    Settings,
    /// From manifests.
    Manifests(YamlContent),
    /// From the state of a running cluster.
    LiveState(YamlContent),
}

/// What is in the YAML beside the rollout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct YamlContent {
    /// The nodes.
    pub has_nodes: bool,
    /// Whether the rollout has a new version; the pods of an old one in a cluster have their own times.
    pub has_new_version: bool,
    /// Whether its pods tell how long new ones take to start.
    pub has_measured_start: bool,
    /// Whether an autoscaler decides the replicas of a Deployment.
    pub has_autoscaled_replicas: bool,
    /// How many other Deployments.
    pub others: usize,
    /// Whether it says how long every preStop hook takes.
    pub has_pre_stop: bool,
    /// Which of [`OPTIONAL_PATHS`] no control can change in it; all are false as long as no workload can be read.
    pub uncontrolled: [bool; OPTIONAL_PATHS.len()],
}

impl YamlContent {
    fn of(reading: &Reading) -> Self {
        let is_known = |hooks: PreStopHooks| hooks.sleep.is_some() && !hooks.has_others;
        let is_missing = |path: &str| !reading.fields.iter().any(|field| field.path == path);
        Self {
            has_nodes: reading.has_nodes,
            has_new_version: reading.new_revision.is_some(),
            has_measured_start: reading.measured_start.is_some(),
            has_autoscaled_replicas: reading.has_autoscaled_replicas,
            others: reading.other_deployments.len(),
            has_pre_stop: reading.pre_stop_hooks.is_some_and(is_known),
            uncontrolled: OPTIONAL_PATHS.map(|(path, _)| reading.shown.is_some() && is_missing(path)),
        }
    }

    /// Whether a control can write a setting into it.
    fn has_control(&self, field: Field) -> bool {
        OPTIONAL_PATHS.iter().zip(self.uncontrolled).any(|((_, of), is_uncontrolled)| *of == field && !is_uncontrolled)
    }
}

impl SettingsOrigin {
    /// That of the user's own manifests.
    pub fn of_manifests(reading: Option<&Reading>) -> Self {
        let content = reading.map(YamlContent::of).unwrap_or_default();
        if reading.is_some_and(|reading| reading.read_at.is_some()) {
            Self::LiveState(content)
        } else {
            Self::Manifests(content)
        }
    }

    /// Why a setting has no effect; none if it has one.
    pub fn reason_against(self, field: Field, settings: &Settings) -> Option<&'static str> {
        let (content, is_live) = match self {
            Self::Settings if field.is_of_others() && settings.text(Field::OtherPods).trim().is_empty() => {
                return Some("This applies to other Deployments. Enter their pods first.");
            }
            Self::Settings => return None,
            Self::Manifests(content) => (content, false),
            Self::LiveState(content) => (content, true),
        };
        match field {
            _ if field.is_in_manifests() && !content.has_control(field) => Some(field.source_in_manifests()),
            _ if (field.is_of_others() || field == Field::OtherPods) && content.others == 0 => {
                Some("There is no other Deployment in the YAML. Add one there.")
            }
            Field::OtherPods if is_live || content.others > MAX_OTHER_DEPLOYMENTS => Some(field.source_in_manifests()),
            _ if field.is_of_nodes() && is_live && !content.has_nodes => {
                Some("The pods in your cluster already run on nodes. To change the nodes, add them to the YAML.")
            }
            Field::Nodes if content.has_nodes && is_live => Some("The nodes are in the YAML."),
            Field::Nodes if content.has_nodes && !content.has_control(field) => Some(field.source_in_manifests()),
            _ if field.is_of_nodes()
                && content.has_nodes
                && field != Field::AutoscalerStartup
                && (is_live || !content.has_control(field))
                && !settings.has_autoscaler() =>
            {
                Some("The nodes come from the YAML. This applies only to nodes that an autoscaler adds.")
            }
            // What was typed before the YAML was there applies until it is deleted.
            Field::PreStop
                if content.has_pre_stop && !content.has_control(field) && settings.text(field).trim().is_empty() =>
            {
                Some(field.source_in_manifests())
            }
            _ if is_live && field.is_of_new_version() && !content.has_new_version => {
                Some("This applies to a new version. Change the image in your YAML first.")
            }
            _ => None,
        }
    }

    /// What else there is to know about a setting that has an effect.
    pub fn hint(self, field: Field) -> Option<&'static str> {
        let (Self::Manifests(content) | Self::LiveState(content)) = self else { return None };
        match field {
            _ if self.is_measured(field) => {
                Some("applies once you change it: until then, new pods take as long as your running pods took")
            }
            Field::PreStop if content.has_control(field) => Some(
                "how many whole seconds the preStop hook sleeps, as part of the grace period; written to each container with such a hook, \
                 or to all if none has one. The longest sleep counts.",
            ),
            Field::PreStop if content.has_pre_stop => {
                Some("applies instead of the hook in your YAML, and is not written there")
            }
            Field::PreStop => Some("part of the grace period, before SIGTERM; not written to your YAML"),
            Field::Nodes if !content.has_control(field) => Some("assumed, and not written to your YAML"),
            Field::Nodes if content.has_nodes => Some("Nodes in your YAML: a smaller number removes the last ones"),
            Field::Nodes => Some("assumed; if you change it, Nodes are added to your YAML"),
            _ => None,
        }
    }

    /// Whether the pods of a running cluster say something else than a setting that the user has not changed.
    pub fn is_measured(self, field: Field) -> bool {
        match self {
            Self::Settings => false,
            Self::Manifests(content) | Self::LiveState(content) => {
                field == Field::ReadyAfter && content.has_measured_start
            }
        }
    }

    /// Whether an autoscaler decides the replicas that the YAML leaves out.
    pub fn has_autoscaled_replicas(self) -> bool {
        match self {
            Self::Settings => false,
            Self::Manifests(content) | Self::LiveState(content) => content.has_autoscaled_replicas,
        }
    }

    /// Whether the control of a setting writes it into the YAML.
    pub fn is_written(self, field: Field) -> bool {
        match self {
            Self::Settings => false,
            Self::Manifests(content) | Self::LiveState(content) => content.has_control(field),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_that_manifests_decide_names_what_decides_it() {
        let content = YamlContent { uncontrolled: [true; OPTIONAL_PATHS.len()], ..YamlContent::default() };
        let scope = SettingsOrigin::Manifests(content);
        for field in Field::ALL.into_iter().filter(|field| field.is_in_manifests()) {
            let reason = scope.reason_against(field, &Settings::default());
            assert!(reason.is_some_and(|reason| reason.contains("your YAML")), "{field:?}: {reason:?}");
        }
    }

    #[test]
    fn a_setting_with_several_paths_needs_one_of_them() {
        let mut content = YamlContent { uncontrolled: [true; OPTIONAL_PATHS.len()], ..YamlContent::default() };
        let is_delay = |(_, field): &(&str, Field)| *field == Field::ProbeDelay;
        let last = OPTIONAL_PATHS.iter().rposition(is_delay).unwrap();
        content.uncontrolled[last] = false;
        let has_effect =
            |field| SettingsOrigin::Manifests(content).reason_against(field, &Settings::default()).is_none();
        assert_eq!([Field::ProbeDelay, Field::ProbePeriod].map(has_effect), [true, false]);
    }

    #[test]
    fn settings_have_an_effect_where_manifests_and_clusters_leave_it_open() {
        let [little, much] = [false, true].map(|is_there| YamlContent {
            has_nodes: is_there,
            has_new_version: is_there,
            has_measured_start: is_there,
            has_autoscaled_replicas: is_there,
            others: usize::from(is_there),
            has_pre_stop: is_there,
            uncontrolled: [is_there; OPTIONAL_PATHS.len()],
        });
        let scopes = [
            SettingsOrigin::Settings,
            SettingsOrigin::Manifests(little),
            SettingsOrigin::Manifests(much),
            SettingsOrigin::LiveState(little),
            SettingsOrigin::LiveState(much),
        ];
        let mut settings = Settings::default();
        let has_effect =
            |field, settings: &Settings| scopes.map(|scope| u8::from(scope.reason_against(field, settings).is_none()));
        for (field, expected) in [
            (Field::Replicas, [1, 1, 1, 1, 1]),
            (Field::SecondRollout, [1, 1, 1, 1, 1]),
            (Field::QuotaPods, [1, 1, 0, 1, 0]),
            (Field::ProbeDelay, [1, 1, 0, 1, 0]),
            (Field::Nodes, [1, 1, 0, 0, 0]),
            (Field::AutoscalerStartup, [1, 1, 1, 0, 1]),
            (Field::NodeCpu, [1, 1, 0, 0, 0]),
            (Field::CrashAfter, [1, 1, 1, 0, 1]),
            (Field::OtherPods, [1, 0, 1, 0, 0]),
            (Field::OtherCpu, [0, 0, 0, 0, 0]),
            (Field::OtherRollout, [0, 0, 1, 0, 1]),
            (Field::PreStop, [1, 1, 0, 1, 0]),
        ] {
            assert_eq!(has_effect(field, &settings), expected, "{field:?}");
        }
        // Equal nodes of manifests can be changed.
        let equal = YamlContent { has_nodes: true, ..YamlContent::default() };
        for (field, expected) in
            [(Field::Nodes, [true, false]), (Field::NodeCpu, [true, false]), (Field::AutoscalerStartup, [true, true])]
        {
            let scopes = [SettingsOrigin::Manifests(equal), SettingsOrigin::LiveState(equal)];
            let has_effect = scopes.map(|scope| scope.reason_against(field, &settings).is_none());
            assert_eq!(has_effect, expected, "{field:?}");
        }
        settings.set_text(Field::OtherPods, String::from("5"));
        assert_eq!(has_effect(Field::OtherCpu, &settings), [1, 0, 0, 0, 0]);
        assert_eq!(has_effect(Field::OtherRollout, &settings), [1, 0, 1, 0, 1]);
        settings.set_text(Field::AutoscalerStartup, String::from("60"));
        assert_eq!(has_effect(Field::NodeCpu, &settings), [1, 1, 1, 0, 1]);
        settings.set_text(Field::PreStop, String::from("8"));
        assert_eq!(has_effect(Field::PreStop, &settings), [1, 1, 1, 1, 1]);
        let hints =
            |field: Field, text: &str| scopes.map(|scope| scope.hint(field).is_some_and(|hint| hint.contains(text)));
        assert_eq!(hints(Field::PreStop, "instead of"), [false, false, true, false, true]);
        assert_eq!(hints(Field::PreStop, "written to each"), [false, true, false, true, false]);
        assert_eq!(hints(Field::Nodes, "are added"), [false, true, false, true, false]);
        assert_eq!(hints(Field::ReadyAfter, "once you change it"), [false, false, true, false, true]);
        assert_eq!(hints(Field::NewReadyAfter, "once you change it"), [false; 5]);
    }
}
