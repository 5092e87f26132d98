//! What must not leave the page with a pasted manifest.

use changeover_core::object::Kind;
use serde_json::{Map, Value};

/// Holds the whole manifest as text, values included.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// Parts of the names of fields and arguments with secret values, without dashes and underscores. `pass` is one, too.
const SECRET_WORDS: [&str; 18] = [
    "pwd",
    "bearer",
    "jwt",
    "token",
    "secret",
    "credential",
    "apikey",
    "accesskey",
    "accountkey",
    "authkey",
    "encryptionkey",
    "licensekey",
    "masterkey",
    "privatekey",
    "signingkey",
    "userkey",
    "keydata",
    "signature",
];

/// The names of passwords, and of signatures in some URLs. As parts of other names, they are harmless.
const SHORT_NAMES: [&str; 2] = ["pw", "sig"];

/// The HTTP headers whose values are secret, without dashes. Such a value may have several words: `Authorization: token ...`.
const SECRET_HEADERS: [&str; 4] = ["authorization", "proxyauthorization", "cookie", "setcookie"];

/// Words with `pass` that don't name a secret. A space marks the beginning of a word: `rubypass` is secret.
const HARMLESS_PASS_WORDS: [&str; 6] = [" compass", " bypass", "passing", "passive", "passthrough", "passenger"];

/// The endings of the names of fields that contain only the name or the location of something secret.
const NAME_ENDINGS: [&str; 4] = ["name", "namespace", "ref", "path"];

/// The prefix of the annotations in which charts store the digest of a Secret, so that pods are replaced when it changes.
const CHECKSUM: &str = "checksum/";

/// The keys of maps of labels, and of selectors: a selector must match the same labels as before.
const LABELS: [&str; 4] = ["labels", "matchLabels", "nodeSelector", "selector"];

/// The keys of maps of free texts: annotations, the parameters of a StorageClass, the attributes and options of volumes.
const FREE_TEXTS: [&str; 4] = ["annotations", "parameters", "volumeAttributes", "options"];

/// The keys of maps of quantities by resource. In a quota, `secrets` is a resource.
const QUANTITIES: [&str; 6] = ["hard", "used", "requests", "limits", "capacity", "allocatable"];

/// The API groups of Kubernetes itself, beside the core group.
const API_GROUPS: [&str; 23] = [
    "admissionregistration.k8s.io",
    "apiextensions.k8s.io",
    "apiregistration.k8s.io",
    "apps",
    "authentication.k8s.io",
    "authorization.k8s.io",
    "autoscaling",
    "batch",
    "certificates.k8s.io",
    "coordination.k8s.io",
    "discovery.k8s.io",
    "events.k8s.io",
    "extensions",
    "flowcontrol.apiserver.k8s.io",
    "internal.apiserver.k8s.io",
    "networking.k8s.io",
    "node.k8s.io",
    "policy",
    "rbac.authorization.k8s.io",
    "resource.k8s.io",
    "scheduling.k8s.io",
    "storage.k8s.io",
    "storagemigration.k8s.io",
];

/// The kinds of the core group beside those of [`Kind`]. The group alone is not enough: a kubeconfig has the version `v1`, too.
const OTHER_CORE_KINDS: [&str; 7] =
    ["Binding", "ComponentStatus", "ConfigMap", "Endpoints", "Event", "Secret", "ServiceAccount"];

/// Removes everything in a document that may be secret. Objects of Kubernetes' own API keep what [`remove_secrets`] leaves of
/// them. Of a kubeconfig or a custom resource, nobody can tell what is secret: only its name stays. A document without a kind,
/// such as the values of a chart, keeps its keys.
pub fn remove_secrets_of_document(document: &mut Value) {
    let text = |field: &str| document.get(field).and_then(Value::as_str).unwrap_or_default();
    let (version, kind) = (text("apiVersion"), text("kind"));
    if kind.is_empty() {
        empty_scalars(document);
    } else if !is_built_in(version, kind) {
        keep_only(document, &[], &["name", "namespace"]);
    }
    remove_secrets(document);
}

/// Whether a kind belongs to Kubernetes' own API.
fn is_built_in(version: &str, kind: &str) -> bool {
    match version.split_once('/') {
        Some((group, _)) => API_GROUPS.contains(&group),
        None => OTHER_CORE_KINDS.contains(&kind) || Kind::ALL.into_iter().any(|known| known.name() == kind),
    }
}

/// Removes everything from a `List` except its items and the metadata that lists have in the API.
pub fn remove_secrets_of_list(list: &mut Value) {
    keep_only(list, &["items"], &["continue", "remainingItemCount", "resourceVersion", "selfLink"]);
}

/// Removes everything from an object except its version and kind, the fields `whole`, and the texts and numbers `of_metadata`.
fn keep_only(object: &mut Value, whole: &[&str], of_metadata: &[&str]) {
    let Value::Object(fields) = object else { return };
    fields.retain(|field, value| match field.as_str() {
        "apiVersion" | "kind" => value.is_string(),
        "metadata" => value.is_object(),
        other => whole.contains(&other),
    });
    if let Some(Value::Object(metadata)) = fields.get_mut("metadata") {
        metadata
            .retain(|field, value| of_metadata.contains(&field.as_str()) && (value.is_string() || value.is_number()));
    }
}

/// Empties all scalars in a value. The keys stay.
pub fn empty_scalars(value: &mut Value) {
    let mut rest = vec![value];
    while let Some(value) = rest.pop() {
        match value {
            Value::Object(map) => rest.extend(map.values_mut()),
            Value::Array(items) => rest.extend(items),
            Value::Null => {}
            Value::Bool(_) | Value::Number(_) | Value::String(_) => *value = Value::from(""),
        }
    }
}

/// Where a value is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Among Secrets or ConfigMaps in a typed list, which have no kind of their own.
    Data,
    /// In a map of free texts.
    FreeTexts,
    /// In a map of labels, or of the labels that something selects.
    Labels,
    /// In a map of quantities.
    Quantities,
    /// Anywhere else.
    Other,
}

impl Place {
    /// Where the value of a key is.
    fn of(key: &str, is_of_data_list: bool) -> Self {
        match key {
            "items" if is_of_data_list => Self::Data,
            _ if FREE_TEXTS.contains(&key) => Self::FreeTexts,
            _ if LABELS.contains(&key) => Self::Labels,
            _ if QUANTITIES.contains(&key) => Self::Quantities,
            _ => Self::Other,
        }
    }
}

/// Empties everything in a value that may be secret: the values of Secrets and ConfigMaps, texts and numbers whose key says that
/// they are secret (but not labels), the `value`s of environment variables and of the HTTP headers of probes and hooks, the
/// queries of their paths, the values of arguments like `--password=...` and `curl -u ...`, the passwords of URLs in arguments,
/// annotations and parameters that may contain a secret, what a container wrote before it ended, secret words of other messages,
/// and the annotation in which kubectl keeps the whole manifest. The names stay.
pub fn remove_secrets(value: &mut Value) {
    // A list instead of recursion: a manifest may be nested deeper than the stack is high.
    let mut rest = vec![(value, Place::Other)];
    while let Some((value, place)) = rest.pop() {
        match value {
            Value::Object(map) => {
                let kind = map.get("kind").and_then(Value::as_str).unwrap_or_default();
                // The items of a typed list have no kind of their own.
                let is_of_data_list = matches!(kind, "SecretList" | "ConfigMapList");
                if place == Place::Data || matches!(kind, "Secret" | "ConfigMap") {
                    empty_data(map);
                }
                map.remove(LAST_APPLIED);
                if let Some(Value::Array(variables)) = map.get_mut("env") {
                    variables.iter_mut().filter_map(Value::as_object_mut).for_each(|variable| {
                        variable.remove("value");
                    });
                }
                if let Some(Value::Array(headers)) = map.get_mut("httpHeaders") {
                    headers.iter_mut().filter_map(|header| header.get_mut("value")).for_each(|value| {
                        *value = Value::from("");
                    });
                }
                if let Some(Value::String(path)) = map.get_mut("httpGet").and_then(|get| get.get_mut("path"))
                    && let Some(query) = path.find('?')
                {
                    path.truncate(query);
                }
                if let Some(message) = map.get_mut("terminated").and_then(|state| state.get_mut("message")) {
                    *message = Value::from("");
                }
                // An Event of `events.k8s.io` calls its message `note`.
                for field in ["message", "note"] {
                    if let Some(Value::String(message)) = map.get_mut(field) {
                        *message = without_secret_words(message, None);
                    }
                }
                // Without a command, the arguments are those of the image's program.
                let image = map.get("image").and_then(Value::as_str).filter(|_| !map.contains_key("command"));
                let mut tool = image.and_then(Tool::of_image);
                for arguments in ["command", "args", "mountOptions"] {
                    match map.get_mut(arguments) {
                        Some(Value::Array(arguments)) => tool = empty_arguments(arguments, tool),
                        // The API server refuses a single text, but a manifest may contain one.
                        Some(Value::String(script)) => *script = without_secret_words(script, tool),
                        _ => {}
                    }
                }
                for (key, value) in map.iter_mut() {
                    let is_secret_here = match place {
                        Place::Labels | Place::Quantities => false,
                        Place::FreeTexts => is_secret_key(key) || value.as_str().is_some_and(may_have_secret),
                        Place::Data | Place::Other => is_secret_key(key),
                    };
                    if is_secret_here {
                        empty_own_scalars(value);
                    }
                }
                rest.extend(map.iter_mut().map(|(key, value)| (value, Place::of(key, is_of_data_list))));
            }
            // The items of a list are what the list is.
            Value::Array(items) => rest.extend(items.iter_mut().map(|item| (item, place))),
            _ => {}
        }
    }
}

/// Empties a text or a number, or the texts and numbers of a list.
fn empty_own_scalars(value: &mut Value) {
    match value {
        Value::String(_) | Value::Number(_) => *value = Value::from(""),
        Value::Array(items) => {
            items.iter_mut().filter(|item| item.is_string() || item.is_number()).for_each(empty_scalars);
        }
        Value::Object(_) | Value::Bool(_) | Value::Null => {}
    }
}

/// Empties the values of a Secret or ConfigMap.
fn empty_data(object: &mut Map<String, Value>) {
    for field in ["data", "stringData", "binaryData"] {
        match object.get_mut(field) {
            Some(Value::Object(data)) => data.values_mut().for_each(|value| *value = Value::from("")),
            // No map: whatever it is, it is not shared.
            Some(other) => *other = Value::Null,
            None => {}
        }
    }
}

/// A program with flags whose values are secret, although their names don't say so.
struct Tool {
    names: &'static [&'static str],
    /// The letters of these flags: `-u web:password` or `-uweb:password`.
    letters: &'static str,
    /// The letters of flags without values, which may be in the same word before: `-su`.
    switches: &'static str,
    long: &'static [&'static str],
    /// Whether the value may be the next word.
    takes_next: bool,
}

static TOOLS: [Tool; 4] = [
    Tool {
        names: &["curl"],
        letters: "uU",
        switches: "#012346fgijklnpqsvGIJLNORSZ",
        long: &["--user", "--proxy-user"],
        takes_next: true,
    },
    Tool {
        names: &["mysql", "mysqladmin", "mysqldump", "mysqlcheck", "mariadb", "mariadb-admin", "mariadb-dump"],
        letters: "p",
        switches: "",
        long: &[],
        // After `-p` alone, it asks for the password.
        takes_next: false,
    },
    Tool { names: &["redis-cli"], letters: "a", switches: "", long: &[], takes_next: true },
    Tool {
        names: &["mongo", "mongosh", "mongodump", "sshpass"],
        letters: "p",
        switches: "",
        long: &[],
        takes_next: true,
    },
];

impl Tool {
    /// The tool that a word of a script runs: `curl`, `/usr/bin/curl` or `a=$(curl`.
    fn of(word: &str) -> Option<&'static Self> {
        let ends_name = |letter: char| !letter.is_alphanumeric() && letter != '-';
        let name = word.trim_end_matches(ends_name).rsplit(ends_name).next()?;
        TOOLS.iter().find(|tool| tool.names.contains(&name))
    }

    /// The tool of an image: `curlimages/curl:8.10.1`.
    fn of_image(image: &str) -> Option<&'static Self> {
        Self::of(image.rsplit('/').next()?.split([':', '@']).next()?)
    }

    /// A flag of the tool without its secret value, and what the next word is; none for any other word.
    fn without_value(&self, word: &str) -> Option<(String, Next)> {
        for long in self.long {
            match word.strip_prefix(long) {
                Some("") => return Some((word.to_owned(), Next::Secret)),
                Some(rest) if rest.starts_with('=') => return Some((format!("{long}="), after_value(rest.get(1..)?))),
                _ => {}
            }
        }
        let flags = word.strip_prefix('-')?.trim_start_matches(|letter: char| self.switches.contains(letter));
        let value = flags.strip_prefix(|letter: char| self.letters.contains(letter))?;
        match value {
            "" => self.takes_next.then(|| (word.to_owned(), Next::Secret)),
            value => Some((word.strip_suffix(value)?.to_owned(), after_value(value))),
        }
    }
}

/// Empties the values of arguments whose name says that they are secret: `--password=...`, or `--password` and what follows; also
/// among the words of a script, and the passwords of URLs. `tool`: whose arguments they are. Returns whose arguments the next
/// ones are.
fn empty_arguments(arguments: &mut [Value], mut tool: Option<&'static Tool>) -> Option<&'static Tool> {
    let mut next = Next::Any;
    for argument in arguments {
        let Value::String(text) = argument else { continue };
        let has_words = text.contains(char::is_whitespace);
        if !has_words {
            tool = Tool::of(text).or(tool);
        }
        let is_flag = tool.is_some_and(|tool| tool.without_value(text).is_some());
        if has_words && !is_flag && next == Next::Any {
            *text = without_secret_words(text, None);
        } else {
            let (word, after) = without_secret(text, next, tool);
            // The quotes of an argument are a part of it.
            next = if after == Next::Secret { after } else { Next::Any };
            *text = word;
        }
    }
    tool
}

/// What a word of arguments or of a script is, going by those before it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    Any,
    /// The value of a flag or a header that is secret.
    Secret,
    /// A part of such a value, up to this quote.
    SecretUntil(char),
    /// A part of the value of a header, up to this quote; without one, up to the end of the argument or the script.
    OfHeader(Option<char>),
}

/// A script without the values of the secret words in it. `tool`: whose arguments its first words are.
fn without_secret_words(script: &str, mut tool: Option<&'static Tool>) -> String {
    let mut left = String::with_capacity(script.len());
    let mut next = Next::Any;
    let mut is_continued = false;
    for piece in script.split_inclusive(char::is_whitespace) {
        let word = piece.trim_end();
        if !word.is_empty() {
            tool = Tool::of(word).or(tool);
            let (left_word, after) = without_secret(word, next, tool);
            left.push_str(&left_word);
            next = after;
            is_continued = word.ends_with('\\');
        }
        // Another command follows.
        if word.ends_with([';', '|', '&']) || (piece.ends_with('\n') && !is_continued) {
            tool = None;
        }
        left.push_str(piece.strip_prefix(word).unwrap_or_default());
    }
    left
}

/// A word without a value that is secret, and what the next word is. `tool`: whose arguments they are.
fn without_secret(word: &str, next: Next, tool: Option<&Tool>) -> (String, Next) {
    // A value that is already empty leaves a gap before the address.
    let is_address = tool.is_some() && word.contains("://");
    match next {
        Next::SecretUntil(quote) => (String::new(), if word.ends_with(quote) { Next::Any } else { next }),
        Next::OfHeader(quote) => {
            let (left, after) = after_header(word, quote);
            (left.to_owned(), after)
        }
        Next::Secret if !word.starts_with('-') && !is_address => (String::new(), after_value(word)),
        Next::Any | Next::Secret => {
            if let Some(left) = tool.and_then(|tool| tool.without_value(word)) {
                return left;
            }
            let mut separators =
                word.match_indices(['=', ':']).filter_map(|(at, _)| word.split_at_checked(at.checked_add(1)?));
            match separators.find(|(name, value)| is_header(name) || is_secret_assignment(name, value)) {
                Some((name, value)) if is_header(name) => {
                    let (left, after) = after_header(value, open_quote(name));
                    (format!("{}{left}", without_url_password(name)), after)
                }
                Some((name, value)) => (without_url_password(name), after_value(value)),
                None => (without_url_password(word), if announces_secret(word) { Next::Secret } else { Next::Any }),
            }
        }
    }
}

/// Whether a word assigns a secret, as `--token=...`, `X-Api-Key:...` and `{"password":"..."}` do. `name`: up to the separator,
/// which is its last character.
fn is_secret_assignment(name: &str, value: &str) -> bool {
    let Some(entry) = name.strip_suffix(':') else { return is_secret(name) };
    let key = last_key(entry);
    // After a path, it is the tag of an image. A URL or a path is not secret, and the value of `token:` is the next word.
    let is_value = !value.starts_with('/') && !value.trim_matches(['"', '\'']).is_empty();
    is_value && !key.contains(['/', '.']) && is_secret(key)
}

/// The key at the end of a text: `password` of `{"user":"web","password"`.
fn last_key(text: &str) -> &str {
    let text = text.trim_end_matches(['"', '\'', '\\']);
    text.rsplit(['{', ',', '"', '\'', '=', '&', '?', ':']).next().unwrap_or_default()
}

/// Whether a name is that of a header with a secret value, as in `"Authorization:`, `--header=Cookie:` and `-HCookie:`. `name`:
/// with or without the separator.
fn is_header(name: &str) -> bool {
    let key = last_key(name.trim_end_matches(['=', ':']));
    SECRET_HEADERS.contains(&plain(key.strip_prefix("-H").unwrap_or(key)).as_str())
}

/// The quote before the name of a header, after which its value ends. The quotes of an entry of JSON end with its name.
fn open_quote(name: &str) -> Option<char> {
    let name = name.trim_end_matches(['=', ':']);
    let is_quote = |letter: &char| matches!(letter, '"' | '\'');
    name.chars().rfind(is_quote).filter(|_| !name.ends_with(['"', '\'']))
}

/// What is left of a word of a header's value, and what the next word is. `quote`: what ends the value. It stays, so that the same
/// is left the next time.
fn after_header(word: &str, quote: Option<char>) -> (&str, Next) {
    match quote.and_then(|quote| word.get(word.rfind(quote)?..)) {
        Some(left) => (left, Next::Any),
        None => ("", Next::OfHeader(quote)),
    }
}

/// What follows the beginning of a value. One that begins with a quote ends with one.
fn after_value(value: &str) -> Next {
    match value.chars().next() {
        Some(quote @ ('"' | '\'')) if value.len() == 1 || !value.ends_with(quote) => Next::SecretUntil(quote),
        _ => Next::Any,
    }
}

/// Whether a secret value follows a word: `--token`, `X-Auth-Token:` or `Bearer`.
fn announces_secret(word: &str) -> bool {
    let word = word.trim_matches(['"', '\'']);
    let is_name = word.starts_with('-') || word.ends_with(':');
    (is_name && is_secret(word)) || ["bearer", "basic"].contains(&word.to_lowercase().as_str())
}

/// Whether a free text, such as a comment, may contain a secret: one like `password: hunter2`, or one that arguments may have.
pub fn may_have_secret(text: &str) -> bool {
    let is_assigned = text.rfind([':', '=']).and_then(|end| text.get(..end)).is_some_and(is_secret);
    is_assigned || without_secret_words(text, None) != text
}

/// Whether a key says that its value is secret, and not only the name of something secret.
fn is_secret_key(key: &str) -> bool {
    let ends_as_name = |plain: &str| NAME_ENDINGS.iter().any(|ending| plain.ends_with(ending));
    is_secret(key) && !key.starts_with(CHECKSUM) && !ends_as_name(&plain(key))
}

/// Whether the name of a value says that it is secret.
fn is_secret(name: &str) -> bool {
    let is_short = SHORT_NAMES.contains(&plain(last_key(name.trim_end_matches(['=', ':']))).as_str());
    let plain = plain(name);
    let has_word = SECRET_WORDS.iter().any(|word| plain.contains(word));
    has_word || is_short || is_header(name) || (plain.contains("pass") && has_pass(name))
}

/// Whether a name has `pass` in it, other than in a harmless word: `dbPass`, `SMTPPASS` and `passcode`, but not `compass`.
fn has_pass(name: &str) -> bool {
    let mut words = String::from(" ");
    let mut is_after_lowercase = false;
    for letter in name.chars() {
        if is_after_lowercase && letter.is_uppercase() {
            words.push(' ');
        }
        is_after_lowercase = letter.is_lowercase();
        let letter = if letter.is_alphabetic() { letter } else { ' ' };
        words.extend(letter.to_lowercase());
    }
    HARMLESS_PASS_WORDS.iter().fold(words, |words, harmless| words.replace(harmless, " ")).contains("pass")
}

/// A name in lower case, without dashes and underscores.
fn plain(name: &str) -> String {
    name.chars().filter(|letter| !matches!(letter, '-' | '_')).flat_map(char::to_lowercase).collect()
}

/// A word in which the password of a URL is empty: `https://user:password@host/`, or `user:password@tcp(host)/` as Go's programs
/// take it for MySQL. Git hosts take a token as the user.
fn without_url_password(word: &str) -> String {
    let without = || {
        let (scheme, rest) = word.split_once("://")?;
        let end = rest.find(['/', '?', '#', '"', '\'']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at_checked(end)?;
        let (user_info, host) = authority.rsplit_once('@')?;
        let is_web = scheme.ends_with("http") || scheme.ends_with("https");
        match user_info.split_once(':') {
            None | Some((_, "" | "x-oauth-basic")) if is_web => Some(format!("{scheme}://@{host}{path}")),
            None => None,
            Some((user, _)) => Some(format!("{scheme}://{user}:@{host}{path}")),
        }
    };
    let without_of_mysql = || {
        let (user_info, address) = word.split_at_checked(word.rfind("@tcp(").or_else(|| word.rfind("@unix("))?)?;
        Some(format!("{}:{address}", user_info.split_once(':')?.0))
    };
    without().or_else(without_of_mysql).unwrap_or_else(|| word.to_owned())
}
