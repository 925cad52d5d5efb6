#!/usr/bin/env bash
# llama.sh - find or fetch llama.cpp and print its folder.
#
# Standard output is one line, the folder that directly holds the executables
# llama-server and llama-bench; all messages go to standard error. First found wins:
#
#   1. $PARETOPILOT_LLAMA_DIR
#   2. llama-server on PATH, with llama-bench in the same folder
#   3. the distribution's package, installed only when --system asks for it
#   4. the packages of Debian unstable, unpacked into the build cache
#
# Number 4 leaves the system as it is: a private apt (apt_unpack.sh) fetches what the
# programs need, libc included, and wrappers start them through the unpacked loader.
#
# Beside the programs of number 4 lie
#   VERSION    what llama-server and the package say they are
#   PACKAGES   the packages unpacked, in the form of llama.lock
#   PIN        'pinned' when llama.lock names every one of them, else 'unpinned'
#
# Exit: 0 printed, 2 usage or a bad PARETOPILOT_LLAMA_DIR, 3 no llama.cpp to be had.

set -euo pipefail
umask 022
# apt's messages are read below, and a cd through CDPATH would print.
export LC_ALL=C
unset CDPATH

readonly packages=(llama.cpp-tools llama.cpp-tools-extra)
readonly programs=(llama-server llama-bench llama-quantize llama-perplexity llama-batched-bench)

tools_dir=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
# shellcheck source=tools/apt_unpack.sh
. "$tools_dir/apt_unpack.sh"
lock_file=$tools_dir/llama.lock
cache_dir=${PARETOPILOT_CACHE_DIR:-${tools_dir%/*}/build/cache}
[[ $cache_dir == /* ]] || cache_dir=$PWD/$cache_dir

say() { printf 'llama.sh: %s\n' "$*" >&2; }

die() {
    local code=$1
    shift
    say "$*"
    exit "$code"
}

usage() {
    cat <<'END'
usage: tools/llama.sh [--arch amd64|arm64] [--refresh] [--system]

Prints the folder of llama.cpp. Looks at PARETOPILOT_LLAMA_DIR, then at PATH, then
fetches the packages of Debian unstable into PARETOPILOT_CACHE_DIR (build/cache).

  --arch A    packages for this architecture; a foreign one is only ever fetched
  --refresh   fetch now, whatever is there already; older folders stay usable
  --system    install the distribution's own package if there is one
END
}

readonly own_way="set PARETOPILOT_LLAMA_DIR to a folder with llama-server and llama-bench"

# --- what is already there ----------------------------------------------------------

holds_llama() { [[ -f $1/llama-server && -x $1/llama-server && -f $1/llama-bench && -x $1/llama-bench ]]; }

print_folder() { (cd -- "$1" && pwd -P); }

try_environment() {
    [[ -n ${PARETOPILOT_LLAMA_DIR:-} ]] || return 1
    holds_llama "$PARETOPILOT_LLAMA_DIR" ||
        die 2 "PARETOPILOT_LLAMA_DIR: no executable llama-server and llama-bench in '$PARETOPILOT_LLAMA_DIR'"
    print_folder "$PARETOPILOT_LLAMA_DIR"
}

try_path() {
    local server
    server=$(command -v llama-server) || return 1
    if ! holds_llama "${server%/*}"; then
        say "ignoring $server: no llama-bench beside it"
        return 1
    fi
    print_folder "${server%/*}"
}

# Asked for by name, so this may change the system; a package that is missing here is
# no error, the cache is the next best thing.
try_system() {
    local as_root=()
    if ! command -v apt-get >/dev/null ||
        ! apt-cache policy "${packages[0]}" 2>/dev/null | grep -q 'Candidate: [0-9]'; then
        say "this distribution has no package ${packages[0]}"
        return 1
    fi
    if [[ $(id -u) != 0 ]]; then
        command -v sudo >/dev/null || die 3 "--system needs root or sudo"
        as_root=(sudo)
    fi
    say "installing ${packages[*]}"
    ${as_root[@]+"${as_root[@]}"} env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq --no-install-recommends "${packages[@]}" >&2 ||
        die 3 "apt-get could not install ${packages[*]}"
    hash -r
    try_path || die 3 "${packages[*]} installed, but no llama-server and llama-bench on PATH"
}

# --- the cache ----------------------------------------------------------------------

# Prints the packages of a folder that the lock does not name; nothing means pinned.
not_in_lock() {
    if [[ -f $lock_file ]]; then
        grep -vxFf "$lock_file" "$1/PACKAGES" || :
    else
        cat "$1/PACKAGES"
    fi
}

# The lock may have changed since the folder was made, so each run looks again.
settle_pin() {
    local folder=$1 strangers pin=pinned count some
    strangers=$(not_in_lock "$folder")
    if [[ -n $strangers ]]; then
        pin=unpinned
        count=$(wc -l <<<"$strangers")
        some=$(awk 'NR <= 3 { printf "%s%s %s", (NR > 1 ? ", " : ""), $1, $2 } END { if (NR > 3) print ", ..." }' \
            <<<"$strangers")
        say "unpinned: $count package(s) not in tools/llama.lock: $some"
    fi
    if [[ $(cat "$folder/PIN" 2>/dev/null) != "$pin" ]]; then
        # A cache that is not ours to write still serves; its PIN is then its owner's.
        { echo "$pin" >"$folder/PIN"; } 2>/dev/null || :
    fi
}

try_cache() {
    local folder=$cache_dir/llama/$arch
    holds_llama "$folder" && [[ -f $folder/PACKAGES ]] || return 1
    settle_pin "$folder"
    print_folder "$folder"
}

# --- fetching -----------------------------------------------------------------------

# $1 receives the tree and, beside it, one wrapper per program. The loader is named
# outright because the system's own may be older than these libraries.
unpack() {
    local into=$1 triplet loader libraries program
    case $arch in
    amd64) triplet=x86_64-linux-gnu loader=ld-linux-x86-64.so.2 ;;
    arm64) triplet=aarch64-linux-gnu loader=ld-linux-aarch64.so.1 ;;
    esac
    libraries=usr/lib/$triplet
    rm -rf -- "$into"
    apt_unpack "$into/tree"
    [[ -x $into/tree/$libraries/$loader ]] || die 3 "the packages hold no $libraries/$loader"
    # ggml looks for its CPU back ends beside the running executable, which is the loader.
    (cd "$into/tree/$libraries" && ln -sf ggml/backends*/*.so .)
    for program in "${programs[@]}"; do
        [[ -x $into/tree/usr/bin/$program ]] || die 3 "the packages hold no $program"
    done
    for program in "$into"/tree/usr/bin/llama-*; do
        write_wrapper "$into/${program##*/}" "$libraries" "$loader" "${program##*/}"
    done
    cp "$work/PACKAGES" "$into/PACKAGES"
}

# exec, so that the program keeps the pid its starter knows; the folder is looked up at
# each start, so that the whole may be moved. Expansions are meant for the wrapper.
# shellcheck disable=SC2016
write_wrapper() {
    local file=$1 libraries=$2 loader=$3 program=$4 emulator=
    {
        printf '#!/bin/sh\n'
        printf 'tree=$(dirname -- "$(readlink -f -- "$0")")/tree\n'
        if [[ $arch != "$host_arch" ]]; then
            emulator='$emulator '
            printf 'emulator=; [ "$(uname -m)" = %s ] || emulator=$(command -v qemu-%s-static || command -v qemu-%s || :)\n' \
                "$machine" "$machine" "$machine"
        fi
        printf 'exec %s"$tree/%s/%s" --library-path "$tree/%s:$tree/%s/llama" "$tree/usr/bin/%s" "$@"\n' \
            "$emulator" "$libraries" "$loader" "$libraries" "$libraries" "$program"
    } >"$file"
    chmod 755 "$file"
}

# Sets build to what llama-server says of itself. A foreign architecture without an
# emulator cannot be tried; then only the tested packages are good enough.
probe() {
    local into=$1 output
    build="not run"
    if [[ $arch != "$host_arch" ]] && ! command -v "qemu-$machine-static" "qemu-$machine" >/dev/null; then
        [[ -z $(not_in_lock "$into") ]] ||
            die 3 "untested packages for $arch, and no qemu-user here to try them with"
        say "no qemu-user: the $arch programs were not tried"
        return
    fi
    say "trying llama-server and llama-bench"
    if ! output=$(timeout 60 "$into/llama-server" --version 2>&1) || [[ $output != *version* ]]; then
        tail -n 12 <<<"$output" | sed 's/^/    /' >&2
        die 3 "the fetched llama-server does not run here; $own_way"
    fi
    build=$(sed -n 's/^version: *//p' <<<"$output" | head -n 1)
    if ! output=$(timeout 60 "$into/llama-bench" --help 2>&1) || [[ $output != *--model* ]]; then
        tail -n 12 <<<"$output" | sed 's/^/    /' >&2
        die 3 "the fetched llama-bench does not run here; $own_way"
    fi
}

fetch() {
    local store=$cache_dir/llama entry missing version folder
    missing=$(apt_missing_programs)
    [[ -z $missing ]] ||
        die 3 "no llama.cpp found and no ${missing%%$'\n'*} to fetch Debian's with; $own_way (Homebrew: brew install llama.cpp)"
    [[ -n $machine ]] || die 3 "Debian has no llama.cpp packages that we know for $arch; $own_way"
    entry=$(apt_debian_entry)
    [[ -n $entry ]] || die 3 "the apt sources name no Debian mirror (Ubuntu's has no unstable); $own_way"

    apt_check_path "$store"
    if ! mkdir -p -- "$store" 2>/dev/null || [[ ! -w $store ]]; then
        die 3 "cannot write to $store"
    fi
    store=$(cd -- "$store" && pwd -P)
    apt_check_path "$store"
    if apt_lock "$store/lock" && [[ -z $refresh ]] && try_cache; then
        return
    fi

    work=$store/$arch.fetch
    apt_write_files "${entry%%|*}|unstable|${entry##*|}"
    apt_update
    apt_resolve
    apt_download

    version=$(awk -v name="${packages[0]}" '$1 == name { print $2 }' "$work/PACKAGES")
    folder=debian-$arch-${version##*:}-$(sha256sum <"$work/PACKAGES" | cut -c1-12)
    if [[ ! -d $store/$folder ]]; then
        unpack "$store/$folder.partial"
        probe "$store/$folder.partial"
        printf '%s, Debian package %s %s\n' "$build" "$version" "$arch" >"$store/$folder.partial/VERSION"
        mv -T -- "$store/$folder.partial" "$store/$folder"
    fi
    # Folders are never changed once named, so a study that runs from the previous one
    # goes on undisturbed.
    ln -sfn -- "$folder" "$store/$arch.new"
    mv -T -- "$store/$arch.new" "$store/$arch"
    rm -rf -- "$work"
    say "$(cat "$store/$folder/VERSION")"
    try_cache
}

# --- main ---------------------------------------------------------------------------

arch=''
refresh=''
system=''
while (($# > 0)); do
    case $1 in
    --arch)
        (($# > 1)) || die 2 "--arch: expected amd64 or arm64"
        arch=$2
        shift
        ;;
    --arch=*) arch=${1#*=} ;;
    --refresh) refresh=yes ;;
    --system) system=yes ;;
    -h | --help)
        usage
        exit 0
        ;;
    *)
        usage >&2
        die 2 "unknown argument '$1'"
        ;;
    esac
    shift
done
case $arch in
'' | amd64 | arm64) ;;
*) die 2 "--arch: expected amd64 or arm64, got '$arch'" ;;
esac

host_arch=$(dpkg --print-architecture 2>/dev/null || uname -m)
arch=${arch:-$host_arch}
case $arch in
amd64) machine=x86_64 ;;
arm64) machine=aarch64 ;;
*) machine= ;;
esac

if [[ $arch == "$host_arch" && -z $refresh ]]; then
    if try_environment || try_path || { [[ -n $system ]] && try_system; }; then
        exit 0
    fi
fi
if [[ -z $refresh ]] && try_cache; then
    exit 0
fi
fetch
