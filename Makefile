# Every target runs an npm script, so that the Node.js pinned in package.json comes first on PATH.
npm := npm run --silent
installed := node_modules/.installed

.DEFAULT_GOAL := help
.PHONY: help run image test test-foreign test-node check bench bench-cluster bench-node fuzz format clean

help: ## print the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' Makefile

run: $(installed) ## start a demo backend with the gateway and the first example in front of it
	@$(npm) demo

image: $(installed) ## build the OCI image into out/; ARGS='--arch arm64' for the other architecture
	@$(npm) image -- $(ARGS)

test: $(installed) ## run all tests; ARGS='FILE…' runs some of them
	@$(npm) test -- $(ARGS)

test-foreign: $(installed) ## run the tests with large foreign servers, such as Keycloak and ActiveMQ; needs Java 17 and Maven
	@$(npm) test:foreign -- $(ARGS)

test-node: $(installed) ## run the tests on a real Kubernetes node, as root; the first time it is built, for about 15 minutes
	@$(npm) test:node -- $(ARGS)

check: $(installed) ## check types, lint, format and the rules of the house
	@$(npm) check

bench: $(installed) ## measure the gateway beside its peers; ARGS go to bench/run.ts
	@$(npm) bench -- $(ARGS)

bench-cluster: $(installed) ## measure the controller with a real API server and planes; ARGS go to bench/cluster/run.ts
	@$(npm) bench:cluster -- $(ARGS)

bench-node: $(installed) ## measure what the chart installs, in Pods of a real node, as root; ARGS go to bench/node/run.ts
	@$(npm) bench:node -- $(ARGS)

fuzz: $(installed) ## run the differential fuzzer; ARGS go to test/fuzz/run.ts
	@$(npm) fuzz -- $(ARGS)

format: $(installed) ## format the sources and mend what lint can mend
	@$(npm) format

clean: ## remove what was installed, built and measured
	rm -rf node_modules out bench/out

# npm ci empties node_modules, so the stamp is gone whenever an install was cut short.
$(installed): package-lock.json
	@command -v npm > /dev/null || { echo 'npm is needed to install the dependencies; see https://nodejs.org/' >&2; exit 1; }
	@echo 'Installing the dependencies. The first time, this can take some minutes.' >&2
	@npm ci --no-audit --no-fund --loglevel=error
	@touch $@
