//! The simulated cluster: a store, virtual time with a queue of events, the controllers, and models of what surrounds them
//! (scheduler, kubelet, nodes, volumes, quotas, the user).
//!
//! After each event the controllers run at the same instant, in rounds, until none of them writes. Each write is a step.
//!
//! [`state`] holds what a simulation is made of; each part of the cluster is an `impl` of it. The API server and the
//! controllers reach what surrounds them only through the trait `Environment`, of which there are two: a scenario's
//! ([`environment`]) and that of pods in groups ([`rollout_simulation`]), for the policy's forecast ([`settled_rollout`]) and for
//! the totals of a scenario with a single Deployment ([`single_rollout`]).
//!
//! Controllers plug in through the trait `Controller`; [`kinds`] lists them.

mod api_server;
mod attach_detach;
mod aux_objects;
mod client_throttling;
mod cluster_autoscaler;
mod container_defaults;
mod controller_manager;
#[cfg_attr(not(feature = "jobs"), allow(dead_code, reason = "only controllers of Jobs have a memory and timers"))]
pub(crate) mod controllers;
pub mod decision;
#[cfg_attr(not(feature = "jobs"), allow(dead_code, reason = "only controllers of Jobs have a memory and timers"))]
mod desk;
mod disruption_condition;
mod environment;
mod event_queue;
mod eviction;
mod garbage_collector;

mod informers;
mod initial_objects;
mod kinds;
mod kubelet;
mod limit_range_bounds;
mod limit_ranger;
mod live;
mod manifest;
mod merge_patch;
mod name_generator;
mod named_node;
mod node;
mod node_state;
mod overdue;
mod pod_groups;

mod pod_status;
mod preemption;
mod recorder;
mod resource_quota;
mod rollout_simulation;
mod scheduler;
pub(crate) mod seen_pods;
mod settled_rollout;
mod simulation;
mod single_rollout;
#[cfg(feature = "explain")]
mod standstill;
mod state;
mod steady_state;
pub(crate) mod step;
mod step_size;
pub(crate) mod store;
mod sync_log;
mod throttled_sync;
mod timing_index;
mod token_bucket;
mod user;
mod work_queue;
pub(crate) mod workload;

pub(crate) use crate::scheduler::pod_resources::{List, of_pod};
#[cfg(feature = "explain")]
pub(crate) use controllers::Retry;
pub use decision::Decision;
pub(crate) use initial_objects::stored_objects;
pub use kubelet::pre_stop_hook::PreStopHook;
pub(crate) use kubelet::pre_stop_hook::{pre_stop_sleep, share_grace_period};
pub(crate) use kubelet::{MINIMUM_GRACE_PERIOD, PodTimes, has_probes, missing_port, pod_times, sidecars};
pub(crate) use limit_ranger::LimitRanges;
pub use live::live;
pub(crate) use live::still_stuck;
pub(crate) use merge_patch::{apply_diff, merge};
pub(crate) use overdue::overdue_since;
pub(crate) use pod_groups::PodTotals;
pub use resource_quota::Unspecified;
#[cfg(feature = "explain")]
pub(crate) use resource_quota::{UnspecifiedResource, listed};
pub(crate) use resource_quota::{unspecified, usage, used_by_others};
#[cfg(feature = "explain")]
pub(crate) use scheduler::{is_outdated, unschedulable_reasons};
pub(crate) use settled_rollout::SettledRollout;
pub use simulation::{PlayedScenario, Simulation};
pub(crate) use single_rollout::{PlayedRollout, SingleRollout, Unplayable};
#[cfg(feature = "explain")]
pub(crate) use standstill::Standstill;
pub(crate) use steady_state::{AT_REST_AFTER, at_rest, is_auxiliary};
pub use steady_state::{Changes, steady_state};
pub use step::{Actor, Change, End, EndReason, Step};
pub(crate) use store::AvailabilityQueue;
pub use store::{Id, Index};
