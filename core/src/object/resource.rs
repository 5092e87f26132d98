use alloc::rc::Rc;

/// What differs between the kinds of objects that the cluster stores, besides their fields.
pub(crate) trait Resource {
    /// The name of the node that it names for its pods, and the field in which it does.
    fn named_node(&self) -> Option<(&Rc<str>, &'static str)>;

    /// Calls `add` with each text of its status that grows.
    fn texts(&self, _add: &mut dyn FnMut(&str)) {}
}
