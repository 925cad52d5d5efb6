#!/usr/bin/env bash
# build-engines.sh LOCK [--into DIR] - build llama.cpp twice from one commit: without KleidiAI and with it.
#
# LOCK names the commit and the KleidiAI archive with its size and SHA-256, such as
# examples/qwen2.5-ladder/engines.lock. Below DIR, by default the folder of LOCK, this leaves
#
#   .candidate-build/generic/bin, .candidate-build/kleidiai/bin   llama-bench and llama-server of each build
#   .candidate-build/records     configure and compile logs, CMake caches, digests and libraries of the
#                                programs, symbols of KleidiAI, versions of the tools
#   .candidate-build/source      what they were built from
#
# The two builds differ in one switch, GGML_CPU_KLEIDIAI. A build that is there already and is what its
# records say is left alone.
#
# Exit: 0 both are there, 1 a digest, a commit or a cache is not what was asked for, 2 wrong usage or lock,
# 3 something this needs is missing or cannot be had, or a build failed.
set -euo pipefail
export LC_ALL=C

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
readonly here
readonly archive_seconds=300 # retries included
readonly jobs=4
readonly max_symbols=500
readonly programs=(llama-bench llama-server)
readonly needed=(cmake curl g++-13 gcc-13 git ldd ninja nm sha256sum tar)

say() { printf 'build-engines.sh: %s\n' "$*" >&2; }

die() {
    local code=$1
    shift
    say "$*"
    exit "$code"
}

usage() { sed -n '2,16s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; }

# shellcheck source=tools/fetch.sh
. "$here/fetch.sh"

# --- the lock -----------------------------------------------------------------------------

declare -A pin=()

# What each value must look like; a name that is not here is refused.
readonly -A pin_forms=(
    [llama_repository]='https://[^[:space:]]+'
    [llama_commit]='[0-9a-f]{40}'
    [kleidiai_repository]='https://[^[:space:]"\\]+'
    [kleidiai_version]='v[0-9][0-9.]*'
    [kleidiai_url]='https://[^[:space:]]+'
    [kleidiai_size_bytes]='[1-9][0-9]{0,9}'
    [kleidiai_sha256]='[0-9a-f]{64}'
)

read_lock() { # FILE
    local name value rest
    [[ -f $1 ]] || die 2 "no lock '$1'"
    while read -r name value rest; do
        [[ -n $name && $name != \#* ]] || continue
        [[ -v pin_forms[$name] ]] || die 2 "lock '$1': unknown name '$name'"
        [[ ! -v pin[$name] ]] || die 2 "lock '$1': '$name' stands twice"
        [[ -z $rest && $value =~ ^${pin_forms[$name]}$ ]] || die 2 "lock '$1': $name: found '$value${rest:+ $rest}'"
        pin[$name]=$value
    done <"$1"
    for name in "${!pin_forms[@]}"; do
        [[ -v pin[$name] ]] || die 2 "lock '$1': '$name' is missing"
    done
}

need_programs() {
    local program missing=()
    for program in "${needed[@]}"; do
        command -v "$program" >/dev/null || missing+=("$program")
    done
    ((${#missing[@]} == 0)) || die 3 "missing: ${missing[*]}"
}

# --- sources ------------------------------------------------------------------------------

# Only that commit, over HTTPS only; afterwards what is checked out is asked again.
fetch_source() { # FOLDER
    local head changed
    [[ -d $1/.git ]] || git init --quiet -- "$1"
    head=$(git -C "$1" rev-parse --verify --quiet HEAD) || head=none
    if [[ $head != "${pin[llama_commit]}" ]]; then
        say "fetching llama.cpp ${pin[llama_commit]}"
        git -C "$1" -c protocol.allow=never -c protocol.https.allow=always fetch --quiet --depth 1 --no-tags \
            "${pin[llama_repository]}" "${pin[llama_commit]}" || die 3 "commit ${pin[llama_commit]} cannot be had"
        git -C "$1" checkout --quiet --detach FETCH_HEAD
        head=$(git -C "$1" rev-parse --verify HEAD)
    fi
    [[ $head == "${pin[llama_commit]}" ]] || die 1 "'$1': HEAD is $head, expected ${pin[llama_commit]}"
    changed=$(git -C "$1" status --porcelain)
    [[ -z $changed ]] || die 1 "'$1': files are changed: ${changed//$'\n'/,}"
}

fetch_kleidiai() { # ARCHIVE FOLDER
    fetch_file "${pin[kleidiai_url]}" "$1" "${pin[kleidiai_size_bytes]}" "${pin[kleidiai_sha256]}" "$archive_seconds"
    rm -rf -- "$2"
    mkdir -p -- "$2"
    tar --extract --gzip --file "$1" --directory "$2" --strip-components 1 --no-same-owner
    [[ -d $2/kai ]] || die 1 "'$1' has no folder kai; is it KleidiAI?"
}

# --- builds -------------------------------------------------------------------------------

# The switches of a build, one a line; SWITCH is ON or OFF.
build_flags() { # SWITCH KLEIDIAI_FOLDER
    printf -- '-D%s\n' \
        CMAKE_BUILD_TYPE=Release CMAKE_C_COMPILER=gcc-13 CMAKE_CXX_COMPILER=g++-13 BUILD_SHARED_LIBS=OFF \
        FETCHCONTENT_FULLY_DISCONNECTED=ON "FETCHCONTENT_SOURCE_DIR_KLEIDIAI_DOWNLOAD=$2" \
        GGML_NATIVE=ON GGML_CPU_REPACK=ON "GGML_CPU_KLEIDIAI=$1" \
        GGML_BLAS=OFF GGML_CUDA=OFF GGML_OPENCL=OFF GGML_RPC=OFF GGML_VULKAN=OFF \
        LLAMA_BUILD_TESTS=OFF LLAMA_BUILD_EXAMPLES=OFF LLAMA_BUILD_SERVER=ON LLAMA_BUILD_TOOLS=ON
}

# What the build was made of, to tell whether it is still the one that is wanted.
build_inputs() { # SWITCH KLEIDIAI_FOLDER
    printf 'llama.cpp %s\nKleidiAI %s\n' "${pin[llama_commit]}" "${pin[kleidiai_sha256]}"
    build_flags "$1" "$2"
}

# An option that llama.cpp does not know any more would be accepted in silence; then the cache tells.
check_cache() { # CACHE SWITCH
    [[ -f $1 ]] || die 3 "'$1' is not there: nothing was configured"
    grep -qxF "GGML_CPU_KLEIDIAI:BOOL=$2" "$1" ||
        die 1 "'$1' has no line GGML_CPU_KLEIDIAI:BOOL=$2; found $(grep -F GGML_CPU_KLEIDIAI "$1" || echo none)"
}

configure() { # SOURCE BUILD SWITCH KLEIDIAI_FOLDER LOG
    local flags
    mapfile -t flags < <(build_flags "$3" "$4")
    cmake -S "$1" -B "$2" -G Ninja "${flags[@]}" >"$5" 2>&1 || die 3 "configuring failed; see '$5'"
    check_cache "$2/CMakeCache.txt" "$3"
}

compile() { # BUILD LOG
    local program
    cmake --build "$1" --target "${programs[@]}" --parallel "$jobs" >"$2" 2>&1 || die 3 "compiling failed; see '$2'"
    for program in "${programs[@]}"; do
        [[ -x $1/bin/$program ]] || die 3 "'$1/bin/$program' was not built"
    done
}

record_build() { # NAME BUILD RECORDS
    local program
    cp -- "$2/CMakeCache.txt" "$3/$1-CMakeCache.txt"
    for program in "${programs[@]}"; do
        (cd -- "$2/bin" && sha256sum -- "$program") >"$3/$1-$program.sha256"
        # A program without libraries of its own is said to be so with exit 1.
        ldd "$2/bin/$program" >"$3/$1-$program.ldd.txt" 2>&1 || true
    done
}

# is_built NAME BUILD RECORDS INPUTS - true when the programs are those that the records of these inputs name
is_built() {
    local program
    [[ -f $3/$1-inputs.txt && $(cat -- "$3/$1-inputs.txt") == "$4" ]] || return 1
    for program in "${programs[@]}"; do
        (cd -- "$2/bin" 2>/dev/null && sha256sum --status --check -- "$3/$1-$program.sha256" 2>/dev/null) || return 1
    done
}

build_engine() { # NAME SWITCH
    local target=$root/$1 inputs
    inputs=$(build_inputs "$2" "$kleidiai")
    if is_built "$1" "$target" "$records" "$inputs"; then
        say "$1 is there already"
        return
    fi
    say "building $1"
    rm -rf -- "$target" "$records/$1-"*
    configure "$source" "$target" "$2" "$kleidiai" "$records/$1-configure.log"
    compile "$target" "$records/$1-compile.log"
    record_build "$1" "$target" "$records"
    printf '%s\n' "$inputs" >"$records/$1-inputs.txt" # last: whatever was stopped is built again
}

# --- what is recorded once ----------------------------------------------------------------

record_tools() { # RECORDS
    gcc-13 --version >"$1/gcc.txt"
    g++-13 --version >"$1/g++.txt"
    cmake --version >"$1/cmake.txt"
    ninja --version >"$1/ninja.txt"
}

# An empty file is no failure: a stripped program has no symbols, and the marker in its log proves more.
record_kleidiai() { # PROGRAM RECORDS
    (nm -C -- "$1" 2>/dev/null || true) | (grep -i 'kai_\|kleidiai' || true) | head -n "$max_symbols" >"$2/kleidiai-symbols.txt"
    printf '%s  %s\n' "${pin[kleidiai_sha256]}" "${pin[kleidiai_url]##*/}" >"$2/kleidiai-source.sha256"
    cat >"$2/optimization-library.json" <<END
{
  "name": "KleidiAI",
  "repository": "${pin[kleidiai_repository]}",
  "source_archive_sha256": "${pin[kleidiai_sha256]}",
  "source_archive_size_bytes": ${pin[kleidiai_size_bytes]},
  "version": "${pin[kleidiai_version]}"
}
END
}

# --- main ---------------------------------------------------------------------------------

parse_arguments() {
    lock=''
    into=''
    while (($# > 0)); do
        case $1 in
        --into)
            (($# > 1)) || die 2 "--into: a folder is missing"
            into=$2
            shift
            ;;
        -h | --help)
            usage
            exit 0
            ;;
        -*) die 2 "unknown option '$1'" ;;
        *)
            [[ -z $lock ]] || die 2 "one lock is expected, found also '$1'"
            lock=$1
            ;;
        esac
        shift
    done
    [[ -n $lock ]] || die 2 "which lock? see --help"
    into=${into:-$(dirname -- "$lock")}
}

prepare_folders() {
    mkdir -p -- "$into/.candidate-build"
    root=$(cd -- "$into/.candidate-build" && pwd -P)
    source=$root/source/llama.cpp
    kleidiai=$root/source/kleidiai
    records=$root/records
    mkdir -p -- "$root/source" "$records"
    exec 9<"$root"
    flock -n 9 || die 3 "another build runs in '$root'"
}

main() {
    parse_arguments "$@"
    read_lock "$lock"
    need_programs
    prepare_folders
    fetch_source "$source"
    fetch_kleidiai "$root/source/${pin[kleidiai_url]##*/}" "$kleidiai"
    record_tools "$records"
    build_engine generic OFF
    build_engine kleidiai ON
    record_kleidiai "$root/kleidiai/bin/llama-server" "$records"
    say "both builds are in '$root'"
}

main "$@"
