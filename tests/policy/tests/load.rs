//! Many concurrent requests.

use std::thread;

use changeover_tests_policy::test_server::{TestServer, file, options};
use changeover_tests_policy::{example, policy_path};
use changeover_www::Options;
use serde_json::json;

#[test]
fn a_thousand_requests_over_64_connections_lose_none() {
    const CONNECTIONS: usize = 64;
    const REQUESTS: usize = 1_000;
    let (_folder, settings) = file("settings.yml", b"validate: '1.37'\n");
    let server = TestServer::start(&Options { settings: Some(settings), ..options(policy_path()) }).unwrap();
    let answered: usize = thread::scope(|scope| {
        let one = |connection: usize| {
            let server = &server;
            move || {
                let client = server.another();
                // Each client keeps one connection for all its requests.
                let numbers = (connection..REQUESTS).step_by(CONNECTIONS);
                numbers
                    .map(|number| {
                        let mut review = example(["job.json", "deployment.json", "pod.json"][number % 3]);
                        review["request"]["uid"] = json!(format!("request-{number}"));
                        let response = client.review(&review);
                        assert_eq!(response["uid"], review["request"]["uid"]);
                        assert_eq!(response["allowed"], number % 3 == 0);
                    })
                    .count()
            }
        };
        let clients: Vec<_> = (0..CONNECTIONS).map(|connection| scope.spawn(one(connection))).collect();
        clients.into_iter().map(|client| client.join().unwrap()).sum()
    });
    assert_eq!(answered, REQUESTS);
}
