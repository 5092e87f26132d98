use super::Kind;

/// An object's name as users write it: `web` or `shop/web`, also with kubectl's name of the kind, `deploy/web` or
/// `deploy/shop/web`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObjectName<'a> {
    /// The kind; absent if it is not written.
    pub kind: Option<Kind>,
    /// The namespace; absent if it is not written.
    pub namespace: Option<&'a str>,
    /// The name.
    pub name: &'a str,
}

impl<'a> ObjectName<'a> {
    /// Reads a name. `kinds` are those that may be written before it; any other word is a namespace.
    ///
    /// ```
    /// use changeover_core::object::{Kind, ObjectName};
    ///
    /// let kinds = [Kind::ReplicaSet, Kind::Job];
    /// let name = ObjectName::parse("rs/shop/web-7d4b9c", &kinds);
    /// assert_eq!((name.kind, name.namespace, name.name), (Some(Kind::ReplicaSet), Some("shop"), "web-7d4b9c"));
    /// let name = ObjectName::parse("deploy/web", &kinds);
    /// assert_eq!((name.kind, name.namespace, name.name), (None, Some("deploy"), "web"));
    /// ```
    pub fn parse(written: &'a str, kinds: &[Kind]) -> Self {
        let named = written.split_once('/').and_then(|(word, rest)| {
            let kind = kinds.iter().copied().find(|kind| kind.is_named(word))?;
            Some((Some(kind), rest))
        });
        let (kind, rest) = named.unwrap_or((None, written));
        let (namespace, name) = rest.split_once('/').map_or((None, rest), |(namespace, name)| (Some(namespace), name));
        Self { kind, namespace, name }
    }

    /// Whether an object of this kind, namespace and name is meant; what is not written may be anything.
    pub fn matches(&self, kind: Kind, namespace: &str, name: &str) -> bool {
        self.kind.is_none_or(|it| it == kind) && self.namespace.is_none_or(|it| it == namespace) && self.name == name
    }
}

#[cfg(test)]
mod tests {
    use super::{Kind, ObjectName};

    #[test]
    fn kind_and_namespace_may_be_left_out() {
        let kinds = [Kind::Deployment, Kind::Job];
        let (deployment, job) = (Some(Kind::Deployment), Some(Kind::Job));
        for (written, kind, namespace, name) in [
            ("web", None, None, "web"),
            ("shop/web", None, Some("shop"), "web"),
            ("deploy/web", deployment, None, "web"),
            ("deployment/web", deployment, None, "web"),
            ("deployments.apps/shop/web", deployment, Some("shop"), "web"),
            ("deployments.batch/web", None, Some("deployments.batch"), "web"),
            ("job.batch/web", job, None, "web"),
            // Any other word is a namespace, and the last one is the name.
            ("rs/web", None, Some("rs"), "web"),
            ("deploy", None, None, "deploy"),
            ("shop/deploy/web", None, Some("shop"), "deploy/web"),
            ("", None, None, ""),
        ] {
            assert_eq!(ObjectName::parse(written, &kinds), ObjectName { kind, namespace, name }, "{written:?}");
        }
        assert_eq!(ObjectName::parse("deploy/web", &[]).namespace, Some("deploy"));
    }

    #[test]
    fn what_is_not_written_matches_everything() {
        let kinds = [Kind::Deployment, Kind::Job];
        for (written, matches) in [
            ("web", true),
            ("shop/web", true),
            ("deploy/web", true),
            ("deploy/shop/web", true),
            ("api", false),
            ("other/web", false),
            ("job/web", false),
        ] {
            let name = ObjectName::parse(written, &kinds);
            assert_eq!(name.matches(Kind::Deployment, "shop", "web"), matches, "{written:?}");
        }
    }
}
