/// `2500`, `12,500`, `1,250,000`, `−12,500`.
pub fn group_digits(count: impl Into<i64>) -> String {
    let count = count.into();
    let sign = if count < 0 { "−" } else { "" };
    let (mut rest, mut text) = (count.unsigned_abs(), String::new());
    if rest >= 10_000 {
        while rest >= 1000 {
            text = format!(",{:03}{text}", rest.rem_euclid(1000));
            rest = rest.div_euclid(1000);
        }
    }
    format!("{sign}{rest}{text}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_counts_have_grouped_digits() {
        let written = [0, 999, 9999, 10_000, 12_500, 150_007, 1_250_000].map(group_digits);
        assert_eq!(written, ["0", "999", "9999", "10,000", "12,500", "150,007", "1,250,000"]);
    }

    #[test]
    fn negative_counts_have_grouped_digits_and_a_minus_sign() {
        let written = [-1, -9999, -12_500, i64::MIN].map(group_digits);
        assert_eq!(written, ["−1", "−9999", "−12,500", "−9,223,372,036,854,775,808"]);
    }
}
