use serde_json::Value;

/// What a request does to an object, as far as the registry's strategies tell it apart.
#[derive(Clone, Copy, Debug)]
pub enum Operation<'a> {
    /// A new object.
    Create,
    /// The object replaces this one.
    Update(&'a Value),
    /// The object's status replaces the status of this one.
    UpdateStatus(&'a Value),
}

impl<'a> Operation<'a> {
    /// What was there before.
    pub const fn old(self) -> Option<&'a Value> {
        match self {
            Self::Create => None,
            Self::Update(old) | Self::UpdateStatus(old) => Some(old),
        }
    }
}
