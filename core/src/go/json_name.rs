//! Names of fields. This is the convention of Kubernetes' types, not a port.

use alloc::string::String;

/// What JSON calls a field of a Kubernetes type, where its tag says nothing unusual: the first word of its Go name is in lower case, `hostIP` of HostIP,
/// `awsElasticBlockStore` of AWSElasticBlockStore.
pub(crate) fn json_name(name: &str) -> String {
    let upper = |index: usize| name.as_bytes().get(index).is_some_and(u8::is_ascii_uppercase);
    let lower = |index: usize| name.as_bytes().get(index).is_some_and(u8::is_ascii_lowercase);
    let in_first_word = |index: usize| index == 0 || (upper(index) && !lower(index.saturating_add(1)));
    let end = (0..name.len()).find(|index| !in_first_word(*index)).unwrap_or(name.len());
    let (first, rest) = name.split_at_checked(end).unwrap_or((name, ""));
    let mut out = first.to_ascii_lowercase();
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_api() {
        for (name, expected) in [
            ("Name", "name"),
            ("HostIP", "hostIP"),
            ("TTY", "tty"),
            ("AWSElasticBlockStore", "awsElasticBlockStore"),
            ("SetHostnameAsFQDN", "setHostnameAsFQDN"),
            ("SELinuxOptions", "seLinuxOptions"),
        ] {
            assert_eq!(json_name(name), expected);
        }
    }
}
