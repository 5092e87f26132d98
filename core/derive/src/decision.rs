//! Derives `Decision`: an enum whose variants are rules, or other decisions.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Attribute, Data, DeriveInput, Error, Field, Fields, Ident, Result, Type};

use crate::rule::{Named, Texts, boxed, constant, has, shared, unboxed};

/// The contents of `#[decision(...)]`.
#[derive(Default)]
struct Options {
    /// Each decision is about an object: its subject.
    subject: bool,
    /// All variants answer one question.
    one_topic: bool,
}

impl Options {
    fn read(attributes: &[Attribute]) -> Result<Self> {
        let mut options = Self::default();
        for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("decision")) {
            attribute.parse_nested_meta(|meta| {
                if meta.path.is_ident("subject") {
                    options.subject = true;
                } else if meta.path.is_ident("one_topic") {
                    options.one_topic = true;
                } else {
                    return Err(meta.error("must be subject or one_topic"));
                }
                Ok(())
            })?;
        }
        Ok(options)
    }
}

/// What the derived methods do with one variant, or with a struct.
struct Arm<'a> {
    /// `Self`, or `Self::Variant`.
    path: TokenStream,
    content: Content<'a>,
}

enum Content<'a> {
    /// A rule.
    Rule(Rule<'a>),
    /// Another decision: the type of the only field.
    Decision { ident: &'a Ident, payload: &'a Type },
}

struct Rule<'a> {
    /// The name of the static with its texts: a caller may compare addresses.
    constant: Ident,
    text: TokenStream,
    named: Named<'a>,
    subject: Option<Subject>,
    /// The field with the time that is left of a wait.
    left: Option<&'a Ident>,
}

/// What a rule is about.
enum Subject {
    /// A field's value.
    Field(Ident),
    /// The subject of its shared operands.
    Shared(Ident),
}

impl<'a> Rule<'a> {
    fn read(ident: &'a Ident, texts: &Texts, like: Option<&Texts>, fields: &'a Fields) -> Result<Self> {
        let mut named = Named::read(fields)?;
        let text = texts.describe(like, ident, &mut named)?;
        let find = |attribute: &str| fields.iter().find(|field| has(field, attribute));
        let name = |field: &'a Field| field.ident.as_ref();
        let own = find("subject").and_then(name).cloned().map(Subject::Field);
        let subject = own.or_else(|| named.enclosing.as_ref().map(|(field, _)| Subject::Shared(field.clone())));
        let left = find("left").and_then(name);
        Ok(Self { constant: format_ident!("RULE_{}", constant(ident)), text, named, subject, left })
    }

    /// A pattern that binds these fields to their names.
    fn pattern(path: &TokenStream, fields: &[&Ident]) -> TokenStream {
        let fields = fields.iter().map(|field| match **field == shared() {
            true => quote! { 0: #field },
            false => quote! { #field },
        });
        quote! { #path { #(#fields,)* .. } }
    }

    fn reason_arm(&self, path: &TokenStream) -> TokenStream {
        let own = self.named.own.iter().map(|operand| operand.ident);
        let enclosing = self.named.enclosing.iter().filter(|_| !self.named.borrowed.is_empty());
        let fields: Vec<&Ident> = own.chain(enclosing.map(|(field, _)| field)).collect();
        let (pattern, constant, values) = (Self::pattern(path, &fields), &self.constant, self.named.values());
        quote! { #pattern => Reason { rule: &#constant, values: ::alloc::vec::Vec::from([#(#values),*]) } }
    }

    fn subject_arm(&self, path: &TokenStream) -> TokenStream {
        match &self.subject {
            Some(Subject::Field(field)) => {
                let pattern = Self::pattern(path, &[field]);
                quote! { #pattern => #field }
            }
            Some(Subject::Shared(field)) => {
                let pattern = Self::pattern(path, &[field]);
                quote! { #pattern => #field.subject() }
            }
            None => {
                let message = "must mark a field as its #[subject]";
                let error = Error::new_spanned(path, message).into_compile_error();
                quote! { #path { .. } => #error }
            }
        }
    }
}

impl Arm<'_> {
    fn reason(&self) -> TokenStream {
        let path = &self.path;
        match &self.content {
            Content::Rule(rule) => rule.reason_arm(path),
            Content::Decision { .. } => quote! { #path(inner) => inner.reason() },
        }
    }

    /// Adds the rules of the arm to a list.
    fn rules(&self) -> TokenStream {
        match &self.content {
            Content::Rule(rule) => {
                let constant = &rule.constant;
                quote! { rules.push(&#constant); }
            }
            Content::Decision { payload, .. } => {
                let payload = unboxed(payload);
                quote! { rules.extend(<#payload>::rules()); }
            }
        }
    }

    fn subject(&self) -> TokenStream {
        let path = &self.path;
        match &self.content {
            Content::Rule(rule) => rule.subject_arm(path),
            Content::Decision { .. } => quote! { #path(inner) => inner.subject() },
        }
    }

    fn topic(&self) -> Option<TokenStream> {
        let path = &self.path;
        match &self.content {
            Content::Rule(_) => None,
            Content::Decision { .. } => Some(quote! { (#path(one), #path(other)) => one.has_topic_of(other) }),
        }
    }

    fn repeats(&self) -> Option<TokenStream> {
        let path = &self.path;
        match &self.content {
            Content::Rule(Rule { left: None, .. }) => None,
            Content::Rule(Rule { left: Some(left), .. }) => Some(quote! {
                (#path { .. }, #path { .. }) => {
                    let mut before = self.clone();
                    if let #path { #left, .. } = &mut before {
                        #left.0 = #left.0.saturating_add(nanoseconds);
                    }
                    before == *earlier
                }
            }),
            Content::Decision { .. } => {
                Some(quote! { (#path(one), #path(earlier)) => one.repeats(earlier, nanoseconds) })
            }
        }
    }
}

fn read(input: &DeriveInput) -> Result<Vec<Arm<'_>>> {
    let missing = || Error::new_spanned(&input.ident, "must have #[rule(...)]: its texts");
    let data = match &input.data {
        Data::Struct(data) => {
            let texts = Texts::read(&input.attrs)?.ok_or_else(missing)?;
            let rule = Rule::read(&input.ident, &texts, None, &data.fields)?;
            return Ok(vec![Arm { path: quote! { Self }, content: Content::Rule(rule) }]);
        }
        Data::Enum(data) => data,
        Data::Union(_) => return Err(missing()),
    };
    let texts = data.variants.iter().map(|variant| Texts::read(&variant.attrs)).collect::<Result<Vec<_>>>()?;
    let find = |like: &Ident| {
        let mut of_variants = data.variants.iter().zip(&texts);
        let found = of_variants.find(|(variant, _)| variant.ident == *like).and_then(|(_, texts)| texts.as_ref());
        found.ok_or_else(|| Error::new_spanned(like, "is no variant with a rule"))
    };
    let arms = data.variants.iter().zip(&texts).map(|(variant, texts)| {
        let ident = &variant.ident;
        let content = match (texts, &variant.fields) {
            (Some(texts), fields) => {
                let like = texts.like.as_ref().map(find).transpose()?;
                Content::Rule(Rule::read(ident, texts, like, fields)?)
            }
            (None, Fields::Unnamed(fields)) if fields.unnamed.len() == 1 => {
                let payload = fields.unnamed.first().map(|field| &field.ty).ok_or_else(missing)?;
                Content::Decision { ident, payload }
            }
            (None, _) => return Err(Error::new_spanned(variant, "must have #[rule(...)], or hold another decision")),
        };
        Ok(Arm { path: quote! { Self::#ident }, content })
    });
    arms.collect()
}

pub fn decision(input: &DeriveInput) -> Result<TokenStream> {
    let options = Options::read(&input.attrs)?;
    let arms = read(input)?;
    let type_ = &input.ident;
    let explained = explained(type_, &arms);
    let topic = options.subject.then(|| topic(type_, &arms, options.one_topic));
    let repeats: Vec<_> = arms.iter().filter_map(Arm::repeats).collect();
    let nanoseconds = if repeats.is_empty() {
        quote! { _ }
    } else {
        quote! { nanoseconds }
    };
    let conversions = arms.iter().filter_map(|arm| match arm.content {
        Content::Decision { ident, payload } => {
            let inner = unboxed(payload);
            let value = boxed(payload).map_or(quote! { inner }, |_| quote! { ::alloc::boxed::Box::new(inner) });
            Some(quote! {
                impl From<#inner> for #type_ {
                    fn from(inner: #inner) -> Self {
                        Self::#ident(#value)
                    }
                }
            })
        }
        Content::Rule(_) => None,
    });
    Ok(quote! {
        #explained
        #topic
        #(#conversions)*

        impl #type_ {
            /// Whether this says what another decision said that many nanoseconds ago: of the same wait, less is left.
            pub(crate) fn repeats(&self, earlier: &Self, #nanoseconds: i64) -> bool {
                match (self, earlier) {
                    #(#repeats,)*
                    _ => self == earlier,
                }
            }
        }
    })
}

/// The texts, and the methods that need them.
fn explained(type_: &Ident, arms: &[Arm<'_>]) -> TokenStream {
    let constants = arms.iter().filter_map(|arm| match &arm.content {
        Content::Rule(Rule { constant, text, .. }) => Some(quote! { static #constant: RuleText = #text; }),
        Content::Decision { .. } => None,
    });
    let reasons = arms.iter().map(Arm::reason);
    let rules = arms.iter().map(Arm::rules);
    quote! {
        #[cfg(feature = "explain")]
        const _: () = {
            use ::changeover_core::rule::{Piece, Reason, RuleText};

            #(#constants)*

            impl #type_ {
                /// The rule with the values of this decision.
                pub fn reason(&self) -> Reason {
                    match self {
                        #(#reasons,)*
                    }
                }

                /// All rules, in the order of the variants.
                pub fn rules() -> ::alloc::vec::Vec<&'static RuleText> {
                    let mut rules = ::alloc::vec::Vec::new();
                    #(#rules)*
                    rules
                }
            }
        };
    }
}

/// The object that each decision is about, and whether two of them are about the same question.
fn topic(type_: &Ident, arms: &[Arm<'_>], one_topic: bool) -> TokenStream {
    let subjects = arms.iter().map(Arm::subject);
    let topics = arms.iter().filter_map(Arm::topic);
    let same = if one_topic {
        quote! { true }
    } else {
        quote! { ::core::mem::discriminant(self) == ::core::mem::discriminant(other) }
    };
    quote! {
        impl #type_ {
            /// The name of the object that it is about.
            pub fn subject(&self) -> &::alloc::rc::Rc<str> {
                match self {
                    #(#subjects,)*
                }
            }

            /// Whether both are about the same question and the same object, perhaps with other numbers.
            pub(crate) fn has_topic_of(&self, other: &Self) -> bool {
                match (self, other) {
                    #(#topics,)*
                    _ => #same && self.subject() == other.subject(),
                }
            }
        }
    }
}
