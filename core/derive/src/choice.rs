use proc_macro2::TokenStream;
use quote::quote;
use syn::{DataEnum, DeriveInput, Error, Fields, Ident, Result};

use crate::attributes::{Attributes, with_first};

/// The variants with their names.
fn variants<'a>(input: &DeriveInput, data: &'a DataEnum) -> Result<Vec<(&'a Ident, String)>> {
    let container = Attributes::read(&input.attrs)?;
    let named = data.variants.iter().map(|variant| {
        if !matches!(variant.fields, Fields::Unit) {
            return Err(Error::new_spanned(variant, "must have no fields"));
        }
        let plain = variant.ident.to_string();
        let lower = |first: char| first.to_ascii_lowercase();
        let plain = if container.camel_case { with_first(&plain, lower) } else { plain };
        Ok((&variant.ident, Attributes::read(&variant.attrs)?.rename.unwrap_or(plain)))
    });
    named.collect()
}

pub fn to_json(input: &DeriveInput, data: &DataEnum) -> Result<TokenStream> {
    let type_ = &input.ident;
    let variants = variants(input, data)?;
    let arms = variants.iter().map(|(ident, name)| quote! { Self::#ident => #name });
    Ok(quote! {
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
    })
}

pub fn from_json(input: &DeriveInput, data: &DataEnum) -> Result<TokenStream> {
    let type_ = &input.ident;
    let variants = variants(input, data)?;
    let names = variants.iter().map(|(_, name)| name);
    let idents = variants.iter().map(|(ident, _)| ident);
    let first =
        variants.first().map(|(ident, _)| ident).ok_or_else(|| Error::new_spanned(input, "must have variants"))?;
    Ok(quote! {
        const _: () = {
            use ::changeover_core::json;

            impl json::FromJson for #type_ {
                fn blank() -> Self {
                    Self::#first
                }

                fn read(&mut self, value: &json::Value, path: &json::Path<'_>) -> Result<(), json::Problem> {
                    let index = json::choice(&[#(#names),*], value, path)?;
                    *self = [#(Self::#idents),*].get(index).copied().unwrap_or(Self::#first);
                    Ok(())
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
