use syn::meta::ParseNestedMeta;
use syn::{Attribute, ExprPath, LitStr, Result, Token};

/// The attributes of a type, a field or a variant.
#[derive(Default)]
pub struct Attributes {
    pub camel_case: bool,
    pub default: bool,
    pub default_path: Option<ExprPath>,
    pub deny_unknown_fields: bool,
    pub flatten: bool,
    pub milliseconds: bool,
    pub omitempty: bool,
    pub rename: Option<String>,
    pub skip: bool,
}

impl Attributes {
    pub fn read(attributes: &[Attribute]) -> Result<Self> {
        let mut read = Self::default();
        let ours = |attribute: &&Attribute| attribute.path().is_ident("serde") || attribute.path().is_ident("json");
        for attribute in attributes.iter().filter(ours) {
            attribute.parse_nested_meta(|meta| read.take(&meta))?;
        }
        Ok(read)
    }

    fn take(&mut self, meta: &ParseNestedMeta<'_>) -> Result<()> {
        let name = meta.path.get_ident().map(ToString::to_string).unwrap_or_default();
        match name.as_str() {
            "rename_all" if text(meta)? == "camelCase" => self.camel_case = true,
            "default" => {
                self.default = true;
                if meta.input.peek(Token![=]) {
                    self.default_path = Some(syn::parse_str(&text(meta)?)?);
                }
            }
            "deny_unknown_fields" => self.deny_unknown_fields = true,
            "flatten" => self.flatten = true,
            "rename" => self.rename = Some(text(meta)?),
            "milliseconds" => self.milliseconds = true,
            "omitempty" => self.omitempty = true,
            "skip" => self.skip = true,
            _ => return Err(meta.error("is not read by this derive; see its documentation")),
        }
        Ok(())
    }
}

fn text(meta: &ParseNestedMeta<'_>) -> Result<String> {
    Ok(meta.value()?.parse::<LitStr>()?.value())
}

/// Converts `snake_case` to `snakeCase`.
pub fn camel_case(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |name, word| name + &with_first(word, |first| first.to_ascii_uppercase()))
}

/// Converts `snake_case` or `CamelCase` to `UPPER_CASE`.
pub fn upper_case(name: &str) -> String {
    let words = name.chars().enumerate().map(|(position, letter)| {
        let separator = if position > 0 && letter.is_ascii_uppercase() { "_" } else { "" };
        format!("{separator}{}", letter.to_ascii_uppercase())
    });
    words.collect()
}

/// The word with its first letter changed.
pub fn with_first(word: &str, change: impl Fn(char) -> char) -> String {
    let mut letters = word.chars();
    letters.next().map(change).into_iter().chain(letters).collect()
}
