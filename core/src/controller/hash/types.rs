//! The Go types below a pod template.

use alloc::string::String;
use alloc::vec::Vec;

use crate::go::json_name;

/// The types, a line each, sorted by name: what each name stands for. The recorder writes it.
const TYPES: &str = include_str!("types.txt");

/// A type, as Go writes it: `*int64`, `[]v1.Container`.
pub(super) type Type = &'static str;

/// The types that have a name of their own.
pub(super) struct Types(Vec<(Type, &'static str)>);

/// What a type is made of.
pub(super) enum Content {
    String,
    Bool,
    Integer,
    Pointer(Type),
    List(Type),
    /// The keys are strings.
    Map(Type),
    Struct(Vec<Field>),
    /// One whose JSON is not that of its fields, or that is not in the list.
    Other,
}

/// A field of a struct.
pub(super) struct Field {
    pub(super) name: &'static str,
    /// None for a struct whose fields are, in JSON, those of the struct around it.
    pub(super) json_name: Option<String>,
    pub(super) type_: Type,
}

impl Types {
    /// The name of a pod template's type.
    pub(super) const POD_TEMPLATE_SPEC: Type = "v1.PodTemplateSpec";

    /// All of them.
    pub(super) fn read() -> Self {
        Self(TYPES.lines().filter_map(|line| line.split_once(' ')).collect())
    }

    /// What a type is made of.
    pub(super) fn content(&self, type_: Type) -> Content {
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
            "int32" | "int64" => Content::Integer,
            name => match self.definition(name) {
                Some(definition) if definition.starts_with("struct ") => Content::Struct(self.fields(name)),
                Some(definition) => self.content(definition),
                None => Content::Other,
            },
        }
    }

    /// The fields of a struct, in Go's order.
    pub(super) fn fields(&self, struct_: Type) -> Vec<Field> {
        let fields = self.definition(struct_).and_then(|definition| definition.strip_prefix("struct "));
        fields.unwrap_or_default().split(';').filter_map(field).collect()
    }

    fn definition(&self, name: &str) -> Option<&'static str> {
        let index = self.0.binary_search_by_key(&name, |(known, _)| known).ok()?;
        self.0.get(index).map(|(_, definition)| *definition)
    }
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
        let types = Types::read();
        assert!(types.0.is_sorted(), "binary search needs the order of the names");
        for (name, _) in &types.0 {
            let mut rest = Vec::from([*name]);
            while let Some(type_) = rest.pop() {
                match types.content(type_) {
                    Content::Pointer(below) | Content::List(below) | Content::Map(below) => rest.push(below),
                    // Each has a line of its own.
                    Content::Struct(fields) if type_ == *name => rest.extend(fields.iter().map(|field| field.type_)),
                    Content::Other => {
                        let printed_otherwise = ["intstr.IntOrString", "resource.Quantity", "v1.FieldsV1", "v1.Time"];
                        assert!(printed_otherwise.contains(&type_), "{name}: {type_}");
                    }
                    _ => {}
                }
            }
        }
    }

    #[test]
    fn fields_have_go_s_names_and_json_s() {
        let Content::Struct(fields) = Types::read().content("v1.Volume") else { panic!("a struct") };
        let fields: Vec<_> = fields.iter().map(|field| (field.name, field.json_name.as_deref(), field.type_)).collect();
        assert_eq!(fields, [("Name", Some("name"), "string"), ("VolumeSource", None, "v1.VolumeSource")]);
    }
}
