//! Arithmetic: rounding, wrapping, percentages.

use crate::world::{Amount, Strategy, World};

/// The value as Go's int32, which wraps.
pub fn int32(value: i64) -> i64 {
    (value + (1 << 31)).rem_euclid(1 << 32) - (1 << 31)
}

/// `numerator / denominator`, rounded to the nearest whole number, halves away from zero.
///
/// Today: `integer.RoundToInt32`. The denominator is positive.
pub fn round(numerator: i64, denominator: i64) -> i64 {
    let size = (2 * numerator.abs() + denominator) / (2 * denominator);
    if numerator < 0 { -size } else { size }
}

fn rounded_up(amount: Amount, of: i64) -> i64 {
    match amount {
        Amount::Pods(pods) => i64::from(pods),
        Amount::Percent(percent) => (i64::from(percent) * of + 99) / 100,
    }
}

fn rounded_down(amount: Amount, of: i64) -> i64 {
    match amount {
        Amount::Pods(pods) => i64::from(pods),
        Amount::Percent(percent) => i64::from(percent) * of / 100,
    }
}

/// Today: `MaxSurge` (deployment_util.go).
pub fn max_surge(world: &World) -> i64 {
    match world.strategy {
        Strategy::RollingUpdate { surge, .. } => rounded_up(surge, world.replicas),
        Strategy::Recreate => 0,
    }
}

/// Today: `MaxUnavailable` and `ResolveFenceposts` (deployment_util.go).
pub fn max_unavailable(world: &World) -> i64 {
    match world.strategy {
        Strategy::RollingUpdate { unavailable, .. } if world.replicas != 0 => {
            let unavailable = rounded_down(unavailable, world.replicas);
            let unavailable = if unavailable == 0 && max_surge(world) == 0 { 1 } else { unavailable };
            unavailable.min(world.replicas)
        }
        _ => 0,
    }
}

/// KEP: "`deploymentMaxReplicas`: Equals to .spec.replicas + .spec.strategy.rollingUpdate.maxSurge of the current
/// Deployment."
pub fn deployment_max_replicas(world: &World) -> i64 {
    world.replicas + max_surge(world)
}

#[cfg(test)]
mod tests {
    use super::{int32, round};

    #[test]
    fn halves_are_rounded_away_from_zero() {
        let cases = [(1, 2, 1), (-1, 2, -1), (3, 2, 2), (5, 11, 0), (6, 11, 1), (0, 7, 0)];
        for (numerator, denominator, expected) in cases {
            assert_eq!(round(numerator, denominator), expected, "{numerator} / {denominator}");
        }
    }

    #[test]
    fn int32_wraps() {
        assert_eq!(int32(2_147_483_647), 2_147_483_647);
        assert_eq!(int32(2_147_483_648), -2_147_483_648);
        assert_eq!(int32(4_294_967_298), 2);
        assert_eq!(int32(-1), -1);
    }
}
