//! The syntax of names, label keys and values, and the sentences about it.
//! Mirrors `pkg/api/validate/content` and `pkg/util/validation` of `k8s.io/apimachinery`.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

const DNS1123_LABEL_FMT: &str = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const DNS1123_SUBDOMAIN_FMT: &str = "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
const LABEL_KEY_FMT: &str = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const LABEL_KEY_ERR_MSG: &str =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";

/// Upstream: `k8s.io/apimachinery/pkg/util/validation/validation.go IsDNS1123Label`
pub(crate) fn is_dns1123_label(value: &str) -> Vec<String> {
    let mut errors = Vec::new();
    if value.len() > 63 {
        errors.push("must be no more than 63 characters".to_string());
    }
    if !matches_dns1123_label(value) {
        errors.push(if matches_dns1123_subdomain(value) {
            // A valid subdomain and not a valid label: it must be the dots.
            "must not contain dots".to_string()
        } else {
            let text = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character";
            regex_error(text, DNS1123_LABEL_FMT, &["my-name", "123-abc"])
        });
    }
    errors
}

/// Upstream: `k8s.io/apimachinery/pkg/util/validation/validation.go IsDNS1123Subdomain`
pub(crate) fn is_dns1123_subdomain(value: &str) -> Vec<String> {
    dns1123_subdomain(value, "characters")
}

/// Whether objects of most kinds may have this name.
/// Upstream: `k8s.io/apimachinery/pkg/api/validation/generic.go NameIsDNSSubdomain`
pub(crate) fn is_name(value: &str) -> bool {
    is_dns1123_subdomain(value).is_empty()
}

/// Upstream: `k8s.io/apimachinery/pkg/api/validate/content/dns.go IsDNS1123Subdomain`
pub(crate) fn is_long_name(value: &str) -> Vec<String> {
    dns1123_subdomain(value, "bytes")
}

/// Upstream: `k8s.io/apimachinery/pkg/api/validate/content/path.go IsPathSegmentName` and `IsPathSegmentPrefix`
pub(crate) fn is_path_segment_name(value: &str, prefix: bool) -> Vec<String> {
    let mut errors = Vec::new();
    if !prefix && matches!(value, "." | "..") {
        errors.push(format!("may not be '{value}'"));
    }
    for letter in ["/", "%"] {
        if value.contains(letter) {
            errors.push(format!("may not contain '{letter}'"));
        }
    }
    errors
}

/// Whether this may stand behind the domain in a domain-prefixed path.
/// Upstream: `k8s.io/apimachinery/pkg/util/validation/validation.go httpPathFmt`
pub(crate) fn is_domain_prefixed_path_character(c: char) -> bool {
    c.is_ascii_alphanumeric() || "/-._~%!$&'()*+,;=:".contains(c)
}

fn dns1123_subdomain(value: &str, unit: &str) -> Vec<String> {
    let mut errors = Vec::new();
    if value.len() > 253 {
        errors.push(format!("must be no more than 253 {unit}"));
    }
    if !matches_dns1123_subdomain(value) {
        let text = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
        errors.push(regex_error(text, DNS1123_SUBDOMAIN_FMT, &["example.com"]));
    }
    errors
}

/// Upstream: `k8s.io/apimachinery/pkg/api/validate/content/kube.go IsLabelKey`
pub(crate) fn is_label_key(value: &str) -> Vec<String> {
    let mut errors = Vec::new();
    let examples = ["MyName", "my.name", "123-abc"];
    let name = match value.split_once('/') {
        None => value,
        Some((_, name)) if name.contains('/') => {
            let text = regex_error(LABEL_KEY_ERR_MSG, LABEL_KEY_FMT, &examples);
            let tail = "with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";
            errors.push(format!("a valid label key {text} {tail}"));
            return errors;
        }
        Some(("", name)) => {
            errors.push("prefix part must be non-empty".to_string());
            name
        }
        Some((prefix, name)) => {
            errors.extend(dns1123_subdomain(prefix, "bytes").iter().map(|text| format!("prefix part {text}")));
            name
        }
    };
    if name.is_empty() {
        errors.push("name part must be non-empty".to_string());
    } else if name.len() > 63 {
        errors.push("name part must be no more than 63 bytes".to_string());
    }
    if !matches_label_key(name) {
        errors.push(format!("name part {}", regex_error(LABEL_KEY_ERR_MSG, LABEL_KEY_FMT, &examples)));
    }
    errors
}

/// Upstream: `k8s.io/apimachinery/pkg/api/validate/content/kube.go IsLabelValue`
pub(crate) fn is_label_value(value: &str) -> Vec<String> {
    let mut errors = Vec::new();
    if value.len() > 63 {
        errors.push("must be no more than 63 bytes".to_string());
    }
    if !(value.is_empty() || matches_label_key(value)) {
        let text =
            format!("a valid label must be an empty string or {}", LABEL_KEY_ERR_MSG.trim_start_matches("must "));
        errors.push(regex_error(&text, &format!("({LABEL_KEY_FMT})?"), &["MyValue", "my_value", "12345"]));
    }
    errors
}

/// Upstream: `k8s.io/apimachinery/pkg/util/validation/validation.go IsValidPercent`
pub(crate) fn is_valid_percent(value: &str) -> Option<String> {
    let digits = value.strip_suffix('%').unwrap_or_default();
    if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let text = "a valid percent string must be a numeric string followed by an ending '%'";
    Some(regex_error(text, "[0-9]+%", &["1%", "93%"]))
}

/// Upstream: `k8s.io/apimachinery/pkg/util/validation/validation.go RegexError`
pub(crate) fn regex_error(message: &str, fmt: &str, examples: &[&str]) -> String {
    if examples.is_empty() {
        return format!("{message} (regex used for validation is '{fmt}')");
    }
    let mut text = format!("{message} (e.g. ");
    for (index, example) in examples.iter().enumerate() {
        if index > 0 {
            text.push_str(" or ");
        }
        text.push('\'');
        text.push_str(example);
        text.push_str("', ");
    }
    text.push_str("regex used for validation is '");
    text.push_str(fmt);
    text.push_str("')");
    text
}

fn matches_dns1123_subdomain(value: &str) -> bool {
    value.split('.').all(matches_dns1123_label)
}

fn matches_dns1123_label(value: &str) -> bool {
    starts_and_ends(value, |byte| byte.is_ascii_lowercase() || byte.is_ascii_digit(), |byte| byte == b'-')
}

fn matches_label_key(value: &str) -> bool {
    starts_and_ends(value, |byte| byte.is_ascii_alphanumeric(), |byte| matches!(byte, b'-' | b'_' | b'.'))
}

/// Whether the text consists of such characters, with these others inside only.
fn starts_and_ends(value: &str, outer: fn(u8) -> bool, inner: fn(u8) -> bool) -> bool {
    let ends = |byte: Option<u8>| byte.is_some_and(outer);
    ends(value.bytes().next()) && ends(value.bytes().last()) && value.bytes().all(|byte| outer(byte) || inner(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_their_grammar() {
        assert!(is_dns1123_subdomain("web-1.example").is_empty());
        assert_eq!(is_dns1123_label("web.example"), ["must not contain dots"]);
        for name in ["", "-a", "a-", "A", "a..b", "a_b"] {
            assert_eq!(is_dns1123_subdomain(name).len(), 1, "{name}");
        }
        assert!(is_label_key("app.kubernetes.io/name").is_empty());
        assert_eq!(is_label_key("/name"), ["prefix part must be non-empty"]);
        assert_eq!(is_label_key("a/").len(), 2);
        assert_eq!(is_label_key("a/b/c").len(), 1);
        assert!(is_label_value("").is_empty());
        assert_eq!(is_label_value(&"x".repeat(64)), ["must be no more than 63 bytes"]);
        assert!(is_valid_percent("25%").is_none());
        for text in ["", "%", "25", "abc%", "-1%", "1.5%"] {
            assert!(is_valid_percent(text).is_some(), "{text}");
        }
    }
}
