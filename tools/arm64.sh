#!/usr/bin/env bash
# arm64.sh BUILD NATIVE - build for arm64 into BUILD, run its tests under qemu-user, and compare every
# document with that of the build for this machine, NATIVE.
#
# The libraries come from Debian's arm64 packages of this system's own suite, unpacked into a sysroot
# in the build cache (apt_unpack.sh); no foreign architecture is added to the system.
#
# Exit: 0 all passed, or this machine is arm64 itself and its own tests are the check (then there are no
# results below BUILD); 1 something failed; 3 this machine cannot check arm64, and the last line on
# standard error says why.
set -euo pipefail
export LC_ALL=C
unset CDPATH

build=$1
native=$2
tools_dir=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
cache_dir=${PARETOPILOT_CACHE_DIR:-${tools_dir%/*}/build/cache}
[[ $cache_dir == /* ]] || cache_dir=$PWD/$cache_dir
triplet=aarch64-linux-gnu
arch=arm64
own_way="arm64 is not checked here"
# shellcheck source=tools/apt_unpack.sh
. "$tools_dir/apt_unpack.sh"

say() { printf 'arm64.sh: %s\n' "$*" >&2; }

die() {
    local code=$1
    shift
    say "$*"
    exit "$code"
}

find_tools() {
    local missing
    missing=$(apt_missing_programs)
    [[ -z $missing ]] || die 3 "no ${missing%%$'\n'*}, so no arm64 libraries; $own_way"
    entries=$(apt_debian_entries)
    [[ -n $entries ]] || die 3 "the apt sources name no Debian mirror, which would have the arm64 libraries (Ubuntu keeps them elsewhere); $own_way"
    command -v $triplet-gcc >/dev/null || die 3 "no $triplet-gcc (package gcc-$triplet); $own_way"
    emulator=$(command -v qemu-aarch64-static || command -v qemu-aarch64) ||
        die 3 "no qemu-aarch64-static (package qemu-user-static); $own_way"
}

# --- libraries ----------------------------------------------------------------------

# Debian before 13 ships libraries in /lib, later ones in /usr/lib, where the loader is not looked for.
# Links that lead to / would leave the sysroot.
mend_links() {
    local tree=$1 link target
    [[ -e $tree/lib ]] || ln -s usr/lib "$tree/lib"
    find "$tree" -type l -lname '/*' -print0 | while IFS= read -r -d '' link; do
        target=$(readlink -- "$link")
        ln -sfn -- "$(realpath -m --relative-to="${link%/*}" -- "$tree$target")" "$link"
    done
}

# Sets sysroot. One folder per set of sources and libraries; it never changes once it has its name.
make_sysroot() {
    local store=$cache_dir/sysroot lines
    mapfile -t packages < <("$tools_dir/setup.sh" --libraries)
    mapfile -t lines <<<"$entries"
    apt_check_path "$store"
    mkdir -p -- "$store" || die 3 "cannot write to $store; $own_way"
    store=$(cd -- "$store" && pwd -P)
    sysroot=$store/arm64-$(printf '%s\n' "${packages[@]}" "${lines[@]}" | sha256sum | cut -c1-12)
    [[ ! -d $sysroot ]] || return 0
    apt_lock "$store/lock" && [[ -d $sysroot ]] && return
    work=$store/arm64.fetch
    apt_write_files "${lines[@]}"
    apt_update
    apt_resolve
    apt_download
    apt_unpack "$sysroot.partial"
    mend_links "$sysroot.partial"
    cp "$work/PACKAGES" "$sysroot.partial/PACKAGES"
    mv -T -- "$sysroot.partial" "$sysroot"
    rm -rf -- "$work"
}

# --- building -----------------------------------------------------------------------

quoted() { printf "'%s'" "${1//\'/\\\'}"; }

# One path that starts an arm64 program, for Meson and for the scripts of the tests.
write_wrapper() {
    printf "#!/bin/sh\nexec '%s' -L '%s' \"\$@\"\n" "$emulator" "${sysroot//\'/\'\\\'\'}" >"$build/emulate"
    chmod 755 "$build/emulate"
}

# There is no aarch64-linux-gnu-pkg-config; the native one is told where to look.
write_cross_file() {
    local root libraries emulate
    root=$(quoted "$sysroot")
    emulate=$(quoted "$build/emulate")
    libraries="'-L' + $root + '/usr/lib/$triplet', '-Wl,-rpath-link,' + $root + '/usr/lib/$triplet:' + $root + '/lib/$triplet'"
    cat <<END
[binaries]
c = '$triplet-gcc'
ar = '$triplet-ar'
strip = '$triplet-strip'
pkgconfig = 'pkg-config'
exe_wrapper = $emulate

[built-in options]
c_args = ['--sysroot=' + $root]
c_link_args = ['--sysroot=' + $root, $libraries]

[properties]
emulate = $emulate
sys_root = $root
pkg_config_libdir = $root + '/usr/lib/$triplet/pkgconfig:' + $root + '/usr/share/pkgconfig'

[host_machine]
system = 'linux'
cpu_family = 'aarch64'
cpu = 'aarch64'
endian = 'little'
END
}

# Set up anew when the sysroot or a path changed: Meson does not notice.
build_it() {
    write_wrapper
    write_cross_file >"$build/cross.new"
    if ! cmp -s "$build/cross.new" "$build/cross.ini" || [[ ! -e $build/meson/build.ninja ]]; then
        rm -rf "$build/meson"
        cp "$build/cross.new" "$build/cross.ini"
        meson setup "$build/meson" --cross-file "$build/cross.ini" >"$build/log.txt" 2>&1 ||
            { cat "$build/log.txt" >&2; die 1 "cannot set up the build for arm64"; }
    fi
    ninja -C "$build/meson" --quiet >"$build/log.txt" 2>&1 ||
        { cat "$build/log.txt" >&2; die 1 "cannot build for arm64"; }
}

junit=$build/meson/meson-logs/testlog.junit.xml
rm -f -- "$junit"
if [[ $(uname -m) == aarch64 ]]; then
    say "this machine is arm64: 'make check' itself is the check"
    exit 0
fi
find_tools
make_sysroot
mkdir -p "$build"
build=$(cd -- "$build" && pwd -P)
native=$(cd -- "$(dirname -- "$native")" && pwd -P)/${native##*/}
say "building for arm64"
build_it
export PARETOPILOT_NATIVE_BINARY=$native
if llama_dir=$("$tools_dir/llama.sh" --arch arm64); then
    export PARETOPILOT_LLAMA_DIR=$llama_dir
else
    unset PARETOPILOT_LLAMA_DIR
    say "no llama.cpp for arm64; the tests that start it will be skipped"
fi
say "testing under ${emulator##*/}"
code=0
# Translated code is slow, and the machine may be busy.
meson test -C "$build/meson" --no-rebuild --print-errorlogs --timeout-multiplier 4 || code=1
sed -n 's/^# \(arm64: .*documents\)/\1/p' "$build/meson/meson-logs/testlog.txt"
exit "$code"
