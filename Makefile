# Two commands matter: "make run" and "make test". "make help" lists the rest.

# E2E=off leaves out the real nodes and the tests that need them.
E2E ?= on
# COMMAND and ARGS are what "make run" starts.
COMMAND ?= run
ARGS ?=
FUZZTIME ?= 30s
BENCH ?= .
BENCHTIME ?= 1s

MODULE := github.com/understudy-rpc/understudy
VERSION ?= $(shell git describe --tags --dirty 2>/dev/null || echo 0.0.0-dev)
REVISION := $(shell git rev-parse HEAD 2>/dev/null)
BRANCH := $(shell git rev-parse --abbrev-ref HEAD 2>/dev/null)
# The commit's time, not the clock's: the same commit gives the same binary.
BUILD_DATE := $(shell git show -s --format=%cI HEAD 2>/dev/null)

STAMP := github.com/prometheus/common/version
LDFLAGS := -X $(STAMP).Version=$(VERSION) -X $(STAMP).Revision=$(REVISION) \
	-X $(STAMP).Branch=$(BRANCH) -X $(STAMP).BuildDate=$(BUILD_DATE)

ifeq ($(E2E),off)
TAGS :=
SETUP := compiler
else
TAGS := -tags e2e
SETUP := nodes
endif

# Modules of their own, so that what they need is no dependency of the product.
TOOLS := tools/dashboards tools/helm

# What set-up installed is found before what the machine has.
export PATH := $(CURDIR)/.cache/bin:$(PATH)

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: run
run: build ## build and start watching; other work: COMMAND=..., flags: ARGS="..."
	bin/understudy $(COMMAND) $(ARGS)

.PHONY: build
build: ## build bin/understudy
	go build -trimpath -ldflags '$(LDFLAGS)' -o bin/understudy $(MODULE)/cmd/understudy

.PHONY: setup
setup: ## install what the tests need into .cache/bin
	tools/setup $(SETUP)
	go mod download
	$(if $(TAGS),go mod download -C tools/clients)

.PHONY: test
test: setup format vet ## set up, then run all tests; without real nodes: E2E=off
	go test $$(tools/setup race) -shuffle=on -timeout 10m $(TAGS) ./...
	$(if $(TAGS),go test -C tools/clients -timeout 10m $(TAGS) ./...)
	@for tool in $(TOOLS); do echo "go -C $$tool test ./..."; go -C $$tool test ./... || exit 1; done

.PHONY: compose
compose: ## set up Docker, run the compose file and break it; takes four minutes
	tools/setup compose
	go test -tags compose -count=1 -timeout 20m -run ComposeFileRuns -v ./deploy

.PHONY: format
format: ## fail when a file is not as gofmt writes it
	@files=$$(find . -name '*.go' -not -path './.*' -exec gofmt -l {} +) || exit 1; \
	if [ -n "$$files" ]; then echo "not formatted, run gofmt -w on:" >&2; echo "$$files" >&2; exit 1; fi

.PHONY: vet
vet: ## run go vet
	go vet $(TAGS) ./...
	go vet -tags compose ./deploy
	$(if $(TAGS),go vet -C tools/clients $(TAGS) ./...)

.PHONY: lint
lint: ## check go.mod and run staticcheck
	go mod tidy -diff
	go mod verify
	go mod tidy -C tools/clients -diff
	go tool -modfile=tools/lint/go.mod staticcheck $(TAGS) ./...
	go tool -modfile=tools/lint/go.mod staticcheck -tags compose ./deploy

.PHONY: bench
bench: ## run the benchmarks; some: BENCH=regexp
	go test -run '^$$' -bench '$(BENCH)' -benchtime $(BENCHTIME) -benchmem ./...

.PHONY: fuzz
fuzz: ## run every fuzz target for FUZZTIME
	FUZZTIME=$(FUZZTIME) tools/fuzz

.PHONY: generate
generate: ## write the generated files anew
	go generate ./...

.PHONY: clean
clean: ## remove what was built and installed here
	rm -rf bin .cache
