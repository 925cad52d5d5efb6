# Short names for the daily commands; Meson does the work.

BUILD := build/release
ASAN  := build/asan
TSAN  := build/tsan
ARM64 := build/arm64
FUZZ_SECONDS ?= 60

.PHONY: help setup build test check check-arm64 demo asan tsan bench soak golden docs examples fuzz format lint install clean

help:      ## this list
	@grep -E '^[a-z0-9-]+: .*##' Makefile | sed -E 's/^([a-z0-9-]+):.*## /  \1\t/' | expand -t 14

demo: build ## set up, build, get llama.cpp, measure three configurations here and decide
	@tools/demo.sh $(BUILD)/src/cli/paretopilot

check: build ## set up, build, run every test; the last line counts them
	@tools/check.sh $(BUILD) $(ARM64)

check-arm64: build ## build for arm64, run its tests in an emulator, compare every document
	@tools/arm64.sh $(ARM64) $(BUILD)/src/cli/paretopilot

setup:     ## install what building and testing needs (asks for sudo when not root)
	@tools/setup.sh

build: setup ## build into build/release
	@test -e $(BUILD)/build.ninja || meson setup $(BUILD) > /dev/null
	@ninja -C $(BUILD) --quiet > $(BUILD)/ninja.log 2>&1 || { cat $(BUILD)/ninja.log; exit 1; }

test: build ## unit and golden tests, and the corpora of the fuzz targets
	@meson test -C $(BUILD) --suite unit --suite golden --suite fuzz

asan: setup ## every test under address and undefined-behaviour sanitizers
	@test -e $(ASAN)/build.ninja || meson setup $(ASAN) -Db_sanitize=address,undefined -Db_lundef=false
	@ninja -C $(ASAN) --quiet > $(ASAN)/ninja.log 2>&1 || { cat $(ASAN)/ninja.log; exit 1; }
	@tools/check.sh $(ASAN)

tsan: setup ## unit tests of what runs in threads, and the gateway suite, under the thread sanitizer
	@tools/tsan.sh $(TSAN)

bench: build ## what measuring and deciding cost; 15 minutes on a quiet machine, exit 3 on another
	@tools/setup.sh --with-benches
	@tools/bench.sh $(BUILD)

soak: build ## the gateway at half of what it can carry for SOAK_SECONDS (600), with clients that leave
	@tools/soak.sh $(BUILD)

golden: build ## rewrite the expectations of the golden cases; review the diff
	@PARETOPILOT_GOLDEN_WRITE=1 PARETOPILOT_BINARY=$(CURDIR)/$(BUILD)/src/cli/paretopilot \
	    tests/support/golden.sh tests/golden > /dev/null
	@git --no-pager diff --stat tests/golden

docs: build ## write the tables of docs/cli and docs/formats from the rows in src/cli and src/model
	@tools/docs.sh docs $(BUILD)/tools/gen_cli/docs-cli.txt $(BUILD)/tools/docs-formats.txt
	@git --no-pager diff --stat docs

examples: build ## rewrite the outputs that pages show for their commands; review the diff
	@-PARETOPILOT_EXAMPLES_WRITE=1 PARETOPILOT_SOURCE=$(CURDIR) \
	    PARETOPILOT_BINARY=$(CURDIR)/$(BUILD)/src/cli/paretopilot tests/support/examples.sh > /dev/null
	@git --no-pager diff --stat README.md docs

fuzz:      ## fuzz every reader, or those of FUZZ_TARGETS, for FUZZ_SECONDS each (needs clang)
	@tools/fuzz.sh $(FUZZ_SECONDS) $(FUZZ_TARGETS)

format:    ## lay out the sources as .clang-format says
	@clang-format -i $$(git ls-files '*.c' '*.h')

lint:      ## what the layout and the shell checker have to say
	@clang-format --dry-run --Werror $$(git ls-files '*.c' '*.h')
	@shellcheck tools/*.sh tests/support/*.sh tests/support/*.bash tests/live/*.sh tests/browser/*.sh tests/arm64/*.sh .ci/run

install: build ## install program, man page, completion; DESTDIR=/tmp/x prefix=/usr (/usr/local) apply
	@test -z "$(prefix)" || { meson configure $(BUILD) -Dprefix="$(prefix)" && ninja -C $(BUILD) > $(BUILD)/ninja.log; }
	@meson install -C $(BUILD) --no-rebuild --quiet

clean:     ## remove builds; models and llama.cpp in build/cache stay
	@rm -rf $(BUILD) $(ASAN) $(TSAN) $(ARM64) build/fuzz
