#!/usr/bin/env bash
# setup.sh - install what building and testing ParetoPilot needs.
#
# Idempotent: says nothing and changes nothing when all is there. Installs with apt-get
# where that is (Debian 12; Ubuntu was not tried); elsewhere it looks for the tools and
# libraries themselves and prints what to install. One line per step on standard error.
#
# Exit: 0 everything is there, 2 usage, 3 something is missing.

set -euo pipefail
export LC_ALL=C

# Package, what satisfies it too (a command on PATH, or another package), the name in
# Homebrew ('-': comes with the system). A tool from elsewhere, such as a Meson from
# PyPI, is left alone: Debian's would only stand beside it. So is another libcurl4-dev:
# the flavours exclude each other, and replacing one may take other packages along.
# jsonschema, mandoc, zsh, locales and valgrind are not asked for elsewhere: without them the tests
# `schemas`, `cli tables`, `addresses` and `hot_paths` skip what needs them.
readonly build_needs='
gcc                   command:cc                    gcc
libc6-dev             -                             -
make                  command:make                  make
meson                 command:meson                 meson
ninja-build           command:ninja                 ninja
pkg-config            command:pkg-config            pkgconf
libcurl4-openssl-dev  package:libcurl4-gnutls-dev   curl
libssl-dev            -                             openssl@3
libjansson-dev        -                             jansson
libutf8proc-dev       -                             utf8proc
ca-certificates       -                             ca-certificates
'
readonly test_needs='
libcmocka-dev         -                             cmocka
python3-yaml          -                             -
python3-jsonschema    -                             -
mandoc                command:mandoc                -
zsh                   command:zsh                   -
fish                  command:fish                  fish
curl                  command:curl                  curl
locales               command:locale-gen            -
valgrind              command:valgrind              -
nginx-light           command:nginx                 nginx
'

# Only for `make bench`: the peers of the load client and of the gateway.
readonly bench_needs='
wrk                   command:wrk                   wrk
nginx-light           command:nginx                 nginx
'

# Only for the tests of pages (tools/browser.sh).
readonly browser_needs='
chromium              command:chromium              -
nodejs                command:node                  node
npm                   command:npm                   -
'

# Only where the arm64 build can be checked by emulation (tools/arm64.sh). The compiler takes libc
# and everything else from a sysroot of its own.
readonly arm64_needs='
gcc-aarch64-linux-gnu command:aarch64-linux-gnu-gcc -
qemu-user-static      command:qemu-aarch64-static   -
'

say() { printf 'setup.sh: %s\n' "$*" >&2; }

die() {
    local code=$1
    shift
    say "$*"
    exit "$code"
}

usage() {
    cat <<'END'
usage: tools/setup.sh [--check] [--with-tests | --without-tests] [--with-benches]
                      [--with-browser] | --libraries

Installs what is missing to build and test ParetoPilot (apt-get, with sudo when not root).

  --check          install nothing, say what is missing; exit 3 if anything is
  --with-tests     what the tests need as well (default)
  --without-tests  only what the build needs
  --with-benches   what the benches need as well
  --with-browser   a browser and Node as well, for the tests of pages
  --libraries      print the packages of libraries that build and tests link to, and no more
END
}

needs() {
    printf '%s' "$build_needs"
    [[ $with_tests == no ]] || printf '%s' "$test_needs"
    [[ $with_benches == no ]] || printf '%s' "$bench_needs"
    [[ $with_browser == no ]] || printf '%s' "$browser_needs"
    [[ $with_tests == no ]] || ! emulates_arm64 || printf '%s' "$arm64_needs"
}

# Debian serves every architecture from one mirror; Ubuntu does not.
emulates_arm64() {
    [[ $(dpkg --print-architecture 2>/dev/null) == amd64 ]] && grep -qx 'ID=debian' /etc/os-release
}

installed() {
    # shellcheck disable=SC2016  # dpkg-query's ${Status}, not the shell's
    [[ $(dpkg-query -W -f '${Status}' "$1" 2>/dev/null) == 'install ok installed' ]]
}

satisfied() {
    installed "$1" && return
    case $2 in
    command:*) command -v "${2#command:}" >/dev/null ;;
    package:*) installed "${2#package:}" ;;
    *) return 1 ;;
    esac
}

missing_packages() {
    local package instead
    while read -r package instead _; do
        [[ -z $package ]] || satisfied "$package" "$instead" || printf '%s\n' "$package"
    done < <(needs)
}

# What a build will look for, whoever installed it.
missing_things() {
    local thing modules=(libcurl jansson libcrypto libutf8proc)
    [[ $with_tests == no ]] || modules+=(cmocka)
    for thing in cc make meson ninja pkg-config; do
        command -v "$thing" >/dev/null || printf '%s\n' "$thing"
    done
    if [[ $with_browser == yes ]]; then
        for thing in chromium node npm; do
            command -v "$thing" >/dev/null || printf '%s\n' "$thing"
        done
    fi
    command -v pkg-config >/dev/null || return 0
    for thing in "${modules[@]}"; do
        pkg-config --exists "$thing" || printf '%s\n' "$thing"
    done
}

one_line() { tr '\n' ' ' | sed 's/ $//'; }

as_root() {
    if [[ $(id -u) == 0 ]]; then
        "$@"
    else
        sudo "$@"
    fi
}

# The log is shown only when something went wrong: apt says much when all is well.
run_apt() {
    as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get -qq -o DPkg::Lock::Timeout=300 "$@" </dev/null >"$log" 2>&1
}

show_log() { tail -n 12 "$log" | sed 's/^/    /' >&2; }

set_up_with_apt() {
    local packages things
    mapfile -t packages < <(missing_packages)
    if ((${#packages[@]} > 0)); then
        [[ $check == no ]] || die 3 "missing: ${packages[*]}"
        if [[ $(id -u) != 0 ]] && ! command -v sudo >/dev/null; then
            die 3 "neither root nor sudo; as root: apt-get update && apt-get install --no-install-recommends ${packages[*]}"
        fi
        log=$(mktemp)
        trap 'rm -f -- "$log"' EXIT
        say "reading the package lists"
        # One source out of order need not matter for what is wanted here.
        if ! run_apt update; then
            show_log
            say "apt-get update failed; trying with the lists that are there"
        fi
        say "installing ${packages[*]}"
        if ! run_apt install -y --no-install-recommends "${packages[@]}"; then
            show_log
            die 3 "apt-get could not install ${packages[*]}"
        fi
        hash -r
    fi
    things=$(missing_things | one_line)
    [[ -z $things ]] || die 3 "installed, but not found: $things (PATH and PKG_CONFIG_PATH?)"
}

set_up_elsewhere() {
    local things
    things=$(missing_things | one_line)
    [[ -n $things ]] || return 0
    say "missing: $things"
    say "there is no apt-get here; please install"
    say "  Debian, Ubuntu: $(needs | awk 'NF { print $1 }' | one_line)"
    say "  Homebrew:       $(needs | awk 'NF && $3 != "-" { print $3 }' | one_line)"
    exit 3
}

check=no
with_tests=yes
with_benches=no
with_browser=no
for argument in "$@"; do
    case $argument in
    --check) check=yes ;;
    --with-tests) with_tests=yes ;;
    --without-tests) with_tests=no ;;
    --with-benches) with_benches=yes ;;
    --with-browser) with_browser=yes ;;
    --libraries)
        needs | awk '$1 ~ /-dev$/ { print $1 }'
        exit 0
        ;;
    -h | --help)
        usage
        exit 0
        ;;
    *)
        usage >&2
        die 2 "unknown argument '$argument'"
        ;;
    esac
done

if command -v apt-get >/dev/null && command -v dpkg-query >/dev/null; then
    set_up_with_apt
else
    set_up_elsewhere
fi
