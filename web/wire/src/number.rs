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

/// A text whose whole numbers have grouped digits: `more than 250,000 pods`. Words with other characters stay as they are, such as
/// names, percentages and quantities; but a comma, a semicolon or a period may follow a number.
pub fn with_grouped_digits(text: &str) -> String {
    let grouped = |word: &str| {
        let digits = word.trim_end_matches([',', ';', '.']);
        match digits.parse::<i64>() {
            Ok(count) if count >= 10_000 => word.replacen(digits, &group_digits(count), 1),
            _ => String::from(word),
        }
    };
    text.split(' ').map(grouped).collect::<Vec<String>>().join(" ")
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

    #[test]
    fn the_numbers_of_a_text_have_grouped_digits() {
        for (text, grouped) in [
            ("10000", "10,000"),
            ("more than 250000 pods", "more than 250,000 pods"),
            ("12000, 3000, 40000", "12,000, 3000, 40,000"),
            ("Allow 12500 pods. Raise it to 12500.", "Allow 12,500 pods. Raise it to 12,500."),
            ("12000 of 12500; 3000; 12500; done", "12,000 of 12,500; 3000; 12,500; done"),
            ("9999 web-12345 20000Mi 10000% 10000.5 \"12345\"", "9999 web-12345 20000Mi 10000% 10000.5 \"12345\""),
            ("", ""),
        ] {
            assert_eq!(with_grouped_digits(text), grouped);
        }
    }
}
