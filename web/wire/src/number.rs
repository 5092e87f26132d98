/// `2500`, `12,500`, `1,250,000`; as digits only if it is negative.
pub fn group_digits(count: impl Into<i64>) -> String {
    let count = count.into();
    if count < 10_000 {
        return count.to_string();
    }
    let (mut rest, mut text) = (count, String::new());
    while rest >= 1000 {
        text = format!(",{:03}{text}", rest.rem_euclid(1000));
        rest = rest.div_euclid(1000);
    }
    rest.to_string() + &text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_counts_have_grouped_digits() {
        let written = [0, 999, 9999, 10_000, 12_500, 150_007, 1_250_000].map(group_digits);
        assert_eq!(written, ["0", "999", "9999", "10,000", "12,500", "150,007", "1,250,000"]);
    }
}
