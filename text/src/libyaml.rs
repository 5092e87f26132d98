//! The events of a YAML text, read by libyaml. Only this module calls its functions, which are translated from C and take raw pointers.
#![expect(unsafe_code, reason = "libyaml has no other interface")]

use std::borrow::Cow;
use std::ffi::{CStr, c_char};
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ptr::NonNull;
use std::slice;

use libyaml_rs::{
    YAML_ALIAS_EVENT, YAML_DOCUMENT_END_EVENT, YAML_DOCUMENT_START_EVENT, YAML_DOUBLE_QUOTED_SCALAR_STYLE,
    YAML_MAPPING_END_EVENT, YAML_MAPPING_START_EVENT, YAML_PLAIN_SCALAR_STYLE, YAML_SCALAR_EVENT,
    YAML_SEQUENCE_END_EVENT, YAML_SEQUENCE_START_EVENT, YAML_STREAM_START_EVENT, yaml_event_delete, yaml_event_t,
    yaml_mark_t, yaml_parser_delete, yaml_parser_initialize, yaml_parser_parse, yaml_parser_set_input_string,
    yaml_parser_t,
};

/// What comes next in a text. Anchors and tags are as YAML resolves them, without `&` and `!`.
#[derive(Debug)]
pub(crate) enum Event {
    StreamStart,
    DocumentStart,
    MappingStart { anchor: Option<String> },
    SequenceStart { anchor: Option<String> },
    Scalar { anchor: Option<String>, tag: Option<String>, value: String, style: ScalarStyle },
    Alias { anchor: String },
    MappingEnd,
    SequenceEnd,
    DocumentEnd,
    StreamEnd,
}

/// How a scalar is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScalarStyle {
    Plain,
    /// In double quotes, up to the character with this number.
    DoubleQuoted {
        end: u64,
    },
    Other,
}

/// A place in a text: the numbers of the lines before it, and of the characters before it in its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    pub(crate) line: u64,
    pub(crate) column: u64,
    /// The number of characters before it in the text.
    pub(crate) index: u64,
}

/// Why a text is not YAML, in libyaml's words.
#[derive(Debug)]
pub(crate) struct Problem {
    pub(crate) mark: Mark,
    pub(crate) problem: Cow<'static, str>,
    /// What was being read, such as "while scanning a quoted scalar".
    pub(crate) context: Option<Cow<'static, str>>,
}

/// Reads the events of a text one by one.
#[derive(Debug)]
pub(crate) struct Parser<'text> {
    /// From a box, and freed by `drop`; it contains pointers to itself.
    parser: NonNull<yaml_parser_t>,
    text: PhantomData<&'text str>,
}

impl<'text> Parser<'text> {
    pub(crate) fn new(text: &'text str) -> Self {
        let parser = Box::leak(Box::new(MaybeUninit::<yaml_parser_t>::uninit()));
        let parser = NonNull::from(parser).cast();
        // SAFETY: the parser is allocated, and initialized before its other functions are called. It stays where it is, and the text
        // outlives it. Its `initialize` aborts instead of returning a failure.
        unsafe {
            let _ = yaml_parser_initialize(parser.as_ptr());
            yaml_parser_set_input_string(parser.as_ptr(), text.as_ptr(), u64::try_from(text.len()).unwrap_or(u64::MAX));
        }
        Self { parser, text: PhantomData }
    }

    /// The next event and where it begins. After the end of the stream, its end again.
    pub(crate) fn next_event(&mut self) -> Result<(Event, Mark), Problem> {
        let mut event = MaybeUninit::<yaml_event_t>::uninit();
        // SAFETY: `new` initialized the parser. It writes the whole event before it reads any of it, also where it fails.
        let is_ok = unsafe { yaml_parser_parse(self.parser.as_ptr(), event.as_mut_ptr()) }.ok;
        if !is_ok {
            // SAFETY: the parser is initialized, and nothing else refers to it.
            let parser = unsafe { self.parser.as_ref() };
            return Err(Problem {
                mark: mark(parser.problem_mark),
                problem: static_text(parser.problem).unwrap_or("it can't be read".into()),
                context: static_text(parser.context),
            });
        }
        // SAFETY: the parser wrote the event, whose strings are its own until it is deleted; here they are copied.
        unsafe {
            let event = event.as_mut_ptr();
            let read = read_event(&*event);
            let start = mark((*event).start_mark);
            yaml_event_delete(event);
            Ok((read, start))
        }
    }
}

impl Drop for Parser<'_> {
    fn drop(&mut self) {
        // SAFETY: the parser is from a box of this type, initialized, and not used any more.
        unsafe {
            yaml_parser_delete(self.parser.as_ptr());
            drop(Box::from_raw(self.parser.cast::<MaybeUninit<yaml_parser_t>>().as_ptr()));
        }
    }
}

/// # Safety
/// The event is from the parser and not deleted: its type says which of its data is set, and its strings end with NUL.
unsafe fn read_event(event: &yaml_event_t) -> Event {
    // SAFETY: as the function's.
    unsafe {
        match event.type_ {
            YAML_STREAM_START_EVENT => Event::StreamStart,
            YAML_DOCUMENT_START_EVENT => Event::DocumentStart,
            YAML_DOCUMENT_END_EVENT => Event::DocumentEnd,
            YAML_ALIAS_EVENT => Event::Alias { anchor: string(event.data.alias.anchor).unwrap_or_default() },
            YAML_SCALAR_EVENT => {
                let scalar = event.data.scalar;
                let length = usize::try_from(scalar.length).unwrap_or_default();
                Event::Scalar {
                    anchor: string(scalar.anchor),
                    tag: string(scalar.tag),
                    value: String::from_utf8_lossy(slice::from_raw_parts(scalar.value, length)).into_owned(),
                    style: match scalar.style {
                        YAML_PLAIN_SCALAR_STYLE => ScalarStyle::Plain,
                        YAML_DOUBLE_QUOTED_SCALAR_STYLE => ScalarStyle::DoubleQuoted { end: event.end_mark.index },
                        _ => ScalarStyle::Other,
                    },
                }
            }
            YAML_SEQUENCE_START_EVENT => Event::SequenceStart { anchor: string(event.data.sequence_start.anchor) },
            YAML_MAPPING_START_EVENT => Event::MappingStart { anchor: string(event.data.mapping_start.anchor) },
            YAML_SEQUENCE_END_EVENT => Event::SequenceEnd,
            YAML_MAPPING_END_EVENT => Event::MappingEnd,
            // The end of the stream, and what the parser returns after it.
            _ => Event::StreamEnd,
        }
    }
}

/// # Safety
/// The pointer is null or to bytes that end with NUL.
unsafe fn string(bytes: *const u8) -> Option<String> {
    // SAFETY: as the function's.
    NonNull::new(bytes.cast_mut())
        .map(|bytes| unsafe { CStr::from_ptr(bytes.as_ptr().cast()) }.to_string_lossy().into_owned())
}

/// A text of libyaml itself; none if the pointer is null.
fn static_text(text: *const c_char) -> Option<Cow<'static, str>> {
    // SAFETY: problems and contexts are literals that end with NUL.
    NonNull::new(text.cast_mut()).map(|text| unsafe { CStr::from_ptr(text.as_ptr()) }.to_string_lossy())
}

fn mark(mark: yaml_mark_t) -> Mark {
    Mark { line: mark.line, column: mark.column, index: mark.index }
}
