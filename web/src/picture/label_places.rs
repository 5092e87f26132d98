//! Where the texts of a picture stand, so that none touches another one, and no line strikes one through.

use std::iter;

/// Half of the height of a line, in pixels.
pub const HALF_LINE: f64 = 9.0;

/// Where a text or a handle stands, in pixels of the picture with the row of pods.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextBox {
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
}

impl TextBox {
    /// The box around a point.
    pub const fn around(x: f64, y: f64, half_width: f64, half_height: f64) -> Self {
        Self { left: x - half_width, top: y - half_height, right: x + half_width, bottom: y + half_height }
    }

    /// Whether they overlap.
    pub fn touches(&self, other: &Self) -> bool {
        self.left < other.right && self.right > other.left && self.top < other.bottom && self.bottom > other.top
    }
}

/// The places of the handles in a picture.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HandlePlaces {
    /// The handles and their labels. No text may touch them.
    pub boxes: Vec<TextBox>,
    /// The lines that end at the handles. They cross whole areas, so only the texts in areas may touch them.
    pub lines: Vec<TextBox>,
}

/// The places that are taken, in a picture that is cut open for the row of pods.
#[derive(Clone, Debug, PartialEq)]
pub struct LabelPlaces {
    /// What no text may touch.
    taken: Vec<TextBox>,
    /// The lines of the handles.
    handle_lines: Vec<TextBox>,
    /// The height at which the picture is cut open.
    cut: f64,
    /// How high the row of pods is.
    gap: f64,
}

impl LabelPlaces {
    /// A picture with handles, and with horizontal lines at these heights of the picture without the row of pods.
    pub fn new(handles: HandlePlaces, lines: impl IntoIterator<Item = f64>, cut: f64, gap: f64) -> Self {
        let mut places = Self { taken: handles.boxes, handle_lines: handles.lines, cut, gap };
        lines.into_iter().for_each(|y| places.take_line(y, 0.0));
        places
    }

    /// Takes the place of a line from the left to the right edge, at a height of the picture without the row of pods.
    pub fn take_line(&mut self, y: f64, half_height: f64) {
        let y = self.line_height(y);
        let (top, bottom) = (y - half_height, y + half_height);
        self.taken.push(TextBox { left: f64::NEG_INFINITY, top, right: f64::INFINITY, bottom });
    }

    /// The height at which the picture is cut open.
    pub const fn cut(&self) -> f64 {
        self.cut
    }

    /// The height of a line in the picture with the row of pods. `y`: its height without that row.
    pub fn line_height(&self, y: f64) -> f64 {
        if y > self.cut { y + self.gap } else { y }
    }

    /// The left edges to try for a text: its own, and those beside each line of a handle that crosses it there, if they are
    /// inside the picture.
    pub fn left_edges(&self, left: f64, length: f64, width: f64) -> Vec<f64> {
        let crossing = self.handle_lines.iter().filter(|line| line.left < left + length && line.right > left);
        let beside = crossing.flat_map(|line| [line.right, line.left - length]);
        iter::once(left).chain(beside.filter(|left| (0.0..=width - length).contains(left))).collect()
    }

    /// Takes the place around a point of the picture without the row of pods. Returns the height of the point with it; none
    /// if the row or a line would cut the text, or if it would touch another one.
    pub fn place(&mut self, x: f64, y: f64, half_width: f64, half_height: f64) -> Option<f64> {
        let (y, text_box) = self.free_place(x, y, half_width, half_height)?;
        self.taken.push(text_box);
        Some(y)
    }

    /// Like [`Self::place`], at the first of several heights that is free, and where no line of a handle crosses the text.
    pub fn place_clear_at(&mut self, x: f64, heights: &[f64], half_width: f64, half_height: f64) -> Option<f64> {
        heights.iter().find_map(|y| self.place_clear(x, *y, half_width, half_height))
    }

    fn place_clear(&mut self, x: f64, y: f64, half_width: f64, half_height: f64) -> Option<f64> {
        let (y, text_box) = self.free_place(x, y, half_width, half_height)?;
        if self.handle_lines.iter().any(|line| text_box.touches(line)) {
            return None;
        }
        self.taken.push(text_box);
        Some(y)
    }

    /// The height of a point with the row of pods, and the box around it; none if that place is taken.
    fn free_place(&self, x: f64, y: f64, half_width: f64, half_height: f64) -> Option<(f64, TextBox)> {
        let y = match y {
            y if y + half_height <= self.cut => y,
            y if y - half_height >= self.cut => y + self.gap,
            _ => return None,
        };
        let text_box = TextBox::around(x, y, half_width, half_height);
        let is_taken = self.taken.iter().any(|other| text_box.touches(other));
        (!is_taken).then_some((y, text_box))
    }

    /// As [`Self::place`], or as near above or below it as there is a free place. `room`: how far the text may move.
    pub fn place_near(&mut self, x: f64, y: f64, half_width: f64, half_height: f64, room: f64) -> Option<f64> {
        let distances = iter::successors(Some(0.0_f64), |by| Some(by + HALF_LINE)).take_while(|by| *by <= room);
        distances.flat_map(|by| [y - by, y + by]).find_map(|y| self.place(x, y, half_width, half_height))
    }
}

/// The heights at which a text without an area is inside the picture, the nearest one first: further away, it would seem to
/// belong to something else.
pub fn heights_near(y: f64, height: f64, half_line: f64) -> impl Iterator<Item = f64> {
    let lowest = (height - half_line).max(half_line);
    let y = y.clamp(half_line, lowest);
    let heights = [0.0, -1.0, 1.0, -2.0, 2.0].into_iter().map(move |lines| y + lines * half_line);
    heights.filter(move |y| (half_line..=lowest).contains(y))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A handle's label from 100 to 118 pixels, above a row of pods at 200.
    fn places() -> LabelPlaces {
        let label = TextBox { left: 40.0, top: 100.0, right: 110.0, bottom: 118.0 };
        LabelPlaces::new(HandlePlaces { boxes: vec![label], lines: Vec::new() }, [], 200.0, 74.0)
    }

    #[test]
    fn a_text_keeps_clear_of_the_label_of_a_handle() {
        for (x, y, room, expected) in [
            // The label is elsewhere.
            (200.0, 110.0, 0.0, Some(110.0)),
            (80.0, 60.0, 0.0, Some(60.0)),
            // It is in the way: the text moves to where the area has room, or is left out.
            (80.0, 105.0, 18.0, Some(87.0)),
            (80.0, 115.0, 18.0, Some(133.0)),
            (80.0, 105.0, 17.0, None),
            // The row of pods cuts a text, and moves those below it.
            (80.0, 205.0, 0.0, None),
            (80.0, 210.0, 0.0, Some(284.0)),
        ] {
            assert_eq!(places().place_near(x, y, 30.0, HALF_LINE, room), expected, "{x} {y} {room}");
        }
    }

    #[test]
    fn two_texts_do_not_touch() {
        let mut places = places();
        assert_eq!(places.place(200.0, 50.0, 30.0, HALF_LINE), Some(50.0));
        assert_eq!(places.place(250.0, 60.0, 30.0, HALF_LINE), None);
        assert_eq!(places.place(260.0, 60.0, 30.0, HALF_LINE), Some(60.0));
    }

    #[test]
    fn no_line_strikes_a_text_through() {
        // Lines above and below a row of pods at 200.
        let places = || LabelPlaces::new(HandlePlaces::default(), [100.0, 200.0, 300.0], 200.0, 74.0);
        for (y, half_height, room, expected) in [
            // The text moves as far as it has to, if its area has the room.
            (100.0, HALF_LINE, 18.0, Some(91.0)),
            (95.0, HALF_LINE, 18.0, Some(86.0)),
            (104.0, HALF_LINE, 18.0, Some(113.0)),
            (104.0, HALF_LINE, 8.0, None),
            // The row of pods moves the lines below it, too.
            (300.0, HALF_LINE, 18.0, Some(365.0)),
            (374.0, HALF_LINE, 0.0, Some(448.0)),
            // A text that runs upward is longer.
            (110.0, 30.0, 27.0, Some(137.0)),
            (110.0, 30.0, 26.0, None),
        ] {
            assert_eq!(places().place_near(150.0, y, 30.0, half_height, room), expected, "{y} {half_height} {room}");
        }
    }

    #[test]
    fn a_break_in_time_strikes_no_text_through() {
        let mut places = LabelPlaces::new(HandlePlaces::default(), [], 200.0, 74.0);
        for y in [100.0, 300.0] {
            places.take_line(y, 4.0);
        }
        assert_eq!(places.place(150.0, 112.0, 30.0, HALF_LINE), None);
        assert_eq!(places.place(150.0, 113.0, 30.0, HALF_LINE), Some(113.0));
        assert_eq!(places.place(150.0, 312.0, 30.0, HALF_LINE), None);
    }

    #[test]
    fn a_text_stands_on_its_own_line() {
        let mut places = LabelPlaces::new(HandlePlaces::default(), [100.0], 200.0, 74.0);
        assert_eq!(places.place(150.0, 100.0 - HALF_LINE, 30.0, HALF_LINE), Some(91.0));
        assert_eq!(places.place(150.0, 100.0 + HALF_LINE, 30.0, HALF_LINE), Some(109.0));
    }

    #[test]
    fn only_the_texts_of_areas_cross_the_line_of_a_handle() {
        // From 50 to 150 pixels.
        let line = TextBox { left: 96.0, top: 50.0, right: 104.0, bottom: 150.0 };
        let handles = HandlePlaces { boxes: Vec::new(), lines: vec![line] };
        let mut places = LabelPlaces::new(handles, [], 200.0, 74.0);
        assert_eq!(places.place_clear(110.0, 100.0, 30.0, HALF_LINE), None);
        assert_eq!(places.place_clear(110.0, 160.0, 30.0, HALF_LINE), Some(160.0));
        assert_eq!(places.place(110.0, 100.0, 30.0, HALF_LINE), Some(100.0));
        // Beside the line, as far as the picture goes.
        assert_eq!(places.left_edges(80.0, 60.0, 300.0), [80.0, 104.0, 36.0]);
        assert_eq!(places.left_edges(80.0, 60.0, 150.0), [80.0, 36.0]);
        assert_eq!(places.left_edges(10.0, 60.0, 300.0), [10.0]);
        assert_eq!(places.place_clear_at(104.0 + 30.0, &[160.0, 130.0], 30.0, HALF_LINE), Some(130.0));
    }

    #[test]
    fn a_text_near_the_edge_of_the_picture_stays_inside() {
        let heights = |y: f64| heights_near(y, 100.0, HALF_LINE).collect::<Vec<_>>();
        assert_eq!(heights(50.0), [50.0, 41.0, 59.0, 32.0, 68.0]);
        assert_eq!(heights(97.0), [91.0, 82.0, 73.0]);
        assert_eq!(heights(2.0), [9.0, 18.0, 27.0]);
    }
}
