//! Explains what the garbage collector decides.

use super::super::{Reason, Rule, RuleText};
use crate::cluster::decision::GarbageCollectorDecision;
use crate::object::ObjectKey;

/// Explains a decision.
pub(super) fn explain(decision: &GarbageCollectorDecision) -> Reason {
    match decision {
        GarbageCollectorDecision::Collect { object, owner } => Collected { object, owner }.reason(),
        GarbageCollectorDecision::Orphan { object, owner } => Orphaned { object, owner }.reason(),
        GarbageCollectorDecision::Foreground { object } => Foreground { object }.reason(),
    }
}

/// An object of a deleted owner goes with it.
#[derive(Rule)]
#[rule(
    id = "garbage-collector.delete",
    upstream = "pkg/controller/garbagecollector/garbagecollector.go attemptToDeleteItem",
    sentence = "{object} is deleted with its owner {owner}."
)]
struct Collected<'a> {
    #[operand(source = "the object")]
    object: &'a ObjectKey,
    #[operand(source = "its owner")]
    owner: &'a ObjectKey,
}

/// An object stays when its owner goes.
#[derive(Rule)]
#[rule(
    id = "garbage-collector.orphan",
    upstream = "pkg/controller/garbagecollector/garbagecollector.go orphanDependents",
    sentence = "{object} stays without an owner: only {owner} was deleted."
)]
struct Orphaned<'a> {
    #[operand(source = "the object")]
    object: &'a ObjectKey,
    #[operand(source = "its owner")]
    owner: &'a ObjectKey,
}

/// An owner goes after everything it owned.
#[derive(Rule)]
#[rule(
    id = "garbage-collector.foreground",
    upstream = "pkg/controller/garbagecollector/garbagecollector.go processDeletingDependentsItem",
    sentence = "Everything that {object} owned is gone: now it is deleted too."
)]
struct Foreground<'a> {
    #[operand(source = "the object")]
    object: &'a ObjectKey,
}

/// All rules of this file.
pub(super) const ALL: &[&RuleText] = &[Collected::TEXT, Orphaned::TEXT, Foreground::TEXT];
