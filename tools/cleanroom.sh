#!/usr/bin/env bash
# cleanroom.sh - run a command in a bare Debian, to see what a fresh machine would see.
#
# Makes DIR a minimal Debian with debootstrap, clones a repository into it (what is
# committed, nothing else) and runs a command in the clone. Needs root.
#
# All of it happens in mount and process namespaces of its own, debootstrap (which mounts
# as well) included. Nothing is ever mounted where other programs see it, and the mounts
# and every process left over end with this script, however it ends. An old room is
# removed only after checking that nothing is mounted below it all the same.
#
# Exit: the command's own; 2 usage, 3 the room could not be made.

set -euo pipefail
umask 022
export LC_ALL=C
unset CDPATH

# A folder with this file in it was made here and may be removed.
readonly mark=.paretopilot-cleanroom
# Where the clone stands inside; a shared folder becomes its neighbour.
readonly place=/srv/checkout

say() { printf 'cleanroom.sh: %s\n' "$*" >&2; }

die() {
    local code=$1
    shift
    say "$*"
    exit "$code"
}

usage() {
    cat <<'END'
usage: tools/cleanroom.sh [options] DIR

Makes a bare Debian in DIR, replacing the one that an earlier run left there.

  --repo PATH       clone this git repository into the room
  --shared PATH     show this folder, read-only, beside the clone as ../shared
  --command TEXT    run by sh in the clone ('make check')
  --suite NAME      Debian release (bookworm)
  --packages LIST   in the room from the start, with commas (git,make: what it takes
                    to have the repository and to call make); '' for none
END
}

# --- mounts -------------------------------------------------------------------------

# Prints the mount points at or below $1, a path without symbolic links.
mounts_below() {
    local point
    while read -r _ _ _ _ point _; do
        printf -v point '%b' "$point" # the kernel writes blanks as \040
        case $point in
        "$1" | "$1"/*) printf '%s\n' "$point" ;;
        esac
    done </proc/self/mountinfo
}

# --- the room -----------------------------------------------------------------------

# Prints the mirror of Debian itself in the system's apt sources. Without package lists
# only --no-release-info shows anything. The $(...) are apt's, not the shell's.
# shellcheck disable=SC2016
system_mirror() {
    apt-get indextargets --no-release-info --format '$(REPO_URI)|$(RELEASE)' \
        'Created-By: Packages' 'Component: main' 2>/dev/null |
        awk -F'|' '$1 ~ /\/debian\/$/ && $2 !~ /security/ && !seen { print $1; seen = 1 }'
}

remove_old_room() {
    local mounted
    [[ -n $(ls -A -- "$room" 2>/dev/null) ]] || return 0
    [[ -f $room/$mark ]] || die 2 "$room is neither empty nor a room that this script made"
    mounted=$(mounts_below "$room")
    [[ -z $mounted ]] || die 3 "not removing $room, something is mounted there: $mounted"
    say "removing the old room"
    # Once more against a mount that came since: it would have another device number.
    rm -rf --one-file-system -- "$room"
}

# Proxies and the like, so that the room reaches the mirror as this machine does. Not
# the whole apt.conf: its hooks call programs that the room does not have. Not
# IndexTargets: they are what other programs want downloaded.
copy_apt_settings() {
    apt-config dump 2>/dev/null | grep '^Acquire::' | grep -v '^Acquire::IndexTargets' \
        >"$room/etc/apt/apt.conf.d/00cleanroom" || :
    cp -L /etc/resolv.conf /etc/hosts "$room/etc/" 2>/dev/null || :
}

# The authorities that this machine trusts beside Debian's: ca-certificates takes them up when it is
# installed. Not the other way round, a room on a plain machine stays plain.
copy_authorities() {
    local from=/usr/local/share/ca-certificates
    compgen -G "$from/*.crt" >/dev/null || return 0
    mkdir -p -- "$room$from"
    cp -L -- "$from"/*.crt "$room$from/"
}

make_room() {
    local mirror include=$packages
    command -v debootstrap >/dev/null || die 3 "no debootstrap (apt-get install debootstrap)"
    mirror=$(system_mirror)
    [[ -n $mirror ]] || die 3 "the apt sources name no Debian mirror"
    case $mirror in
    https:*) include=${include:+$include,}ca-certificates ;; # without it the room cannot reach it
    esac
    mkdir -p -- "$room"
    : >"$room/$mark"
    say "making a bare Debian ($suite)"
    debootstrap --variant=minbase ${include:+"--include=$include"} "$suite" "$room" "$mirror" \
        >"$room/$mark" 2>&1 || {
        tail -n 12 "$room/$mark" >&2
        die 3 "debootstrap failed"
    }
    # As on a machine never used: no lists, no packages kept.
    rm -rf -- "$room"/var/lib/apt/lists/* "$room"/var/cache/apt/archives/*.deb
    copy_apt_settings
    copy_authorities
    mkdir -p -- "$room$place"
}

clone_repository() {
    say "cloning $repo"
    # Links to the original's objects would not be what a stranger gets.
    git clone --quiet --no-hardlinks -- "$repo" "$room$inside" || die 3 "cannot clone $repo"
}

# --- inside -------------------------------------------------------------------------

# Only the harmless devices: the command is root, the machine's disks are none of its
# business.
mount_devices() {
    local device
    mount -t tmpfs -o mode=755 cleanroom "$room/dev"
    for device in null zero full random urandom tty; do
        : >"$room/dev/$device"
        mount --bind "/dev/$device" "$room/dev/$device"
    done
    mkdir "$room/dev/pts" "$room/dev/shm"
    mount -t devpts -o newinstance,ptmxmode=0666 cleanroom "$room/dev/pts"
    mount -t tmpfs -o mode=1777 cleanroom "$room/dev/shm"
    ln -s pts/ptmx "$room/dev/ptmx"
    ln -s /proc/self/fd "$room/dev/fd"
    ln -s /proc/self/fd/0 "$room/dev/stdin"
    ln -s /proc/self/fd/1 "$room/dev/stdout"
    ln -s /proc/self/fd/2 "$room/dev/stderr"
}

bind_read_only() {
    mount --rbind "$1" "$2"
    mount -o remount,bind,ro "$2"
}

# shellcheck disable=SC2317  # called by trap
unmount_all() {
    cd /
    mounts_below "$room" | sort -r | while read -r point; do
        umount -- "$point" 2>/dev/null || umount --lazy -- "$point" || :
    done
}

run_command() {
    local name keep=() status=0
    trap unmount_all EXIT
    say "running in the room: ${command%%$'\n'*}"
    mount -t proc proc "$room/proc"
    bind_read_only /sys "$room/sys"
    mount_devices
    if [[ -n $shared ]]; then
        mkdir -p -- "$room$place/shared"
        bind_read_only "$shared" "$room$place/shared"
    fi
    if command -v npm >/dev/null; then
        keep+=("npm_config_registry=$(npm config get registry)")
    fi
    for name in TERM http_proxy https_proxy ftp_proxy all_proxy no_proxy \
        HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY; do
        [[ -z ${!name:-} ]] || keep+=("$name=${!name}")
    done
    # shellcheck disable=SC2016  # for the shell inside
    chroot "$room" /usr/bin/env -i ${keep[@]+"${keep[@]}"} HOME=/root LANG=C.UTF-8 \
        PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        /bin/sh -c 'cd "$1" && eval "$2"' sh "$inside" "$command" || status=$?
    exit "$status"
}

# Starts this script once more, as first process of new namespaces, and returns its status.
# In the background and waited for, because bash runs a trap only between commands; the
# death of this shell is that of unshare (--pdeathsig), and that of all inside
# (--kill-child). Background jobs start with interrupts ignored, which a fresh machine
# would not do to the command: undone by env.
enter_namespaces() {
    local child status=0
    PARETOPILOT_CLEANROOM_INSIDE=yes setpriv --pdeathsig KILL \
        unshare --mount --propagation private --pid --fork --kill-child \
        env --default-signal=INT,QUIT "${BASH_SOURCE[0]}" "$@" <&0 &
    child=$!
    trap 'kill -KILL "$child" 2>/dev/null; exit 130' INT
    trap 'kill -KILL "$child" 2>/dev/null; exit 143' TERM HUP
    wait "$child" || status=$?
    return "$status"
}

# --- main ---------------------------------------------------------------------------

repo=''
shared=''
command='make check'
suite=bookworm
packages=git,make
room=''
arguments=("$@")
while (($# > 0)); do
    case $1 in
    --repo | --shared | --command | --suite | --packages)
        (($# > 1)) || die 2 "$1: value missing"
        printf -v "${1#--}" '%s' "$2"
        shift
        ;;
    -h | --help)
        usage
        exit 0
        ;;
    -*)
        usage >&2
        die 2 "unknown option '$1'"
        ;;
    *)
        [[ -z $room ]] || die 2 "one DIR only, got '$room' and '$1'"
        room=$1
        ;;
    esac
    shift
done
if [[ -z $room ]]; then
    usage >&2
    exit 2
fi
room=$(realpath -m -- "$room")
[[ $room != / ]] || die 2 "/ is no room"
inside=$place
if [[ -n $repo ]]; then
    repo=$(realpath -e -- "$repo") || die 2 "no such repository"
    inside=$place/$(basename -- "$repo" .git)
fi
if [[ -n $shared ]]; then
    shared=$(realpath -e -- "$shared") || die 2 "no such folder to share"
    [[ -d $shared ]] || die 2 "$shared is no folder"
    [[ $inside != "$place/shared" ]] || die 2 "a repository called 'shared' would stand where --shared goes"
fi
[[ $(id -u) == 0 ]] || die 3 "needs root, for debootstrap and chroot"

if [[ $$ != 1 || -z ${PARETOPILOT_CLEANROOM_INSIDE:-} ]]; then
    enter_namespaces "${arguments[@]}"
    exit
fi
# A process 1 ignores signals that it has no handler for.
trap 'exit 130' INT
trap 'exit 143' TERM
remove_old_room
make_room
if [[ -n $repo ]]; then
    clone_repository
fi
run_command
