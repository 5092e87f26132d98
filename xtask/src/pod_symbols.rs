//! The SVG symbols of pods: `www/static/index.html` has one template for each state, the page has one symbol for each
//! step of the state's animation.

use anyhow::{Result, ensure};

/// The number of steps, which is `LEVELS` in `web/src/pod_symbols.rs`.
const STEPS: u32 = 12;

/// Marks a line of the source as a template.
const STEP: &str = "{step}";

/// The states whose symbols have steps.
const GROWING: [&str; 3] = ["ready", "starting", "terminating"];

/// Repeats each template line for every step, with the step's numbers.
///
/// # Errors
/// When a state does not have exactly one template.
pub fn expand(source: &str) -> Result<String> {
    for state in GROWING {
        let template = format!("<symbol id=\"s-{state}{STEP}\"");
        let found = source.matches(&template).count();
        ensure!(found == 1, "www/static/index.html has {found} lines with {template}, and must have one");
    }
    let mut page = String::new();
    for line in source.lines() {
        let steps = if line.contains(STEP) { 0..=STEPS } else { 0..=0 };
        for step in steps {
            page.push_str(&of_step(line, step));
            page.push('\n');
        }
    }
    Ok(page)
}

/// A line at a step: how much is done (something of it from the start on) and how much is left, of 10; how high a level is,
/// and where it ends, in pixels.
fn of_step(line: &str, step: u32) -> String {
    if !line.contains(STEP) {
        return String::from(line);
    }
    let share = |steps: u32| tenths(steps.saturating_mul(100).saturating_add(STEPS / 2) / STEPS);
    let level = step.saturating_mul(15);
    line.replace(STEP, &step.to_string())
        .replace("{done}", &share(step.max(1)))
        .replace("{left}", &share(STEPS.saturating_sub(step)))
        .replace("{level}", &tenths(level))
        .replace("{top}", &tenths(205_u32.saturating_sub(level)))
}

fn tenths(number: u32) -> String {
    let (whole, rest) = (number / 10, number % 10);
    if rest == 0 { whole.to_string() } else { format!("{whole}.{rest}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "<g>
<symbol id=\"s-ready{step}\" a=\"{done}\" />
<symbol id=\"s-starting{step}\" y=\"{top}\" height=\"{level}\" />
<symbol id=\"s-terminating{step}\" a=\"{left}\" />
</g>
";

    #[test]
    fn a_line_with_numbers_becomes_one_for_each_step() {
        let page = expand(SOURCE).unwrap();
        let lines: Vec<&str> = page.lines().collect();
        assert_eq!(lines.len(), 2 + 3 * 13);
        assert_eq!([lines[0], lines[40]], ["<g>", "</g>"]);
        let expected = [
            (1, r#"<symbol id="s-ready0" a="0.8" />"#),
            (3, r#"<symbol id="s-ready2" a="1.7" />"#),
            (13, r#"<symbol id="s-ready12" a="10" />"#),
            (14, r#"<symbol id="s-starting0" y="20.5" height="0" />"#),
            (26, r#"<symbol id="s-starting12" y="2.5" height="18" />"#),
            (28, r#"<symbol id="s-terminating1" a="9.2" />"#),
            (39, r#"<symbol id="s-terminating12" a="0" />"#),
        ];
        for (at, line) in expected {
            assert_eq!(lines[at], line);
        }
    }

    #[test]
    fn each_state_needs_exactly_one_template() {
        let missing = expand(&SOURCE.replace("s-starting{step}", "s-starting")).unwrap_err().to_string();
        assert!(missing.contains("0 lines with <symbol id=\"s-starting{step}\""), "{missing}");
        assert!(expand(&[SOURCE, SOURCE].concat()).is_err());
    }
}
