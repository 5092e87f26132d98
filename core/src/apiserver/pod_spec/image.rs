//! Whether an image is pulled as `latest`.
//!
//! Ported from `github.com/distribution/reference` (Apache-2.0, see NOTICE).
//!
//! Ported from `github.com/opencontainers/go-digest` (Apache-2.0, see NOTICE).

/// What an image's reference counts, the path below the registry's host, may have this many bytes.
/// Upstream: `github.com/distribution/reference/reference.go RepositoryNameTotalLengthMax`
const LONGEST_PATH: usize = 255;

/// The pull policy that an image gets by default.
/// Upstream: `pkg/apis/core/v1/defaults.go SetDefaults_Container`, and SetDefaults_Volume
pub(crate) fn default_pull_policy(image: &str) -> &'static str {
    if is_latest(image) { "Always" } else { "IfNotPresent" }
}

/// By its tag, or since it has neither tag nor digest. A text that is not a reference has no tag.
/// Upstream: `pkg/util/parsers/parsers.go ParseImageName`, and what it calls: `github.com/distribution/reference/normalize.go
/// ParseNormalizedNamed`
pub(crate) fn is_latest(image: &str) -> bool {
    if image.len() == 64 && is_hex(image) {
        // An identifier.
        return false;
    }
    let (domain, rest) = split_docker_domain(image);
    let (rest, digest) = split(rest, '@');
    let (path, tag) = split(rest, ':');
    let mut length = path.len();
    if matches!(domain, "docker.io" | "index.docker.io") && !path.contains('/') {
        length = length.saturating_add("library/".len());
    }
    if !is_domain(domain) {
        // It may be a part of the path still.
        if !is_path_component(domain) {
            return false;
        }
        length = length.saturating_add(domain.len()).saturating_add(1);
    }
    let is_reference = length <= LONGEST_PATH
        && path.split('/').all(is_path_component)
        && tag.is_none_or(is_tag)
        && digest.is_none_or(is_digest);
    is_reference && tag.map_or(digest.is_none(), |tag| tag == "latest")
}

fn split(text: &str, separator: char) -> (&str, Option<&str>) {
    text.split_once(separator).map_or((text, None), |(before, after)| (before, Some(after)))
}

/// Upstream: `github.com/distribution/reference/normalize.go splitDockerDomain`
pub(crate) fn split_docker_domain(name: &str) -> (&str, &str) {
    match name.split_once('/') {
        Some((domain, rest))
            if domain == "localhost"
                || domain.contains(['.', ':'])
                || domain.contains(|c: char| c.is_ascii_uppercase()) =>
        {
            (domain, rest)
        }
        _ => ("docker.io", name),
    }
}

/// Upstream: `github.com/distribution/reference/regexp.go domainAndPort`
fn is_domain(text: &str) -> bool {
    let is_port = |port: &str| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    if let Some((address, rest)) = text.strip_prefix('[').and_then(|text| text.split_once(']')) {
        let is_address = !address.is_empty() && address.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b':');
        return is_address && (rest.is_empty() || rest.strip_prefix(':').is_some_and(is_port));
    }
    let (host, port) = split(text, ':');
    let outer = |c: char| c.is_ascii_alphanumeric();
    let is_label =
        |label: &str| label.starts_with(outer) && label.ends_with(outer) && label.chars().all(|c| outer(c) || c == '-');
    host.split('.').all(is_label) && port.is_none_or(is_port)
}

/// Upstream: `github.com/distribution/reference/regexp.go pathComponent`
fn is_path_component(text: &str) -> bool {
    let outer = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let is_separator = |text: &str| matches!(text, "." | "_" | "__") || text.bytes().all(|byte| byte == b'-');
    text.starts_with(outer) && text.ends_with(outer) && text.split(outer).all(is_separator)
}

/// Upstream: `github.com/distribution/reference/regexp.go tag`
fn is_tag(text: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.len() <= 128 && text.starts_with(is_word) && text.chars().all(|c| is_word(c) || matches!(c, '.' | '-'))
}

/// Upstream: `github.com/opencontainers/go-digest/digest.go Validate`
fn is_digest(text: &str) -> bool {
    let fits = |(algorithm, length): (&str, usize)| {
        text.strip_prefix(algorithm).is_some_and(|encoded| encoded.len() == length && is_hex(encoded))
    };
    [("sha256:", 64), ("sha384:", 96), ("sha512:", 128)].into_iter().any(fits)
}

fn is_hex(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::*;

    #[test]
    fn only_latest_is_always_pulled() {
        let digest = "0".repeat(64);
        let with_digest = format!("web:latest@sha256:{digest}");
        for image in [
            "web",
            "web:latest",
            "registry.example:5000/a/web",
            "Registry/web",
            "[::1]:5000/web",
            "reg_x.io/web",
            "a_b/c__d/e---f",
            &"b".repeat(247),
            &with_digest,
        ] {
            assert!(is_latest(image), "{image}");
        }
        for image in [
            "",
            "web:v1",
            "registry.example:5000/web:1",
            "Web",
            "a//b",
            "a..b",
            "a.-b",
            "a___b",
            "-a",
            "web:la test",
            "web:",
            "reg_x.io:5000/web",
            "registry:/web:latest",
            "web:latest@sha256:0",
            &"a".repeat(64),
            &"b".repeat(248),
            &format!("web@sha256:{digest}"),
            &format!("web:latest@sha256:{}", "g".repeat(64)),
            &format!("web:latest@md5:{digest}"),
        ] {
            assert!(!is_latest(image), "{image}");
        }
    }
}
