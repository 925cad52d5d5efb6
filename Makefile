# Short names for the daily commands; Meson does the work.
BUILD ?= build/release

.PHONY: help build test check asan golden format lint docs install demo setup clean

help:              ## this list
	@grep -E '^[a-z-]+: .*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 16

setup:             ## install what building and testing needs
	@tools/setup.sh

build: setup       ## build into build/release
	@test -e $(BUILD)/build.ninja || meson setup $(BUILD) > /dev/null
	@ninja -C $(BUILD) --quiet
