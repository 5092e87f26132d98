//! The Go types of the API's objects, as the mirrored release has them. The recorder writes the lists.

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use crate::go::json_name;

/// The types below a pod template, a line each, sorted by name: what each name stands for.
const TEMPLATE: &str = include_str!("template.txt");

/// The other types below the kinds that are validated.
const OBJECT: &str = include_str!("object.txt");

/// The kinds of each version of the built-in API groups.
const KINDS: &str = include_str!("kinds.txt");

/// A type, as Go writes it: `*int64`, `[]v1.Container`.
pub(crate) type Type = &'static str;

/// The types that have a name of their own.
pub(crate) struct Types(Vec<(Type, &'static str)>);

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
    Struct(Vec<Field>),
    /// One whose JSON is not that of its fields, or that is not in the list.
    Other,
}

/// A field of a struct.
pub(crate) struct Field {
    #[cfg_attr(not(feature = "explain"), expect(dead_code, reason = "only hashes print it"))]
    pub(crate) name: &'static str,
    /// None for a struct whose fields are, in JSON, those of the struct around it.
    pub(crate) json_name: Option<String>,
    pub(crate) type_: Type,
}

impl Types {
    /// The name of a pod template's type.
    #[cfg(feature = "explain")]
    pub(crate) const POD_TEMPLATE_SPEC: Type = "v1.PodTemplateSpec";
    /// The name of a pod spec's type.
    pub(crate) const POD_SPEC: Type = "v1.PodSpec";

    /// Those below a pod template.
    pub(crate) fn of_templates() -> Self {
        Self(rows(TEMPLATE).collect())
    }

    /// Those below all kinds that are validated.
    pub(crate) fn of_objects() -> Self {
        let mut all: Vec<(Type, &'static str)> = rows(TEMPLATE).chain(rows(OBJECT)).collect();
        all.sort_unstable();
        Self(all)
    }

    /// The type of a kind's objects.
    pub(crate) fn of_kind(&self, kind: &str) -> Option<Type> {
        self.0.iter().map(|(name, _)| *name).find(|name| name.strip_prefix("v1.") == Some(kind))
    }

    /// What a type is made of.
    pub(crate) fn content(&self, type_: Type) -> Content {
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
            name => match self.definition(name) {
                Some(definition) if definition.starts_with("struct") => Content::Struct(self.fields(name)),
                Some(definition) => self.content(definition),
                None => Content::Other,
            },
        }
    }

    /// The fields of a struct, in Go's order.
    pub(crate) fn fields(&self, struct_: Type) -> Vec<Field> {
        let fields = self.definition(struct_).and_then(|definition| definition.strip_prefix("struct "));
        fields.unwrap_or_default().split(';').filter_map(field).collect()
    }

    /// The type of the field with this JSON name.
    pub(crate) fn member(&self, fields: &[Field], json_name: &str) -> Option<Type> {
        fields.iter().find_map(|field| match &field.json_name {
            Some(name) => (name == json_name).then_some(field.type_),
            None => self.member(&self.fields(field.type_), json_name),
        })
    }

    /// The JSON names of fields.
    pub(crate) fn json_names(&self, fields: &[Field]) -> Vec<String> {
        let names = |field: &Field| match &field.json_name {
            Some(name) => vec![name.clone()],
            None => self.json_names(&self.fields(field.type_)),
        };
        fields.iter().flat_map(names).collect()
    }

    fn definition(&self, name: &str) -> Option<&'static str> {
        let index = self.0.binary_search_by_key(&name, |(known, _)| known).ok()?;
        self.0.get(index).map(|(_, definition)| *definition)
    }
}

/// The kinds of a version of a built-in API group, such as `apps/v1`. No list for a group that is not built in, as that of custom
/// resources.
pub(crate) fn registered_kinds(api_version: &str) -> Option<Vec<&'static str>> {
    let group = |version: &str| version.rsplit_once('/').map_or(String::new(), |(group, _)| group.into());
    let is_built_in = rows(KINDS).any(|(version, _)| group(version) == group(api_version));
    let kinds = rows(KINDS).find(|(version, _)| *version == api_version);
    is_built_in.then(|| kinds.map_or("", |(_, kinds)| kinds).split(' ').collect())
}

/// The lines of a list: a name, and what it stands for. The first line says where the list comes from.
fn rows(list: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    list.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(' '))
}

fn field(text: &'static str) -> Option<Field> {
    let (names, type_) = text.split_once(' ')?;
    let (name, json_name) = match names.split_once('=') {
        None => (names, Some(json_name(names))),
        Some((name, "")) => (name, None),
        Some((name, known)) => (name, Some(known.into())),
    };
    Some(Field { name, json_name, type_ })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_is_known() {
        for types in [Types::of_templates(), Types::of_objects()] {
            assert!(types.0.is_sorted(), "binary search needs the order of the names");
            for (name, _) in &types.0 {
                let mut rest = Vec::from([*name]);
                while let Some(type_) = rest.pop() {
                    match types.content(type_) {
                        Content::Pointer(below) | Content::List(below) | Content::Map(below) => rest.push(below),
                        // Each has a line of its own.
                        Content::Struct(fields) if type_ == *name => {
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
        let types = Types::of_objects();
        let Content::Struct(fields) = types.content("v1.Volume") else { panic!("a struct") };
        let names: Vec<_> = fields.iter().map(|field| (field.name, field.json_name.as_deref(), field.type_)).collect();
        assert_eq!(names, [("Name", Some("name"), "string"), ("VolumeSource", None, "v1.VolumeSource")]);
        assert_eq!(types.member(&fields, "hostPath"), Some("*v1.HostPathVolumeSource"));
        assert!(types.json_names(&fields).iter().all(|name| types.member(&fields, name).is_some()));
    }

    #[test]
    fn kinds_are_registered_for_the_versions_of_built_in_groups() {
        let is_registered = |version, kind| registered_kinds(version).map(|kinds| kinds.contains(&kind));
        assert_eq!(is_registered("apps/v1", "Deployment"), Some(true));
        assert_eq!(is_registered("v1", "ConfigMap"), Some(true));
        assert_eq!(is_registered("networking.k8s.io/v1", "Ingress"), Some(true));
        assert_eq!(is_registered("apps/v1", "Deploymnt"), Some(false));
        assert_eq!(is_registered("apps/v2", "Deployment"), Some(false));
        assert_eq!(is_registered("argoproj.io/v1alpha1", "Rollout"), None);
    }
}
