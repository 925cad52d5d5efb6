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
# Number 4 leaves the system as it is: a private apt with its own lists, cache and
# (empty) package database resolves and downloads what the programs need, libc
# included, and wrappers start them through the unpacked loader. Mirror, proxies and
# keys are the system's own, so signatures are checked and no address stands here.
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

# --- the system's apt: mirror and keys ----------------------------------------------

# One line per package index: 'mirror|origin|label|suite|file:position'. Without lists
# (a machine that never ran 'apt-get update') only --no-release-info shows anything,
# and origin and label are then unknown. The $(...) are apt's, not the shell's.
# shellcheck disable=SC2016
index_targets() {
    apt-get indextargets "$@" \
        --format '$(REPO_URI)|$(ORIGIN)|$(LABEL)|$(RELEASE)|$(SOURCESENTRY)' \
        'Created-By: Packages' 'Component: main' 2>/dev/null || :
}

# Prints 'mirror|file:position' of the entry that serves Debian itself: not its security
# archive, and not one of the vendors whose address also ends in /debian/.
debian_entry() {
    local found
    found=$(index_targets | awk -F'|' '$2 == "Debian" && $3 == "Debian" { print $1 "|" $5; exit }')
    if [[ -z $found ]]; then
        found=$(index_targets --no-release-info |
            awk -F'|' '$1 ~ /\/debian\/$/ && $4 !~ /security/ { print $1 "|" $5; exit }')
    fi
    printf '%s' "$found"
}

# Prints the keyring files that the entry 'file:position' names in Signed-By. Position is
# a line in a .list file and a stanza in a .sources file. Debian 12's apt-get
# indextargets knows the field but not its value, hence this reading. A key written out
# in place is passed over: apt takes no such key in the one-line form used below.
entry_keyrings() {
    local file=${1%:*} position=${1##*:}
    [[ -r $file ]] || return 0
    case $file in
    *.sources)
        awk -v want="$position" '
            /^#/ { next }
            /^[ \t]*$/ { inside = 0; signed = 0; next }
            { if (!inside) { inside = 1; stanza++ } }
            /^[^ \t]/ { signed = tolower($0) ~ /^signed-by:/; sub(/^[^:]*:/, "") }
            signed && stanza == want { n = split($0, part, /[ \t,]+/)
                for (i = 1; i <= n; i++) if (part[i] ~ /^\//) print part[i] }' "$file"
        ;;
    *)
        sed -n "${position}s/.*[[ ]signed-by=\([^] ]*\).*/\1/p" "$file" | tr ',' '\n' | grep '^/' || :
        ;;
    esac
}

# Prints the option that says which keys may sign. A stable suite is sometimes tied to
# the key of its release alone, so Debian's own keyring stands beside it; with neither,
# apt's trusted keys decide.
signed_by() {
    local keyring list=
    while read -r keyring; do
        [[ -r $keyring ]] && list+=${list:+,}$keyring
    done < <(
        entry_keyrings "$1"
        printf '%s\n' /usr/share/keyrings/debian-archive-keyring.{pgp,gpg}
    ) || :
    printf '%s' "${list:+signed-by=$list}"
}

# --- fetching -----------------------------------------------------------------------

show_log() { tail -n 12 "$work/log.txt" | sed 's/^/    /' >&2; }

# A file given with -c is read after the system's apt.conf, so Acquire settings such as
# proxies stay in force. What would leave this folder, or would make the answer depend
# on the system's own packages, is set anew.
write_apt_files() {
    local mirror=$1 option=$2
    mkdir -p "$work"/{lists/partial,archives/partial,log}
    : >"$work/status"
    # target= keeps indexes out that other programs ask apt for (icons, file contents).
    printf 'deb [arch=%s target=Packages pdiffs=no %s] %s unstable main\n' "$arch" "$option" "$mirror" \
        >"$work/sources.list"
    cat >"$work/apt.conf" <<END
// Hooks act on the system's own cache; pins and a default release speak of its suites.
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
#clear DPkg::Pre-Invoke;
#clear DPkg::Post-Invoke;
#clear DPkg::Pre-Install-Pkgs;
#clear APT::Default-Release;
#clear APT::Architectures;
APT::Architecture "$arch";
APT::Architectures { "$arch"; };
APT::Install-Recommends "false";
APT::Install-Suggests "false";
// Without this an unreachable mirror counts as success.
APT::Update::Error-Mode "any";
// Unsigned or altered lists are refused, whatever the system puts up with.
APT::Get::AllowUnauthenticated "false";
Acquire::AllowInsecureRepositories "false";
Acquire::AllowWeakRepositories "false";
Acquire::Languages "none";
Dir::State "$work/";
Dir::State::status "$work/status";
Dir::State::lists "$work/lists/";
Dir::State::extended_states "$work/extended_states";
Dir::Cache "$work/";
Dir::Cache::archives "$work/archives/";
Dir::Cache::pkgcache "pkgcache.bin";
Dir::Cache::srcpkgcache "srcpkgcache.bin";
Dir::Log "$work/log/";
Dir::Etc::sourcelist "$work/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
END
}

own_apt() {
    local program=$1
    shift
    "$program" -c "$work/apt.conf" "$@"
}

update_lists() {
    say "reading the package list of Debian unstable ($arch)"
    own_apt apt-get update >"$work/log.txt" 2>&1 && return
    if grep -q 'is expired' "$work/log.txt"; then
        # A mirror that stands still is no reason to do without: signatures still hold,
        # and what is older or newer than the lock is shown as unpinned.
        say "the mirror's copy of unstable is past its date; using it all the same"
        own_apt apt-get -o Acquire::Check-Valid-Until=false update >"$work/log.txt" 2>&1 && return
    fi
    show_log
    die 3 "cannot read Debian unstable from this system's mirror (network down, no such suite there, or a signature that does not hold); $own_way"
}

# Writes $work/PACKAGES: everything the programs need, with the digests of the signed
# list. Against the empty status file apt resolves down to libc.
resolve() {
    local wanted
    own_apt apt-get -s -qq install "${packages[@]}" >"$work/plan.txt" 2>"$work/log.txt" || {
        show_log
        die 3 "this mirror's unstable cannot satisfy ${packages[*]} for $arch now; try later, or $own_way"
    }
    mapfile -t wanted < <(awk '$1 == "Inst" { sub(/:.*/, "", $2); print $2 "=" substr($3, 2) }' "$work/plan.txt")
    own_apt apt-cache show "${wanted[@]}" |
        awk '/^Package:/ { name = $2 } /^Version:/ { version = $2 } /^Architecture:/ { arch = $2 }
             /^SHA256:/ { digest = $2 }
             /^$/ && name { print name, version, arch, digest; name = "" }
             END { if (name) print name, version, arch, digest }' | sort -u >"$work/PACKAGES"
    (($(wc -l <"$work/PACKAGES") == ${#wanted[@]})) ||
        die 3 "apt names ${#wanted[@]} packages but describes $(wc -l <"$work/PACKAGES")"
}

# apt writes the colon of an epoch as %3a.
deb_name() { printf '%s_%s_%s.deb' "$1" "${2//:/%3a}" "$3"; }

# Prints the names of downloaded files whose digest is not that of the list. apt itself
# compares only the size of a file it finds from an earlier run.
bad_downloads() {
    local name version deb_arch digest file
    while read -r name version deb_arch digest; do
        file=$(deb_name "$name" "$version" "$deb_arch")
        [[ -f $work/archives/$file ]] || continue
        [[ $(sha256sum <"$work/archives/$file") == "$digest  -" ]] || printf '%s\n' "$file"
    done <"$work/PACKAGES"
}

download() {
    local file bad
    while read -r file; do
        rm -f -- "$work/archives/$file"
    done < <(bad_downloads)
    say "downloading $(wc -l <"$work/PACKAGES") packages"
    own_apt apt-get install --download-only -y -qq "${packages[@]}" >"$work/log.txt" 2>&1 || {
        show_log
        die 3 "the download failed; run again to go on where it stopped"
    }
    bad=$(bad_downloads)
    [[ -z $bad ]] || die 3 "digest differs from the signed list: $bad"
}

# $1 receives the tree and, beside it, one wrapper per program. The loader is named
# outright because the system's own may be older than these libraries.
unpack() {
    local into=$1 triplet loader libraries program name version deb_arch
    case $arch in
    amd64) triplet=x86_64-linux-gnu loader=ld-linux-x86-64.so.2 ;;
    arm64) triplet=aarch64-linux-gnu loader=ld-linux-aarch64.so.1 ;;
    esac
    libraries=usr/lib/$triplet
    say "unpacking"
    rm -rf -- "$into"
    mkdir -p "$into/tree"
    while read -r name version deb_arch _; do
        dpkg-deb -x "$work/archives/$(deb_name "$name" "$version" "$deb_arch")" "$into/tree" ||
            die 3 "cannot unpack $name $version"
    done <"$work/PACKAGES"
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

# The loader splits its library path at the first two; apt.conf has no quoting inside
# quotes for the others.
check_path() {
    case $1 in
    *[:\;\"\\\$]* | *$'\n'*) die 3 "the path of the cache may hold none of : ; \" \\ \$ and no line break: $1" ;;
    esac
}

fetch() {
    local store=$cache_dir/llama entry mirror version folder program
    for program in apt-get apt-cache dpkg-deb flock sha256sum timeout; do
        command -v "$program" >/dev/null ||
            die 3 "no llama.cpp found and no $program to fetch Debian's with; $own_way (Homebrew: brew install llama.cpp)"
    done
    [[ -n $machine ]] || die 3 "Debian has no llama.cpp packages that we know for $arch; $own_way"
    entry=$(debian_entry)
    [[ -n $entry ]] || die 3 "the apt sources name no Debian mirror (Ubuntu's has no unstable); $own_way"
    mirror=${entry%%|*}

    check_path "$store"
    if ! mkdir -p -- "$store" 2>/dev/null || [[ ! -w $store ]]; then
        die 3 "cannot write to $store"
    fi
    store=$(cd -- "$store" && pwd -P)
    check_path "$store"

    # Every child inherits the lock. It ends with the last of them, so the run after a
    # killed one waits for an apt that lives on instead of meeting it.
    exec 9>"$store/lock"
    if ! flock -n 9; then
        say "another run is fetching; waiting for it"
        flock -w 1800 9 || die 3 "gave up waiting for the other run"
        if [[ -z $refresh ]] && try_cache; then
            return
        fi
    fi

    work=$store/$arch.fetch
    write_apt_files "$mirror" "$(signed_by "${entry#*|}")"
    update_lists
    resolve
    download

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
