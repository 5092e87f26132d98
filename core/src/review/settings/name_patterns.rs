//! Users and namespaces by their names.

use alloc::string::String;
use alloc::vec::Vec;

use crate::apiserver::validation::names::{is_dns1123_label, is_dns1123_subdomain};
use crate::go;

/// The users of the controllers that create objects from templates, or write what their owners have. The garbage collector
/// changes owner references. Where the controllers share one user, it is the last one.
///
/// Upstream: `plugin/pkg/auth/authorizer/rbac/bootstrappolicy/controller_policy.go buildControllerRoles`
const CONTROLLERS: [&str; 9] = [
    "system:serviceaccount:kube-system:cronjob-controller",
    "system:serviceaccount:kube-system:daemon-set-controller",
    "system:serviceaccount:kube-system:deployment-controller",
    "system:serviceaccount:kube-system:generic-garbage-collector",
    "system:serviceaccount:kube-system:job-controller",
    "system:serviceaccount:kube-system:replicaset-controller",
    "system:serviceaccount:kube-system:replication-controller",
    "system:serviceaccount:kube-system:statefulset-controller",
    "system:kube-controller-manager",
];

/// Names, in which each `*` stands for any characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::review) struct NamePatterns(pub(super) Vec<String>);

impl NamePatterns {
    /// The controllers of kube-controller-manager.
    pub(super) fn controllers() -> Self {
        Self(CONTROLLERS.into_iter().map(String::from).collect())
    }

    /// The names of both.
    pub(super) fn and(mut self, others: Self) -> Self {
        self.0.extend(others.0);
        self
    }

    /// Whether one of them fits the name.
    pub(in crate::review) fn contains(&self, name: &str) -> bool {
        self.0.iter().any(|pattern| matches(pattern, name))
    }

    /// `"alice", "system:serviceaccount:shop:*"`
    pub(in crate::review) fn listed(&self) -> String {
        go::quoted_list(self.0.iter().map(String::as_str))
    }
}

/// Why a pattern fits no user, or each; none if it may be meant.
pub(super) fn problem_of_user(pattern: &str) -> Option<&'static str> {
    /// The groups that every API server has.
    const GROUPS: [&str; 7] = [
        "system:authenticated",
        "system:bootstrappers",
        "system:masters",
        "system:monitoring",
        "system:nodes",
        "system:serviceaccounts",
        "system:unauthenticated",
    ];
    const SERVICE_ACCOUNT: &str = "system:serviceaccount:";
    // `system:nodes*` and `system:serviceaccounts:shop` are groups, too.
    let is_group =
        |group: &&str| pattern.strip_prefix(*group).is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '*']));
    if GROUPS.iter().any(is_group) {
        return Some("is a group: a user's name never matches it");
    }
    let is_account = pattern.strip_prefix(SERVICE_ACCOUNT).is_none_or(|rest| match rest.split_once(':') {
        Some((namespace, name)) => may_be(namespace, is_dns1123_label) && may_be(name, is_dns1123_subdomain),
        // A wildcard may stand for both.
        None => rest.contains('*') && may_be(rest, is_dns1123_subdomain),
    });
    if !is_account {
        return Some("must be system:serviceaccount:NAMESPACE:NAME, or nobody has this name");
    }
    problem_of_name(pattern)
}

/// Why a pattern fits no namespace, or each; none if it may be meant.
pub(super) fn problem_of_namespace(pattern: &str) -> Option<&'static str> {
    let is_namespace = may_be(pattern, is_dns1123_label);
    problem_of_name(pattern).or_else(|| (!is_namespace).then_some("must be a namespace's name, or no namespace has it"))
}

/// Whether some name of these rules fits the pattern: the one with the shortest text for each wildcard, or with a letter.
fn may_be(pattern: &str, problems: fn(&str) -> Vec<String>) -> bool {
    if problems(&pattern.replace('*', "a")).is_empty() {
        return true;
    }
    // At its ends a wildcard may have to stand for a letter.
    let shortest = pattern.replace('*', "");
    let start = if pattern.starts_with('*') && !shortest.starts_with(is_letter) { "a" } else { "" };
    let end = if pattern.ends_with('*') && !shortest.ends_with(is_letter) { "a" } else { "" };
    problems(&[start, shortest.as_str(), end].concat()).is_empty()
}

const fn is_letter(c: char) -> bool {
    c.is_ascii_lowercase() || c.is_ascii_digit()
}

fn problem_of_name(pattern: &str) -> Option<&'static str> {
    if pattern.trim_matches('*').is_empty() {
        return Some("would match everything: leave it out");
    }
    let has_space = pattern.trim() != pattern || pattern.chars().any(char::is_control);
    has_space.then_some("must not begin or end with a space, or contain tabs or line breaks")
}

/// Whether a name fits a pattern.
fn matches(pattern: &str, name: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut name) = name.strip_prefix(start) else { return false };
    let (middle, end) = rest.rsplit_once('*').unwrap_or(("", rest));
    for part in middle.split('*') {
        let Some((_, after)) = name.split_once(part) else { return false };
        name = after;
    }
    name.ends_with(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_nobody_or_everybody_is_a_problem() {
        for pattern in [
            "",
            "*",
            "**",
            " ",
            " alice",
            "alice ",
            "alice\n",
            "system:authenticated",
            "system:serviceaccounts",
            "system:serviceaccounts:shop",
            "system:masters",
            "system:masters*",
            "system:nodes:*",
            "system:bootstrappers",
            "system:bootstrappers:kubeadm:default-node-token",
            "system:serviceaccount:-shop:scaler",
            "system:serviceaccount:-*:scaler",
            "system:serviceaccount:shop:scaler-",
            "system:serviceaccount:shop",
            "system:serviceaccount::scaler",
            "system:serviceaccount:shop:a:b",
            "system:serviceaccount:Shop:scaler",
            "system:serviceaccount:shop: *",
        ] {
            assert!(problem_of_user(pattern).is_some(), "{pattern}");
        }
        for pattern in [
            "alice",
            "Jane Doe",
            "system:serviceaccount:shop:*",
            "system:serviceaccount:*",
            "system:serviceaccount:*-shop:scaler.v1",
            "system:serviceaccount:shop-*:*-worker",
            "system:serviceaccount:shop*",
            "system:node:*",
            "system:bootstrap:07401b",
            "*@example.com",
        ] {
            assert_eq!(problem_of_user(pattern), None, "{pattern}");
        }
        let [longest, too_long] = [63, 64].map(|length| "a".repeat(length));
        for pattern in ["", "*", "Shop", "shop/web", "my shop", "-shop", "shop-", "-*", "*-", "shop.web", &too_long] {
            assert!(problem_of_namespace(pattern).is_some(), "{pattern}");
        }
        for pattern in ["shop", "openshift-*", "*-shop", "a*-*", "*a*", &longest] {
            assert_eq!(problem_of_namespace(pattern), None, "{pattern}");
        }
    }

    #[test]
    fn wildcards_stand_for_any_characters() {
        for (pattern, name) in
            [("*", ""), ("a*", "a"), ("*b", "ab"), ("a*b*c", "axxbyyc"), ("a**c", "abc"), ("ab", "ab")]
        {
            assert!(matches(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [("a", "ab"), ("a*a", "a"), ("a*b", "abc"), ("", "a"), ("*:x", "system:y")] {
            assert!(!matches(pattern, name), "{pattern} {name}");
        }
    }
}
