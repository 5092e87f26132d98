//! When the objects of a running cluster were read, which decides how long its pods and deadlines still take.

use core::slice;

use changeover_core::object::Time;
use changeover_core::scenario::{newest_time, reading_time};

use crate::host::Host;
use crate::manifests::{Manifest, is_of_running_cluster};

/// The time that the user names, or else now. A file may have been saved long ago: its newest time is used then, and the
/// command says so.
pub fn read_time<'a>(host: &mut dyn Host, named: Option<Time>, manifests: &'a [Manifest]) -> Time {
    if let Some(named) = named {
        return named;
    }
    let now = host.now();
    // Without objects of a running cluster, the time decides nothing.
    if !manifests.iter().any(is_of_running_cluster) {
        return now;
    }
    let time_of =
        |manifest: &'a Manifest| Some((newest_time(slice::from_ref(&manifest.document.value))?, manifest.file()));
    match manifests.iter().filter_map(time_of).max() {
        Some((newest, Some(file))) if reading_time(newest, now) != now => {
            host.print_error(&format!(
                "{file}: read as of {newest}, the newest time in it; to change that, use --now\n"
            ));
            newest
        }
        _ => now,
    }
}
