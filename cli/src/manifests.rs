//! Kubernetes objects from files, folders, standard input and kubectl, and where in them something is.

use std::collections::BTreeSet;

use changeover_core::Problem;
use changeover_text::{Document, ErrorKind, Position, Warning};
use serde_json::Value;

use crate::documents::{DocumentOptions, Documents, LeftOut, LeftOutReason};
use crate::failure::Failure;
use crate::host::{FolderEntry, Host, PathContent};

/// The name of standard input on the command line.
pub const STDIN: &str = "-";

/// The name of standard input in messages.
pub const STDIN_NAME: &str = "standard input";

/// Where an object comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A file, or standard input.
    File(String),
    /// The running cluster.
    Cluster,
}

/// An object and where it comes from.
#[derive(Clone, Debug)]
pub struct Manifest {
    pub origin: Origin,
    pub document: Document,
}

impl Manifest {
    /// The file and position of a field, or of the nearest field around it.
    pub fn position(&self, path: &str) -> Option<(&str, Position)> {
        match &self.origin {
            Origin::File(file) => Some((file, self.document.position(path))),
            Origin::Cluster => None,
        }
    }

    /// A sentence about a field: `deploy.yaml:7:3: spec.replicas: Invalid value ...`.
    pub fn locate(&self, path: &str, message: &str) -> String {
        let before = match self.position(path) {
            Some((file, Position { line, column })) => format!("{file}:{line}:{column}"),
            None => format!("{} in the cluster", self.name()),
        };
        if path.is_empty() { format!("{before}: {message}") } else { format!("{before}: {path}: {message}") }
    }

    /// The file that has the object; none for standard input and the running cluster, which are read as they are now.
    pub fn file(&self) -> Option<&str> {
        match &self.origin {
            Origin::File(file) if file != STDIN_NAME => Some(file),
            Origin::File(_) | Origin::Cluster => None,
        }
    }

    /// `Kind/name`
    pub fn name(&self) -> String {
        let object = &self.document.value;
        format!("{}/{}", kind(object), metadata(object, "name"))
    }
}

/// The kind of an object; empty if it has none.
pub fn kind(object: &Value) -> &str {
    object.get("kind").and_then(Value::as_str).unwrap_or_default()
}

/// A field of an object's metadata; empty if it has none.
pub fn metadata<'a>(object: &'a Value, field: &str) -> &'a str {
    object.get("metadata").and_then(|metadata| metadata.get(field)?.as_str()).unwrap_or_default()
}

/// Whether only a running cluster has such an object.
pub fn is_of_running_cluster(manifest: &Manifest) -> bool {
    let object = &manifest.document.value;
    matches!(kind(object), "ReplicaSet" | "Pod") && !metadata(object, "uid").is_empty()
}

/// The objects of a list of manifests.
pub fn objects(manifests: &[Manifest]) -> Vec<Value> {
    manifests.iter().map(|manifest| manifest.document.value.clone()).collect()
}

/// Reads the objects of a file, of all files in a folder and the folders in it, or of standard input (`-`): all of them.
///
/// # Errors
/// What can't be read, with its file and line.
pub fn read(host: &mut dyn Host, path: &str) -> Result<Vec<Manifest>, Failure> {
    let mut documents = Documents::default();
    read_documents(host, path, &DocumentOptions::default(), &mut documents)?;
    let refused = documents.left_out.iter().find(|left_out| left_out.is_refused());
    match refused {
        Some(refused) => Err(Failure::new(refused.sentence())),
        None if documents.manifests.is_empty() => {
            Err(Failure::new(format!("{path}: must contain .yaml, .yml or .json files with objects")))
        }
        None => Ok(documents.manifests),
    }
}

/// Reads the objects that can be read, of a file, of all files in a folder and the folders in it, or of standard input (`-`).
///
/// # Errors
/// A path that can't be read.
pub fn read_documents(
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
        host.print_error(&format!("{file}:{line}:{column}: warning: {path}{message}\n"));
    }
    let hint = if bytes.windows(2).any(|two| two == b"{{") {
        " (this looks like a Helm template: pipe the output of `helm template` instead)"
    } else {
        ""
    };
    // An empty file has nothing to refuse.
    for error in parsed.errors.iter().filter(|error| error.kind != ErrorKind::Empty) {
        let path = if error.path.is_empty() { String::new() } else { format!("{}: ", error.path) };
        let message = format!("{path}{}{hint}", error.message);
        documents.left_out.push(LeftOut::at(LeftOutReason::Refused, file, error.position, message));
    }
    let origin = Origin::File(file.to_owned());
    let manifests = parsed.objects.into_iter().map(|document| Manifest { origin: origin.clone(), document });
    documents.manifests.extend(manifests);
}

/// Reads what kubectl printed with `-o json`.
///
/// # Errors
/// When that is no JSON, or has no objects.
pub fn parse_cluster(bytes: &[u8]) -> Result<Vec<Manifest>, Failure> {
    let value: Value = serde_json::from_slice(bytes)
        .map_err(|error| Failure::new(format!("kubectl: Invalid value: must print JSON: {error}")))?;
    let documents =
        changeover_text::objects(value).map_err(|error| Failure::new(format!("kubectl: {}", error.message)))?;
    Ok(documents.into_iter().map(|document| Manifest { origin: Origin::Cluster, document }).collect())
}

/// The sentence of a problem of an object in one of these lists, with its file and line; none if it is about something else.
/// The paths of the core name the list and the index: `old[3].spec.replicas`.
pub fn located(problem: &Problem, lists: &[(&str, &[Manifest])]) -> Option<String> {
    lists.iter().find_map(|(name, manifests)| {
        let (index, below) = problem.path.strip_prefix(name)?.strip_prefix('[')?.split_once(']')?;
        let manifest = manifests.get(index.parse::<usize>().ok()?)?;
        Some(manifest.locate(below.strip_prefix('.').unwrap_or(below), &problem.message))
    })
}

/// The flag of an option's field: `readyAfter` is `--ready-after`.
pub fn flag_of(field: &str) -> String {
    let mut flag = "--".to_owned();
    for character in field.chars() {
        if character.is_ascii_uppercase() {
            flag.push('-');
        }
        flag.push(character.to_ascii_lowercase());
    }
    flag
}

/// A text as one word of a shell, quoted where it must be.
pub fn shell_word(text: &str) -> String {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "-_./=:,@%+".contains(character);
    if !text.is_empty() && text.chars().all(is_plain) { text.to_owned() } else { shell_quoted(text) }
}

/// A text as one quoted word of a shell.
pub fn shell_quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}
