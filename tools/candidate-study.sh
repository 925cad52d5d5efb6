#!/usr/bin/env bash
# candidate-study.sh STEP - one step of a candidate study as CI runs it; .github/workflows/candidate-study-arm64.yml
# calls them in this order:
#
#   inputs    check the repetitions, say whether this can be the canonical study, note who runs it
#   program   build paretopilot, or take that of PARETOPILOT_BINARY
#   host      this machine must be the wanted one and able to give evidence (exit 3 otherwise)
#   engines   build llama.cpp from the lock beside the plan (build-engines.sh)
#   models    fetch the models of the plan (get-models.sh)
#   plan      put the repetitions into the plan, print what will run
#   measure   paretopilot study run
#   verify    paretopilot verify
#   seal      say what came of it, and checksums of everything; also after a failure
#
# All of it is left in one folder, to be kept also when a step failed. Set by the workflow, all optional:
#
#   STUDY_PLAN         the plan (examples/qwen2.5-ladder/plan.json)
#   STUDY_FOLDER       what is left (build/candidate-study); new or empty before the first step
#   STUDY_REPETITIONS  of llama-bench in each pass, 10 to 30 (10)
#   STUDY_MACHINE      what `uname -m` must say (anything)
#   STUDY_EVENT, STUDY_REF, STUDY_DEFAULT_REF
#                      what started this, on which branch, and which one is the default: a study is canonical
#                      when it was dispatched by hand on that branch with 10 repetitions, else exploratory
#
# Exit: that of the program a step runs; 2 for wrong inputs or a step out of order.
set -euo pipefail

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
readonly root
readonly all_steps=(inputs program host engines models plan measure verify)
plan=${STUDY_PLAN:-$root/examples/qwen2.5-ladder/plan.json}
folder=${STUDY_FOLDER:-$root/build/candidate-study}
repetitions=${STUDY_REPETITIONS-10}
paretopilot=${PARETOPILOT_BINARY:-$root/build/release/src/cli/paretopilot}

say() { printf 'candidate-study.sh: %s\n' "$*" >&2; }

die() {
    local code=$1
    shift
    say "$*"
    exit "$code"
}

usage() { sed -n '2,27s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; }

# --- what is said about a study -----------------------------------------------------------

classification() {
    if [[ ${STUDY_EVENT:-} == workflow_dispatch && -n ${STUDY_REF:-} && $STUDY_REF == "${STUDY_DEFAULT_REF:-}" &&
        $repetitions == 10 ]]; then
        echo canonical
    else
        echo exploratory
    fi
}

# The twelve variables of a runner that say who measured, where they are set.
runner() {
    local name
    for name in GITHUB_REPOSITORY GITHUB_REF GITHUB_RUN_ID GITHUB_RUN_ATTEMPT GITHUB_SHA GITHUB_WORKFLOW_REF \
        GITHUB_WORKFLOW_SHA ImageOS ImageVersion RUNNER_ARCH RUNNER_NAME RUNNER_OS; do
        [[ ! -v $name ]] || printf '%s=%q\n' "$name" "${!name}"
    done
}

# done_step NAME - true when the step has ended well
done_step() { [[ -f $folder/steps.txt ]] && grep -qx "$1 0" "$folder/steps.txt"; }

# The plan that is measured: the given one where it has these repetitions, else one beside it, because its
# paths are relative to its folder.
used_plan() {
    if [[ -f $folder/plan.json ]] && ! cmp -s -- "$folder/plan.json" "$plan"; then
        printf '%s/plan-repetitions-%s.json\n' "$(dirname -- "$plan")" "$repetitions"
    else
        printf '%s\n' "$plan"
    fi
}

# --- steps --------------------------------------------------------------------------------

check_repetitions() {
    [[ $repetitions =~ ^([12][0-9]|30)$ ]] ||
        die 2 "repetitions: expected an integer from 10 to 30, found '$repetitions'"
}

step_inputs() {
    printf '%s\n' "$(classification)" >"$folder/intended-classification.txt"
    runner >"$folder/runner.txt"
    say "$(classification) study, $repetitions repetitions"
}

step_program() {
    [[ -n ${PARETOPILOT_BINARY:-} ]] || make -C "$root" build
    "$paretopilot" --version | tee "$folder/program.txt"
}

step_host() {
    local machine
    machine=$(uname -m)
    [[ $machine == "${STUDY_MACHINE:-$machine}" ]] || die 3 "this machine is $machine, the study wants $STUDY_MACHINE"
    "$paretopilot" doctor --json --require-evidence-host >"$folder/doctor.json"
}

step_engines() {
    local into
    into=$(dirname -- "$plan")
    "$root/tools/build-engines.sh" "$into/engines.lock" || {
        local code=$?
        [[ ! -d $into/.candidate-build/records ]] || cp -r -- "$into/.candidate-build/records" "$folder/build"
        return "$code"
    }
    cp -r -- "$into/.candidate-build/records" "$folder/build"
}

step_models() {
    "$root/tools/get-models.sh" "$plan"
}

step_plan() {
    local measured
    python3 -B "$root/tools/study_plan.py" repetitions "$repetitions" "$plan" >"$folder/plan.json"
    measured=$(used_plan)
    [[ $measured == "$plan" ]] || cp -- "$folder/plan.json" "$measured"
    "$paretopilot" validate "$measured"
    "$paretopilot" study plan "$measured" | tee "$folder/commands.txt"
}

step_measure() {
    "$paretopilot" study run "$(used_plan)" --output-dir "$folder/bundle" | tee "$folder/summary.txt"
}

step_verify() {
    "$paretopilot" verify "$folder/bundle" | tee "$folder/verify.txt"
}

# --- the end ------------------------------------------------------------------------------

missing_steps() {
    local name
    for name in "${all_steps[@]}"; do
        done_step "$name" || printf '%s\n' "$name"
    done
}

write_outcome() {
    local missing
    mapfile -t missing < <(missing_steps)
    if ((${#missing[@]} == 0)); then
        printf 'classification=%s\n' "$(cat -- "$folder/intended-classification.txt")"
    else
        printf 'classification=incomplete\nnot_done=%s\n' "${missing[*]}"
    fi
    printf 'repetitions=%q\n' "$repetitions"
    if [[ -f $folder/plan.json ]]; then
        printf 'plan_sha256=%s\n' "$(sha256sum <"$folder/plan.json" | cut -c1-64)"
    fi
}

# Indented lines are text in Markdown, whatever is in them.
write_job_summary() {
    local file
    printf '# Candidate study\n\n'
    for file in outcome.txt summary.txt verify.txt; do
        [[ ! -s $folder/$file ]] || { sed 's/^/    /' "$folder/$file" && printf '\n'; }
    done
}

seal() {
    local sums
    mkdir -p -- "$folder"
    write_outcome >"$folder/outcome.txt"
    sums=$(cd -- "$folder" && find . -type f ! -path ./SHA256SUMS -print0 | LC_ALL=C sort -z | xargs -0 sha256sum --)
    printf '%s\n' "$sums" >"$folder/SHA256SUMS"
    cat -- "$folder/outcome.txt"
    [[ -z ${GITHUB_STEP_SUMMARY:-} ]] || write_job_summary >>"$GITHUB_STEP_SUMMARY"
}

# --- main ---------------------------------------------------------------------------------

# A folder with something in it is another study's.
begin_folder() {
    mkdir -p -- "$folder"
    [[ -z $(ls -A -- "$folder") ]] || die 2 "'$folder' is not empty; nothing is overwritten"
}

check_order() { # STEP
    local name
    for name in "${all_steps[@]}"; do
        [[ $name != "$1" ]] || break
        done_step "$name" || die 2 "step '$1' comes behind '$name', which is not done"
    done
    ! done_step "$1" || die 2 "step '$1' is done already"
}

# The exit code of every step is kept: it is what seal goes by. The name is no parameter, because a trap sees
# those of the function that failed.
run_step() { # STEP
    step=$1
    # a shell that a signal ends would tell its last command's code, which may be 0
    trap 'exit 129' HUP
    trap 'exit 130' INT
    trap 'exit 143' TERM
    trap 'printf "%s %s\n" "$step" "$?" >>"$folder/steps.txt"' EXIT
    "step_$step"
}

main() {
    (($# == 1)) || { usage >&2; exit 2; }
    case $1 in
    -h | --help) usage ;;
    seal) seal ;;
    inputs)
        check_repetitions
        begin_folder
        run_step inputs
        ;;
    program | host | engines | models | plan | measure | verify)
        check_repetitions
        check_order "$1"
        run_step "$1"
        ;;
    *) die 2 "no step '$1'; see --help" ;;
    esac
}

main "$@"
