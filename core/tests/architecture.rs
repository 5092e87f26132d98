//! No two modules of the same folder import each other, directly or indirectly, in any crate; a module and its parent may.
//! And the arrows of the diagrams in `ARCHITECTURE.md` match the code: those of the layers, and those of the kinds of workloads.
//!
//! A kind has a folder, `core/src/workload/KIND`, whose files belong to different layers: each counts as a file of its layer.
//!
//! This reads the sources: a `use`, or a path that begins with `crate::` or `super::`, is an edge from its file to the
//! file that declares the name. A re-export counts as the file that it names.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "a test fails by panicking"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The path of a module from the crate's root; empty for the root itself.
type Name = Vec<String>;

/// Pairs of a user and what it uses.
type Arrows = BTreeSet<(String, String)>;

/// A source file.
#[derive(Default)]
struct Module {
    /// The paths in it, as written.
    paths: BTreeSet<Name>,
    /// Its re-exports, by their exported names.
    exports: BTreeMap<String, Name>,
}

/// All modules of a crate except its tests.
#[derive(Default)]
struct Modules(BTreeMap<Name, Module>);

impl Modules {
    /// Those of the crate in this folder.
    fn of(folder: &Path) -> Self {
        let mut modules = Self::default();
        modules.read(&folder.join("src"), &Vec::new());
        modules
    }

    fn read(&mut self, folder: &Path, name: &Name) {
        let has_library = folder.join("lib.rs").exists();
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let stem = path.file_stem().unwrap().to_str().unwrap();
            let below = [name.as_slice(), &[stem.into()]].concat();
            match stem {
                _ if path.is_dir() => self.read(&path, &below),
                _ if path.extension().is_none_or(|extension| extension != "rs") => {}
                "tests" => {}
                "main" if has_library => {}
                "lib" | "main" | "mod" => self.add(name.clone(), &fs::read_to_string(&path).unwrap()),
                _ => self.add(below, &fs::read_to_string(&path).unwrap()),
            }
        }
    }

    fn add(&mut self, name: Name, source: &str) {
        let code = code(source);
        let mut module = Module::default();
        for (at, _) in code.match_indices("use ") {
            let (before, tree) = code.split_at(at);
            let mut paths = Vec::new();
            expand(&[], tree.trim_start_matches("use ").split(';').next().unwrap(), &mut paths);
            // `pub use` and `pub(crate) use`
            let is_exported = before.trim_end().ends_with("pub") || before.trim_end().ends_with(')');
            for (path, name) in paths {
                if is_exported {
                    module.exports.insert(name, path.clone());
                }
                module.paths.insert(path);
            }
        }
        for start in ["crate::", "super::"] {
            for (at, _) in code.match_indices(start) {
                let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':');
                let path = code.split_at(at).1.split(|c| !is_part(c)).next().unwrap();
                // The start of a group in a `use` is no path itself.
                if !path.ends_with("::") {
                    module.paths.insert(path.split("::").map(String::from).collect());
                }
            }
        }
        self.0.insert(name, module);
    }

    /// The module that declares the target of a path in another module; none if it is not in this crate.
    fn declaring(&self, module: &Name, path: &[String]) -> Option<Name> {
        let (mut at, mut rest) = match path.first()?.as_str() {
            "crate" => (Vec::new(), &path[1..]),
            "super" | "self" => (module.clone(), path),
            child => {
                let is_child = self.0.contains_key(&[module.as_slice(), &[child.into()]].concat());
                is_child.then(|| (module.clone(), path))?
            }
        };
        while let Some((first, below)) = rest.split_first() {
            match first.as_str() {
                "self" => {}
                "super" => drop(at.pop()),
                name => {
                    let child = [at.as_slice(), &[name.into()]].concat();
                    if !self.0.contains_key(&child) {
                        // A folder of programs has no module of its own.
                        let exports = self.0.get(&at).map(|module| &module.exports);
                        let export = exports.and_then(|exports| exports.get(name)).filter(|export| *export != path);
                        return export.and_then(|export| self.declaring(&at, export)).or(Some(at));
                    }
                    at = child;
                }
            }
            rest = below;
        }
        Some(at)
    }

    /// Whether the module says only what is in its folder: `workload`, and each kind's own.
    fn is_list(&self, name: &Name) -> bool {
        let has_below = || self.0.keys().any(|other| other.len() > name.len() && other.starts_with(name));
        name.first().is_some_and(|first| first == "workload") && place(name) == *name && has_below()
    }

    /// Each module that imports something, with each module that declares that. Lists import nothing.
    fn uses(&self) -> impl Iterator<Item = (&Name, Name)> {
        self.0.iter().filter(|(name, _)| !self.is_list(name)).flat_map(move |(name, module)| {
            module.paths.iter().filter_map(move |path| Some((name, self.declaring(name, path)?)))
        })
    }

    /// For each folder, which of its modules import which.
    fn imports(&self) -> BTreeMap<String, Arrows> {
        let mut imports: BTreeMap<String, Arrows> = BTreeMap::new();
        for (name, declaring) in self.uses() {
            let (name, declaring) = (place(name), place(&declaring));
            let common = name.iter().zip(&declaring).take_while(|(a, b)| a == b).count();
            if let (Some(from), Some(to)) = (name.get(common), declaring.get(common)) {
                let folder = name[..common].join("/");
                imports.entry(folder).or_default().insert((from.clone(), to.clone()));
            }
        }
        imports
    }

    /// Which kinds of workloads import which.
    fn kinds(&self) -> Arrows {
        let kind = |name: &Name| (name.first()? == "workload").then(|| name.get(1).cloned())?;
        let pairs = self.uses().filter_map(|(name, declaring)| Some((kind(name)?, kind(&declaring)?)));
        pairs.filter(|(from, to)| from != to).collect()
    }
}

/// The files in the folder of a kind of workloads, and the folders of their layers.
const PARTS: [(&str, &[&str]); 7] = [
    ("kind", &["object", "kinds"]),
    ("object", &["object"]),
    ("strategy", &["apiserver"]),
    ("decision", &["controller", "decision"]),
    ("controller", &["controller"]),
    ("run", &["cluster", "kinds"]),
    ("figures", &["timeline"]),
];

/// Where a module would be if the kinds of workloads had no folders: `workload/job/strategy/spec` in `apiserver/job/spec`.
fn place(name: &[String]) -> Name {
    let part = |name: &String| PARTS.iter().find(|(part, _)| part == name).map(|(_, layer)| layer);
    let below = name.strip_prefix(&[String::from("workload")][..]).unwrap_or_default();
    let found = below.iter().enumerate().find_map(|(at, name)| Some((at, part(name)?)));
    found.map_or_else(
        || name.to_vec(),
        |(at, layer)| {
            let layer = layer.iter().map(|name| String::from(*name));
            layer.chain([below[..at].join("_")]).chain(below[at + 1..].iter().cloned()).collect()
        },
    )
}

/// A source without its comments and its tests, on one line.
fn code(source: &str) -> String {
    let source = source.split("#[cfg(test)]\nmod tests {").next().unwrap();
    let lines = source.lines().map(|line| line.split("//").next().unwrap());
    lines.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
}

/// The paths of a `use`, each with the name that it introduces.
fn expand(start: &[String], tree: &str, paths: &mut Vec<(Name, String)>) {
    if let Some((before, group)) = tree.split_once('{') {
        let names = before.split("::").map(str::trim).filter(|name| !name.is_empty()).map(String::from);
        let start: Name = start.iter().cloned().chain(names).collect();
        let (mut depth, mut item) = (1, String::new());
        for c in group.chars() {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            if depth == 0 || (depth == 1 && c == ',') {
                expand(&start, &std::mem::take(&mut item), paths);
            } else {
                item.push(c);
            }
            if depth == 0 {
                break;
            }
        }
        return;
    }
    let (path, alias) = tree.split_once(" as ").map_or((tree, None), |(path, alias)| (path, Some(alias)));
    let names = path.split("::").map(|name| name.trim().to_owned()).filter(|name| !name.is_empty());
    let path: Name = start.iter().cloned().chain(names).collect();
    if let Some(last) = path.last().filter(|last| path.len() > start.len() && *last != "*") {
        let name = alias.unwrap_or(last).trim().to_owned();
        paths.push((path, name));
    }
}

/// The modules in cycles: those left after removing the ones that import nothing, and the ones that nothing imports.
fn circles(imports: &Arrows) -> BTreeSet<&str> {
    let mut left: BTreeSet<&(String, String)> = imports.iter().collect();
    loop {
        let before = left.len();
        let from: BTreeSet<&str> = left.iter().map(|(from, _)| from.as_str()).collect();
        let to: BTreeSet<&str> = left.iter().map(|(_, to)| to.as_str()).collect();
        left.retain(|(a, b)| to.contains(a.as_str()) && from.contains(b.as_str()));
        if left.len() == before {
            return from;
        }
    }
}

/// The folder of the workspace.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

fn manifest(folder: &str) -> toml::Table {
    fs::read_to_string(root().join(folder).join("Cargo.toml")).unwrap().parse().unwrap()
}

/// The folders of the workspace's crates.
fn crate_folders() -> Vec<String> {
    let workspace = manifest("");
    let members = workspace["workspace"]["members"].as_array().unwrap().iter().map(|member| member.as_str().unwrap());
    members.map(String::from).collect()
}

#[test]
fn siblings_do_not_import_one_another() {
    let core = Modules::of(&root().join("core")).imports();
    assert!(core.len() > 10, "only {} folders were found", core.len());
    let known = |from: &str, to: &str| core[""].contains(&(from.into(), to.into()));
    assert!(known("apiserver", "object") && known("cluster", "controller") && known("review", "cluster"));
    let folders = crate_folders();
    assert!(folders.iter().any(|folder| folder.starts_with("tests/")), "the crates of the tests are missing");
    for folder in folders {
        for (below, imports) in Modules::of(&root().join(&folder)).imports() {
            let circle = circles(&imports);
            assert!(circle.is_empty(), "{folder}/src/{below}: in circles: {circle:?}");
        }
    }
}

/// The arrows of a diagram, `a --> b`. The first one shows the layers, the second one the kinds of workloads.
fn drawn_arrows(diagram: usize) -> Arrows {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ARCHITECTURE.md");
    let text = fs::read_to_string(file).unwrap();
    let drawing = text.split("```mermaid").nth(diagram).unwrap().split("```").next().unwrap();
    let arrows = drawing.lines().filter_map(|line| line.trim().split_once(" --> "));
    arrows.map(|(from, to)| (from.into(), to.into())).collect()
}

/// The arrows between the workspace's own crates, by the last part of their folders. `core/derive` belongs to core, and
/// crates in `tests` are left out.
fn crate_arrows() -> Arrows {
    let is_drawn = |folder: &String| folder != "core/derive" && !folder.starts_with("tests/");
    let folders: Vec<String> = crate_folders().into_iter().filter(is_drawn).collect();
    let node = |folder: &str| folder.replace("web/", "").replace('/', "-");
    let names: BTreeMap<String, String> = folders
        .iter()
        .map(|folder| (manifest(folder)["package"]["name"].as_str().unwrap().into(), node(folder)))
        .collect();
    let mut arrows = Arrows::new();
    for folder in &folders {
        let manifest = manifest(folder);
        // Include dependencies that are only used for WebAssembly.
        let targets = manifest.get("target").and_then(toml::Value::as_table).into_iter().flatten();
        let tables = targets.filter_map(|(_, target)| target.as_table()).chain([&manifest]);
        let dependencies = tables.filter_map(|table| table.get("dependencies")?.as_table()).flatten();
        for name in dependencies.filter_map(|(name, _)| names.get(name)) {
            arrows.insert((node(folder), name.clone()));
        }
    }
    arrows
}

/// All pairs that are connected by arrows.
fn reachable(arrows: &Arrows) -> Arrows {
    let mut all = arrows.clone();
    loop {
        let longer: Arrows = all
            .iter()
            .flat_map(|(from, by)| {
                arrows.iter().filter(move |(a, _)| a == by).map(|(_, to)| (from.clone(), to.clone()))
            })
            .collect();
        let before = all.len();
        all.extend(longer);
        if all.len() == before {
            return all;
        }
    }
}

#[test]
fn the_layers_are_drawn_as_they_are() {
    let core = Modules::of(&root().join("core")).imports();
    let actual: Arrows = crate_arrows().union(&core[""]).cloned().collect();
    let drawn = drawn_arrows(1);
    let (implied, possible) = (reachable(&drawn), reachable(&actual));
    let missing: Vec<_> = actual.difference(&implied).collect();
    let invented: Vec<_> = drawn.difference(&possible).collect();
    assert!(missing.is_empty(), "the drawing lacks {missing:?}");
    assert!(invented.is_empty(), "the code lacks {invented:?}");
}

#[test]
fn the_kinds_of_workloads_are_drawn_as_they_are() {
    assert_eq!(Modules::of(&root().join("core")).kinds(), drawn_arrows(2));
}

#[test]
fn a_file_of_a_kind_counts_as_one_of_its_layer() {
    let place = |path: &str| place(&path.split('/').map(String::from).collect::<Vec<_>>()).join("/");
    for (path, expected) in [
        ("workload/job/object", "object/job"),
        ("workload/job/strategy/spec", "apiserver/job/spec"),
        ("workload/job/decision", "controller/decision/job"),
        ("workload/job/ttl_after_finished/run", "cluster/kinds/job_ttl_after_finished"),
        ("workload/job", "workload/job"),
        ("controller/client", "controller/client"),
    ] {
        assert_eq!(place(path), expected);
    }
}

#[test]
fn arrows_that_follow_from_others_are_reachable() {
    let arrows = |pairs: &[(&str, &str)]| pairs.iter().map(|(a, b)| ((*a).into(), (*b).into())).collect::<Arrows>();
    let all = reachable(&arrows(&[("a", "b"), ("b", "c"), ("c", "d")]));
    assert_eq!(all, arrows(&[("a", "b"), ("b", "c"), ("c", "d"), ("a", "c"), ("b", "d"), ("a", "d")]));
}

#[test]
fn cycles_are_found() {
    let imports = |pairs: &[(&str, &str)]| pairs.iter().map(|(a, b)| ((*a).into(), (*b).into())).collect();
    assert!(circles(&imports(&[("a", "b"), ("b", "c"), ("a", "c")])).is_empty());
    let set = imports(&[("a", "b"), ("b", "c"), ("c", "b"), ("c", "d")]);
    assert_eq!(circles(&set), BTreeSet::from(["b", "c"]));
}

#[test]
fn re_exports_count_as_the_file_that_they_name() {
    let mut modules = Modules::default();
    for (name, source) in [
        ("", "mod a; mod b;"),
        ("a", "mod x; pub use x::{T, y::U as V};"),
        ("a/x", "use crate::b; fn f() { super::super::b::g() }"),
        ("b", "use crate::a::{T, V}; // use crate::c;"),
    ] {
        modules.add(name.split('/').filter(|name| !name.is_empty()).map(String::from).collect(), source);
    }
    let name = |text: &str| text.split("::").map(String::from).collect::<Name>();
    assert_eq!(modules.declaring(&name("b"), &name("crate::a::T")), Some(name("a::x")));
    let both = BTreeSet::from([("a".into(), "b".into()), ("b".into(), "a".into())]);
    assert_eq!(modules.imports()[""], both);
}
