//! When the objects of a running cluster were read, which decides how long its pods and deadlines still take.

use core::slice;

use changeover_core::object::Time;
use changeover_core::scenario::{newest_time, reading_time};

use crate::host::Host;
use crate::manifests::{Manifest, is_of_running_cluster};

/// The time that the user names, or else now. A file may have been saved long ago: its newest time is used then, and the
/// command says so.
pub fn read_time(host: &mut dyn Host, named: Option<Time>, manifests: &[Manifest]) -> Time {
    let (time, note) = time_of_reading(host.now(), named, manifests);
    note.iter().for_each(|note| host.print_error(&format!("{note}\n")));
    time
}

/// The same, and what the command says of it.
pub fn time_of_reading<'a>(now: Time, named: Option<Time>, manifests: &'a [Manifest]) -> (Time, Option<String>) {
    if let Some(named) = named {
        return (named, None);
    }
    let time_of =
        |manifest: &'a Manifest| Some((newest_time(slice::from_ref(&manifest.document.value))?, manifest.file()));
    match manifests.iter().filter_map(time_of).max() {
        Some((newest, Some(file))) if reading_time(newest, now) != now => {
            // Of manifests, the time decides nothing.
            let decides = manifests.iter().any(is_of_running_cluster);
            let note = || format!("{file}: read as of {newest}, the newest time in it; to change that, use --now");
            (newest, decides.then(note))
        }
        _ => (now, None),
    }
}
