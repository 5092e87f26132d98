//! The fields of a Pod that are validated.

use crate::apiserver::meta::METADATA;
use crate::apiserver::pod_spec::POD_SPEC;
use crate::apiserver::schema::STATUS;
use crate::apiserver::schema::Shape::{self, Object};

pub(crate) const SHAPE: Shape = Object(&[METADATA, POD_SPEC, STATUS]);
