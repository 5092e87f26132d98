//! Draws what a terminal shows, still or as an animation, as an SVG that needs no script.

use core::fmt::Write;

/// The columns of the terminal; longer lines wrap, as they do there.
const COLUMNS: usize = 112;

/// The width and height of a character's cell.
const CELL: (usize, usize) = (8, 18);

/// The space around the text, and the height of the bar above it.
const MARGIN: usize = 16;
const BAR: usize = 28;

/// How long the command, each screen and the last screen are shown.
const TYPING: f64 = 1.5;
const SCREEN: f64 = 0.8;
const LAST: f64 = 6.0;

/// The colors in the dark, and those in the light. The letters are those of the classes.
const STYLE: &str = "
text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;white-space:pre;fill:var(--t)}
svg{--b:#0d1117;--l:#30363d;--t:#e6edf3;--g:#3fb950;--r:#ff7b72;--y:#d29922;--c:#39c5cf;--m:#bc8cff;--d:#8b949e}
@media(prefers-color-scheme:light){svg{--b:#fff;--l:#d0d7de;--t:#1f2328;--g:#1a7f37;--r:#cf222e;--y:#9a6700;--c:#1b7c83;--m:#8250df;--d:#656d76}}
.g{fill:var(--g)}.r{fill:var(--r)}.y{fill:var(--y)}.c{fill:var(--c)}.m{fill:var(--m)}.d{fill:var(--d)}.b{font-weight:bold}
.s{visibility:hidden}
";

/// The picture: a command is typed, and then there is one screen after the other. Readers who prefer less motion
/// see one screen from the middle.
pub fn animation(command: &str, screens: &[&str]) -> String {
    let screens: Vec<Vec<String>> = screens.iter().map(|screen| rows(screen)).collect();
    let most = screens.iter().map(Vec::len).max().unwrap_or(0);
    let shown = |index: usize| TYPING + SCREEN * f64::from(u32::try_from(index).unwrap_or(u32::MAX));
    let total = shown(screens.len() - 1) + LAST;

    let mut rules = String::new();
    let mut groups = String::new();
    for (index, rows) in screens.iter().enumerate() {
        let is_last = index + 1 == screens.len();
        let (from, to) = (shown(index) / total * 100.0, shown(index + 1) / total * 100.0);
        let until = if is_last { String::new() } else { format!("{to:.2}%{{visibility:hidden}}") };
        writeln!(rules, "@keyframes f{index}{{0%{{visibility:hidden}}{from:.2}%{{visibility:visible}}{until}}}")
            .unwrap();
        writeln!(rules, "#f{index}{{animation:f{index} {total:.1}s step-end infinite}}").unwrap();
        writeln!(groups, "<g class=\"s\" id=\"f{index}\">").unwrap();
        for (row, text) in rows.iter().enumerate().filter(|(_, text)| !text.is_empty()) {
            writeln!(groups, "<text x=\"{MARGIN}\" y=\"{}\">{text}</text>", line(row + 2)).unwrap();
        }
        groups.push_str("</g>\n");
    }
    // A window slides open over the command, character by character.
    let typed = (command.len() * CELL.0, TYPING / total * 100.0);
    writeln!(rules, "@keyframes k{{0%{{width:0}}{:.2}%{{width:{}px}}}}", typed.1 * 0.8, typed.0).unwrap();
    writeln!(rules, "#k{{animation:k {total:.1}s steps({}) infinite}}", command.len()).unwrap();
    let still = screens.len() / 2;
    writeln!(
        rules,
        "@media(prefers-reduced-motion:reduce){{.s,#k{{animation:none!important}}#f{still}{{visibility:visible}}}}"
    )
    .unwrap();
    let prompt = format!(
        "<clipPath id=\"c\"><rect id=\"k\" x=\"{left}\" y=\"0\" width=\"{}\" height=\"{}\"/></clipPath>
<text x=\"{MARGIN}\" y=\"{y}\"><tspan class=\"g\">$</tspan></text>
<text x=\"{left}\" y=\"{y}\" clip-path=\"url(#c)\">{}</text>
",
        typed.0,
        height(most + 2),
        escaped(command),
        left = MARGIN + 2 * CELL.0,
        y = line(0),
    );
    let title = format!("A terminal: {command} follows a rollout until it is complete");
    terminal(&title, &rules, most + 2, &(prompt + &groups))
}

/// A picture of one screen, with the escape codes of its colors.
pub fn still(title: &str, screen: &str) -> String {
    let rows = rows(screen);
    let mut lines = String::new();
    for (row, text) in rows.iter().enumerate().filter(|(_, text)| !text.is_empty()) {
        writeln!(lines, "<text x=\"{MARGIN}\" y=\"{}\">{text}</text>", line(row)).unwrap();
    }
    terminal(title, "", rows.len(), &lines)
}

/// The window of a terminal with some rows, around its content.
fn terminal(title: &str, rules: &str, rows: usize, content: &str) -> String {
    let (width, height) = (COLUMNS * CELL.0 + 2 * MARGIN, height(rows));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" role=\"img\" aria-labelledby=\"title\">
<title id=\"title\">{}</title>
<style>{STYLE}{rules}</style>
<rect x=\".5\" y=\".5\" width=\"{}\" height=\"{}\" rx=\"8\" style=\"fill:var(--b);stroke:var(--l)\"/>
<g style=\"fill:var(--l)\"><circle cx=\"20\" cy=\"16\" r=\"5\"/><circle cx=\"38\" cy=\"16\" r=\"5\"/><circle cx=\"56\" cy=\"16\" r=\"5\"/></g>
{content}</svg>
",
        escaped(title),
        width - 1,
        height - 1,
    )
}

/// The height of a picture with some rows.
const fn height(rows: usize) -> usize {
    BAR + rows * CELL.1 + 2 * MARGIN
}

/// The baseline of a line.
const fn line(row: usize) -> usize {
    BAR + MARGIN + row * CELL.1 + 12
}

/// The lines of a screen as tspans, with the colors as classes.
fn rows(screen: &str) -> Vec<String> {
    let (mut rows, mut row, mut column) = (Vec::new(), String::new(), 0);
    let mut class = "";
    let mut rest = screen;
    while let Some(character) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix("\u{1b}[") {
            let (code, after) = after.split_once('m').unwrap();
            class = self::class(code, class);
            rest = after;
            continue;
        }
        rest = rest.get(character.len_utf8()..).unwrap_or_default();
        if character == '\n' || column == COLUMNS {
            rows.push(core::mem::take(&mut row));
            column = 0;
            if character == '\n' {
                continue;
            }
        }
        push(&mut row, class, character);
        column += 1;
    }
    rows.extend((!row.is_empty()).then_some(row));
    // The one of a moment that is over is an empty line at the end.
    while rows.last().is_some_and(String::is_empty) {
        rows.pop();
    }
    rows
}

/// Adds a character. Those of one class share a tspan.
fn push(row: &mut String, class: &str, character: char) {
    let text = escaped(&character.to_string());
    if class.is_empty() {
        row.push_str(&text);
        return;
    }
    let open = format!("<tspan class=\"{class}\">");
    let is_open = row.ends_with("</tspan>")
        && row.rfind("<tspan").is_some_and(|at| row.get(at..).is_some_and(|tail| tail.starts_with(&open)));
    if is_open {
        row.truncate(row.len() - "</tspan>".len());
    } else {
        row.push_str(&open);
    }
    row.push_str(&text);
    row.push_str("</tspan>");
}

/// The class of an escape code: those that `cli/src/style.rs` uses. Two may come one after the other.
fn class(code: &str, before: &'static str) -> &'static str {
    match (code, before) {
        ("0", _) => "",
        ("1", "") => "b",
        ("2", _) => "d",
        ("31", _) => "r b",
        ("32", _) => "g",
        ("33", _) => "y",
        ("35", _) => "m",
        ("36", _) => "c",
        _ => panic!("no class for the escape code {code}"),
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
