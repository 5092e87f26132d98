use changeover_core::feature_gates::Gates;
use changeover_core::json::{FromJson, ToJson, decode};
use changeover_core::object::Time;
use serde_json::{Map, Value};

/// The placeholder in a case for the hash of a pod template.
const HASH: &str = "$HASH";

/// A parsed case.
pub struct Case {
    /// Its name.
    pub name: String,
    /// The operation.
    pub op: String,
    /// The gates of each component.
    pub gates: Gates,
    /// The gates as the case writes them.
    pub given_gates: Value,
    /// The time.
    pub now: Option<Time>,
    /// The operation's input.
    input: Value,
    /// The controller's memory of earlier syncs.
    memory: Value,
    /// The expected values; other keys are not compared.
    pub expected: Map<String, Value>,
}

/// The fields of a case. Any other field is an error.
#[derive(FromJson, ToJson)]
#[serde(deny_unknown_fields)]
struct Fields {
    name: String,
    op: String,
    source: String,
    #[serde(default)]
    gates: Value,
    #[serde(default)]
    now: Option<Time>,
    input: Value,
    #[serde(default)]
    memory: Value,
    expected: Map<String, Value>,
    #[serde(default)]
    note: Option<String>,
    /// How far the real sync gets before its copy is outdated. Our store accepts such writes.
    #[serde(default, rename = "conflict")]
    _conflict: Value,
}

impl Case {
    /// Reads a case.
    ///
    /// # Errors
    /// With the path of an invalid value, and the problem.
    pub fn parse(value: Value) -> Result<Self, String> {
        let fields: Fields = decode(&value, "").map_err(|problem| problem.to_string())?;
        if fields.source.is_empty() || fields.note.is_some_and(|note| note.is_empty()) {
            return Err("source, and note if there is one, must say something".into());
        }
        if fields.expected.is_empty() {
            return Err("expected: must not be empty, else nothing is looked at".into());
        }
        let gates = Gates::parse(&fields.gates, "gates").map_err(|problems| {
            let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
            problems.join("; ")
        })?;
        let Fields { name, op, gates: given_gates, now, input, memory, expected, .. } = fields;
        Ok(Self { name, op, gates, given_gates, now, input, memory, expected })
    }

    /// Reads the input as the operation's type.
    ///
    /// # Errors
    /// With the path of an invalid value, and the problem.
    pub fn input<T: FromJson>(&self) -> Result<T, String> {
        decode(&self.input, "input").map_err(|problem| problem.to_string())
    }

    /// Reads the controller's memory as the operation's type; none if the controller has just started.
    ///
    /// # Errors
    /// With the path of an invalid value, and the problem.
    pub fn memory<T: FromJson>(&self) -> Result<Option<T>, String> {
        decode(&self.memory, "memory").map_err(|problem| problem.to_string())
    }

    /// Like [`Self::input`], with `$HASH` replaced.
    ///
    /// # Errors
    /// With the path of an invalid value, and the problem.
    pub fn input_with_hash<T: FromJson>(&self, hash: impl FnOnce() -> Result<String, String>) -> Result<T, String> {
        if !has_hash(&self.input) {
            return self.input();
        }
        let mut input = self.input.clone();
        put_hash(&mut input, &hash()?);
        decode(&input, "input").map_err(|problem| problem.to_string())
    }

    /// The time of the case.
    ///
    /// # Errors
    /// If the case has none.
    pub fn now(&self) -> Result<Time, String> {
        self.now.ok_or_else(|| "now: this operation needs the time".into())
    }
}

fn has_hash(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains(HASH),
        Value::Array(items) => items.iter().any(has_hash),
        Value::Object(map) => map.iter().any(|(key, item)| key.contains(HASH) || has_hash(item)),
        _ => false,
    }
}

/// Replaces `$HASH` everywhere, including in keys.
fn put_hash(value: &mut Value, hash: &str) {
    match value {
        Value::String(text) if text.contains(HASH) => *text = text.replace(HASH, hash),
        Value::Array(items) => items.iter_mut().for_each(|item| put_hash(item, hash)),
        Value::Object(map) => put_hash_in(map, hash),
        _ => {}
    }
}

/// Replaces `$HASH` everywhere in the map, including in keys.
pub fn put_hash_in(map: &mut Map<String, Value>, hash: &str) {
    map.values_mut().for_each(|item| put_hash(item, hash));
    let marked: Vec<String> = map.keys().filter(|key| key.contains(HASH)).cloned().collect();
    for key in marked {
        if let Some(item) = map.remove(&key) {
            map.insert(key.replace(HASH, hash), item);
        }
    }
}
