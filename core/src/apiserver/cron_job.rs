//! CronJob.

use alloc::string::String;

use serde_json::{Map, Value};

use super::value::{set_default, set_default_string};

/// Upstream: `pkg/apis/batch/v1/defaults.go SetDefaults_CronJob`, without the template
/// (whose Job spec is not defaulted: that happens when a Job is made from it).
pub(super) fn set_defaults(spec: &mut Map<String, Value>) {
    set_default_string(spec, "concurrencyPolicy", "Allow");
    set_default(spec, "suspend", false);
    set_default(spec, "successfulJobsHistoryLimit", 3);
    set_default(spec, "failedJobsHistoryLimit", 1);
}
