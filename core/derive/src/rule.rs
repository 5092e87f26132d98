//! The texts of rules, checked against the fields that they name, and the derives `Clause` and `Operands`.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::meta::ParseNestedMeta;
use syn::punctuated::Punctuated;
use syn::{
    Attribute, Data, DataStruct, DeriveInput, Error, Expr, Field, Fields, GenericArgument, Ident, LitStr, Path,
    PathArguments, Result, Token, Type, Variant, bracketed,
};

use crate::attributes::{camel_case, upper_case};

/// A field whose value the texts can use.
pub struct Operand<'a> {
    pub ident: &'a Ident,
    source: OperandSource<'a>,
}

/// Where an operand's value comes from: its own description, or one that several rules share. A clause has operands of its own.
enum OperandSource<'a> {
    Own { words: LitStr, mark: Option<Ident> },
    Shared(Path),
    Clause(&'a Type),
}

impl<'a> OperandSource<'a> {
    /// Where the value of a field comes from; none if it is no operand.
    fn read(field: &'a Field) -> Result<Option<Self>> {
        if has(field, "clause") {
            return Ok(Some(Self::Clause(&field.ty)));
        }
        let attribute = field.attrs.iter().find(|attribute| attribute.path().is_ident("operand"));
        let attribute =
            attribute.ok_or_else(|| Error::new_spanned(field, "must have #[operand(...)]: where it comes from"))?;
        if let Ok(shared) = attribute.parse_args::<Path>() {
            return Ok(if shared.is_ident("skip") { None } else { Some(Self::Shared(shared)) });
        }
        let (mut words, mut mark) = (None, None);
        attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("source") {
                words = Some(meta.value()?.parse()?);
            } else if meta.path.is_ident("mark") {
                mark = Some(meta.value()?.parse()?);
            } else {
                return Err(meta.error("must be source or mark"));
            }
            Ok(())
        })?;
        let words = words.ok_or_else(|| Error::new_spanned(attribute, "must name a source"))?;
        Ok(Some(Self::Own { words, mark }))
    }
}

impl Operand<'_> {
    /// The constant that describes it.
    pub fn describe(&self) -> TokenStream {
        let name = camel_case(&self.ident.to_string());
        let (source, mark, clauses) = match &self.source {
            OperandSource::Shared(path) => (quote! { #path.words }, quote! { #path.mark }, quote! { &[] }),
            OperandSource::Own { words, mark } => {
                let mark = match mark {
                    Some(mark) => quote! { Some(::changeover_core::rule::Mark::#mark) },
                    None => quote! { None },
                };
                (quote! { #words }, mark, quote! { &[] })
            }
            OperandSource::Clause(type_) => {
                let clauses = quote! { <#type_ as ::changeover_core::rule::Clause>::TEXTS };
                (quote! { "" }, quote! { None }, clauses)
            }
        };
        quote! {
            ::changeover_core::rule::Operand { name: #name, source: #source, mark: #mark, clauses: #clauses }
        }
    }

    /// The value of its field, to which `field` refers. A clause becomes a value only here, so that none is left out of
    /// [`Self::describe`].
    pub fn value(&self, field: &TokenStream) -> TokenStream {
        match &self.source {
            OperandSource::Clause(_) => {
                quote! { ::changeover_core::rule::OperandValue::from(::changeover_core::rule::Clause::phrase(#field)) }
            }
            OperandSource::Own { .. } | OperandSource::Shared(_) => {
                quote! { ::changeover_core::rule::ToOperand::to_operand(#field) }
            }
        }
    }
}

/// The method through which [`operands`] publishes the value of an operand.
pub fn value_method(name: &Ident) -> Ident {
    format_ident!("value_of_{}", name)
}

/// The constant through which [`operands`] publishes an operand, or a derive a text.
pub fn constant(name: &Ident) -> Ident {
    format_ident!("{}", upper_case(&name.to_string()), span = name.span())
}

fn fields_of_struct(input: &DeriveInput) -> Result<&Fields> {
    match &input.data {
        Data::Struct(DataStruct { fields, .. }) => Ok(fields),
        _ => Err(Error::new_spanned(input, "must be a struct with named fields")),
    }
}

pub fn ident(field: &Field) -> Result<&Ident> {
    field.ident.as_ref().ok_or_else(|| Error::new_spanned(field, "must have a name"))
}

/// Whether a field has the attribute.
pub fn has(field: &Field, attribute: &str) -> bool {
    field.attrs.iter().any(|there| there.path().is_ident(attribute))
}

/// The type in a box, if it is one.
pub fn boxed(type_: &Type) -> Option<&Type> {
    let Type::Path(path) = type_ else { return None };
    match &path.path.segments.last().filter(|last| last.ident == "Box")?.arguments {
        PathArguments::AngleBracketed(arguments) => match arguments.args.first()? {
            GenericArgument::Type(inner) => Some(inner),
            _ => None,
        },
        _ => None,
    }
}

/// The type in a box, or else the type itself.
pub fn unboxed(type_: &Type) -> &Type {
    boxed(type_).unwrap_or(type_)
}

/// Publishes each field as an operand for rules that contain the struct. This derive can't see those rules, so rustc
/// refuses a field that none of them uses: its constant is dead code. For that, the constant must have the field's span,
/// since rustc passes over dead code that a macro wrote.
pub fn operands(input: &DeriveInput) -> Result<TokenStream> {
    let fields = fields_of_struct(input)?;
    let members = Named::read(fields)?.own.into_iter().map(|operand| {
        let (name, description) = (constant(operand.ident), operand.describe());
        let type_ = quote! { ::changeover_core::rule::Operand };
        let constant = quote_spanned! { name.span() => #[deny(dead_code)] const #name: #type_ = #description; };
        let (ident, method) = (operand.ident, value_method(operand.ident));
        let value = operand.value(&quote! { &self.#ident });
        quote! {
            #constant

            fn #method(&self) -> ::changeover_core::rule::OperandValue {
                #value
            }
        }
    });
    let type_ = &input.ident;
    let subject = fields.iter().find(|field| has(field, "subject")).map(|field| {
        let ident = &field.ident;
        quote! {
            impl #type_ {
                fn subject(&self) -> &::alloc::rc::Rc<str> {
                    &self.#ident
                }
            }
        }
    });
    Ok(quote! {
        #[cfg(feature = "explain")]
        impl #type_ {
            #(#members)*
        }

        #subject
    })
}

/// The contents of `#[rule(...)]`.
#[derive(Default)]
pub struct Texts {
    id: Option<LitStr>,
    upstream: Option<Expr>,
    section: Option<Expr>,
    sentence: Option<LitStr>,
    formula: Vec<LitStr>,
    is_next_step: bool,
    /// The variant that has the texts which this one lacks.
    pub like: Option<Ident>,
}

impl Texts {
    /// The contents of the attribute; none without it.
    pub fn read(attributes: &[Attribute]) -> Result<Option<Self>> {
        let mut texts = Self::default();
        let Some(attribute) = attributes.iter().find(|attribute| attribute.path().is_ident("rule")) else {
            return Ok(None);
        };
        attribute.parse_nested_meta(|meta| texts.take(&meta))?;
        Ok(Some(texts))
    }

    /// The constant with these texts, and with those of another rule in place of missing ones, for a rule with these
    /// operands.
    pub fn describe(&self, like: Option<&Self>, of: &Ident, named: &mut Named<'_>) -> Result<TokenStream> {
        let missing = |what| Error::new_spanned(of, format!("#[rule({what} = ...)] is missing"));
        let id = self.id.as_ref().ok_or_else(|| missing("id"))?;
        let sentence = self.sentence.as_ref().or_else(|| like?.sentence.as_ref());
        let (sentence, mut used) = named.template(sentence.ok_or_else(|| missing("sentence"))?, Times::InWords)?;
        let mut formula = Vec::new();
        for line in like.iter().flat_map(|like| &like.formula).chain(&self.formula) {
            let (line, names) = named.template(line, Times::InSeconds)?;
            formula.push(line);
            used.extend(names);
        }
        named.require_used(&used)?;
        let own = named.own.iter().map(Operand::describe);
        let borrowed = named.enclosing.iter().flat_map(|(_, type_)| {
            named.borrowed.iter().map(constant).map(move |constant| quote! { <#type_>::#constant })
        });
        let operands = own.chain(borrowed);
        let upstream = optional(self.upstream.as_ref().or_else(|| like?.upstream.as_ref()));
        let section = optional(self.section.as_ref().or_else(|| like?.section.as_ref()));
        let is_next_step = self.is_next_step || like.is_some_and(|like| like.is_next_step);
        Ok(quote! {
            RuleText {
                id: #id,
                upstream: #upstream,
                section: #section,
                sentence: #sentence,
                formula: &[#(#formula),*],
                operands: &[#(#operands),*],
                is_next_step: #is_next_step,
            }
        })
    }

    fn take(&mut self, meta: &ParseNestedMeta<'_>) -> Result<()> {
        let name = meta.path.get_ident().map(ToString::to_string).unwrap_or_default();
        match name.as_str() {
            "id" => self.id = Some(meta.value()?.parse()?),
            "upstream" => self.upstream = Some(meta.value()?.parse()?),
            "section" => self.section = Some(meta.value()?.parse()?),
            "sentence" => self.sentence = Some(meta.value()?.parse()?),
            "formula" => {
                let value = meta.value()?;
                let lines;
                bracketed!(lines in value);
                self.formula = Punctuated::<LitStr, Token![,]>::parse_terminated(&lines)?.into_iter().collect();
            }
            "next_step" => self.is_next_step = true,
            "like" => self.like = Some(meta.value()?.parse()?),
            _ => return Err(meta.error("must be id, upstream, section, sentence, formula, next_step or like")),
        }
        Ok(())
    }
}

/// How a text writes seconds.
#[derive(Clone, Copy, PartialEq)]
pub enum Times {
    /// As a formula does, with the number.
    InSeconds,
    /// As a sentence does: `5 min 52 s`.
    InWords,
}

/// The operands that a rule's texts can use: its own, and those that it shares with others.
pub struct Named<'a> {
    pub own: Vec<Operand<'a>>,
    /// The field with operands that several rules share, and its type.
    pub enclosing: Option<(Ident, &'a Type)>,
    /// Those of them that the texts use.
    pub borrowed: Vec<Ident>,
}

impl<'a> Named<'a> {
    /// The fields of a struct or of a variant. A single field without a name holds shared operands.
    pub fn read(fields: &'a Fields) -> Result<Self> {
        let mut named = Self { own: Vec::new(), enclosing: None, borrowed: Vec::new() };
        if let Fields::Unnamed(unnamed) = fields {
            let mut unnamed = unnamed.unnamed.iter();
            return match (unnamed.next(), unnamed.next()) {
                (Some(only), None) => Ok(Self { enclosing: Some((shared(), unboxed(&only.ty))), ..named }),
                _ => Err(Error::new_spanned(fields, "must be named fields, or one field with shared operands")),
            };
        }
        for field in fields {
            let ident = ident(field)?;
            if has(field, "operands") {
                named.enclosing = Some((ident.clone(), unboxed(&field.ty)));
            } else if let Some(source) = OperandSource::read(field)? {
                named.own.push(Operand { ident, source });
            }
        }
        Ok(named)
    }

    /// The position of an operand in the rule's list. Shared ones come after its own.
    fn position(&mut self, name: &str, span: Span) -> Result<usize> {
        if let Some(position) = self.own.iter().position(|operand| operand.ident == name) {
            return Ok(position);
        }
        if self.enclosing.is_none() {
            return Err(Error::new(span, format!("{{{name}}} names no field")));
        }
        let found = self.borrowed.iter().position(|borrowed| borrowed == name);
        let position = found.unwrap_or(self.borrowed.len());
        if found.is_none() {
            let ident =
                syn::parse_str::<Ident>(name).map_err(|_| Error::new(span, format!("{{{name}}} is not a name")))?;
            self.borrowed.push(Ident::new(&ident.to_string(), span));
        }
        Ok(self.own.len().saturating_add(position))
    }

    /// The parts of a text. `(s)` after an operand becomes an s unless the operand is 1. With `times`, `{seconds} s` becomes a
    /// time in words.
    fn template(&mut self, text: &LitStr, times: Times) -> Result<(TokenStream, Vec<usize>)> {
        let (value, mut pieces, mut used) = (text.value(), Vec::new(), Vec::new());
        let mut rest = value.as_str();
        while let Some((before, after)) = rest.split_once('{') {
            push_words(&mut pieces, before, used.last());
            let (name, tail) = after.split_once('}').ok_or_else(|| Error::new_spanned(text, "a { is never closed"))?;
            let position = self.position(name, text.span())?;
            used.push(position);
            let after_time = tail.strip_prefix(" s").filter(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()));
            match after_time.filter(|_| times == Times::InWords) {
                Some(after_time) => {
                    pieces.push(quote! { Piece::Seconds(#position) });
                    rest = after_time;
                }
                None => {
                    pieces.push(quote! { Piece::Operand(#position) });
                    rest = tail;
                }
            }
        }
        push_words(&mut pieces, rest, used.last());
        Ok((quote! { &[#(#pieces),*] }, used))
    }
}

/// The name by which a variant's only field is bound.
pub fn shared() -> Ident {
    format_ident!("shared")
}

impl Named<'_> {
    /// A value for each operand, in their order, where each field is bound to its name.
    pub fn values(&self) -> Vec<TokenStream> {
        let own = self.own.iter().map(|operand| {
            let ident = operand.ident;
            operand.value(&quote! { #ident })
        });
        let borrowed = self.enclosing.iter().flat_map(|(field, _)| {
            self.borrowed.iter().map(value_method).map(move |method| quote! { #field.#method() })
        });
        own.chain(borrowed).collect()
    }

    /// Fails if there is an own operand that no text uses.
    fn require_used(&self, used: &[usize]) -> Result<()> {
        match self.own.iter().enumerate().find(|(position, _)| !used.contains(position)) {
            Some((_, unused)) => Err(Error::new_spanned(unused.ident, "no text names this field")),
            None => Ok(()),
        }
    }
}

fn push_words(pieces: &mut Vec<TokenStream>, words: &str, counted: Option<&usize>) {
    match (words.split_once("(s)"), counted) {
        (Some((noun, rest)), Some(position)) => {
            pieces.push(quote! { Piece::Text(#noun) });
            pieces.push(quote! { Piece::Plural(#position) });
            push_words(pieces, rest, counted);
        }
        _ if words.is_empty() => {}
        _ => pieces.push(quote! { Piece::Text(#words) }),
    }
}

fn optional(value: Option<&Expr>) -> TokenStream {
    value.map_or_else(|| quote! { None }, |value| quote! { Some(#value) })
}

/// What one variant of a clause says.
struct VariantText {
    /// The name of the constant.
    constant: Ident,
    /// Its value.
    text: TokenStream,
    /// The arm that makes a phrase of the variant.
    arm: TokenStream,
}

impl VariantText {
    fn read(variant: &Variant) -> Result<Self> {
        let words = variant.attrs.iter().find(|attribute| attribute.path().is_ident("clause"));
        let words = words.ok_or_else(|| Error::new_spanned(variant, "must have #[clause(\"...\")]: its words"))?;
        let mut named = Named::read(&variant.fields)?;
        if named.enclosing.is_some() {
            return Err(Error::new_spanned(variant, "a clause shares no operands"));
        }
        let (template, used) = named.template(&words.parse_args::<LitStr>()?, Times::InWords)?;
        named.require_used(&used)?;
        let operands = named.own.iter().map(Operand::describe);
        let text = quote! { ClauseText { words: #template, operands: &[#(#operands),*] } };
        let ident = &variant.ident;
        // Apart from the constants of sources, which the operands name.
        let constant = format_ident!("CLAUSE_{}", constant(ident));
        let fields: Vec<&Ident> = named.own.iter().map(|operand| operand.ident).collect();
        let values = named.own.iter().map(|operand| {
            let field = operand.ident;
            operand.value(&quote! { #field })
        });
        let arm = quote! {
            Self::#ident { #(#fields,)* .. } => Phrase {
                text: #constant,
                values: ::alloc::vec::Vec::from([#(#values),*]),
            },
        };
        Ok(Self { constant, text, arm })
    }
}

/// Derives a clause for an enum: the words of each variant, checked against its fields, and the values of its operands.
pub fn clause(input: &DeriveInput) -> Result<TokenStream> {
    let Data::Enum(data) = &input.data else { return Err(Error::new_spanned(input, "must be an enum")) };
    let variants = data.variants.iter().map(VariantText::read).collect::<Result<Vec<_>>>()?;
    let constants: Vec<&Ident> = variants.iter().map(|variant| &variant.constant).collect();
    let texts = variants.iter().map(|variant| &variant.text);
    let arms = variants.iter().map(|variant| &variant.arm);
    let type_ = &input.ident;
    let (generics, arguments, bounds) = input.generics.split_for_impl();
    Ok(quote! {
        #[cfg(feature = "explain")]
        const _: () = {
            use ::changeover_core::rule::{Clause, ClauseText, Phrase, Piece};

            #(const #constants: &ClauseText = &#texts;)*

            impl #generics Clause for #type_ #arguments #bounds {
                const TEXTS: &'static [&'static ClauseText] = &[#(#constants),*];

                fn phrase(&self) -> Phrase {
                    match self {
                        #(#arms)*
                    }
                }
            }
        };
    })
}
