use core::fmt;

/// A place in a text. Both numbers count from 1; columns count characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The character within the line.
    pub column: usize,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// Where a value and all below it are written: a map's entry where its key is, a list's item where it begins.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub at: Position,
    pub inside: Inside,
}

#[derive(Clone, Debug)]
pub(crate) enum Inside {
    Scalar,
    /// In the order of the text: a map type of its own costs more bytes than looking through it costs time.
    Map(Vec<(String, Place)>),
    List(Vec<Place>),
}

/// How far a path leads: to where, and how much of it is left.
struct Followed {
    at: Position,
    left: usize,
}

impl Place {
    /// Follows a path such as `spec.containers[0].name` or `metadata.annotations[example.com/cost]` as far as the text
    /// goes. A key that holds dots may also follow a dot, as some errors write it, where a plain one leads less far; and
    /// the API server's errors about a template's labels and annotations leave `metadata` out.
    pub fn nearest(&self, path: &str) -> Position {
        self.follow(path).at
    }

    fn follow(&self, path: &str) -> Followed {
        let stay = Followed { at: self.at, left: path.len() };
        let next = self.step(path).or_else(|| self.child("metadata")?.step(path));
        next.filter(|next| next.left < stay.left).unwrap_or(stay)
    }

    fn step(&self, path: &str) -> Option<Followed> {
        if let Some((key, rest)) = path.strip_prefix('[').and_then(|path| path.split_once(']')) {
            return self.child(key).map(|place| place.follow(rest));
        }
        let path = path.strip_prefix('.').unwrap_or(path);
        let Inside::Map(entries) = &self.inside else { return None };
        let ends = |rest: &str| rest.is_empty() || rest.starts_with(['.', '[']);
        let fits = entries.iter().filter_map(|(key, place)| {
            let rest = path.strip_prefix(key.as_str())?;
            (!key.is_empty() && ends(rest)).then(|| (place.follow(rest), key.len()))
        });
        fits.min_by_key(|(followed, length)| (followed.left, *length)).map(|(followed, _)| followed)
    }

    pub fn child(&self, key: &str) -> Option<&Self> {
        match &self.inside {
            Inside::Scalar => None,
            Inside::Map(entries) => entries.iter().find(|(name, _)| name == key).map(|(_, place)| place),
            Inside::List(items) => items.get(key.parse::<usize>().ok()?),
        }
    }
}
