//! What the host of a simulation does while it runs.

/// What the host does each time that something has happened in a simulation, or that one of many objects or steps was read, such as
/// letting other work of its thread run. It changes nothing of the result.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pause(Option<fn()>);

impl Pause {
    /// Calls this function of the host.
    pub const fn calling(host: fn()) -> Self {
        Self(Some(host))
    }

    /// Lets the host do it.
    pub(crate) fn take(self) {
        if let Some(host) = self.0 {
            host();
        }
    }
}

/// Scenarios that differ in this alone are the same.
impl PartialEq for Pause {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Pause {}
