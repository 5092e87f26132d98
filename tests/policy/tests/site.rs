//! The page's files and their headers.

use std::fs;

use changeover_tests_policy::guests::guest;
use changeover_tests_policy::test_server::{TestServer, options};
use changeover_www::Options;

const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; style-src-attr 'unsafe-inline'; img-src 'self' blob:; \
    font-src 'self'; connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'self'; form-action 'none'; \
    frame-ancestors 'none'";

fn serve() -> (tempfile::TempDir, TestServer) {
    let folder = tempfile::tempdir().unwrap();
    let site = folder.path().join("site");
    let files = [
        ("index.html", "<!doctype html><title>Changeover</title>"),
        ("style.css", "body {}"),
        ("main.js", "export {};"),
        ("pkg/stories_bg.wasm", "the module"),
        ("pkg/stories_bg.wasm.br", "the module in Brotli"),
        ("icon.svg", "<svg/>"),
        ("site.webmanifest", "{}"),
        ("scenario.json", "{}"),
        ("stories/a/index.html", "<!doctype html><title>A</title>"),
        ("stories/a/index.html.br", "the story in Brotli"),
        ("404.html", "<!doctype html><title>Page not found</title>"),
    ];
    for (name, content) in files {
        let path = site.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    fs::write(folder.path().join("secret"), "not served").unwrap();
    let policy = folder.path().join("guest.wasm");
    fs::write(&policy, guest("")).unwrap();
    let server = TestServer::start(&Options { site: Some(site), ..options(policy) }).unwrap();
    (folder, server)
}

#[test]
fn serves_files_by_their_type() {
    let (_folder, server) = serve();
    let cases = [
        ("/", "text/html"),
        ("/index.html", "text/html"),
        ("/style.css", "text/css"),
        ("/main.js", "text/javascript"),
        ("/pkg/stories_bg.wasm", "application/wasm"),
        ("/icon.svg", "image/svg+xml"),
        ("/site.webmanifest", "application/manifest+json"),
        ("/scenario.json", "application/json"),
        ("/stories/a/", "text/html"),
    ];
    for (path, content_type) in cases {
        let answer = server.get(path, &[]);
        assert_eq!((answer.status, answer.header("content-type").as_str()), (200, content_type), "{path}");
    }
}

#[test]
fn serves_brotli_to_clients_that_accept_it() {
    let (_folder, server) = serve();
    let plain = server.get("/pkg/stories_bg.wasm", &[("accept-encoding", "gzip")]);
    assert_eq!((plain.text().as_str(), plain.header("content-encoding").as_str()), ("the module", ""));
    let brotli = server.get("/pkg/stories_bg.wasm", &[("accept-encoding", "gzip, br")]);
    assert_eq!(brotli.text(), "the module in Brotli");
    assert_eq!(brotli.header("content-encoding"), "br");
    assert_eq!(brotli.header("content-type"), "application/wasm");
    assert_eq!(brotli.header("vary"), "accept-encoding");
}

#[test]
fn a_story_has_an_address_of_its_own() {
    let (_folder, server) = serve();
    let answer = server.get("/stories/a/", &[]);
    assert_eq!((answer.status, answer.text().as_str()), (200, "<!doctype html><title>A</title>"));
    let brotli = server.get("/stories/a/", &[("accept-encoding", "br")]);
    assert_eq!((brotli.text().as_str(), brotli.header("content-encoding").as_str()), ("the story in Brotli", "br"));
    let without_slash = server.get("/stories/a", &[]);
    assert_eq!((without_slash.status, without_slash.header("location").as_str()), (307, "/stories/a/"));
}

#[test]
fn sends_unchanged_files_only_once() {
    let (_folder, server) = serve();
    let etag = server.get("/main.js", &[]).header("etag");
    assert!(!etag.is_empty());
    let again = server.get("/main.js", &[("if-none-match", &etag)]);
    assert_eq!((again.status, again.body.len()), (304, 0));
}

#[test]
fn sends_the_security_headers_with_every_response() {
    let (_folder, server) = serve();
    for path in ["/", "/pkg/stories_bg.wasm", "/nothing", "/healthz", "/validate"] {
        let answer = server.get(path, &[]);
        assert_eq!(answer.header("content-security-policy"), POLICY, "{path}");
        assert_eq!(answer.header("x-content-type-options"), "nosniff", "{path}");
        assert_eq!(answer.header("referrer-policy"), "same-origin", "{path}");
        assert_eq!(answer.header("cache-control"), "no-cache", "{path}");
    }
}

#[test]
fn only_embeddable_pages_can_be_embedded() {
    let (_folder, server) = serve();
    let open = POLICY.replace("frame-ancestors 'none'", "frame-ancestors *");
    for (path, policy) in [
        ("/embed/", open.as_str()),
        ("/embed/?embed=quota", &open),
        ("/embed/quota/", &open),
        ("/?embed=quota", &open),
        ("/?a=b&embed=quota", &open),
        ("/?notembed=quota", POLICY),
        ("/embedded/", POLICY),
        ("/stories/a/", POLICY),
    ] {
        assert_eq!(server.get(path, &[]).header("content-security-policy"), policy, "{path}");
    }
}

#[test]
fn serves_nothing_else() {
    let (_folder, server) = serve();
    for path in ["/nothing", "/../secret", "/%2e%2e/secret", "/..%2fsecret", "/pkg/../../secret"] {
        let answer = server.get(path, &[]);
        assert_eq!(
            (answer.status, answer.header("content-type").as_str()),
            (404, "text/html; charset=utf-8"),
            "{path}"
        );
        assert_eq!(answer.text(), "<!doctype html><title>Page not found</title>", "{path}");
    }
}

#[test]
fn a_site_needs_no_page_for_unknown_addresses() {
    let (folder, server) = serve();
    drop(server);
    fs::remove_file(folder.path().join("site/404.html")).unwrap();
    let site = Some(folder.path().join("site"));
    let server = TestServer::start(&Options { site, ..options(folder.path().join("guest.wasm")) }).unwrap();
    let answer = server.get("/nothing", &[]);
    assert_eq!((answer.status, answer.text().as_str()), (404, "there is no such file here; the page is at /\n"));
}

#[test]
fn says_when_there_is_no_page() {
    let folder = tempfile::tempdir().unwrap();
    let policy = folder.path().join("guest.wasm");
    fs::write(&policy, guest("")).unwrap();
    let answer = TestServer::start(&options(policy)).unwrap().get("/", &[]);
    let message = "there is no page here: start the server with --site DIR; the policy is at /validate\n";
    assert_eq!((answer.status, answer.text().as_str()), (404, message));
}
