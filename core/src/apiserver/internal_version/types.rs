//! The Go types below a pod template and a volume claim, with the fields that each has.

use alloc::string::String;

use crate::go::json_name;

/// The types, a line each. A field's name (`=` and JSON's name, where it does not follow from Go's) ends with a sign for its
/// [`Content`]. The recorder writes it.
const TYPES: &str = include_str!("types.txt");

/// A type, by the number of its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Type(usize);

/// A field of a type.
pub(crate) struct Member {
    /// Go's name of it.
    pub(crate) name: &'static str,
    /// The name that clients know.
    pub(crate) json_name: String,
    pub(crate) content: Content,
}

/// The type of a field's content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    /// `$`: a string.
    Text,
    /// `#`: a number.
    Number,
    /// `!`: a boolean.
    Bool,
    /// `%`: a quantity.
    Quantity,
    /// `?`: something that may be null, and that Go prints as it is in JSON.
    Nullable,
    /// `&`: a label selector.
    LabelSelector,
    /// `@`: the embedded ObjectMeta, `metadata` in JSON.
    ObjectMeta,
    /// `.`: a structure.
    Struct(Type),
    /// `*`: a structure that may be null.
    Pointer(Type),
    /// `^`: an embedded structure, whose fields count as those of the structure around it.
    Embedded(Type),
    /// `[`: a list of structures.
    List(Type),
}

impl Type {
    /// A pod template.
    pub(crate) const TEMPLATE: Self = Self(0);
    /// A pod spec.
    pub(crate) const POD_SPEC: Self = Self(1);

    /// A volume claim, as a StatefulSet has them: the one type with metadata and a status.
    pub(crate) fn claim() -> Option<Self> {
        TYPES.lines().position(|line| line.starts_with("@ ") && line.contains(" Status.")).map(Self)
    }

    /// The security context of a container: the one type that begins with capabilities.
    pub(crate) fn security_context() -> Option<Self> {
        TYPES.lines().position(|line| line.starts_with("Capabilities")).map(Self)
    }

    /// Its fields, in Go's order.
    pub(crate) fn members(self) -> impl Iterator<Item = Member> {
        TYPES.lines().nth(self.0).unwrap_or_default().split(' ').filter_map(member)
    }
}

fn member(text: &'static str) -> Option<Member> {
    let (names, content) = text.split_at_checked(text.find(|c: char| !(c.is_ascii_alphabetic() || c == '='))?)?;
    let (name, json_name) = match names.split_once('=') {
        None => (names, json_name(names)),
        Some((name, "")) => (name, json_name(name)),
        Some((name, known)) => (name, known.into()),
    };
    let mut rest = content.chars();
    let sign = rest.next()?;
    let type_ = || rest.as_str().parse().ok().map(Type);
    let content = match sign {
        '$' => Content::Text,
        '#' => Content::Number,
        '!' => Content::Bool,
        '%' => Content::Quantity,
        '?' => Content::Nullable,
        '&' => Content::LabelSelector,
        '@' => Content::ObjectMeta,
        '.' => Content::Struct(type_()?),
        '*' => Content::Pointer(type_()?),
        '^' => Content::Embedded(type_()?),
        '[' => Content::List(type_()?),
        _ => return None,
    };
    Some(Member { name, json_name, content })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_read() {
        for (number, line) in TYPES.lines().enumerate() {
            assert_eq!(Type(number).members().count(), line.split(' ').count(), "{line}");
        }
    }
}
