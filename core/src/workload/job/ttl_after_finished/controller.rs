//! The TTL-after-finished controller: deletes Jobs some time after their end.

use alloc::rc::Rc;
use alloc::string::String;

use crate::controller::{Client, DeletionPropagation, Error, Write};
use crate::object::{Duration, Object, Time};
use crate::workload::job::Job;
use crate::workload::job::controller::{is_job_finished, job_finish_time};
use crate::workload::job::ttl_after_finished::decision::Decision;

/// Looks at one Job. Returns after what time to look again, when the Job's time is over. A Job is deleted with its pods
/// (propagation policy Foreground).
///
/// # Errors
/// A refused deletion, or a Job that has ended and does not say when; it is tried again.
///
/// Upstream: `pkg/controller/ttlafterfinished/ttlafterfinished_controller.go processJob`
pub fn process_job(client: &mut dyn Client, job: &Rc<Job>) -> Result<Option<Duration>, Error> {
    if let Ttl::Left(again) = process_ttl(client, job)? {
        return Ok(again);
    }
    // The cached Job may be outdated.
    let Some(Object::Job(fresh)) = client.get(&job.key()) else { return Ok(None) };
    match process_ttl(client, &fresh)? {
        Ttl::Left(again) => Ok(again),
        Ttl::Over { finished, ttl } => {
            let decision = Decision::Delete { job: fresh.metadata.name.clone(), finished, ttl };
            let delete = Write::Delete { key: fresh.key(), propagation: DeletionPropagation::Foreground };
            client.write(delete, decision.into())?;
            Ok(None)
        }
    }
}

/// Whether a Job's time is over.
enum Ttl {
    /// It is.
    Over { finished: Time, ttl: i32 },
    /// It is not. The time that is left, if it runs.
    Left(Option<Duration>),
}

/// Upstream: `pkg/controller/ttlafterfinished/ttlafterfinished_controller.go processTTL`, `timeLeft`,
/// `getFinishAndExpireTime`
fn process_ttl(client: &mut dyn Client, job: &Job) -> Result<Ttl, String> {
    let Some(ttl) = needs_cleanup(job).filter(|_| job.metadata.deletion_timestamp.is_none()) else {
        return Ok(Ttl::Left(None));
    };
    let Some(finished) = job_finish_time(job)? else { return Ok(Ttl::Left(None)) };
    let left = Duration(finished.plus_seconds(ttl.into()).since(client.now()));
    if left.0 <= 0 {
        return Ok(Ttl::Over { finished, ttl });
    }
    client.note(Decision::Wait { job: job.metadata.name.clone(), ttl, left }.into());
    Ok(Ttl::Left(Some(left)))
}

/// The seconds after the Job's end when it is to be deleted; none if it has not ended, or stays.
///
/// Upstream: `pkg/controller/ttlafterfinished/ttlafterfinished_controller.go needsCleanup`
pub(crate) fn needs_cleanup(job: &Job) -> Option<i32> {
    job.spec.ttl_seconds_after_finished.filter(|_| is_job_finished(job))
}
