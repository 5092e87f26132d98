//! Which settings have an effect, depending on where the rollout comes from.

use changeover_wire::Reading;

use super::{Field, Settings};

/// Where the rollout comes from, which decides what its settings can say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SettingsScope {
    /// From the settings.
    #[default]
    Settings,
    /// From manifests. They may have the nodes.
    Manifests { has_nodes: bool },
    /// From the state of a running cluster. It may have the nodes.
    LiveState { has_nodes: bool },
}

impl SettingsScope {
    /// That of the user's own manifests.
    pub fn of_manifests(reading: Option<&Reading>) -> Self {
        let has_nodes = reading.is_some_and(|reading| reading.has_nodes);
        if reading.is_some_and(|reading| reading.read_at.is_some()) {
            Self::LiveState { has_nodes }
        } else {
            Self::Manifests { has_nodes }
        }
    }

    /// Why a setting has no effect; none if it has one.
    pub fn reason_against(self, field: Field, settings: &Settings) -> Option<&'static str> {
        if self == Self::Settings {
            return None;
        }
        let is_live = matches!(self, Self::LiveState { .. });
        match (self, field) {
            _ if field.is_in_manifests() => Some(field.source_in_manifests()),
            (Self::LiveState { has_nodes: false }, _) if field.is_of_nodes() => {
                Some("The pods in your cluster already run on nodes. To change the nodes, add them to the YAML.")
            }
            (Self::Manifests { has_nodes: true } | Self::LiveState { has_nodes: true }, Field::Nodes) => {
                Some("The nodes are in the YAML.")
            }
            (Self::Manifests { has_nodes: true } | Self::LiveState { has_nodes: true }, _)
                if field.is_of_nodes() && field != Field::AutoscalerStartup && !settings.has_autoscaler() =>
            {
                Some("The nodes come from the YAML. This applies only to nodes that an autoscaler adds.")
            }
            _ if is_live && field.is_of_new_version() => Some("The state of the pods in your cluster decides this."),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_that_manifests_decide_names_what_decides_it() {
        let scope = SettingsScope::Manifests { has_nodes: false };
        for field in Field::ALL.into_iter().filter(|field| field.is_in_manifests()) {
            let reason = scope.reason_against(field, &Settings::default());
            assert!(reason.is_some_and(|reason| reason.contains("your YAML")), "{field:?}: {reason:?}");
        }
    }

    #[test]
    fn settings_say_what_manifests_and_clusters_do_not() {
        let scopes = [
            SettingsScope::Settings,
            SettingsScope::Manifests { has_nodes: false },
            SettingsScope::Manifests { has_nodes: true },
            SettingsScope::LiveState { has_nodes: false },
            SettingsScope::LiveState { has_nodes: true },
        ];
        let mut settings = Settings::default();
        let has_effect =
            |field, settings: &Settings| scopes.map(|scope| u8::from(scope.reason_against(field, settings).is_none()));
        for (field, expected) in [
            (Field::Replicas, [1, 1, 1, 1, 1]),
            (Field::SecondRollout, [1, 1, 1, 1, 1]),
            (Field::QuotaPods, [1, 0, 0, 0, 0]),
            (Field::Nodes, [1, 1, 0, 0, 0]),
            (Field::AutoscalerStartup, [1, 1, 1, 0, 1]),
            (Field::NodeCpu, [1, 1, 0, 0, 0]),
            (Field::CrashAfter, [1, 1, 1, 0, 0]),
        ] {
            assert_eq!(has_effect(field, &settings), expected, "{field:?}");
        }
        settings.set_text(Field::AutoscalerStartup, String::from("60"));
        assert_eq!(has_effect(Field::NodeCpu, &settings), [1, 1, 1, 0, 1]);
    }
}
