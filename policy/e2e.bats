#!/usr/bin/env bats
# The policy in kwctl. `make e2e-tests` builds annotated-policy.wasm first.

setup() {
  command -v kwctl >/dev/null || skip "kwctl is not installed here"
}

run_policy() {
  run kwctl run annotated-policy.wasm --request-path "examples/$1" "${@:2}"
  echo "$output"
  [ "$status" -eq 0 ]
}

@test "a Job gets the default that the settings name" {
  run_policy job.json --settings-path examples/settings.yml
  [[ "$output" == *'"allowed":true'* ]]
  [[ "$output" == *'"patchType":"JSONPatch"'* ]]
}

@test "without settings a Job is left alone" {
  run_policy job.json
  [[ "$output" == *'"allowed":true'* ]]
  [[ "$output" != *'"patch"'* ]]
}

@test "with validate, an unknown policy of a Deployment is refused in the API server's words" {
  run_policy deployment.json --settings-json '{"validate": "1.37"}'
  [[ "$output" == *'"allowed":false'* ]]
  [[ "$output" == *'spec.podReplacementPolicy: Unsupported value: \"Fast\"'* ]]
}

@test "with validate, a deletion cost with a plus sign is refused" {
  run_policy pod.json --settings-json '{"validate": "1.37"}'
  [[ "$output" == *'"allowed":false'* ]]
  [[ "$output" == *'must be a 32bit integer'* ]]
}

@test "invalid settings are refused with their paths" {
  run kwctl run annotated-policy.wasm --request-path examples/job.json --settings-json '{"forecast": "on"}'
  echo "$output"
  [ "$status" -ne 0 ]
  [[ "$output" == *'forecast: Invalid value: \"on\": must be true or false'* || "$output" == *'forecast: Invalid value: "on": must be true or false'* ]]
}

@test "without access to the cluster, a scaling passes and the policy says what it does not know" {
  run_policy scale.json --settings-json '{"context": true, "quota": "deny"}'
  [[ "$output" == *'"allowed":true'* ]]
  [[ "$output" == *"the scaling is not judged: Deployment web can't be read: Policy has not been granted access"* ]]
}
