//! Maps and sets from iterators.

/// Collects by inserting one item after the other. The standard `collect` of a map or a set sorts the items first, with a sort that is
/// compiled again for each type of iterator, 6 kB each time.
pub(crate) trait CollectTree: Iterator + Sized {
    /// Collects into a `BTreeMap`, a `BTreeSet` or a JSON object.
    fn collect_tree<C: Default + Extend<Self::Item>>(self) -> C {
        let mut tree = C::default();
        tree.extend(self);
        tree
    }
}

impl<I: Iterator> CollectTree for I {}
