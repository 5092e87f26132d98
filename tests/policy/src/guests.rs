//! Small guests that follow waPC's protocol: one misbehaves on large requests, one gives the same response to all.

/// From this many bytes on, a request is large.
pub const LARGE: usize = 1000;

/// A guest that accepts everything, but on a request of [`LARGE`] bytes or more, it first runs `misbehave`
/// (instructions in the text format). `$answer` sets the response: offset and length in memory, `0` and `8` for `not
/// JSON`.
#[must_use]
pub fn guest(misbehave: &str) -> Vec<u8> {
    module(r#"{"accepted":true}"#, misbehave)
}

/// A guest that gives one response to every request.
#[must_use]
pub fn answering(verdict: &str) -> Vec<u8> {
    module(verdict, "")
}

fn module(verdict: &str, misbehave: &str) -> Vec<u8> {
    let data = verdict.replace('\\', "\\\\").replace('"', "\\\"");
    let text = format!(
        r#"(module
  (import "wapc" "__guest_request" (func $request (param i32 i32)))
  (import "wapc" "__guest_response" (func $answer (param i32 i32)))
  (import "wapc" "__guest_error" (func $error (param i32 i32)))
  (memory (export "memory") 64)
  (data (i32.const 0) "not JSON")
  (data (i32.const 16) "\"v1\"")
  (data (i32.const 32) "{{\"valid\":true}}")
  (data (i32.const 64) "{data}")
  (func $recurse (param i32) (result i32)
    (i32.add (call $recurse (i32.add (local.get 0) (i32.const 1))) (local.get 0)))
  (func (export "__guest_call") (param $function i32) (param $payload i32) (result i32)
    (if (i32.eq (local.get $function) (i32.const {protocol_version}))
      (then (call $answer (i32.const 16) (i32.const 4)) (return (i32.const 1))))
    (if (i32.eq (local.get $function) (i32.const {validate_settings}))
      (then (call $answer (i32.const 32) (i32.const 14)) (return (i32.const 1))))
    (if (i32.ge_u (local.get $payload) (i32.const {LARGE}))
      (then {misbehave}))
    (call $answer (i32.const 64) (i32.const {length}))
    (i32.const 1)))"#,
        length = verdict.len(),
        protocol_version = "protocol_version".len(),
        validate_settings = "validate_settings".len(),
    );
    wat::parse_str(text).expect("the text is a module")
}
