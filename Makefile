# The work is in xtask; this names it. Without --package, so that it shares its dependencies with the rest of the workspace.
# The first time, cargo says what it compiles; later it is quiet.
XTASK := cargo run $(if $(wildcard target/debug/xtask),--quiet) --bin xtask --

.DEFAULT_GOAL := help
.PHONY: help serve dev check test bless fmt lint clean bench size record prove upstream-diff policy page package book dist release-policy rehearse release

help: ## List all targets
	@awk -F ':.*## ' '/^### /{print "\n" substr($$0, 5)} /^[a-z-]+:.*## /{printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

### To try it

serve: ## Build the policy and the page, and serve both (ADDR=127.0.0.1:8080, SETTINGS=file.yml, CONTEXT=file.yml or an address, CERT=, KEY=)
	@$(if $(wildcard target/debug/xtask),,echo "First the build program is compiled (1 to 2 minutes on two cores), then the policy, the page and the server (5 to 9 minutes).")
	@$(XTASK) serve

### To contribute

dev: ## Serve the page, and rebuild and reload it whenever a source changes (on two cores, the first build takes 5 to 7 minutes; ADDR=127.0.0.1:8080)
	@$(if $(wildcard target/changeover/site-dev),,echo "First the build program and the page are compiled (5 to 7 minutes on two cores).")
	@$(XTASK) dev

check: ## Run the quick checks: format, clippy and unit tests of the crates with changes, conformance (on two cores, the first run takes 10 to 13 minutes, later runs under two)
	@$(if $(wildcard target/debug/changeover-conformance),,echo "First all crates are compiled (10 to 13 minutes on two cores).")
	@$(XTASK) check

test: ## Run every check (on two cores, the first run takes 30 to 45 minutes, later runs half an hour or less)
	@$(XTASK) test

fmt: ## Format the Rust sources
	@cargo fmt --all

lint: ## Run clippy for the machine and for WebAssembly
	@$(XTASK) lint

bless: ## Write every file that tests compare (schemas, snapshots, sessions, charts, pictures), and print what changed (WHAT=texts: not the page's pictures)
	@$(XTASK) bless

policy: ## Build the policy only
	@$(XTASK) policy

page: ## Build the page only
	@$(XTASK) page

package: ## Build the npm package only
	@$(XTASK) package

clean: ## Delete everything that was built or installed here
	@rm -rf target dist node_modules

### To maintain

book: ## Build docs/ as a site with search
	@$(XTASK) book

size: ## Break down the bytes of policy.wasm and of the page's and the package's modules
	@$(XTASK) size

bench: ## Run the benchmarks
	@$(XTASK) bench

record: ## Record the decisions of the real controllers and API server, with Go (WHAT=controllers SEED=1 CASES=1000 BUDGET=bytes OUT=folder)
	@$(XTASK) record

prove: ## Compare the core and the policy with a real control plane, with Go (PART=controllers SCENARIOS="rolling quota" RUNS=3, PART=shards, PART=webhook SESSIONS="batch quota", PART=policy, PART=charts CHARTS=folder)
	@$(XTASK) prove

upstream-diff: ## Compare what the core mirrors with another release of Kubernetes, with Go (VERSION=1.38.0)
	@$(XTASK) upstream-diff

dist: ## Fill dist/ with policy.wasm, site/, changeover-VERSION.tgz, its reference and man pages, and check their sizes
	@$(XTASK) dist

release-policy: ## Fill dist/policy with the addresses of Cargo.toml, and print how to push and sign the policy
	@$(XTASK) release-policy

rehearse: ## Build all that a release publishes, install each part in an empty folder, and run its first command (with kwctl)
	@$(XTASK) rehearse

release: ## Set the version everywhere, close the changelog's section, commit and tag (VERSION=0.2.0, or 0.2.0-rc.1)
	@$(XTASK) release
