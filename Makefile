# `make` alone prints what there is. It needs Go and a POSIX shell; the tools are built from the versions that
# build/tools/go.mod names.

VERSION  ?= $(shell git describe --tags --dirty 2>/dev/null || echo "0.1.0-dev$$(git describe --always --dirty 2>/dev/null | sed 's/^/+/')")
FUZZTIME ?= 10s
TOOL     := go tool -modfile=build/tools/go.mod

.DEFAULT_GOAL := help

.PHONY: help
help: ## print this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: build
build: ## build bin/agent
	CGO_ENABLED=0 go build -trimpath -buildvcs=false -tags urfave_cli_no_docs \
		-ldflags "-s -w -X main.buildVersion=$(VERSION)" -o bin/agent ./cmd/agent

.PHONY: demo
demo: build ## build, then show one turn in each protocol with the built-in model
	@go run ./scripts/demo bin/agent

.PHONY: test
test: ## run all tests
	$(TOOL) gotestsum --format pkgname-and-test-fails --format-hide-empty-pkg -- ./...

.PHONY: race
race: ## run all tests with the race detector (needs a C compiler)
	CGO_ENABLED=1 $(TOOL) gotestsum --format pkgname-and-test-fails --format-hide-empty-pkg -- -race ./...

.PHONY: lint
lint: ## gofmt, go vet and staticcheck
	@unformatted=$$(gofmt -l .); test -z "$$unformatted" || { echo "run make fmt:"; echo "$$unformatted"; exit 1; }
	go vet ./...
	$(TOOL) staticcheck ./...

.PHONY: fmt
fmt: ## format the code
	gofmt -w .

.PHONY: generate
generate: ## make the generated files anew
	go generate ./...

.PHONY: fresh
fresh: ## fail if make generate would change something
	@scripts/fresh

.PHONY: check
check: fresh test race lint conform ## all that must pass before a change is merged

.PHONY: bench
bench: ## measure the program
	go run ./bench

.PHONY: fuzz
fuzz: ## run every fuzz test for FUZZTIME (10s) each
	@scripts/fuzz $(FUZZTIME)

.PHONY: conform
conform: build ## play the conformance transcripts of both protocols against bin/agent
	PATH="$(CURDIR)/bin:$$PATH" go run ./conformance/cmd/conform

.PHONY: cover
cover: ## measure the coverage of the tests; the report is bin/cover.html
	@mkdir -p bin
	go test -coverpkg=./... -coverprofile=bin/cover.out ./...
	go tool cover -html=bin/cover.out -o bin/cover.html
	go tool cover -func=bin/cover.out | tail -n 1

.PHONY: clean
clean: ## remove what was built
	rm -rf bin
