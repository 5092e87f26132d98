//! The sections of a WebAssembly module.

/// A section of a module.
pub struct Section<'a> {
    /// Where it starts in the module.
    pub offset: usize,
    /// 0 for a custom section.
    pub id: u8,
    /// Its contents.
    pub bytes: &'a [u8],
}

/// All sections, in order.
///
/// # Panics
/// If the bytes are not a module.
#[must_use]
pub fn sections(module: &[u8]) -> Vec<Section<'_>> {
    let mut rest = module.strip_prefix(b"\0asm\x01\0\0\0").expect("a WebAssembly module");
    let mut sections = Vec::new();
    while let Some((id, after)) = rest.split_first() {
        let offset = module.len().saturating_sub(rest.len());
        let (length, after) = unsigned(after);
        let (bytes, after) = after.split_at(length);
        sections.push(Section { offset, id: *id, bytes });
        rest = after;
    }
    sections
}

/// The contents of the custom sections with that name.
#[must_use]
pub fn custom<'a>(module: &'a [u8], name: &str) -> Vec<&'a [u8]> {
    let custom = sections(module).into_iter().filter(|section| section.id == 0);
    custom
        .filter_map(|section| {
            let (length, rest) = unsigned(section.bytes);
            let (its, content) = rest.split_at(length);
            (its == name.as_bytes()).then_some(content)
        })
        .collect()
}

/// A LEB128 number and the rest of the bytes.
fn unsigned(bytes: &[u8]) -> (usize, &[u8]) {
    let length = bytes.iter().take_while(|byte| **byte & 0x80 != 0).count().saturating_add(1);
    let (number, rest) = bytes.split_at(length);
    (number.iter().rev().fold(0, |sum, byte| sum << 7 | usize::from(byte & 0x7f)), rest)
}
