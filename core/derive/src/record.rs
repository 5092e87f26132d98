use proc_macro2::TokenStream;
use quote::quote;
use syn::{DeriveInput, Error, Field, FieldsNamed, Ident, Result, Type};

use crate::attributes::{Attributes, camel_case};

/// The fields of a struct with their attributes.
struct Record<'a> {
    container: Attributes,
    named: Vec<Named<'a>>,
    flattened: Option<&'a Ident>,
    skipped: Vec<&'a Ident>,
}

struct Named<'a> {
    ident: &'a Ident,
    type_: &'a Type,
    name: String,
    attributes: Attributes,
}

impl<'a> Record<'a> {
    fn read(input: &DeriveInput, fields: &'a FieldsNamed) -> Result<Self> {
        let container = Attributes::read(&input.attrs)?;
        let mut record = Self { container, named: Vec::new(), flattened: None, skipped: Vec::new() };
        for field in &fields.named {
            record.add(field)?;
        }
        Ok(record)
    }

    fn add(&mut self, field: &'a Field) -> Result<()> {
        let attributes = Attributes::read(&field.attrs)?;
        let ident = field.ident.as_ref().ok_or_else(|| Error::new_spanned(field, "must have a name"))?;
        if attributes.skip {
            self.skipped.push(ident);
            return Ok(());
        }
        if attributes.flatten {
            self.flattened = Some(ident);
            return Ok(());
        }
        let plain = ident.to_string();
        let plain = if self.container.camel_case { camel_case(&plain) } else { plain };
        let name = attributes.rename.clone().unwrap_or(plain);
        self.named.push(Named { ident, type_: &field.ty, name, attributes });
        Ok(())
    }

    /// The fields in order; the flattened one is last.
    fn idents(&self) -> impl Iterator<Item = &Ident> {
        self.named.iter().map(|field| field.ident).chain(self.flattened)
    }

    fn table(&self) -> TokenStream {
        let fields = self.named.iter().map(|field| {
            let Named { name, attributes, .. } = field;
            let required = !self.container.default && !attributes.default && !is_option(field.type_);
            let Attributes { omitempty, milliseconds, .. } = attributes;
            quote! { Field { name: #name, required: #required, omitempty: #omitempty, milliseconds: #milliseconds } }
        });
        let unknown = match (self.flattened, self.container.deny_unknown_fields) {
            (Some(_), _) => quote! { Flattened },
            (None, true) => quote! { Refused },
            (None, false) => quote! { Ignored },
        };
        quote! { &Table { fields: &[#(#fields),*], unknown: UnknownFields::#unknown } }
    }

    /// The empty value that reading starts from.
    fn empty(&self) -> TokenStream {
        if self.container.default {
            return quote! { ::core::default::Default::default() };
        }
        let named = self.named.iter().map(|Named { ident, type_, attributes, .. }| match &attributes.default_path {
            Some(path) => quote! { #ident: #path() },
            None if attributes.default => quote! { #ident: ::core::default::Default::default() },
            None => quote! { #ident: <#type_ as ::changeover_core::json::FromJson>::empty() },
        });
        let flattened = self.flattened.map(|ident| quote! { #ident: ::changeover_core::json::FromJson::empty() });
        let skipped = self.skipped.iter().map(|ident| quote! { #ident: ::core::default::Default::default() });
        quote! { Self { #(#named,)* #(#skipped,)* #flattened } }
    }
}

fn is_option(type_: &Type) -> bool {
    let Type::Path(path) = type_ else { return false };
    path.path.segments.last().is_some_and(|segment| segment.ident == "Option")
}

pub fn to_json(input: &DeriveInput, fields: &FieldsNamed) -> Result<TokenStream> {
    let record = Record::read(input, fields)?;
    let type_ = &input.ident;
    let (generics, arguments, bounds) = input.generics.split_for_impl();
    let table = record.table();
    let arms = record.idents().enumerate().map(|(index, ident)| quote! { #index => Some(&self.#ident) });
    Ok(quote! {
        const _: () = {
            use ::changeover_core::json::{self, Field, Table, UnknownFields};

            impl #generics json::Record for #type_ #arguments #bounds {
                fn table(&self) -> &'static Table {
                    const TABLE: &Table = #table;
                    TABLE
                }

                fn field(&self, index: usize) -> Option<&dyn json::ToJson> {
                    match index {
                        #(#arms,)*
                        _ => None,
                    }
                }
            }

            impl #generics json::ToJson for #type_ #arguments #bounds {
                fn to_json(&self) -> json::Value {
                    json::write_record(self)
                }

                fn is_empty(&self) -> bool {
                    json::record_is_empty(self)
                }
            }

            impl #generics json::serde::Serialize for #type_ #arguments #bounds {
                fn serialize<S: json::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                    json::serialize(self, serializer)
                }
            }
        };
    })
}

pub fn from_json(input: &DeriveInput, fields: &FieldsNamed) -> Result<TokenStream> {
    let record = Record::read(input, fields)?;
    if let Some(field) = record.named.iter().find(|field| field.attributes.milliseconds) {
        let message = "is written in milliseconds, and would be read as nanoseconds";
        return Err(Error::new_spanned(field.ident, message));
    }
    let type_ = &input.ident;
    let empty = record.empty();
    let arms = record.idents().enumerate().map(|(index, ident)| quote! { #index => Some(&mut self.#ident) });
    Ok(quote! {
        const _: () = {
            use ::changeover_core::json::{self, Path, Value};

            impl json::RecordMut for #type_ {
                fn field_mut(&mut self, index: usize) -> Option<&mut dyn json::FromJson> {
                    match index {
                        #(#arms,)*
                        _ => None,
                    }
                }
            }

            impl json::FromJson for #type_ {
                fn empty() -> Self {
                    #empty
                }

                fn read(&mut self, value: &Value, path: &Path<'_>) -> Result<(), json::Problem> {
                    json::read_record(self, value, path)
                }
            }

            impl<'de> json::serde::Deserialize<'de> for #type_ {
                fn deserialize<D: json::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                    json::deserialize(deserializer)
                }
            }
        };
    })
}
