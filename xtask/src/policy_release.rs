//! `make release-policy`: fills the addresses of `Cargo.toml` into the policy's files, ready to be pushed, signed and
//! listed on Artifact Hub.

use std::fs;

use anyhow::{Context, Result};
use serde::Serialize;
use serde_json::{Value, json};

use crate::annotate::Metadata;
use crate::policy::{PARTS, POLICIES};
use crate::release::Release;
use crate::size;
use crate::workspace::Workspace;
use crate::{annotate, notices, policy, run};

const VERSION: &str = env!("CARGO_PKG_VERSION");

const FOLDER: &str = "dist/policy";

/// Fills `dist/policy` and prints how to push, sign and verify it.
///
/// # Errors
/// If something does not build, or a file can't be read or written.
pub fn release(workspace: &Workspace) -> Result<()> {
    let release = Release::read(workspace)?;
    let module = policy::build(workspace)?;
    let (sources, folder) = (workspace.root.join("policy"), workspace.root.join(FOLDER));
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    let mut files = size::files(&sources.join("examples"))?;
    files.extend(size::files(&sources.join("metadata"))?);
    files.extend(["README.md", "metadata.yml", "questions-ui.yml"].map(|name| sources.join(name)));
    for file in files {
        let text = fs::read_to_string(&file).with_context(|| file.display().to_string())?;
        let target = folder.join(file.strip_prefix(&sources)?);
        fs::create_dir_all(target.parent().context("the path has no folder")?)?;
        fs::write(target, release.fill(&text))?;
    }
    let read = |name: &str| fs::read_to_string(folder.join(name)).context(name.to_owned());
    let readme = usage(&read("README.md")?, &release);
    fs::write(folder.join("README.md"), &readme)?;
    fs::write(folder.join("artifacthub-repo.yml"), artifact_hub_repository(&release)?)?;
    fs::copy(&module, folder.join("policy.wasm"))?;
    for part in &PARTS {
        fs::copy(part.path(workspace), folder.join(format!("{}.wasm", part.name)))?;
    }
    notices::write(workspace, &folder, &["changeover-policy"], notices::WASM)?;
    let licenses =
        [notices::FILE, notices::OWN[0], notices::OWN[1]].map(read).into_iter().collect::<Result<String>>()?;
    let (questions, created_at) = (read("questions-ui.yml")?, created_at(workspace)?);
    for policy in &POLICIES {
        let text = read(policy.metadata)?;
        let questions = form(&questions, policy.groups)?;
        let package = artifact_hub(&Metadata::parse(&text)?, &questions, &release, &created_at)?;
        // Artifact Hub wants a folder for each package.
        let own = folder.join(policy.name);
        fs::create_dir_all(&own)?;
        fs::write(own.join("artifacthub-pkg.yml"), package)?;
        let annotated = folder.join(policy.annotated());
        policy.annotate(workspace, &text, readme.clone(), &annotated)?;
        // A registry has only the module.
        annotate::add_section(&annotated, "licenses", licenses.clone().into_bytes())?;
    }
    println!("{}", instructions(&release));
    Ok(())
}

/// The form with the questions of these groups; all of them if there are none.
fn form(questions: &str, groups: Option<&[&str]>) -> Result<String> {
    let Some(groups) = groups else { return Ok(questions.to_owned()) };
    let mut form = changeover_text::parse(questions).map_err(anyhow::Error::msg)?.remove(0).value;
    let group_of = |question: &Value| question.get("group").and_then(Value::as_str).map(str::to_owned);
    let all = form.get_mut("questions").and_then(Value::as_array_mut).context("questions-ui.yml: questions")?;
    all.retain(|question| group_of(question).is_some_and(|group| groups.contains(&group.as_str())));
    text(&form)
}

/// The README for the module's annotation and for Artifact Hub, where it is read without the files beside it.
fn usage(readme: &str, release: &Release) -> String {
    // The examples in the repository have a placeholder, those of the release have the addresses.
    let with_examples = readme.replace("](examples/", &format!("]({}", release.download_address("")));
    ["behavior.md", "metadata.yml", "settings.md"].iter().fold(with_examples, |text, name| {
        text.replace(&format!("]({name}"), &format!("]({}", release.file_address(&format!("policy/{name}"))))
    })
}

/// The time of the commit, so that the same commit always gives the same file.
fn created_at(workspace: &Workspace) -> Result<String> {
    let time = run::output(run::command(workspace, "git", &["log", "-1", "--format=%cI"]))?;
    Ok(time.trim().to_owned())
}

/// The text of `artifacthub-pkg.yml`, with the fields that `kwctl scaffold artifacthub` writes. It is JSON, which is
/// also YAML.
fn artifact_hub(metadata: &Metadata, questions: &str, release: &Release, created_at: &str) -> Result<String> {
    let annotation = |key: &str| metadata.annotations.get(key).with_context(|| format!("policy/metadata.yml: {key}"));
    let kubewarden = |key: &str| annotation(&format!("io.kubewarden.policy.{key}"));
    let image = format!("{}:v{VERSION}", image(&release.registry, kubewarden("title")?));
    let keywords: Vec<&str> = annotation("io.artifacthub.keywords")?.split(", ").collect();
    let install = format!(
        "The policy can be obtained using [kwctl](https://docs.kubewarden.io/howtos/install-kwctl):\n\
         ```console\nkwctl pull {image}\n```\n\
         Then, generate the policy manifest and tune it to your liking. For example:\n\
         ```console\nkwctl scaffold manifest -t ClusterAdmissionPolicy registry://{image}\n```\n"
    );
    let package = json!({
        "version": VERSION,
        "name": kubewarden("title")?,
        "displayName": annotation("io.artifacthub.displayName")?,
        "createdAt": created_at,
        "description": kubewarden("description")?,
        "license": kubewarden("license")?,
        "homeURL": release.home,
        "containersImages": [{ "name": "policy", "image": image }],
        "keywords": keywords,
        "links": [{ "name": "source", "url": release.source }],
        "install": install,
        "maintainers": [author(release)?],
        "provider": { "name": "kubewarden" },
        "recommendations": [{ "url": "https://artifacthub.io/packages/helm/kubewarden/kubewarden-controller" }],
        "annotations": {
            "kubewarden/mutation": metadata.mutating.to_string(),
            "kubewarden/contextAwareResources": text(&metadata.context_aware_resources)?,
            "kubewarden/questions-ui": questions,
            "kubewarden/resources": annotation("io.artifacthub.resources")?,
            "kubewarden/rules": text(&metadata.rules)?,
        },
    });
    text(&package)
}

/// The address of a policy, which is named by its title.
fn image(registry: &str, title: &str) -> String {
    registry.rsplit_once('/').map_or_else(|| title.to_owned(), |(path, _)| format!("{path}/{title}"))
}

/// The text of `artifacthub-repo.yml`, by which Artifact Hub knows the owner of the repository.
fn artifact_hub_repository(release: &Release) -> Result<String> {
    text(&json!({ "owners": [author(release)?] }))
}

fn author(release: &Release) -> Result<Value> {
    let (name, email) = release.author.trim_end_matches('>').split_once(" <").context("Cargo.toml: authors")?;
    Ok(json!({ "name": name, "email": email }))
}

fn text(value: &impl Serialize) -> Result<String> {
    Ok(serde_json::to_string_pretty(value)? + "\n")
}

/// The commands that publish the files, and the ones for users to verify them.
fn instructions(release: &Release) -> String {
    let Release { source, registry, .. } = release;
    let others: String =
        POLICIES.iter().filter(|policy| !policy.name.is_empty()).fold(String::new(), |lines, policy| {
            lines + &format!("  {FOLDER}/{} {registry}-{}:v{VERSION}\n", policy.annotated(), policy.name)
        });
    format!(
        "\
push and sign (the workflow `release` does this at a tag):
  reference=$(kwctl push --output json {FOLDER}/annotated-policy.wasm {registry}:v{VERSION} | jq -r .immutable_ref)
  cosign sign --yes \"$reference\"

and likewise for the others:
{others}
verify:
  cosign verify {registry}:v{VERSION} \\
    --certificate-oidc-issuer https://token.actions.githubusercontent.com \\
    --certificate-identity-regexp '^{source}/'

run:
  kubectl apply -f {FOLDER}/examples/batch.yml"
    )
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use changeover_tests_policy::real_hosts::{kwctl, program};

    fn release() -> Release {
        let address = |path: &str| format!("https://changeover.test{path}");
        Release {
            home: address("/home"),
            source: address("/git"),
            issues: address("/issues"),
            funding: address("/funding"),
            author: "Ann Author <ann@changeover.test>".to_owned(),
            registry: "registry.test/policies/changeover".to_owned(),
        }
    }

    #[test]
    fn no_placeholder_is_left() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../policy");
        let mut files = size::files(&folder.join("examples")).unwrap();
        files.push(folder.join("metadata.yml"));
        for file in files.iter().filter(|file| file.extension().is_some_and(|extension| extension == "yml")) {
            let text = release().fill(&fs::read_to_string(file).unwrap());
            assert!(!text.contains("example.com"), "{}: {text}", file.display());
        }
        let readme = release().fill(&fs::read_to_string(folder.join("README.md")).unwrap());
        let security = format!("](https://changeover.test/git/blob/v{VERSION}/SECURITY.md#ways-around-a-rule)");
        assert!(readme.contains(&security) && !readme.contains("](../"), "{readme}");
        // That address stands for a webhook's host.
        assert!(!readme.replace("changeover.example.com", "").contains("example.com"), "{readme}");
    }

    #[test]
    fn the_annotation_has_no_links_to_files_beside_it() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../policy");
        let usage = usage(&release().fill(&fs::read_to_string(folder.join("README.md")).unwrap()), &release());
        let relative: Vec<&str> =
            usage.split("](").skip(1).filter(|link| !link.starts_with("https://") && !link.starts_with('#')).collect();
        assert!(relative.is_empty(), "{relative:?}");
        let files = ["behavior.md#the-audit-log", "metadata.yml", "settings.md"];
        let files = files.map(|name| format!("blob/v{VERSION}/policy/{name}"));
        for path in files.into_iter().chain([format!("releases/download/v{VERSION}/batch.yml")]) {
            assert!(usage.contains(&format!("](https://changeover.test/git/{path})")), "{path}");
        }
        assert!(usage.contains("`registry://registry.test/policies/changeover:TAG`"), "{usage}");
    }

    #[test]
    fn the_package_has_the_addresses() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../policy");
        let metadata = release().fill(&fs::read_to_string(folder.join("metadata.yml")).unwrap());
        let metadata = Metadata::parse(&metadata).unwrap();
        let package = artifact_hub(&metadata, "questions: []\n", &release(), "2026-01-01T00:00:00Z").unwrap();
        let package: Value = serde_json::from_str(&package).unwrap();
        assert_eq!(package["name"], "changeover");
        assert_eq!(package["homeURL"], "https://changeover.test/home");
        assert_eq!(package["links"], json!([{ "name": "source", "url": "https://changeover.test/git" }]));
        assert_eq!(package["maintainers"], json!([{ "name": "Ann Author", "email": "ann@changeover.test" }]));
        let image = format!("registry.test/policies/changeover:v{VERSION}");
        assert_eq!(package["containersImages"], json!([{ "name": "policy", "image": image }]));
        assert!(instructions(&release()).contains(&format!("cosign verify {image} ")));
    }

    #[test]
    fn the_workflow_pushes_every_policy() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../.github/workflows/release.yml");
        let workflow = fs::read_to_string(path).unwrap();
        for policy in &POLICIES {
            let suffix = if policy.name.is_empty() { "\"\"".to_owned() } else { format!("-{}", policy.name) };
            let row = format!("- {{ module: {}, suffix: {suffix} }}\n", policy.annotated());
            assert!(workflow.contains(&row), "{row}");
        }
    }

    #[test]
    fn the_repository_has_an_owner() {
        let repository: Value = serde_json::from_str(&artifact_hub_repository(&release()).unwrap()).unwrap();
        assert_eq!(repository, json!({ "owners": [{ "name": "Ann Author", "email": "ann@changeover.test" }] }));
    }

    /// The package's texts that are YAML or JSON, as values.
    fn parsed(mut package: Value) -> Value {
        for key in ["kubewarden/contextAwareResources", "kubewarden/questions-ui", "kubewarden/rules"] {
            let text = package["annotations"][key].as_str().unwrap();
            // Only a map can be read.
            let lines: String = text.lines().map(|line| format!("\n  {line}")).collect();
            let map = format!("value:{lines}");
            package["annotations"][key] = changeover_text::parse(&map).unwrap().remove(0).value;
        }
        // Each is made at its own time.
        package["createdAt"] = Value::Null;
        package
    }

    #[test]
    fn the_package_is_what_kwctl_makes() {
        let Some(program) = program("kwctl") else { return };
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../policy");
        let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
        let files = tempfile::tempdir().unwrap();
        let path = |name: &str| files.path().join(name).to_str().unwrap().to_owned();
        let (metadata, questions) = (release().fill(&read("metadata.yml")), read("questions-ui.yml"));
        fs::write(path("metadata.yml"), &metadata).unwrap();
        fs::write(path("questions-ui.yml"), &questions).unwrap();
        let [given, form, output] = ["metadata.yml", "questions-ui.yml", "artifacthub-pkg.yml"].map(path);
        let arguments = ["--metadata-path", &given, "--questions-path", &form, "--output", &output];
        kwctl(&program, &[["scaffold", "artifacthub"].as_slice(), &arguments].concat()).unwrap();
        let theirs = changeover_text::parse(&fs::read_to_string(&output).unwrap()).unwrap().remove(0).value;
        let ours = artifact_hub(&Metadata::parse(&metadata).unwrap(), &questions, &release(), "").unwrap();
        assert_eq!(parsed(serde_json::from_str(&ours).unwrap()), parsed(theirs));
    }
}
