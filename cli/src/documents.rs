//! The documents of files, folders and standard input. Which documents of the input are used: one that can't be read, or that the API server refuses, leaves the others.

use std::collections::BTreeSet;

use changeover_core::Problem;
use changeover_core::foreign_text::isolated;
use changeover_core::json::ToJson;
use changeover_core::object::Kind;
use changeover_core::prediction::NotRead;
use changeover_core::scenario::{is_in_short, nodes_in_short};
use changeover_text::{ErrorKind, Position, Warning, WrongPaste, wrong_object, wrong_paste};
use clap::Args;

use crate::failure::Failure;
use crate::host::{FolderEntry, Host, PathContent};
use crate::manifests::{Manifest, Origin, STDIN, STDIN_NAME, api_version, kind, metadata};

/// Which documents are left out on purpose.
#[derive(Args, Clone, Debug, Default)]
pub struct DocumentOptions {
    /// Leaves out the objects of a kind, like ConfigMap; can be repeated
    #[arg(long, value_name = "KIND")]
    skip: Vec<String>,
    /// Leaves out the files and folders that match a pattern, like '*-test.yaml' or 'charts/**'; can be repeated
    #[arg(long, value_name = "PATTERN")]
    ignore: Vec<String>,
}

impl DocumentOptions {
    /// Whether a path of a folder is left out. A pattern without `/` is about the last part of the path, any other about the
    /// part of the path below the folder that the user names.
    pub fn ignores(&self, below: &str) -> bool {
        let name = below.rsplit('/').next().unwrap_or(below);
        self.ignore.iter().any(|pattern| {
            let text = if pattern.trim_end_matches('/').contains('/') { below } else { name };
            fast_glob::glob_match(pattern.trim_end_matches('/'), text)
        })
    }

    /// The kind that leaves out the objects of this one, as the user writes it: one of kubectl's names, like `cronjobs` or `sts`.
    fn skipped(&self, object_kind: &str) -> Option<&String> {
        let known = Kind::from_name(object_kind);
        self.skip.iter().find(|word| {
            let is_its = |name: &str| word.eq_ignore_ascii_case(name);
            is_its(object_kind)
                || known.map_or_else(|| is_its(&format!("{object_kind}s")), |kind| kind.is_named(&word.to_lowercase()))
        })
    }
}

/// A document that is not used, and why.
#[derive(Clone, Debug, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct LeftOut {
    /// The reason why it is not used.
    pub reason: LeftOutReason,
    /// The object, as `Kind/namespace/name`, as far as it could be read; empty if nothing was.
    pub object: String,
    /// The file; empty for the running cluster.
    pub file: String,
    /// The line, from 1; absent for a whole file.
    #[json(omitempty)]
    pub line: Option<usize>,
    /// The character within the line, from 1; absent for a whole file.
    #[json(omitempty)]
    pub column: Option<usize>,
    /// One sentence, without the file and line.
    pub message: String,
}

/// Why a document is not used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum LeftOutReason {
    /// It can't be read, or the API server refuses it.
    Refused,
    /// It is no Kubernetes object, or the user skips its kind.
    Skipped,
}

/// Why the files of kustomize are skipped.
const KUSTOMIZATION: &str = "it is no Kubernetes object: run `kubectl kustomize` and pipe its output to this command";

/// How the API server ends its refusal of a changed field.
const IMMUTABLE: &str = "field is immutable";

/// What to do about a changed selector, after the API server's words.
const KEEP_SELECTOR: &str = ": keep it, or delete the object first, which stops all of its pods";

impl LeftOut {
    /// A document that is left out as a whole, or at a position.
    pub fn at(reason: LeftOutReason, file: &str, position: Option<Position>, message: String) -> Self {
        let (line, column) = (position.map(|at| at.line), position.map(|at| at.column));
        Self { reason, object: String::new(), file: file.to_owned(), line, column, message }
    }

    /// An object of which a field is refused.
    pub fn refused(manifest: &Manifest, path: &str, message: &str) -> Self {
        let mut message = if path.is_empty() { message.to_owned() } else { format!("{path}: {message}") };
        if path == "spec.selector" && message.ends_with(IMMUTABLE) {
            message.push_str(KEEP_SELECTOR);
        }
        let position = manifest.position(path);
        let object = &manifest.document.value;
        let (namespace, name) = (metadata(object, "namespace"), metadata(object, "name"));
        let namespace = if namespace.is_empty() { "default" } else { namespace };
        let name = if name.is_empty() { metadata(object, "generateName") } else { name };
        let object = format!("{}/{namespace}/{name}", kind(object));
        let left_out = Self::at(
            LeftOutReason::Refused,
            position.map_or("", |(file, _)| file),
            position.map(|(_, position)| position),
            message,
        );
        Self { object, ..left_out }
    }

    /// The document as a reason for the verdict.
    pub fn to_not_read(&self) -> NotRead {
        NotRead { path: self.place(), reason: self.message.clone() }
    }

    /// Whether it is a finding.
    pub fn is_refused(&self) -> bool {
        self.reason == LeftOutReason::Refused
    }

    /// Prints it as a line of its own. Its message has words of the document.
    pub fn print(&self, host: &mut dyn Host) {
        host.print_error(&format!("{}\n", isolated(&self.sentence())));
    }

    /// `deploy.yaml:7:3: spec.replicas: Invalid value ...`
    pub fn sentence(&self) -> String {
        format!("{}: {}", self.place(), self.message)
    }

    /// `deploy.yaml:7:3`
    pub fn place(&self) -> String {
        let at: String = self.line.iter().chain(&self.column).map(|number| format!(":{number}")).collect();
        match (self.file.as_str(), self.object.as_str()) {
            ("", object) => format!("{object} in the cluster"),
            (file, _) => format!("{file}{at}"),
        }
    }
}

/// The objects of some paths, and what is left out of them.
#[derive(Clone, Debug, Default)]
pub struct Documents {
    pub manifests: Vec<Manifest>,
    pub left_out: Vec<LeftOut>,
    /// The kinds to skip of which there is no object.
    pub unknown_kinds: BTreeSet<String>,
    /// Whether an object is of a kind to skip.
    has_skipped: bool,
}

impl Documents {
    /// Reads the Kubernetes objects of paths, and prints a line for each document that is skipped.
    ///
    /// # Errors
    /// Wrong use: a path that does not exist.
    pub fn read<'a>(
        host: &mut dyn Host,
        paths: impl IntoIterator<Item = &'a String>,
        options: &DocumentOptions,
    ) -> Result<Self, Failure> {
        let mut documents = Self::default();
        for path in paths {
            read_documents(host, path, options, &mut documents)?;
        }
        let Self { manifests, left_out, unknown_kinds, has_skipped } = &mut documents;
        unknown_kinds.extend(options.skip.iter().cloned());
        manifests.retain(|manifest| {
            let object = &manifest.document.value;
            let file = match &manifest.origin {
                Origin::File(file) => file.as_str(),
                Origin::Cluster => "",
            };
            let is_kustomization = ["kustomization.yaml", "kustomization.yml"].iter().any(|name| file.ends_with(name));
            let has = |field: &str| object.get(field).is_some();
            if kind(object).is_empty() && has("apiVersion") && has("metadata") && !is_kustomization {
                let message = "Required value: must be the kind of the object, such as Deployment";
                left_out.push(LeftOut::refused(manifest, "kind", message));
                return false;
            }
            let meant = Kind::ALL.into_iter().find(|known| known.name().eq_ignore_ascii_case(kind(object)));
            if let Some(meant) = meant.filter(|meant| meant.name() != kind(object)) {
                let message = format!("Invalid value: {:?}: must be {:?}", kind(object), meant.name());
                left_out.push(LeftOut::refused(manifest, "kind", &message));
                return false;
            }
            let why = match kind(object) {
                "" if !is_kustomization => {
                    wrong_object(object).unwrap_or("it has no kind, so it is no Kubernetes object")
                }
                "" => KUSTOMIZATION,
                // Flux has objects of this kind.
                "Kustomization" if api_version(object).starts_with("kustomize.config.k8s.io/") => KUSTOMIZATION,
                other => {
                    let skipped = options.skipped(other);
                    skipped.map(|skipped| unknown_kinds.remove(skipped));
                    *has_skipped |= skipped.is_some();
                    return skipped.is_none();
                }
            };
            let at = manifest.position("").map(|(_, position)| position);
            left_out.push(LeftOut::at(LeftOutReason::Skipped, file, at, format!("skipped: {why}")));
            false
        });
        // Several documents of one file without a kind are one line.
        left_out.dedup_by(|second, first| {
            !first.is_refused() && (&first.file, &first.message) == (&second.file, &second.message)
        });
        for left_out in documents.left_out.iter().filter(|left_out| !left_out.is_refused()) {
            left_out.print(host);
        }
        Ok(documents)
    }

    /// Checks that not every document is refused.
    ///
    /// # Errors
    /// Why each of them is.
    pub fn check_some(&self) -> Result<(), Failure> {
        let refused = || self.left_out.iter().filter(|left_out| left_out.is_refused());
        if !self.manifests.is_empty() || refused().next().is_none() {
            return Ok(());
        }
        Err(Failure::of_lines(refused().map(LeftOut::sentence)))
    }

    /// Prints a line for each document that is refused, where the report has no place for it.
    pub fn print_refused(&self, host: &mut dyn Host) {
        for refused in self.left_out.iter().filter(|left_out| left_out.is_refused()) {
            refused.print(host);
        }
    }

    /// Prints a line for each kind to skip of which there is no object: it may be a typo.
    pub fn print_unknown_kinds(host: &mut dyn Host, unknown_kinds: &BTreeSet<String>) {
        for kind in unknown_kinds {
            host.print_error(&format!("--skip {kind}: there is no object of this kind, such as ConfigMap\n"));
        }
    }

    /// Whether there is no object: neither one that is refused, nor one that the user skips.
    pub fn is_empty(&self) -> bool {
        self.manifests.is_empty() && !self.has_skipped && !self.left_out.iter().any(LeftOut::is_refused)
    }
}

/// The name of nodes in short in messages.
const NODES: &str = "--nodes";

/// What `--nodes` takes.
const HOW_NODES_ARE_GIVEN: &str = "--nodes takes a path, or nodes in short, like \"3x 4cpu,16Gi\"";

/// Reads nodes: of a file, or of their description in short, like `3x 4cpu,16Gi zone=a,b,c`.
///
/// # Errors
/// Those of [`read`], and a word of the description that is none.
pub fn read_nodes(host: &mut dyn Host, given: &str) -> Result<Vec<Manifest>, Failure> {
    if !is_in_short(given) {
        return match read(host, given) {
            Err(failure) if given != STDIN && host.read(given).is_err() => Err(failure.with_hint(HOW_NODES_ARE_GIVEN)),
            read => read,
        };
    }
    let wrong = |message: String| Failure::new(message);
    let nodes = nodes_in_short(given, NODES).map_err(|problem| wrong(problem.to_string()))?;
    let mut manifests = Vec::new();
    for node in nodes {
        let documents = changeover_text::parse(&node.to_string()).map_err(|error| wrong(error.message))?;
        let origin = Origin::File(NODES.to_owned());
        manifests.extend(documents.into_iter().map(|document| Manifest { origin: origin.clone(), document }));
    }
    Ok(manifests)
}

/// Reads the objects of a file, of all files in a folder and the folders in it, or of standard input (`-`): all of them.
///
/// # Errors
/// What can't be read, with its file and line.
pub fn read(host: &mut dyn Host, path: &str) -> Result<Vec<Manifest>, Failure> {
    let manifests = read_whole(host, path)?;
    if manifests.is_empty() {
        return Err(Failure::new(format!("{path}: must contain .yaml, .yml or .json files with objects")));
    }
    Ok(manifests)
}

/// Reads ResourceQuotas, of which a namespace may have none. Without one, prints a line that says so.
///
/// # Errors
/// As [`read`].
pub fn read_quotas(host: &mut dyn Host, path: &str) -> Result<Vec<Manifest>, Failure> {
    let manifests = read_whole(host, path)?;
    if manifests.iter().all(|manifest| kind(&manifest.document.value) != "ResourceQuota") {
        host.print_error(&format!("{path}: has no ResourceQuota\n"));
    }
    Ok(manifests)
}

fn read_whole(host: &mut dyn Host, path: &str) -> Result<Vec<Manifest>, Failure> {
    let mut documents = Documents::default();
    read_documents(host, path, &DocumentOptions::default(), &mut documents)?;
    let refused = documents.left_out.iter().find(|left_out| left_out.is_refused());
    refused.map_or(Ok(documents.manifests), |refused| Err(Failure::new(refused.sentence())))
}

/// Reads the objects that can be read, of a file, of all files in a folder and the folders in it, or of standard input (`-`).
///
/// # Errors
/// A path that can't be read.
fn read_documents(
    host: &mut dyn Host,
    path: &str,
    options: &DocumentOptions,
    documents: &mut Documents,
) -> Result<(), Failure> {
    if path == STDIN {
        let bytes = host.read_stdin().map_err(|error| Failure::new(format!("{STDIN_NAME}: {error}")))?;
        parse(host, STDIN_NAME, &bytes, documents);
        return Ok(());
    }
    match read_path(host, path)? {
        PathContent::File(bytes) => parse(host, path, &bytes, documents),
        PathContent::Folder(entries) => {
            let root = path.trim_end_matches('/').to_owned();
            let mut folders = FolderReader { root, options, seen: BTreeSet::new() };
            folders.read(host, path, entries, documents);
        }
    }
    Ok(())
}

fn read_path(host: &mut dyn Host, path: &str) -> Result<PathContent, Failure> {
    host.read(path).map_err(|error| Failure::new(format!("{path}: {error}")))
}

/// Reads a folder and the folders in it.
struct FolderReader<'a> {
    /// The folder that the user names.
    root: String,
    options: &'a DocumentOptions,
    /// Where the folders really are: links may lead back to one of them.
    seen: BTreeSet<String>,
}

impl FolderReader<'_> {
    fn read(&mut self, host: &mut dyn Host, folder: &str, mut entries: Vec<FolderEntry>, documents: &mut Documents) {
        if host.real_path(folder).is_some_and(|real| !self.seen.insert(real)) {
            return;
        }
        entries.sort();
        let folder = folder.trim_end_matches('/');
        for FolderEntry { name, is_folder } in entries {
            let is_manifest = [".yaml", ".yml", ".json"].iter().any(|ending| name.ends_with(ending));
            let path = format!("{folder}/{name}");
            let below = path.strip_prefix(&self.root).unwrap_or(&path).trim_start_matches('/');
            if name.starts_with('.') || !(is_folder || is_manifest) || self.options.ignores(below) {
                continue;
            }
            match host.read(&path) {
                // A file of comments holds nothing, which is fine among others.
                Ok(PathContent::File(bytes)) if is_blank(&bytes) => {}
                Ok(PathContent::File(bytes)) => parse(host, &path, &bytes, documents),
                Ok(PathContent::Folder(entries)) => self.read(host, &path, entries, documents),
                Err(error) => {
                    documents.left_out.push(LeftOut::at(LeftOutReason::Refused, &path, None, error.to_string()));
                }
            }
        }
    }
}

/// Whether a text has nothing but comments and the marks between documents.
fn is_blank(bytes: &[u8]) -> bool {
    let lines = bytes.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    lines.into_iter().all(|line| line.is_empty() || line.starts_with(b"#") || line == b"---")
}

/// Adds the objects of a file. Warnings about them go to standard error.
fn parse(host: &mut dyn Host, file: &str, bytes: &[u8], documents: &mut Documents) {
    let parsed = changeover_text::read_bytes(bytes);
    for Warning { position: Position { line, column }, path, message } in &parsed.warnings {
        let path = if path.is_empty() { String::new() } else { format!("{path}: ") };
        host.print_error(&isolated(&format!("{file}:{line}:{column}: warning: {path}{message}\n")));
    }
    let text = String::from_utf8_lossy(bytes);
    let mut errors = parsed.errors.iter().filter(|error| error.kind != ErrorKind::Empty).peekable();
    if let Some(WrongPaste { line, message }) = errors.peek().and_then(|error| wrong_paste(&text, error)) {
        let position = Some(Position { line, column: 1 });
        documents.left_out.push(LeftOut::at(LeftOutReason::Refused, file, position, message.to_owned()));
        return;
    }
    for error in errors {
        if error.kind == ErrorKind::OtherList {
            let message = "skipped: it is a list, so it is no Kubernetes object".to_owned();
            documents.left_out.push(LeftOut::at(LeftOutReason::Skipped, file, error.position, message));
            continue;
        }
        let path = if error.path.is_empty() { String::new() } else { format!("{}: ", error.path) };
        let message = format!("{path}{}", error.message);
        documents.left_out.push(LeftOut::at(LeftOutReason::Refused, file, error.position, message));
    }
    let origin = Origin::File(file.to_owned());
    let manifests = parsed.objects.into_iter().map(|document| Manifest { origin: origin.clone(), document });
    documents.manifests.extend(manifests);
}

/// Takes the objects that a problem is about out of the lists, so that the others can be used. The paths of the core name the list
/// and the index: `old[3].spec.replicas`. None if the problem is about something else, too.
pub fn take_refused(problem: &Problem, lists: &mut [(&str, &mut Vec<Manifest>)]) -> Option<Vec<LeftOut>> {
    let mut taken: Vec<(usize, usize)> = Vec::new();
    let mut left_out: Vec<LeftOut> = Vec::new();
    for problem in core::iter::once(problem).chain(&problem.more) {
        let (list, index, below) = lists.iter().enumerate().find_map(|(list, (name, _))| {
            let (index, below) = problem.path.strip_prefix(name)?.strip_prefix('[')?.split_once(']')?;
            Some((list, index.parse::<usize>().ok()?, below))
        })?;
        let manifest = lists.get(list)?.1.get(index)?;
        left_out.push(LeftOut::refused(manifest, below.strip_prefix('.').unwrap_or(below), &problem.message));
        taken.push((list, index));
    }
    taken.sort_unstable();
    taken.dedup();
    // Those of the new manifests first: what is refused there leaves the old manifest as it is.
    for &(list, index) in taken.iter().rev() {
        let Some(refused) = lists.get_mut(list).map(|(_, manifests)| manifests.remove(index)) else { continue };
        if let [(_, old), (_, new)] = lists
            && list == 1
            && !new.iter().any(|other| is_same_object(other, &refused))
            && let Some(kept) = old.iter().position(|old| stays_for(old, &refused))
            && !taken.contains(&(0, kept))
        {
            match old.get(kept) {
                // The old manifest is the same, so both are left out.
                Some(before) if before.document.value == refused.document.value => drop(old.remove(kept)),
                before => new.extend(before.cloned()),
            }
        }
    }
    Some(left_out)
}

/// Whether an old manifest is that of the object whose new one is refused. Objects of a running cluster stay by themselves.
fn stays_for(old: &Manifest, refused: &Manifest) -> bool {
    is_same_object(old, refused) && metadata(&old.document.value, "uid").is_empty()
}

fn is_same_object(one: &Manifest, other: &Manifest) -> bool {
    let (one, other) = (&one.document.value, &other.document.value);
    !metadata(one, "name").is_empty()
        && kind(one) == kind(other)
        && ["name", "namespace"].iter().all(|field| metadata(one, field) == metadata(other, field))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_about_names_or_paths() {
        let options =
            |pattern: &str| DocumentOptions { ignore: vec![pattern.to_owned()], ..DocumentOptions::default() };
        for (pattern, path, ignored) in [
            ("*-test.yaml", "web/a-test.yaml", true),
            ("*-test.yaml", "web/a.yaml", false),
            ("charts/", "web/charts", true),
            ("charts/**", "charts/web/a.yaml", true),
            ("charts/**", "web/charts/a.yaml", false),
            ("**/values.yaml", "a/b/values.yaml", true),
        ] {
            assert_eq!(options(pattern).ignores(path), ignored, "{pattern} {path}");
        }
    }
}
