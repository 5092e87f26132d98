//! The long calls for an instance that exists for one call: `js/own_instance.js` runs it without the JavaScript that wasm-bindgen
//! generates, because that is for one instance alone.

use std::sync::atomic::{AtomicU32, Ordering};

use changeover_core::Pause;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::error::{ErrorCode, Failure, parse_argument, to_error};
use crate::objects::parse_text;
use crate::prediction::{advise_with, explain_with, obstacles_with, predict_with, timeline_with};
use crate::rank::{rank, rank_for};
use crate::scenario::{live_with, scenario};
use crate::timeline::{export_with, totals_with};
use crate::validate::validate;

/// How often something happens in the simulation until JavaScript is asked: a question takes longer than most events.
const EVENTS: u32 = 64;

#[wasm_bindgen]
extern "C" {
    /// Lets JavaScript pause the call, or end it by throwing.
    fn pause();
}

/// The result of a long call: an object with the JSON of its `result` or `error`. `arguments` has the JSON text of each of its arguments.
#[wasm_bindgen(js_name = longCall)]
pub fn long_call(name: &str, arguments: &str) -> String {
    match result_of(name, arguments) {
        Ok(result) => format!("{{\"result\":{result}}}"),
        Err(failure) => format!("{{\"error\":{}}}", failure.into_json()),
    }
}

fn result_of(name: &str, arguments: &str) -> Result<String, Failure> {
    let arguments: Vec<String> = parse_argument(ErrorCode::InvalidOptions, arguments)?;
    let pause = Pause::calling(ask_now_and_then);
    match (name, arguments.as_slice()) {
        ("predict", [old, manifest, options, now]) => predict_with(old, manifest, options, now, pause),
        ("advise", [manifest, constraints, options, now]) => advise_with(manifest, constraints, options, now, pause),
        ("explain", [objects, options, now]) => explain_with(objects, options, now, pause),
        ("obstacles", [old, manifest, options, now, outcome]) => {
            obstacles_with(old, manifest, options, now, outcome, pause)
        }
        ("timeline", [old, manifest, options, now, outcome]) => {
            timeline_with(old, manifest, options, now, outcome, pause)
        }
        ("live", [objects, options, now]) => live_with(objects, options, now, pause),
        ("parse", [text]) => parse_text(text),
        ("rank", [pods, options, now]) => rank(pods, options, now),
        ("rankFor", [workload, objects, options, now]) => rank_for(workload, objects, options, now),
        ("scenario", [manifests, changes, options]) => scenario(manifests, changes, options),
        ("simulate", [scenario]) => export_with(scenario, pause),
        ("totals", [scenario, deployment, from]) => totals_with(scenario, deployment, from, pause),
        ("validate", [manifest, options]) => validate(manifest, options),
        _ => Err(to_error(ErrorCode::InvalidOptions, "", "Invalid value: must be a long call and its arguments")),
    }
}

fn ask_now_and_then() {
    static HAPPENED: AtomicU32 = AtomicU32::new(0);
    if HAPPENED.fetch_add(1, Ordering::Relaxed).is_multiple_of(EVENTS) {
        pause();
    }
}
