use changeover_wire::{ManifestChange, Reading};

/// Where a rollout begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Beginning {
    /// With a change to a cluster at rest.
    #[default]
    Change,
    /// Where a running cluster stands.
    LiveState,
}

impl Beginning {
    /// That of the user's own manifests.
    pub fn of(reading: &Reading) -> Self {
        if reading.change == ManifestChange::Nothing { Self::LiveState } else { Self::Change }
    }
}
