/// The items of a list, each with a key: what it is called, and how many before it are called the same, because the keys of a
/// list must differ.
pub fn keyed<T>(items: &[T], name: impl Fn(&T) -> String) -> Vec<(String, &T)> {
    let mut names: Vec<String> = Vec::new();
    let mut keyed = Vec::new();
    for item in items {
        let name = name(item);
        let same = names.iter().filter(|other| **other == name).count();
        keyed.push((format!("{name} {same}"), item));
        names.push(name);
    }
    keyed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_differ_and_an_item_keeps_its_key_when_others_come_and_go() {
        let keys = |items: &[&str]| {
            keyed(items, |item| String::from(*item)).into_iter().map(|(key, _)| key).collect::<Vec<_>>()
        };
        assert_eq!(keys(&["web", "db", "web"]), ["web 0", "db 0", "web 1"]);
        assert_eq!(keys(&["cache", "db"]), ["cache 0", "db 0"]);
        assert_eq!(keys(&["web", "web 1", "web"]), ["web 0", "web 1 0", "web 1"]);
    }
}
