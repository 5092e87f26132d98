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
    /// That of the user's own manifests, if there are any.
    pub fn of(reading: Option<&Reading>) -> Self {
        let is_live = reading.is_some_and(|reading| reading.change == ManifestChange::Nothing);
        if is_live { Self::LiveState } else { Self::Change }
    }
}
