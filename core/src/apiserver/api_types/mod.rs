//! The Go types of the API's objects, as the mirrored release has them. The recorder writes the lists.

use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Ordering;

use crate::go::json_name;

/// The types below a pod template, a line each, sorted by name: what each name stands for.
const TEMPLATE: &str = include_str!("template.txt");

/// The other types below the kinds that are validated.
const OBJECT: &str = include_str!("object.txt");

/// The lists, each with the places where its lines begin: a fleet has tens of thousands of templates whose types are looked up.
static LISTS: [(&str, &[u16]); 2] = [
    (TEMPLATE, &line_starts::<{ count_lines(TEMPLATE) }>(TEMPLATE)),
    (OBJECT, &line_starts::<{ count_lines(OBJECT) }>(OBJECT)),
];

/// The kinds of each version of the built-in API groups.
const KINDS: &str = include_str!("kinds.txt");

/// A type, as Go writes it: `*int64`, `[]v1.Container`.
pub(crate) type Type = &'static str;

/// What a type is made of.
pub(crate) enum Content {
    String,
    Bool,
    Int32,
    Int64,
    Pointer(Type),
    List(Type),
    /// The keys are strings.
    Map(Type),
    Struct(Fields),
    /// One whose JSON is not that of its fields, or that is not in the list.
    Other,
}

/// The fields of a struct, as they are listed.
#[derive(Clone, Copy)]
pub(crate) struct Fields(&'static str);

/// A field of a struct.
pub(crate) struct Field {
    pub(crate) name: &'static str,
    json_name: JsonName,
    pub(crate) type_: Type,
}

/// What JSON calls a field.
enum JsonName {
    /// As Go's name says.
    Usual,
    Other(&'static str),
    /// Nothing: the field is a struct whose fields are, in JSON, those of the struct around it.
    Embedded,
}

/// The name of a pod template's type.
pub(crate) const POD_TEMPLATE_SPEC: Type = "v1.PodTemplateSpec";

/// The name of a pod spec's type.
pub(crate) const POD_SPEC: Type = "v1.PodSpec";

/// The type of a kind's objects.
pub(crate) fn type_of_kind(kind: &str) -> Option<Type> {
    find(&format!("v1.{kind}")).map(|(name, _)| name)
}

/// What a type is made of.
pub(crate) fn content(type_: Type) -> Content {
    if let Some(below) = type_.strip_prefix('*') {
        return Content::Pointer(below);
    }
    if let Some(item) = type_.strip_prefix("[]") {
        return Content::List(item);
    }
    if let Some((_, value)) = type_.strip_prefix("map[").and_then(|rest| rest.split_once(']')) {
        return Content::Map(value);
    }
    match type_ {
        "string" => Content::String,
        "bool" => Content::Bool,
        "int32" => Content::Int32,
        "int64" => Content::Int64,
        name => match definition(name) {
            Some(definition) if definition.starts_with("struct") => Content::Struct(Fields::listed(definition)),
            Some(definition) => content(definition),
            None => Content::Other,
        },
    }
}

fn definition(name: &str) -> Option<&'static str> {
    find(name).map(|(_, definition)| definition)
}

impl Fields {
    /// Those of a struct; none of another type.
    pub(crate) fn of(struct_: Type) -> Self {
        Self::listed(definition(struct_).unwrap_or_default())
    }

    fn listed(definition: &'static str) -> Self {
        Self(definition.strip_prefix("struct ").unwrap_or_default())
    }

    /// The fields, in Go's order.
    pub(crate) fn iter(self) -> impl Iterator<Item = Field> {
        self.0.split(';').filter_map(field)
    }

    /// The type of the field with this JSON name.
    pub(crate) fn member(self, json_name: &str) -> Option<Type> {
        self.iter().find_map(|field| match field.json_name {
            JsonName::Embedded => Self::of(field.type_).member(json_name),
            _ => field.is_called(json_name).then_some(field.type_),
        })
    }

    /// The JSON names of the fields.
    pub(crate) fn json_names(self) -> Vec<String> {
        let names = |field: Field| match field.json_name() {
            Some(name) => vec![name],
            None => Self::of(field.type_).json_names(),
        };
        self.iter().flat_map(names).collect()
    }
}

impl Field {
    /// What JSON calls it; none for a struct whose fields are, in JSON, those of the struct around it.
    pub(crate) fn json_name(&self) -> Option<String> {
        match self.json_name {
            JsonName::Usual => Some(json_name(self.name)),
            JsonName::Other(name) => Some(name.into()),
            JsonName::Embedded => None,
        }
    }

    fn is_called(&self, name: &str) -> bool {
        match self.json_name {
            // The letters' case alone may differ.
            JsonName::Usual => self.name.eq_ignore_ascii_case(name) && json_name(self.name) == name,
            JsonName::Other(other) => other == name,
            JsonName::Embedded => false,
        }
    }

    /// Whether its own fields are, in JSON, those of the struct around it.
    #[cfg(feature = "explain")]
    pub(crate) const fn is_embedded(&self) -> bool {
        matches!(self.json_name, JsonName::Embedded)
    }
}

/// The kinds of a version of a built-in API group, such as `apps/v1`. No list for a group that is not built in: the groups of custom
/// resources have a dot in their names.
pub(crate) fn registered_kinds(api_version: &str) -> Option<Vec<&'static str>> {
    let is_known = rows(KINDS).any(|(version, _)| group(version) == group(api_version));
    let is_built_in = is_known || !group(api_version).contains('.');
    let kinds = rows(KINDS).find(|(version, _)| *version == api_version);
    is_built_in.then(|| kinds.map_or("", |(_, kinds)| kinds).split(' ').collect())
}

/// The newest stable version of a built-in API group that has a kind: of the group of this version, if that has it.
pub(crate) fn stable_version_of(kind: &str, given: &str) -> Option<&'static str> {
    let is_stable = |version: &str| !version.contains("alpha") && !version.contains("beta");
    let has_kind = |kinds: &str| kinds.split(' ').any(|known| known == kind);
    let versions = rows(KINDS).filter(|(version, kinds)| is_stable(version) && has_kind(kinds));
    versions.map(|(version, _)| version).max_by_key(|version| (group(version) == group(given), *version))
}

/// The API group of a version; empty for the core group.
fn group(version: &str) -> &str {
    version.rsplit_once('/').map_or("", |(group, _)| group)
}

/// The lines of a list: a name, and what it stands for. The first line says where the list comes from.
fn rows(list: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    list.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(' '))
}

/// The line with this name: the name, and what it stands for.
fn find(name: &str) -> Option<(&'static str, &'static str)> {
    LISTS.iter().find_map(|(list, starts)| {
        let begins_with_name = |start: &u16| {
            let line = list.get(usize::from(*start)..).unwrap_or_default().as_bytes();
            let (known, rest) = line.split_at_checked(name.len()).unwrap_or((line, &[]));
            let behind = if rest.first() == Some(&b' ') { Ordering::Equal } else { Ordering::Greater };
            known.cmp(name.as_bytes()).then(behind)
        };
        let index = starts.binary_search_by(begins_with_name).ok()?;
        let next = index.checked_add(1).and_then(|next| starts.get(next)).map_or(list.len(), |next| usize::from(*next));
        let line = list.get(usize::from(*starts.get(index)?)..next)?;
        line.trim_end().split_at_checked(name.len()).map(|(name, definition)| (name, definition.trim_start()))
    })
}

const fn count_lines(list: &str) -> usize {
    let (mut rest, mut count) = (list.as_bytes(), 0_usize);
    while let [first, behind @ ..] = rest {
        count = count.saturating_add(if *first == b'\n' { 1 } else { 0 });
        rest = behind;
    }
    count
}

/// Where the lines of a list begin.
#[expect(clippy::indexing_slicing, clippy::as_conversions, reason = "the compiler runs it, and fails where it does")]
const fn line_starts<const COUNT: usize>(list: &str) -> [u16; COUNT] {
    assert!(list.len() <= u16::MAX as usize);
    let (bytes, mut starts) = (list.as_bytes(), [0_u16; COUNT]);
    let (mut at, mut line) = (0_usize, 1_usize);
    while line < COUNT {
        if bytes[at] == b'\n' {
            starts[line] = at.saturating_add(1) as u16;
            line = line.saturating_add(1);
        }
        at = at.saturating_add(1);
    }
    starts
}

/// As `split_once`, which takes longer to begin than to go through a text as short as these.
fn split_once(text: &'static str, at: u8) -> Option<(&'static str, &'static str)> {
    let index = text.bytes().position(|byte| byte == at)?;
    Some((text.get(..index)?, text.get(index.checked_add(1)?..)?))
}

fn field(text: &'static str) -> Option<Field> {
    let (names, type_) = split_once(text, b' ')?;
    let (name, json_name) = match split_once(names, b'=') {
        None => (names, JsonName::Usual),
        Some((name, "")) => (name, JsonName::Embedded),
        Some((name, known)) => (name, JsonName::Other(known)),
    };
    Some(Field { name, json_name, type_ })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_is_known() {
        for (list, starts) in LISTS {
            assert_eq!(starts.len(), list.lines().count());
            let names: Vec<Type> = rows(list).map(|(name, _)| name).collect();
            assert!(names.is_sorted(), "the search needs the order of the names");
            for name in names {
                assert_eq!(find(name), rows(list).find(|(known, _)| *known == name));
                assert_eq!(find(&format!("{name}s")), None);
                let mut rest = Vec::from([name]);
                while let Some(type_) = rest.pop() {
                    match content(type_) {
                        Content::Pointer(below) | Content::List(below) | Content::Map(below) => rest.push(below),
                        // Each has a line of its own.
                        Content::Struct(fields) if type_ == name => {
                            rest.extend(fields.iter().map(|field| field.type_));
                        }
                        Content::Other => {
                            let read_otherwise = ["intstr.IntOrString", "resource.Quantity", "v1.FieldsV1", "v1.Time"];
                            assert!(read_otherwise.contains(&type_), "{name}: {type_}");
                        }
                        _ => {}
                    }
                }
            }
        }
    }

    #[test]
    fn fields_have_go_s_names_and_json_s() {
        let Content::Struct(fields) = content("v1.Volume") else { panic!("a struct") };
        let names: Vec<_> = fields.iter().map(|field| (field.name, field.json_name(), field.type_)).collect();
        assert_eq!(names, [("Name", Some("name".into()), "string"), ("VolumeSource", None, "v1.VolumeSource")]);
        assert_eq!(fields.member("hostPath"), Some("*v1.HostPathVolumeSource"));
        assert_eq!(fields.member("HostPath"), None);
        assert!(fields.json_names().iter().all(|name| fields.member(name).is_some()));
    }

    #[test]
    fn kinds_are_registered_for_the_versions_of_built_in_groups() {
        let is_registered = |version, kind| registered_kinds(version).map(|kinds| kinds.contains(&kind));
        assert_eq!(is_registered("apps/v1", "Deployment"), Some(true));
        assert_eq!(is_registered("v1", "ConfigMap"), Some(true));
        assert_eq!(is_registered("networking.k8s.io/v1", "Ingress"), Some(true));
        assert_eq!(is_registered("apps/v1", "Deploymnt"), Some(false));
        assert_eq!(is_registered("apps/v2", "Deployment"), Some(false));
        assert_eq!(is_registered("policy/v1beta1", "PodDisruptionBudget"), Some(false));
        assert_eq!(is_registered("extensions/v1beta1", "Ingress"), Some(false));
        assert_eq!(is_registered("argoproj.io/v1alpha1", "Rollout"), None);
    }
}
