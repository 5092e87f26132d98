//! Columns.

use textwrap::core::display_width;

/// Rows of cells, aligned in columns: the first column to the left, numbers to the right.
#[derive(Debug, Default)]
pub struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    pub fn new<'a>(headings: impl IntoIterator<Item = &'a str>) -> Self {
        Self { rows: vec![headings.into_iter().map(str::to_owned).collect()] }
    }

    pub fn push(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// How wide the lines are.
    pub fn width(&self) -> usize {
        let widths = self.widths();
        widths.iter().fold(gaps(widths.len()), |sum, width| sum.saturating_add(*width))
    }

    /// The lines. The first and the last column are aligned to the left, those between to the right.
    pub fn lines(&self) -> Vec<String> {
        self.lines_within(usize::MAX)
    }

    /// The same, where a first cell that has no room in this width is in a line of its own.
    pub fn lines_within(&self, most: usize) -> Vec<String> {
        self.rows_within(most).concat()
    }

    /// The lines of each row.
    pub fn rows_within(&self, most: usize) -> Vec<Vec<String>> {
        let mut widths = self.widths();
        let columns = widths.len();
        if let Some((first, others)) = widths.split_first_mut() {
            let others = others.iter().fold(gaps(columns), |sum, width| sum.saturating_add(*width));
            let cells = self.rows.iter().filter_map(|row| row.first()).map(|cell| display_width(cell));
            *first = cells.filter(|width| others.saturating_add(*width) <= most).max().unwrap_or(0);
        }
        let line = |cells: &mut dyn Iterator<Item = &str>| {
            let cells = cells.zip(&widths).enumerate().map(|(column, (cell, width))| {
                let is_left = column == 0 || column.saturating_add(1) == columns;
                if is_left { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
            });
            cells.collect::<Vec<_>>().join(GAP).trim_end().to_owned()
        };
        let lines = |row: &Vec<String>| match row.split_first() {
            Some((first, others)) if widths.first().is_some_and(|width| *width < display_width(first)) => {
                let figures = line(&mut core::iter::once("").chain(others.iter().map(String::as_str)));
                vec![first.clone(), figures]
            }
            _ => vec![line(&mut row.iter().map(String::as_str))],
        };
        self.rows.iter().map(lines).collect()
    }

    fn widths(&self) -> Vec<usize> {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| display_width(cell)).max().unwrap_or(0)
        };
        (0..columns).map(width).collect()
    }
}

/// What is between two columns.
const GAP: &str = "  ";

/// How wide the gaps between this many columns are.
fn gaps(columns: usize) -> usize {
    columns.saturating_sub(1).saturating_mul(GAP.len())
}
