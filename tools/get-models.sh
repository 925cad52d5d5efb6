#!/usr/bin/env bash
# get-models.sh PLAN [--model-dir DIR] [--only ID]... - fetch the models that a study plan names.
#
# Address, size and SHA-256 stand in the plan; a model lands where `study run` looks for it: relative to the
# plan's folder, or to DIR. What is there already is checked and kept, another file is never overwritten.
#
# Exit: 0 all are there and right, 1 a content is not what the plan says, 2 wrong usage or plan, 3 a model
# cannot be had (no address in the plan, or the network's or the server's troubles).
set -euo pipefail
export LC_ALL=C

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
readonly here
readonly model_seconds=2400 # for one model, all retries included

say() { printf 'get-models.sh: %s\n' "$*" >&2; }

die() {
    local code=$1
    shift
    say "$*"
    exit "$code"
}

usage() { sed -n '2,8s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; }

# shellcheck source=tools/fetch.sh
. "$here/fetch.sh"

# wanted ID - all models are, unless some are named
wanted() {
    local id
    ((${#only[@]} > 0)) || return 0
    for id in "${only[@]}"; do
        [[ $id != "$1" ]] || return 0
    done
    return 1
}

# get_model ID PATH BYTES SHA256 URL
get_model() {
    local file=$folder/$2
    if [[ -z $5 && ! -e $file ]]; then
        die 3 "model $1: '$file' is not there, and the plan has no address for it"
    fi
    mkdir -p -- "$(dirname -- "$file")"
    # Two runs at once would write into one partial file.
    exec 9<"$(dirname -- "$file")"
    flock -n 9 || die 3 "another run fetches into '$(dirname -- "$file")'"
    fetch_file "$5" "$file" "$3" "$4" "$model_seconds"
    exec 9<&-
}

plan=''
folder=''
only=()
while (($# > 0)); do
    case $1 in
    --model-dir | --only)
        (($# > 1)) || die 2 "$1: a value is missing"
        if [[ $1 == --only ]]; then only+=("$2"); else folder=$2; fi
        shift
        ;;
    -h | --help)
        usage
        exit 0
        ;;
    -*) die 2 "unknown option '$1'" ;;
    *)
        [[ -z $plan ]] || die 2 "one plan is expected, found also '$1'"
        plan=$1
        ;;
    esac
    shift
done
[[ -n $plan ]] || { usage >&2; exit 2; }
folder=${folder:-$(dirname -- "$plan")}


list=$(mktemp)
trap 'rm -f -- "$list"' EXIT
python3 -B "$here/study_plan.py" models "$plan" >"$list" || exit 2
mapfile -d '' -t fields <"$list"
for id in "${only[@]}"; do
    found=no
    for ((i = 0; i < ${#fields[@]}; i += 5)); do
        [[ ${fields[i]} != "$id" ]] || found=yes
    done
    [[ $found == yes ]] || die 2 "--only $id: plan '$plan' has no such model"
done
for ((i = 0; i < ${#fields[@]}; i += 5)); do
    ! wanted "${fields[i]}" || get_model "${fields[@]:i:5}"
done
