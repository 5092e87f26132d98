//! Go's print of a pod template, as far as upstream hashes it: types, names of fields and values, whether they are set or not.
//! Upstream: `k8s.io/utils/dump/dump.go ForHash`
//!
//! Ported from `github.com/davecgh/go-spew` (ISC, see NOTICE).

use core::fmt::{Display, Formatter, Result};

use serde_json::Value;

use crate::apiserver::api_types::{Content, Fields, POD_TEMPLATE_SPEC, Type, content};
use crate::go;
use crate::object::Time;
use crate::object::quantity::{self, Quantity};
use crate::object::unstructured::field;

const NIL: &str = "<nil>";

/// Displays the JSON of a pod template as upstream prints it.
///
/// kube-controller-manager reads templates in protobuf, which does not tell empty maps and lists from none. A field that the pinned release does not know
/// stands behind the others of its struct, in JSON: the name is another one than in the release that knows it, but each template has its own.
pub(super) struct Dump<'a>(pub(super) &'a Value);

impl Display for Dump<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        typed(f, POD_TEMPLATE_SPEC, Some(self.0))
    }
}

/// A value behind its type.
fn typed(f: &mut Formatter<'_>, type_: Type, value: Option<&Value>) -> Result {
    write!(f, "({type_})")?;
    print(f, type_, value)
}

fn print(f: &mut Formatter<'_>, type_: Type, value: Option<&Value>) -> Result {
    match (content(type_), value.filter(|value| !value.is_null())) {
        (Content::Pointer(_), None) => f.write_str(NIL),
        (Content::Pointer(below), value) => print(f, below, value),
        (Content::List(item), Some(Value::Array(items))) if !items.is_empty() => {
            bracketed(f, items, |f, value| print(f, item, Some(value)))
        }
        (Content::Map(item), Some(Value::Object(map))) if !map.is_empty() => {
            f.write_str("map")?;
            bracketed(f, map, |f, (key, value)| {
                write!(f, "{key}:")?;
                print(f, item, Some(value))
            })
        }
        (Content::List(_) | Content::Map(_), _) => f.write_str(NIL),
        (Content::Struct(fields), value) => structure(f, fields, value.unwrap_or(&Value::Null)),
        (Content::String, None) => Ok(()),
        (Content::String, Some(Value::String(text))) => f.write_str(text),
        (Content::Bool, None) => f.write_str("false"),
        (Content::Int32 | Content::Int64, None) => f.write_str("0"),
        (Content::Other, value) => other(f, type_, value),
        (_, Some(value)) => f.write_str(&go::json(value)),
    }
}

fn bracketed<T>(
    f: &mut Formatter<'_>,
    items: impl IntoIterator<Item = T>,
    print: impl Fn(&mut Formatter<'_>, T) -> Result,
) -> Result {
    f.write_str("[")?;
    for (index, item) in items.into_iter().enumerate() {
        if index > 0 {
            f.write_str(" ")?;
        }
        print(f, item)?;
    }
    f.write_str("]")
}

fn structure(f: &mut Formatter<'_>, fields: Fields, value: &Value) -> Result {
    f.write_str("{")?;
    members(f, fields, value)?;
    for (key, unknown) in value.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null()) {
        if fields.member(key).is_none() {
            write!(f, " {key}:{}", go::json(unknown))?;
        }
    }
    f.write_str("}")
}

fn members(f: &mut Formatter<'_>, fields: Fields, value: &Value) -> Result {
    for (index, member) in fields.iter().enumerate() {
        if index > 0 {
            f.write_str(" ")?;
        }
        let type_ = member.type_;
        write!(f, "{}:", member.name)?;
        if member.is_embedded() {
            write!(f, "({type_}){{")?;
            members(f, Fields::of(type_), value)?;
            f.write_str("}")?;
            continue;
        }
        // Most structs are absent as a whole.
        let json_name = if value.is_object() { member.json_name() } else { None };
        typed(f, type_, json_name.and_then(|name| field(value, &name)))?;
    }
    Ok(())
}

/// A value whose JSON is not that of its fields.
fn other(f: &mut Formatter<'_>, type_: Type, value: Option<&Value>) -> Result {
    match (type_, value) {
        ("intstr.IntOrString", value) => int_or_string(f, value),
        ("resource.Quantity", None) => amount(f, &"0".into()),
        ("resource.Quantity", Some(value)) => amount(f, value),
        ("v1.FieldsV1", Some(value)) => {
            f.write_str("{Raw:([]uint8)")?;
            bracketed(f, go::json(value).bytes(), |f, byte| write!(f, "{byte}"))?;
            f.write_str("}")
        }
        ("v1.Time", value) => time(f, value.and_then(Value::as_str).and_then(Time::parse)),
        (_, value) => f.write_str(&value.map(go::json).unwrap_or_default()),
    }
}

/// Upstream: `k8s.io/apimachinery/pkg/util/intstr/intstr.go IntOrString`
fn int_or_string(f: &mut Formatter<'_>, value: Option<&Value>) -> Result {
    let (type_, number, text) = match value {
        Some(Value::String(text)) => (1, 0, text.as_str()),
        value => (0, value.and_then(Value::as_i64).unwrap_or_default(), ""),
    };
    write!(f, "{{Type:(intstr.Type){type_} IntVal:(int32){number} StrVal:(string){text}}}")
}

/// Upstream: `k8s.io/apimachinery/pkg/apis/meta/v1/time.go Time`
fn time(f: &mut Formatter<'_>, time: Option<Time>) -> Result {
    // Go counts from year 1. It prints the time zone as well, which in a container is UTC.
    const SECONDS_BEFORE_1970: i64 = 62_135_596_800;
    const UTC: &str = "{name:(string)UTC zone:([]time.zone)<nil> tx:([]time.zoneTrans)<nil> extend:(string) \
        cacheStart:(int64)0 cacheEnd:(int64)0 cacheZone:(*time.zone)<nil>}";
    let (seconds, zone) = match time {
        Some(Time(nanos)) => (nanos.div_euclid(Time::SECOND).saturating_add(SECONDS_BEFORE_1970), UTC),
        None => (0, NIL),
    };
    write!(f, "{{Time:(time.Time){{wall:(uint64)0 ext:(int64){seconds} loc:(*time.Location){zone}}}}}")
}

/// Upstream: `k8s.io/apimachinery/pkg/api/resource/quantity.go Quantity`
fn amount(f: &mut Formatter<'_>, value: &Value) -> Result {
    // In protobuf an amount is written the canonical way.
    let Some(text) = quantity::canonical(value) else { return f.write_str(&go::json(value)) };
    let Some(quantity) = quantity::parse(&text) else { return f.write_str(&text) };
    let (number, scale) = if quantity.is_int64 { (quantity.value, quantity.scale) } else { (0, 0) };
    write!(f, "{{i:(resource.int64Amount){{value:(int64){number} scale:(resource.Scale){scale}}}")?;
    f.write_str(" d:(resource.infDecAmount){Dec:(*inf.Dec)")?;
    if quantity.is_int64 {
        f.write_str(NIL)?;
    } else {
        big_number(f, &quantity)?;
    }
    let kept = quantity.kept.unwrap_or_default();
    write!(f, "}} s:(string){kept} Format:(resource.Format){:?}}}", quantity.format)
}

/// An amount that does not fit into an int64: billionths, in words of 64 bits, the lowest first.
fn big_number(f: &mut Formatter<'_>, quantity: &Quantity<'_>) -> Result {
    const SCALE: i32 = 9;
    let is_negative = quantity.value < 0;
    // Only what validation refuses has more than 128 bits.
    let factor = 10_u128.saturating_pow(quantity.scale.saturating_add(SCALE).unsigned_abs());
    let nanos = quantity.value.unsigned_abs().saturating_mul(factor);
    let (low, high) = (nanos & u128::from(u64::MAX), nanos >> u64::BITS);
    write!(f, "{{unscaled:(big.Int){{neg:(bool){is_negative} abs:(big.nat)[{low}")?;
    if high > 0 {
        write!(f, " {high}")?;
    }
    write!(f, "]}} scale:(inf.Scale){SCALE}}}")
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use serde_json::json;

    use super::*;

    #[test]
    fn fields_are_printed_with_their_types() {
        let text = Dump(&json!({"metadata": {"labels": {"b": "1", "a": "2"}}, "spec": {"priority": 7}})).to_string();
        for part in [
            "(v1.PodTemplateSpec){ObjectMeta:(v1.ObjectMeta){Name:(string) GenerateName:(string) Namespace:",
            " CreationTimestamp:(v1.Time){Time:(time.Time){wall:(uint64)0 ext:(int64)0 loc:(*time.Location)<nil>}} ",
            " Labels:(map[string]string)map[a:2 b:1] Annotations:(map[string]string)<nil> ",
            "} Spec:(v1.PodSpec){Volumes:([]v1.Volume)<nil> InitContainers:",
            " Priority:(*int32)7 ",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }

    #[test]
    fn unknown_fields_make_a_difference() {
        let known = json!({"spec": {"priority": 7}});
        let unknown = json!({"spec": {"priority": 7, "newField": {"a": 1}}});
        let (known, unknown) = (Dump(&known).to_string(), Dump(&unknown).to_string());
        assert_eq!(unknown.replace(" newField:{\"a\":1}", ""), known);
        assert_ne!(unknown, known);
    }
}
