//! A second opinion on schedules: minute after minute is compared with the fields, which is slow and obvious.
#![cfg(feature = "time-zones")]
#![expect(clippy::unwrap_used, clippy::arithmetic_side_effects, clippy::panic, reason = "a test fails by panicking")]

use changeover_core::controller::cron_job::upcoming;
use changeover_core::object::Time;
use proptest::prelude::*;

/// A field: its text, and which numbers match.
#[derive(Clone, Debug)]
struct Field {
    text: String,
    numbers: Vec<u32>,
}

fn field(least: u32, most: u32) -> impl Strategy<Value = Field> {
    let all = move || Field { text: String::from("*"), numbers: (least..=most).collect() };
    prop_oneof![
        Just(()).prop_map(move |()| all()),
        (least..=most).prop_map(|number| Field { text: number.to_string(), numbers: vec![number] }),
        (1_u32..20).prop_map(move |step| Field {
            text: format!("*/{step}"),
            numbers: (least..=most).filter(|number| (number - least) % step == 0).collect()
        }),
        (least..=most, least..=most).prop_map(|(one, other)| {
            let (low, high) = (one.min(other), one.max(other));
            Field { text: format!("{low}-{high}"), numbers: (low..=high).collect() }
        }),
        (least..=most, least..=most)
            .prop_map(|(one, other)| Field { text: format!("{one},{other}"), numbers: vec![one, other] }),
    ]
}

/// Month and day of the month of a time, in UTC, as they are printed.
fn date(time: Time) -> [u32; 2] {
    let text = time.to_string();
    [5, 8].map(|at| text.get(at..at + 2).unwrap().parse().unwrap())
}

/// January 1, 1970 was a Thursday.
fn day_of_week(time: Time) -> u32 {
    u32::try_from((time.0.div_euclid(86_400 * Time::SECOND) + 4).rem_euclid(7)).unwrap()
}

proptest! {
    #[test]
    fn the_next_time_is_the_first_minute_that_matches(
        minute in field(0, 59),
        hour in field(0, 23),
        month in field(1, 12),
        // Where both fields for days say something, either is enough.
        days in prop_oneof![
            Just(None),
            field(1, 31).prop_map(|field| Some((true, field))),
            field(0, 6).prop_map(|field| Some((false, field))),
        ],
        after in 1_767_225_600_i64..1_800_000_000,
    ) {
        /// Days that are looked through.
        const DAYS: i64 = 60;
        let star = String::from("*");
        let (of_month, of_week) = match &days {
            None => (&star, &star),
            Some((true, field)) => (&field.text, &star),
            Some((false, field)) => (&star, &field.text),
        };
        let schedule = format!("{} {} {of_month} {} {of_week}", minute.text, hour.text, month.text);
        let after = Time(after * Time::SECOND);
        let first = after.0.div_euclid(86_400 * Time::SECOND);
        let on_day = |day: i64| {
            let midnight = Time(day * 86_400 * Time::SECOND);
            let [its_month, its_day] = date(midnight);
            let of_days = days.as_ref().is_none_or(|(of_month, field)| {
                field.numbers.contains(&if *of_month { its_day } else { day_of_week(midnight) })
            });
            if !of_days || !month.numbers.contains(&its_month) {
                return None;
            }
            let at = |minutes: u32| midnight.plus_seconds(i64::from(minutes) * 60);
            let matches = |minutes: &u32| hour.numbers.contains(&(minutes / 60)) && minute.numbers.contains(&(minutes % 60));
            (0..1440).filter(matches).map(at).find(|time| *time > after)
        };
        let expected = (first..first + DAYS).find_map(on_day);
        let next = upcoming(&schedule, None, after, 1).unwrap().first().copied();
        match expected {
            Some(time) => prop_assert_eq!(next, Some(time), "{}", schedule),
            None => prop_assert!(next.is_none_or(|next| next.0 >= (first + DAYS) * 86_400 * Time::SECOND), "{}", schedule),
        }
    }

    #[test]
    fn no_text_hangs_or_panics(
        text in "(TZ=[A-Z/]{0,9} )?([-*/?,0-9A-Za-z]{0,6} ){4}[-*/?,0-9A-Za-z]{0,6}|@every -?[0-9.]{0,20}[hms]|\\PC{0,20}",
        after in any::<i64>(),
    ) {
        if let Ok(times) = upcoming(&text, None, Time(after), 3) {
            prop_assert!(times.iter().zip(times.iter().skip(1)).all(|(one, next)| one < next || next.0 == i64::MAX));
        }
    }
}
