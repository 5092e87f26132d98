//! Derives `ToJson` and `FromJson` of `changeover_core::json`: a table of a type's fields, which one function for all
//! types reads, so that every error names the field's path and what would be right.
//!
//! The attributes are serde's, so that other derives (JSON Schema) read the same ones: on a type `rename_all =
//! "camelCase"`, `default` and `deny_unknown_fields`; on a field `rename`, `default`, `flatten` (a map that keeps
//! the unknown fields, or an enum whose variants appear next to the type's own fields) and `skip` (what is read has the field's
//! default); on a variant `rename`. Our own attribute is `#[json(omitempty)]` on a field, as in Go.
//!
//! An enum is a string or, if each of its variants has one payload, a map with one key (serde's external tag).

mod attributes;
mod decision;
mod record;
mod rule;
mod variant;

use proc_macro::TokenStream;
use syn::{Data, DeriveInput, Error, Fields, Result, parse_macro_input};

/// Writes a struct with named fields, or an enum.
#[proc_macro_derive(ToJson, attributes(json, serde))]
pub fn to_json(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    derive(&input, record::to_json, variant::to_json)
}

/// Reads a struct with named fields or an enum; it must also derive `ToJson`.
#[proc_macro_derive(FromJson, attributes(json, serde))]
pub fn from_json(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    derive(&input, record::from_json, variant::from_json)
}

/// Derives a decision: an enum of which each variant is a rule, or holds another decision. The texts in
/// `#[rule(id, upstream, section, sentence, formula)]` refer to the variant's fields as `{field}`; `like = Variant` takes
/// from another variant what is missing, and `next_step` is for a rule that may be among the next steps of an object. A
/// struct is a decision with one rule.
///
/// Each field declares in `#[operand(...)]` where its value comes from: `source` and perhaps `mark`, or the name of a
/// constant with both; with `skip`, it is not for texts. A field whose value is a clause ([`Clause`](macro@Clause)) has
/// `#[clause]` instead. A field with `#[operands]`, or the only field of a variant, contains operands that several rules
/// share ([`Operands`](macro@Operands)). An unknown name, or a field that no text uses, does not compile.
///
/// With `#[decision(subject)]`, each decision is about an object, whose name is in the field with `#[subject]`; the
/// variants are topics, or with `one_topic` all are one. A field with `#[left]` is the rest of a wait: the same wait
/// with less time left is the same decision. The texts are compiled only with the feature `explain`.
#[proc_macro_derive(Decision, attributes(decision, rule, operand, operands, clause, subject, left))]
pub fn derive_decision(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    decision::decision(&input).unwrap_or_else(Error::into_compile_error).into()
}

/// Derives a clause, which the sentences of several rules can contain, for an enum. The words of each variant in
/// `#[clause("...")]` refer to its fields, as those of a rule do.
#[proc_macro_derive(Clause, attributes(clause, operand))]
pub fn derive_clause(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    rule::clause(&input).unwrap_or_else(Error::into_compile_error).into()
}

/// Lets rules that contain this struct refer to its fields. A field that none of them refers to does not compile.
#[proc_macro_derive(Operands, attributes(operand, clause, subject))]
pub fn derive_operands(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    rule::operands(&input).unwrap_or_else(Error::into_compile_error).into()
}

type Derive<T> = fn(&DeriveInput, &T) -> Result<proc_macro2::TokenStream>;

fn derive(input: &DeriveInput, record: Derive<syn::FieldsNamed>, variant: Derive<syn::DataEnum>) -> TokenStream {
    let code = match &input.data {
        Data::Struct(syn::DataStruct { fields: Fields::Named(fields), .. }) => record(input, fields),
        Data::Enum(data) => variant(input, data),
        _ => Err(Error::new_spanned(input, "must be a struct with named fields or an enum")),
    };
    code.unwrap_or_else(Error::into_compile_error).into()
}
