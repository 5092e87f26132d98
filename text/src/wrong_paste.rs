//! Texts that people give instead of manifests by mistake. The parser's words would not help there.

use serde_json::Value;

use crate::{Error, ErrorKind};

/// The tools whose commands stand above the output that people copy.
const TOOLS: [&str; 6] = ["cat", "helm", "k", "kubectl", "kustomize", "oc"];

/// How the prompts of shells end.
const PROMPTS: [&str; 5] = ["$ ", "% ", "> ", "❯ ", "# "];

/// A line that is no part of a manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrongPaste {
    /// Its number, from 1.
    pub line: usize,
    /// What it is, and what to do.
    pub message: &'static str,
}

/// What `kubectl describe` prints.
const DESCRIPTION: &str = "This is the output of `kubectl describe`: use the output of `kubectl get -o yaml`";

/// The first line that explains why a text is not YAML; none if no line does.
#[must_use]
pub fn wrong_paste(text: &str, error: &Error) -> Option<WrongPaste> {
    if !matches!(error.kind, ErrorKind::Syntax | ErrorKind::NotAnObject) {
        return None;
    }
    (1..).zip(text.lines()).find_map(|(line, content)| Some(WrongPaste { line, message: message(content)? }))
}

fn message(line: &str) -> Option<&'static str> {
    if is_template(line) {
        Some("This is a Helm template: use the output of `helm template`")
    } else if is_command(line) {
        Some("This line is a command: remove it, and keep only its output")
    } else if is_table_header(line) {
        Some("This is a table: add `-o yaml` to the command, and use its output")
    } else if is_of_diff(line) {
        Some("This is a diff: use the whole manifest")
    } else if is_of_description(line) {
        Some(DESCRIPTION)
    } else if ["Error from server", "No resources found"].iter().any(|start| line.starts_with(start)) {
        Some("This is a message of kubectl: it has read no objects")
    } else {
        None
    }
}

/// What a document without a kind is, and what to do; none if that is unknown.
#[must_use]
pub fn wrong_object(document: &Value) -> Option<&'static str> {
    let has = |key: &str| document.get(key).is_some();
    if has("Name") && (has("Namespace") || has("Labels")) {
        return Some(DESCRIPTION);
    }
    let is_of_chart = has("replicaCount") || document.pointer("/image/repository").is_some();
    is_of_chart.then_some("These are the values of a Helm chart: use the output of `helm template`")
}

/// Whether a line or its value begins with an action of a template. In other places, YAML takes it as text.
fn is_template(line: &str) -> bool {
    let line = line.trim_start();
    let line = line.strip_prefix("- ").unwrap_or(line);
    let of_field = line.split_once(": ").filter(|_| !line.starts_with("{{"));
    let value = of_field.map_or(line, |(_, value)| value).trim_start();
    let action = value.strip_prefix("{{").and_then(|rest| rest.split_once("}}")).map(|(action, _)| action);
    let first = action.and_then(|action| action.trim_start_matches(['-', ' ']).chars().next());
    first.is_some_and(|first| first.is_ascii_alphabetic() || ['.', '$', '/', '"'].contains(&first))
}

/// Whether a line was typed into a shell. A line that is indented or a comment may be part of a manifest.
fn is_command(line: &str) -> bool {
    if line.starts_with([' ', '\t', '#']) {
        return false;
    }
    let typed = |command: &str| {
        let mut words = command.split_whitespace();
        words.next().is_some_and(|first| TOOLS.contains(&first)) && words.next().is_some()
    };
    line.starts_with("$ ")
        || typed(line)
        || PROMPTS.iter().any(|prompt| line.split_once(*prompt).is_some_and(|(_, command)| typed(command)))
}

/// Whether a line is the first one of a table of kubectl: `NAME   READY   UP-TO-DATE   AVAILABLE   AGE`, or that of events.
fn is_table_header(line: &str) -> bool {
    let is_title = |word: &str| word.chars().all(|letter| letter.is_ascii_uppercase() || "-()".contains(letter));
    let mut words = line.split_whitespace();
    let is_of_kubectl = words.clone().any(|word| word == "NAME") || line.contains("LAST SEEN ");
    line.contains("  ") && is_of_kubectl && words.all(is_title)
}

/// Whether a line stands at the beginning of a diff, or of one of its parts.
fn is_of_diff(line: &str) -> bool {
    ["diff --git ", "--- a/", "@@ -"].iter().any(|start| line.starts_with(start))
}

/// Whether a line is the first one that `kubectl describe` prints: a name, a column away from its title.
fn is_of_description(line: &str) -> bool {
    line.strip_prefix("Name:").is_some_and(|rest| rest.starts_with("    ") && !rest.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use crate::parse;

    use super::*;

    const MANIFEST: &str = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  replicas: 3\n";

    fn found(text: &str) -> Option<(usize, &'static str)> {
        let error = parse(text).err()?;
        wrong_paste(text, &error).map(|WrongPaste { line, message }| (line, message))
    }

    #[test]
    fn usual_wrong_pastes_are_recognized() {
        let template = "This is a Helm template";
        let (command, table) = ("This line is a command", "This is a table");
        let pods = "NAME                   READY   STATUS    RESTARTS   AGE\nweb-5d4b7c9f6d-x2x7k   1/1     Running   0          3h\n";
        let everywhere = format!("\nNAMESPACE   {pods}");
        for (text, line, expected) in [
            (MANIFEST.replace("3", "{{ .Values.replicas }}"), 6, template),
            (format!("{{{{- if .Values.enabled }}}}\n{MANIFEST}{{{{- end }}}}\n"), 1, template),
            (MANIFEST.replace("  replicas: 3", "  {{- toYaml .Values.spec | nindent 2 }}"), 6, template),
            (pods.to_owned(), 1, table),
            (everywhere, 2, table),
            ("LAST SEEN   TYPE      REASON    OBJECT     MESSAGE\n2m          Warning   BackOff   pod/web-1   Back-off\n".into(), 1, table),
            ("No resources found in shop namespace.\n".into(), 1, "This is a message of kubectl"),
            ("Error from server (Forbidden): pods is forbidden: User \"dev\" cannot list\n".into(), 1, "This is a message of kubectl"),
            (format!("$ kubectl get deploy web -o yaml\n{MANIFEST}"), 1, command),
            (format!("me@laptop:~/shop$ kubectl get deploy web -o yaml\n{MANIFEST}"), 1, command),
            (format!("kubectl get deploy web -o yaml\n{MANIFEST}"), 1, command),
            (
                "diff --git a/web.yaml b/web.yaml\n--- a/web.yaml\n+++ b/web.yaml\n-  a: 1\n+  a: 2\n".into(),
                1,
                "This is a diff",
            ),
            (
                "Name:         web\nLabels:       app=web\nConditions:\n  Type    Status\n  a: b: c\n".into(),
                1,
                DESCRIPTION,
            ),
        ] {
            let Some((number, message)) = found(&text) else { panic!("{text}") };
            assert!(message.starts_with(expected) && number == line, "{number}: {message}: {text}");
        }
    }

    #[test]
    fn documents_without_a_kind_are_recognized() {
        for (text, expected) in [
            ("Name:   web\nNamespace:   shop\nReplicas:   3 desired\n", Some(DESCRIPTION)),
            ("replicaCount: 3\n", Some("These are the values")),
            ("image:\n  repository: web\n", Some("These are the values")),
            ("name: web\nversion: 1.0.0\n", None),
        ] {
            let found = wrong_object(&parse(text).unwrap()[0].value);
            assert_eq!(found.is_some(), expected.is_some(), "{text}: {found:?}");
            assert!(found.zip(expected).is_none_or(|(found, expected)| found.starts_with(expected)), "{found:?}");
        }
    }

    #[test]
    fn other_texts_keep_the_words_of_the_parser() {
        let script = "  run: |\n    kubectl get pods\n    {{}}\n";
        for text in [
            "kind: [".to_owned(),
            "kind: [{{}}".to_owned(),
            "just a sentence".to_owned(),
            format!("{MANIFEST}{script}# $ kubectl get pods\n  : ["),
            format!("{MANIFEST}  note: \"{{{{ $labels.pod }}}}\"\n  : ["),
        ] {
            assert!(parse(&text).is_err() && found(&text).is_none(), "{text}");
        }
    }
}
