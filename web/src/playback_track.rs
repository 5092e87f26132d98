//! A lane's whole course on the page: read once from the player's numbers, then played forth and back. What moving costs
//! depends on what changes on the way.

use changeover_core::object::Time;
use changeover_core::timeline::{Counts, Marks, PodState, Point as SeriesPoint};
use changeover_wire::playback_track::{MARKS_KEYFRAME, Milestone, POD_KEYFRAME, ROW_KEYFRAME, STATES, STEP};

/// A step.
#[derive(Clone, Copy)]
pub(crate) struct Step {
    /// When.
    pub time: i64,
    /// Whether it is worth a stop.
    pub notable: Option<Milestone>,
}

/// From when something holds: from a frame, and there from a time.
#[derive(Clone, Copy, PartialEq, Eq)]
struct From {
    frame: usize,
    time: i64,
}

impl From {
    const fn holds(self, frame: usize, now: i64) -> bool {
        self.frame <= frame && self.time <= now
    }
}

/// How a pod is from a time on.
#[derive(Clone, Copy)]
pub(crate) struct Move {
    from: From,
    /// Which pod.
    pub pod: usize,
    /// Its state; none where it is gone.
    pub state: Option<PodState>,
    /// Which of the ReplicaSets it belongs to.
    pub set: usize,
    /// In which row it is shown.
    pub row: usize,
    /// At which place there.
    pub slot: usize,
    /// Its deletion cost, where it has one.
    pub cost: Option<i32>,
    /// Since when it is in this state.
    pub since: i64,
    /// Until when, or until when at the latest: readiness, availability, the end of the grace period. Not before
    /// `since`; the same where nothing is waited for.
    pub until: i64,
    /// The pod's move before this one.
    before: Option<usize>,
}

/// What a ReplicaSet wants from a time on.
#[derive(Clone, Copy)]
struct Wants {
    from: From,
    set: usize,
    now: SetNow,
}

/// What is shown of a ReplicaSet, or, where pods are grouped by node, of a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SetNow {
    /// Its spec.replicas; none where it does not exist. Of a node, 1.
    pub wants: Option<i32>,
    /// Its revision. Of a node that does not exist, 1 where it did.
    pub revision: i32,
}

/// The counts from a time on.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Point {
    /// From when, after the picture's beginning.
    pub time: i64,
    /// The pods of each ReplicaSet.
    pub sets: Vec<Counts>,
    /// The marks on the ruler.
    pub marks: Marks,
}

impl Point {
    /// All pods that hold resources.
    pub(crate) fn holding(&self) -> i32 {
        holding(&self.sets)
    }

    /// How many of them are above the limit.
    pub(crate) fn over(&self) -> i32 {
        self.holding().saturating_sub(self.marks.limit).max(0)
    }
}

/// All pods that hold resources.
pub(crate) fn holding(sets: &[Counts]) -> i32 {
    sets.iter().fold(0, |sum, counts| sum.saturating_add(counts.holding()))
}

/// See the module.
#[derive(Default)]
pub(crate) struct Film {
    /// The steps.
    pub steps: Vec<Step>,
    /// The frames after each step that is worth a stop and not before the picture's beginning.
    pub stops: Vec<usize>,
    /// What happens to pods, in order.
    pub moves: Vec<Move>,
    marks: Vec<(From, Marks)>,
    wants: Vec<Wants>,
    /// How many ReplicaSets there are.
    pub sets: usize,
    /// How many pods.
    pub pods: usize,
    /// How many slots each row needs.
    pub rows: Vec<usize>,
    /// The counts, a point for each time at which they change, from the picture's beginning on.
    pub points: Vec<Point>,
    /// Whether any pod has a deletion cost.
    pub has_costs: bool,
    /// The most pods that hold resources at any frame that is shown.
    pub peak: i32,
}

impl Film {
    /// Reads the numbers that the player wrote: for so many ReplicaSets and rows.
    pub(crate) fn read(numbers: &[i32], sets: usize, rows: usize) -> Self {
        let mut film = Self { sets, rows: vec![0; rows], ..Self::default() };
        let mut rest = numbers;
        let mut last = Vec::new();
        while let [what, second, nano, after @ ..] = rest {
            let time = i64::from(*second).saturating_mul(Time::SECOND).saturating_add(i64::from(*nano));
            rest = match (*what, after) {
                (STEP, [notable, rest @ ..]) => {
                    film.steps.push(Step { time, notable: Milestone::of(*notable) });
                    if *notable != 0 && time >= 0 {
                        film.stops.push(film.steps.len());
                    }
                    rest
                }
                (POD_KEYFRAME, [frame, pod, state, set, row, cost, grace, rest @ ..]) => {
                    let state = usize::try_from(*state).ok().and_then(|state| STATES.get(state)).copied();
                    let numbers = [*pod, *set, *row].map(place);
                    film.push(From { frame: place(*frame), time }, numbers, state, (*cost, *grace), &mut last);
                    rest
                }
                (MARKS_KEYFRAME, [frame, desired, limit, min_available, rest @ ..]) => {
                    let marks = Marks { desired: *desired, limit: *limit, min_available: *min_available };
                    film.marks.push((From { frame: place(*frame), time }, marks));
                    rest
                }
                (ROW_KEYFRAME, [frame, set, wants, revision, rest @ ..]) => {
                    let now = SetNow { wants: (*wants >= 0).then_some(*wants), revision: *revision };
                    film.wants.push(Wants { from: From { frame: place(*frame), time }, set: place(*set), now });
                    rest
                }
                _ => &[],
            };
        }
        // The end is a stop, whatever happens there.
        if film.stops.last().is_some_and(|last| *last != film.steps.len()) {
            film.stops.push(film.steps.len());
        }
        film.place();
        film.count();
        film
    }

    fn push(
        &mut self,
        from: From,
        [pod, set, row]: [usize; 3],
        state: Option<PodState>,
        (cost, grace): (i32, i32),
        last: &mut Vec<Option<usize>>,
    ) {
        let index = self.moves.len();
        if last.len() <= pod {
            last.resize(pod.saturating_add(1), None);
        }
        let before = last.get_mut(pod).and_then(|last| last.replace(index));
        self.pods = last.len();
        let mut since = from.time;
        if let Some(earlier) = before.and_then(|before| self.moves.get_mut(before)) {
            if earlier.state == state {
                since = earlier.since;
            }
            // What becomes of it says how far it was.
            if matches!(earlier.state, Some(PodState::Starting | PodState::Ready)) {
                earlier.until = from.time;
            }
        }
        let grace = i64::from(grace).saturating_mul(Time::SECOND);
        let until = if state == Some(PodState::Terminating) { since.saturating_add(grace) } else { since };
        let cost = (cost != i32::MIN).then_some(cost);
        self.has_costs |= cost.is_some();
        self.moves.push(Move { from, pod, state, set, row, slot: 0, cost, since, until, before });
    }

    /// Gives each pod the first free slot of its row, which it keeps while it is there.
    fn place(&mut self) {
        let mut free: Vec<Vec<usize>> = vec![Vec::new(); self.rows.len()];
        for index in 0..self.moves.len() {
            let Some(this) = self.moves.get(index).copied() else { return };
            let before = this.before.and_then(|before| self.moves.get(before)).copied().filter(|it| it.state.is_some());
            let stays = before.filter(|before| before.row == this.row && this.state.is_some());
            let slot = match (stays, this.state) {
                (Some(before), _) => before.slot,
                (None, None) => before.map_or(0, |before| before.slot),
                (None, Some(_)) => self.take(&mut free, this.row),
            };
            if let Some(before) = before.filter(|_| stays.is_none())
                && let Some(free) = free.get_mut(before.row)
            {
                // The greatest first, so that the last one is the first free slot.
                let at = free.partition_point(|other| *other > before.slot);
                free.insert(at, before.slot);
            }
            if let Some(this) = self.moves.get_mut(index) {
                this.slot = slot;
            }
        }
    }

    fn take(&mut self, free: &mut [Vec<usize>], row: usize) -> usize {
        if let Some(slot) = free.get_mut(row).and_then(Vec::pop) {
            return slot;
        }
        let Some(slots) = self.rows.get_mut(row) else { return 0 };
        let slot = *slots;
        *slots = slot.saturating_add(1);
        slot
    }

    /// Plays it once, for the points.
    fn count(&mut self) {
        let mut scene = Scene::new(self);
        let mut points: Vec<Point> = Vec::new();
        // Where any of the three lists goes on: the picture of that moment.
        loop {
            let next = scene.next(self);
            let Some(from) = next else { break };
            scene.seek(self, from.frame, from.time);
            let (sets, marks) = (scene.sets.clone(), scene.marks);
            let point = Point { time: from.time.max(0), sets, marks };
            if from.time >= 0 {
                self.peak = self.peak.max(point.holding());
            }
            match points.last_mut() {
                Some(last) if last.time == point.time => *last = point,
                Some(last) if last.sets == point.sets && last.marks == point.marks => {}
                _ => points.push(point),
            }
        }
        self.peak = self.peak.max(points.first().map_or(0, Point::holding));
        self.points = points;
    }

    /// The point that holds at a time.
    pub(crate) fn at(&self, time: i64) -> Option<&Point> {
        let after = self.points.partition_point(|point| point.time <= time);
        after.checked_sub(1).and_then(|index| self.points.get(index))
    }

    /// When the most pods are above the limit, for the first time; none if that never happens.
    pub(crate) fn first_peak_over(&self) -> Option<i64> {
        let most = self.points.iter().map(Point::over).max().filter(|most| *most > 0)?;
        self.points.iter().find(|point| point.over() == most).map(|point| point.time)
    }

    /// Whether a ReplicaSet of an earlier revision becomes the newest again.
    pub(crate) fn goes_back(&self) -> bool {
        let mut revisions = vec![0; self.sets];
        self.wants.iter().any(|wants| {
            let before = revisions.get_mut(wants.set).map_or(0, |now| std::mem::replace(now, wants.now.revision));
            before > 0 && wants.now.revision > before
        })
    }

    /// The points as the core's totals read them.
    pub(crate) fn series(&self) -> Vec<SeriesPoint> {
        let sum = |point: &Point| {
            let mut counts = Counts::default();
            for set in &point.sets {
                for state in STATES {
                    counts.add(state, count(set, state));
                }
            }
            SeriesPoint { frame: 0, time: Time(point.time), counts, marks: point.marks }
        };
        self.points.iter().map(sum).collect()
    }

    /// The moves of a pod, the last first.
    pub(crate) fn life(&self, pod: usize) -> impl Iterator<Item = &Move> {
        let last = self.moves.iter().rposition(|other| other.pod == pod);
        std::iter::successors(last.and_then(|last| self.moves.get(last)), |this| {
            this.before.and_then(|before| self.moves.get(before))
        })
    }
}

/// The pods in a state.
pub(crate) const fn count(counts: &Counts, state: PodState) -> i32 {
    match state {
        PodState::Available => counts.available,
        PodState::Ready => counts.ready,
        PodState::Starting => counts.starting,
        PodState::Pending => counts.pending,
        PodState::Terminating => counts.terminating,
        PodState::Unknown => counts.unknown,
        PodState::Failed => counts.failed,
        PodState::Succeeded => counts.succeeded,
    }
}

/// A number of a film as a place in a list.
fn place(number: i32) -> usize {
    usize::try_from(number).unwrap_or(0)
}

/// A film at one moment. It knows what changed since somebody last asked.
pub(crate) struct Scene {
    next_move: usize,
    next_marks: usize,
    next_wants: usize,
    /// The pods of each ReplicaSet.
    pub sets: Vec<Counts>,
    /// The pods of each row.
    pub rows: Vec<Counts>,
    /// What is shown of each ReplicaSet.
    pub now: Vec<SetNow>,
    /// The marks on the ruler.
    pub marks: Marks,
    /// For each row and slot, the move of the pod that is there.
    places: Vec<Vec<Option<usize>>>,
    /// The places that changed, some of them more than once.
    pub changed: Vec<(usize, usize)>,
}

impl Scene {
    /// Before everything.
    pub(crate) fn new(film: &Film) -> Self {
        Self {
            next_move: 0,
            next_marks: 0,
            next_wants: 0,
            sets: vec![Counts::default(); film.sets],
            rows: vec![Counts::default(); film.rows.len()],
            now: vec![SetNow::default(); film.sets.max(film.rows.len())],
            marks: Marks::default(),
            places: film.rows.iter().map(|slots| vec![None; *slots]).collect(),
            changed: Vec::new(),
        }
    }

    /// The pod at a place.
    pub(crate) fn pod_at<'a>(&self, film: &'a Film, row: usize, slot: usize) -> Option<&'a Move> {
        let index = self.places.get(row).and_then(|row| row.get(slot)).copied().flatten()?;
        film.moves.get(index)
    }

    /// The pods of a row, by place.
    pub(crate) fn pods_of<'a>(&'a self, film: &'a Film, row: usize) -> impl Iterator<Item = &'a Move> {
        let places = self.places.get(row).map(Vec::as_slice).unwrap_or_default();
        places.iter().flatten().filter_map(|index| film.moves.get(*index))
    }

    /// From when the next thing holds.
    fn next(&self, film: &Film) -> Option<From> {
        let moves = film.moves.get(self.next_move).map(|next| next.from);
        let marks = film.marks.get(self.next_marks).map(|(from, _)| *from);
        let wants = film.wants.get(self.next_wants).map(|next| next.from);
        let next = [moves, marks, wants].into_iter().flatten();
        next.min_by(|one, other| (one.frame, one.time).cmp(&(other.frame, other.time)))
    }

    /// Goes to a frame, and there to a time.
    pub(crate) fn seek(&mut self, film: &Film, frame: usize, now: i64) {
        while let Some(next) = film.moves.get(self.next_move).filter(|next| next.from.holds(frame, now)) {
            let before = next.before.and_then(|before| film.moves.get(before));
            self.turn(before, next, Some(self.next_move));
            self.next_move = self.next_move.saturating_add(1);
        }
        while let Some(last) =
            film.moves.get(self.next_move.wrapping_sub(1)).filter(|last| !last.from.holds(frame, now))
        {
            self.next_move = self.next_move.saturating_sub(1);
            match last.before.and_then(|before| film.moves.get(before).map(|it| (it, before))) {
                Some((before, index)) => self.turn(Some(last), before, Some(index)),
                None => self.turn(Some(last), &Move { state: None, ..*last }, None),
            }
        }
        let marks = film.marks.partition_point(|(from, _)| from.holds(frame, now));
        self.next_marks = marks;
        self.marks = film.marks.get(marks.wrapping_sub(1)).map(|(_, marks)| *marks).unwrap_or_default();
        self.seek_wants(film, frame, now);
    }

    fn seek_wants(&mut self, film: &Film, frame: usize, now: i64) {
        let mut back = false;
        while film.wants.get(self.next_wants.wrapping_sub(1)).is_some_and(|last| !last.from.holds(frame, now)) {
            self.next_wants = self.next_wants.saturating_sub(1);
            back = true;
        }
        if back {
            // Few things are said of ReplicaSets: from the beginning.
            self.now.fill(SetNow::default());
            self.next_wants = 0;
        }
        while let Some(next) = film.wants.get(self.next_wants).filter(|next| next.from.holds(frame, now)) {
            if let Some(slot) = self.now.get_mut(next.set) {
                *slot = next.now;
            }
            self.next_wants = self.next_wants.saturating_add(1);
        }
    }

    /// A pod goes from one move to another.
    fn turn(&mut self, from: Option<&Move>, to: &Move, index: Option<usize>) {
        if let Some(from) = from {
            self.add(from, -1);
            self.put(from, None);
        }
        self.add(to, 1);
        if to.state.is_some() {
            self.put(to, index);
        }
    }

    fn add(&mut self, of: &Move, by: i32) {
        let Some(state) = of.state else { return };
        for counts in [self.sets.get_mut(of.set), self.rows.get_mut(of.row)].into_iter().flatten() {
            counts.add(state, by);
        }
    }

    fn put(&mut self, at: &Move, index: Option<usize>) {
        if at.state.is_none() {
            return;
        }
        if let Some(place) = self.places.get_mut(at.row).and_then(|row| row.get_mut(at.slot)) {
            *place = index;
            self.changed.push((at.row, at.slot));
        }
    }
}
