//! Enums of plain strings, or of variants with one payload each, which serde writes as a map with one key.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{DataEnum, DeriveInput, Error, Fields, Ident, Result, Type};

use crate::attributes::{Attributes, with_first};

/// The variants of an enum, all of the same form.
enum Variants<'a> {
    /// Without payload: a string.
    Words(Vec<(&'a Ident, String)>),
    /// With one payload: a map whose only key is the variant's name.
    Tagged(Vec<Tagged<'a>>),
}

struct Tagged<'a> {
    ident: &'a Ident,
    name: String,
    payload: &'a Type,
}

impl<'a> Variants<'a> {
    fn read(input: &DeriveInput, data: &'a DataEnum) -> Result<Self> {
        let container = Attributes::read(&input.attrs)?;
        let (mut words, mut tagged) = (Vec::new(), Vec::new());
        for variant in &data.variants {
            let plain = variant.ident.to_string();
            let lower = |first: char| first.to_ascii_lowercase();
            let plain = if container.camel_case { with_first(&plain, lower) } else { plain };
            let name = Attributes::read(&variant.attrs)?.rename.unwrap_or(plain);
            match &variant.fields {
                Fields::Unit => words.push((&variant.ident, name)),
                Fields::Unnamed(fields) if fields.unnamed.len() == 1 => {
                    let payload = fields.unnamed.iter().map(|field| &field.ty);
                    tagged.extend(payload.map(|payload| Tagged { ident: &variant.ident, name: name.clone(), payload }));
                }
                _ => return Err(Error::new_spanned(variant, "must have no fields, or one without a name")),
            }
        }
        match (words.is_empty(), tagged.is_empty()) {
            (false, true) => Ok(Self::Words(words)),
            (true, false) => Ok(Self::Tagged(tagged)),
            _ => Err(Error::new_spanned(input, "must have variants, all with a payload or all without")),
        }
    }
}

pub fn to_json(input: &DeriveInput, data: &DataEnum) -> Result<TokenStream> {
    Ok(match Variants::read(input, data)? {
        Variants::Words(words) => unit_enum_to_json(&input.ident, &words),
        Variants::Tagged(variants) => tagged_to_json(&input.ident, &variants),
    })
}

pub fn from_json(input: &DeriveInput, data: &DataEnum) -> Result<TokenStream> {
    Ok(match Variants::read(input, data)? {
        Variants::Words(words) => unit_enum_from_json(&input.ident, &words),
        Variants::Tagged(variants) => tagged_from_json(&input.ident, &variants),
    })
}

fn unit_enum_to_json(type_: &Ident, words: &[(&Ident, String)]) -> TokenStream {
    let arms = words.iter().map(|(ident, name)| quote! { Self::#ident => #name });
    quote! {
        const _: () = {
            use ::changeover_core::json;

            impl #type_ {
                /// Its name in JSON.
                pub const fn as_str(self) -> &'static str {
                    match self {
                        #(#arms,)*
                    }
                }
            }

            impl json::ToJson for #type_ {
                fn to_json(&self) -> json::Value {
                    self.as_str().into()
                }

                fn is_empty(&self) -> bool {
                    self.as_str().is_empty()
                }
            }

            impl json::serde::Serialize for #type_ {
                fn serialize<S: json::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                    serializer.serialize_str(self.as_str())
                }
            }
        };
    }
}

fn unit_enum_from_json(type_: &Ident, words: &[(&Ident, String)]) -> TokenStream {
    let names = words.iter().map(|(_, name)| name);
    let idents = words.iter().map(|(ident, _)| ident);
    let first = words.iter().map(|(ident, _)| ident).take(1);
    let deserialize = deserialize(type_);
    quote! {
        const _: () = {
            use ::changeover_core::json;

            impl json::FromJson for #type_ {
                fn empty() -> Self {
                    #(Self::#first)*
                }

                fn read(&mut self, value: &json::Value, path: &json::Path<'_>) -> Result<(), json::Problem> {
                    let index = json::variant_index(&[#(#names),*], value, path)?;
                    if let Some(word) = [#(Self::#idents),*].get(index) {
                        *self = *word;
                    }
                    Ok(())
                }
            }

            #deserialize
        };
    }
}

fn tagged_to_json(type_: &Ident, variants: &[Tagged<'_>]) -> TokenStream {
    let arms = variants.iter().map(|Tagged { ident, name, .. }| {
        quote! { Self::#ident(payload) => json::write_variant(#name, payload) }
    });
    quote! {
        const _: () = {
            use ::changeover_core::json;

            impl json::ToJson for #type_ {
                fn to_json(&self) -> json::Value {
                    match self {
                        #(#arms,)*
                    }
                }
            }

            impl json::serde::Serialize for #type_ {
                fn serialize<S: json::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                    json::serialize(self, serializer)
                }
            }
        };
    }
}

fn tagged_from_json(type_: &Ident, variants: &[Tagged<'_>]) -> TokenStream {
    let what = type_.to_string().to_lowercase();
    let first = variants.iter().take(1).map(|Tagged { ident, payload, .. }| {
        quote! { Self::#ident(<#payload as json::FromJson>::empty()) }
    });
    let variants = variants.iter().map(|Tagged { ident, name, .. }| {
        quote! { json::Variant { name: #name, read: |value, path| Ok(Self::#ident(json::read_at(value, path)?)) } }
    });
    let deserialize = deserialize(type_);
    quote! {
        const _: () = {
            use ::changeover_core::json;

            impl json::FromJson for #type_ {
                fn empty() -> Self {
                    #(#first)*
                }

                fn read(&mut self, value: &json::Value, path: &json::Path<'_>) -> Result<(), json::Problem> {
                    self.read_flattened(&[], value, path)
                }

                fn read_flattened(
                    &mut self,
                    siblings: &[json::Field],
                    value: &json::Value,
                    path: &json::Path<'_>,
                ) -> Result<(), json::Problem> {
                    *self = json::Variants { what: #what, variants: &[#(#variants),*], siblings }.read(value, path)?;
                    Ok(())
                }
            }

            #deserialize
        };
    }
}

fn deserialize(type_: &Ident) -> TokenStream {
    quote! {
        impl<'de> json::serde::Deserialize<'de> for #type_ {
            fn deserialize<D: json::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                json::deserialize(deserializer)
            }
        }
    }
}
