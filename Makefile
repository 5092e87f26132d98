# The work is in xtask; this names it. Without --package, so that it shares its dependencies with the rest of the workspace.
XTASK := cargo run --quiet --bin xtask --

.DEFAULT_GOAL := help
.PHONY: help serve dev test dist size bench policy release-policy page package schema record prove upstream-diff fmt lint clean

help: ## Say what there is
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1	\2/p' $(MAKEFILE_LIST) | expand -t 22

serve: ## Build the policy and the page, and serve both (ADDR=127.0.0.1:8080, SETTINGS=file.yml, CONTEXT=file.yml, CERT=, KEY=)
	@$(XTASK) serve

dev: ## Serve the page, and rebuild and reload it whenever a source changes (ADDR=127.0.0.1:8080)
	@$(XTASK) dev

test: ## Run everything that is checked
	@$(XTASK) test

dist: ## Fill dist/ with policy.wasm, site/, changeover-VERSION.tgz, its reference and man pages, and check their sizes
	@$(XTASK) dist

size: ## Break down the bytes of policy.wasm and of the page's and the package's modules
	@$(XTASK) size

bench: ## Run the benchmarks
	@$(XTASK) bench

policy: ## Build the policy only
	@$(XTASK) policy

release-policy: ## Fill dist/policy with the addresses of release.toml, and print how to push and sign the policy
	@$(XTASK) release-policy

page: ## Build the page only
	@$(XTASK) page

package: ## Build the npm package only
	@$(XTASK) package

schema: ## Write the JSON Schemas in npm/schema again, from the Rust types
	@$(XTASK) schema

record: ## Record what the real Kubernetes does, with Go (WHAT=controllers SEED=1 CASES=1000 BUDGET=bytes OUT=folder)
	@$(XTASK) record

prove: ## Play scenarios on a real control plane, with Go, and explain its writes (SCENARIOS="rolling quota" RUNS=3 LANES=2 OUT=folder)
	@$(XTASK) prove

upstream-diff: ## Compare what the core mirrors with another release of Kubernetes, with Go (VERSION=1.38.0)
	@$(XTASK) upstream-diff

fmt: ## Format the Rust sources
	@cargo fmt --all

lint: ## Run clippy for the machine and for WebAssembly
	@$(XTASK) lint

clean: ## Throw away everything that was built or installed here
	@rm -rf target dist node_modules
