//! The HTML pages of the site, from the templates in `www/pages`: two for each story (one of them to be embedded in other
//! pages), the sandbox, the API server, embedded rollouts, and the proof.
//!
//! Each page is a file of its own, so that it has its own address, title and text, even without JavaScript.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use minijinja::value::Serde;
use minijinja::{Environment, UndefinedBehavior};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};

use crate::release::Release;
use crate::{markdown, recordings};

/// The base URL of the page that a host shows for unknown addresses. Their depth is unknown too, so it can't be
/// relative: the links work if the site is at the root of its host, as it is on our server.
const NOT_FOUND_ROOT: &str = "/";

/// A page of the site.
#[derive(Debug, PartialEq, Eq)]
pub struct Page {
    /// Its path in the site.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
}

/// Who a site is built for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// Everyone.
    Public,
    /// A developer: the script that reloads the page may run.
    Developer,
}

/// An entry of `index.json`.
#[derive(Serialize, Deserialize)]
struct Entry {
    name: String,
    label: String,
}

/// Which stories are about the same thing (`topics.json`).
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Topics {
    /// The stories to read first, by name.
    start: Vec<String>,
    /// All stories, by topic.
    topics: Vec<Topic>,
}

/// The stories about one thing, by name.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Topic {
    title: String,
    stories: Vec<String>,
}

/// The stories about one thing, as the page of all stories lists them.
#[derive(Serialize)]
struct ListedTopic<'a> {
    title: &'a str,
    stories: Vec<ListedStory<'a>>,
}

/// A story in the list of all stories.
#[derive(Serialize)]
struct ListedStory<'a> {
    name: &'a str,
    label: &'a str,
    /// Whether it is one to read first.
    is_start: bool,
    /// Its small picture, as HTML; empty if it has none yet.
    picture: String,
}

/// The texts of a story and the scenarios it plays (`docs/stories.md`).
#[derive(Serialize, Deserialize)]
struct Story {
    title: String,
    summary: String,
    #[serde(default)]
    source: Vec<StorySource>,
    /// The smaller cases that it begins with.
    #[serde(default)]
    chapters: Vec<Chapter>,
    /// The headline of a story that begins with a smaller case.
    headline: Option<String>,
    /// Whether its first picture has no line for the limit: a later caption shows it.
    #[serde(default)]
    hides_limit: bool,
    change: Option<String>,
    lanes: Vec<Lane>,
    captions: Vec<Caption>,
    helps: Option<Remedy>,
}

#[derive(Serialize, Deserialize)]
struct Chapter {
    lanes: Vec<Lane>,
    captions: Vec<Caption>,
}

#[derive(Serialize, Deserialize)]
struct StorySource {
    text: String,
    href: String,
}

#[derive(Serialize, Deserialize)]
struct Lane {
    scenario: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct Caption {
    title: String,
    #[serde(deserialize_with = "without_marks")]
    text: String,
    #[serde(default, rename = "showsLimit")]
    shows_limit: bool,
}

/// A text without the marks of its numbers: `[4 pods](limit)` is `4 pods`.
fn without_marks<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let text = String::deserialize(deserializer)?;
    let mut parts = text.split('[');
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (marked, rest) = part.split_once("](").unwrap_or((part, ""));
        plain.push_str(marked);
        plain.push_str(rest.split_once(')').map_or("", |(_, after)| after));
    }
    Ok(plain)
}

#[derive(Serialize, Deserialize)]
struct Remedy {
    text: String,
}

/// The values that a template can use.
#[derive(Clone, Copy, Serialize)]
struct Values<'a> {
    /// The relative path from the page to the root of the site.
    root: &'a str,
    /// Whether the script that reloads the page may run.
    live_reload: bool,
    /// All stories.
    stories: &'a [Entry],
    /// All stories, by topic.
    topics: &'a [ListedTopic<'a>],
    /// The story of this page.
    story: Option<&'a Story>,
    /// The number of the story, from 1.
    number: usize,
    /// The document of this page, as HTML.
    document: &'a str,
    /// The address of the published site, without a trailing slash.
    home: &'a str,
    /// The page's one address, below `home`; a story may have two. Search engines ignore pages without one.
    canonical: Option<&'a str>,
    /// The name of the picture in `previews` that stands for the page where someone links to it.
    preview: &'a str,
    /// The picture of the story before it is simulated, or the patterns of the pictures of all stories, as HTML.
    picture: Option<&'a str>,
    /// The files of `scenarios` to preload.
    files: &'a [String],
    /// How long the modules are: `player:12 stories:34`.
    bytes: &'a str,
}

/// The sources of the pages.
pub struct PageSources {
    /// The folder of the templates.
    pub templates: PathBuf,
    /// The folder of the stories.
    pub scenarios: PathBuf,
    /// The file with their topics.
    pub topics: PathBuf,
    /// The folder of their pictures.
    pub pictures: PathBuf,
    /// The Markdown text about how we prove that the controllers decide as Kubernetes' own.
    pub proof: PathBuf,
}

impl PageSources {
    /// Those of a repository.
    pub fn of(root: &Path) -> Self {
        Self {
            templates: root.join("www/pages"),
            scenarios: root.join("www/scenarios"),
            topics: root.join("www/topics.json"),
            pictures: root.join("www/pictures"),
            proof: root.join("docs/proof.md"),
        }
    }
}

/// Renders all pages of a site. `bytes`: how long the modules are.
///
/// # Errors
/// If a template, a story or a document is missing or invalid.
pub fn pages(sources: &PageSources, audience: Audience, release: &Release, bytes: &str) -> Result<Vec<Page>> {
    let PageSources { templates, scenarios, topics, pictures, proof } = sources;
    let home = release.home.as_str();
    let environment = environment(templates)?;
    let render = |template: &str, path: PathBuf, values: Values<'_>| -> Result<Page> {
        Ok(Page { path, text: environment.get_template(template)?.render(Serde(values))? })
    };
    let stories: Vec<Entry> = read(&scenarios.join("index.json"))?;
    let topics: Topics = read(topics)?;
    let topics = listed_topics(&topics, &stories, pictures)?;
    let live_reload = audience == Audience::Developer;
    let general = Values {
        root: "",
        live_reload,
        stories: &stories,
        topics: &topics,
        story: None,
        number: 0,
        document: "",
        home,
        canonical: None,
        preview: stories.first().map_or("", |story| story.name.as_str()),
        picture: None,
        files: &[],
        bytes,
    };
    let (mut pages, mut patterns) = (Vec::new(), None);
    let mut embedded_stories = Vec::new();
    for (number, Entry { name, .. }) in (1..).zip(&stories) {
        let story = Story::read(scenarios, name)?;
        let address = format!("stories/{name}/");
        // The first story is also the home page.
        let canonical = Some(if number == 1 { "" } else { address.as_str() });
        let files = files(name, &story);
        let story = Some(&story);
        let picture = first_picture(&pictures.join(format!("{name}.html")))?;
        // The small pictures of all stories share the patterns of the first large one.
        patterns = patterns.or_else(|| Some(picture.as_ref()?.split_inclusive("</svg>").next()?.to_owned()));
        let picture = picture.as_deref();
        let values =
            Values { root: "../../", story, number, canonical, preview: name, picture, files: &files, ..general };
        if number == 1 {
            pages.push(render("story.html", "index.html".into(), Values { root: "./", ..values })?);
        }
        pages.push(render("story.html", Path::new(&address).join("index.html"), values)?);
        let embedded = Path::new("embed").join(name).join("index.html");
        embedded_stories.push(render("embedded_story.html", embedded, values)?);
    }
    pages.extend(embedded_stories);
    let below = Values { root: "../", ..general };
    let values = Values { canonical: Some("stories/"), picture: patterns.as_deref(), ..below };
    pages.push(render("stories.html", "stories/index.html".into(), values)?);
    let values = Values { canonical: Some("sandbox/"), preview: "sandbox", ..below };
    pages.push(render("sandbox.html", "sandbox/index.html".into(), values)?);
    // What it shows is a rollout of the sandbox.
    pages.push(render("embed.html", "embed/index.html".into(), values)?);
    let values = Values { canonical: Some("api-server/"), ..below };
    pages.push(render("api_server.html", "api-server/index.html".into(), values)?);
    let proof = fs::read_to_string(proof).with_context(|| format!("{} can't be read", proof.display()))?;
    let document = &markdown::to_html(&proof, &format!("{}/blob/main", release.source));
    let values = Values { canonical: Some("proof/"), document, ..below };
    pages.push(render("proof.html", "proof/index.html".into(), values)?);
    pages.push(render("404.html", "404.html".into(), Values { root: NOT_FOUND_ROOT, ..general })?);
    Ok(pages)
}

impl Story {
    /// Reads a story. Its captions are those of all chapters.
    fn read(scenarios: &Path, name: &str) -> Result<Self> {
        let mut story: Self = read(&scenarios.join(format!("{name}.story.json")))?;
        let beginning = story.chapters.iter_mut().flat_map(|chapter| std::mem::take(&mut chapter.captions));
        let captions = beginning.collect::<Vec<_>>();
        story.captions.splice(..0, captions);
        story.hides_limit = story.captions.iter().skip(1).any(|caption| caption.shows_limit);
        Ok(story)
    }
}

/// The stories of each topic. Each story must have one topic.
fn listed_topics<'a>(
    Topics { start, topics }: &'a Topics,
    stories: &'a [Entry],
    pictures: &Path,
) -> Result<Vec<ListedTopic<'a>>> {
    for Entry { name, .. } in stories {
        let count = topics.iter().flat_map(|topic| &topic.stories).filter(|other| *other == name).count();
        ensure!(count == 1, "topics.json: {name} is in {count} topics: each story must be in one");
    }
    let entry = |name: &str| {
        let entry = stories.iter().find(|entry| entry.name == name);
        entry.with_context(|| format!("topics.json: there is no story {name}"))
    };
    for name in start {
        entry(name)?;
    }
    let listed = |name: &'a String| -> Result<ListedStory<'a>> {
        let picture = first_picture(&pictures.join(format!("{name}.svg")))?.unwrap_or_default().trim_end().to_owned();
        Ok(ListedStory { name, label: &entry(name)?.label, is_start: start.contains(name), picture })
    };
    let topic = |Topic { title, stories }: &'a Topic| -> Result<ListedTopic<'a>> {
        Ok(ListedTopic { title, stories: stories.iter().map(&listed).collect::<Result<_>>()? })
    };
    topics.iter().map(topic).collect()
}

/// The files to preload for a story: its texts, its recording, and the scenario of each lane.
fn files(name: &str, story: &Story) -> Vec<String> {
    let mut files =
        vec![String::from("index.json"), format!("{name}.story.json"), format!("{name}{}", recordings::ENDING)];
    for lane in story.chapters.iter().flat_map(|chapter| &chapter.lanes).chain(&story.lanes) {
        let file = format!("{}.json", lane.scenario.as_deref().unwrap_or(name));
        if !files.contains(&file) {
            files.push(file);
        }
    }
    files
}

/// The picture of a story, without the comment on how it was made. A new story has none until a test has written it.
fn first_picture(file: &Path) -> Result<Option<String>> {
    if !file.exists() {
        return Ok(None);
    }
    let text = fs::read_to_string(file).with_context(|| format!("{} can't be read", file.display()))?;
    let (_, picture) = text.split_once("-->\n").with_context(|| format!("{} has no comment", file.display()))?;
    Ok(Some(picture.to_owned()))
}

/// The templates. Their names end in `.html`, so inserted values are escaped.
fn environment(folder: &Path) -> Result<Environment<'static>> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    for file in fs::read_dir(folder).with_context(|| format!("{} can't be read", folder.display()))? {
        let file = file?;
        let name = file.file_name().to_string_lossy().into_owned();
        environment.add_template_owned(name, fs::read_to_string(file.path())?)?;
    }
    Ok(environment)
}

fn read<T: DeserializeOwned>(path: &Path) -> Result<T> {
    let text = fs::read_to_string(path).with_context(|| format!("{} can't be read", path.display()))?;
    serde_json::from_str(&text).with_context(|| path.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    use crate::workspace::Workspace;

    fn release() -> Release {
        Release::read(&Workspace::find().unwrap()).unwrap()
    }

    fn root() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
    }

    fn site(audience: Audience) -> Vec<Page> {
        pages(&PageSources::of(&root()), audience, &release(), "").unwrap()
    }

    /// A page's text, with its entities decoded.
    fn plain(page: &Page) -> String {
        let entities =
            [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#x27;", "'"), ("&#x2f;", "/"), ("&amp;", "&")];
        entities.iter().fold(page.text.clone(), |text, (entity, plain)| text.replace(entity, plain))
    }

    #[test]
    fn every_story_has_a_page() {
        let pages = site(Audience::Public);
        let entries: Vec<Entry> = read(&root().join("www/scenarios/index.json")).unwrap();
        let mut expected = vec![PathBuf::from("index.html")];
        for folder in ["stories", "embed"] {
            expected.extend(entries.iter().map(|Entry { name, .. }| format!("{folder}/{name}/index.html").into()));
        }
        let others = ["stories/index", "sandbox/index", "embed/index", "api-server/index", "proof/index", "404"];
        expected.extend(others.map(|page| format!("{page}.html").into()));
        assert_eq!(pages.iter().map(|page| page.path.clone()).collect::<Vec<_>>(), expected);
        let titles: BTreeSet<_> = pages[1..].iter().map(|page| page.text.split("</title>").next()).collect();
        assert_eq!(titles.len(), pages.len() - 1);
        for (page, Entry { name, .. }) in pages[1..].iter().zip(&entries) {
            let story = Story::read(&root().join("www/scenarios"), name).unwrap();
            let text = plain(page);
            assert!(text.contains(&format!("<title>{} · Changeover</title>", story.title)), "{text}");
            assert!(text.contains(&format!("<meta name=\"description\" content=\"{}\" />", story.summary)), "{text}");
            assert!(text.contains(&format!("<h1>{}</h1>", story.headline.as_ref().unwrap_or(&story.title))), "{text}");
            let change = format!(" 0:00: {}.</p>", story.change.unwrap());
            assert_eq!(text.contains(&change), story.headline.is_none(), "{text}");
            for Caption { title, text: words, .. } in &story.captions {
                assert!(text.contains(&format!("<h2>{title}</h2>\n          <p>{words}</p>")), "{text}");
            }
            for StorySource { text: words, href } in &story.source {
                assert!(text.contains(&format!("<a href=\"{href}\">{words}</a>")), "{text}");
            }
            for Entry { name, label } in &entries {
                assert!(text.contains(&format!("<a href=\"stories/{name}/\">{label}</a>")), "{text}");
            }
        }
    }

    #[test]
    fn the_page_of_all_stories_lists_them_by_topic_and_says_where_to_start() {
        let pages = site(Audience::Public);
        let page = pages.iter().find(|page| page.path == Path::new("stories/index.html")).unwrap();
        let text = plain(page);
        let lists: Vec<&str> = text.split("<h3>").skip(1).collect();
        let titles: Vec<_> = lists.iter().map(|list| list.split("</h3>").next().unwrap()).collect();
        assert_eq!(titles, ["Rollouts", "StatefulSets", "Nodes", "Jobs", "CronJobs"]);
        let entries: Vec<Entry> = read(&root().join("www/scenarios/index.json")).unwrap();
        for Entry { name, label } in &entries {
            let picture = format!("<li><a href=\"stories/{name}/\"><svg ");
            assert_eq!(text.matches(&picture).count(), 1, "{text}");
            assert!(text.contains(&format!("</svg>{label}</a>")), "{text}");
        }
        assert_eq!(text.matches("</a> <span class=\"note\">start here</span></li>").count(), 3, "{text}");
    }

    #[test]
    fn each_story_has_one_topic() {
        let entry = |name: &str| Entry { name: name.to_owned(), label: String::new() };
        let stories = [entry("a"), entry("b")];
        let problem = |start: &[&str], stories_of_topics: &[&[&str]]| {
            let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
            let topic = |stories: &&[&str]| Topic { title: String::new(), stories: owned(stories) };
            let topics = Topics { start: owned(start), topics: stories_of_topics.iter().map(topic).collect() };
            listed_topics(&topics, &stories, Path::new("")).err().map(|problem| problem.to_string())
        };
        assert_eq!(problem(&["a"], &[&["b"], &["a"]]), None);
        let none = "topics.json: b is in 0 topics: each story must be in one";
        assert_eq!(problem(&[], &[&["a"]]).as_deref(), Some(none));
        let two = "topics.json: a is in 2 topics: each story must be in one";
        assert_eq!(problem(&[], &[&["a", "b"], &["a"]]).as_deref(), Some(two));
        let unknown = Some("topics.json: there is no story c");
        assert_eq!(problem(&[], &[&["a", "b", "c"]]).as_deref(), unknown);
        assert_eq!(problem(&["c"], &[&["a", "b"]]).as_deref(), unknown);
    }

    #[test]
    fn an_embedded_story_has_a_page_with_its_picture_and_nothing_around_it() {
        let pages = site(Audience::Public);
        let entries: Vec<Entry> = read(&root().join("www/scenarios/index.json")).unwrap();
        for Entry { name, .. } in &entries {
            let story = Story::read(&root().join("www/scenarios"), name).unwrap();
            let page = pages.iter().find(|page| page.path == Path::new("embed").join(name).join("index.html")).unwrap();
            let text = plain(page);
            assert!(text.contains(&format!("<h1>{}</h1>", story.headline.as_ref().unwrap_or(&story.title))), "{text}");
            assert!(text.contains(&format!("data-story=\"{name}\"")), "{text}");
            assert!(text.contains(&format!("<h2>{}</h2>", story.captions[0].title)), "{text}");
            assert!(text.contains(&format!("<a href=\"stories/{name}/\" target")), "{text}");
            assert!(text.contains("src=\"main.js\"") && text.contains("src=\"frame_height.js\""), "{text}");
            assert!(!text.contains("<nav") && !text.contains("<header"), "{text}");
        }
        let page = pages.iter().find(|page| page.path == Path::new("embed/index.html")).unwrap();
        let names: Vec<_> = entries.iter().map(|entry| entry.name.as_str()).collect();
        assert!(page.text.contains(&format!("data-stories=\"{}\"", names.join(" "))), "{}", page.text);
    }

    #[test]
    fn every_page_that_can_be_found_has_a_preview() {
        let home = release().home;
        let value = |text: &str, name: &str| {
            let (_, after) = text.split_once(&format!("{name}\" content=\""))?;
            Some(after.split('"').next().unwrap_or_default().to_owned())
        };
        for page in site(Audience::Public) {
            let text = plain(&page);
            let Some(description) = value(&text, "name=\"description") else {
                assert_eq!(page.path, Path::new("404.html"), "{text}");
                continue;
            };
            let title = text.split_once("<title>").unwrap().1.split(" · Changeover</title>").next().unwrap();
            assert_eq!(value(&text, "og:title").unwrap(), title);
            assert_eq!(value(&text, "og:description").unwrap(), description);
            assert!(!description.is_empty());
            let address = value(&text, "og:url").unwrap();
            assert!(text.contains(&format!("<link rel=\"canonical\" href=\"{address}\" />")), "{text}");
            let picture = value(&text, "og:image").unwrap();
            let file = picture.strip_prefix(&format!("{home}/")).unwrap();
            assert!(root().join("www").join(file).is_file(), "www/{file} is missing: see tests/web/previews.spec.mjs");
        }
    }

    #[test]
    fn addresses_are_relative_to_the_root() {
        for page in site(Audience::Public) {
            let depth = page.path.components().count() - 1;
            let root = match page.path.to_str() {
                Some("404.html") => "/".to_owned(),
                _ if depth == 0 => "./".to_owned(),
                _ => "../".repeat(depth),
            };
            let (before, after) = page.text.split_once(&format!("<base href=\"{root}\" />")).unwrap();
            // The base only applies to what follows it.
            assert!(!before.contains("href="), "{}", page.text);
            // In a picture, a fragment alone means this document, whatever its base is (SVG 2).
            let after = after.replace("<use href=\"#", "<use ");
            let addresses = after.split([' ', '<']).filter_map(|part| {
                let (name, value) = part.split_once("=\"")?;
                ["href", "src"].contains(&name).then(|| value.split('"').next().unwrap_or_default())
            });
            for address in addresses {
                assert!(
                    address.starts_with("https:") || !address.starts_with(['/', '#', '.']) || address == "./",
                    "{address}"
                );
            }
        }
    }

    #[test]
    fn a_story_preloads_what_it_needs_first() {
        let pages = site(Audience::Public);
        let page = pages.iter().find(|page| page.path.ends_with("stories/who-dies-first/index.html")).unwrap();
        let files = ["story", "recording"].map(|kind| format!("who-dies-first.{kind}.json"));
        let scenarios = ["index", "who-dies-first", "who-dies-first-in-time"].map(|name| format!("{name}.json"));
        for file in files.into_iter().chain(scenarios) {
            let link = format!("<link rel=\"preload\" href=\"scenarios/{file}\" as=\"fetch\"");
            assert_eq!(page.text.matches(&link).count(), 1, "{file}");
        }
    }

    #[test]
    fn only_the_developer_runs_inline_scripts() {
        let allows = |audience| {
            site(audience)
                .iter()
                .map(|page| page.text.contains("'wasm-unsafe-eval' 'unsafe-inline'"))
                .collect::<Vec<_>>()
        };
        assert!(allows(Audience::Public).iter().all(|allowed| !allowed));
        assert!(allows(Audience::Developer).iter().all(|allowed| *allowed));
    }

    #[test]
    fn words_are_escaped() {
        let folder = tempfile::tempdir().unwrap();
        let story = r#"{"title": "<b> & \"c\"", "summary": "", "lanes": [], "captions": []}"#;
        fs::write(folder.path().join("index.json"), r#"[{"name": "a", "label": "<i>"}]"#).unwrap();
        fs::write(folder.path().join("a.story.json"), story).unwrap();
        let topics = folder.path().join("topics.json");
        fs::write(&topics, r#"{"start": ["a"], "topics": [{"title": "<u>", "stories": ["a"]}]}"#).unwrap();
        let sources = PageSources { scenarios: folder.path().into(), topics, ..PageSources::of(&root()) };
        let pages = pages(&sources, Audience::Public, &release(), "").unwrap();
        assert!(pages[0].text.contains("<h1>&lt;b&gt; &amp; &quot;c&quot;</h1>"), "{}", pages[0].text);
        assert!(pages.iter().all(|page| !page.text.contains("<i>") && !page.text.contains("<u>")));
    }
}
