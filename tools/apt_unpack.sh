# apt_unpack.sh - packages of any Debian suite and architecture, unpacked into a folder. Sourced.
#
# A private apt with its own lists, cache and (empty) package database resolves and downloads, libc
# included, so the system keeps its packages, lists and architectures. Mirror, proxies and keys
# are the system's own: signatures are checked and no address stands here.
#
# Who sources this defines `say TEXT` and `die CODE TEXT` and sets
#   work       folder of the private apt; may be kept to go on with after a stop
#   arch       Debian's name of the architecture
#   packages   array of what is wanted
#   own_way    half a sentence: what to do instead when Debian cannot be reached
# and then calls apt_debian_entries, apt_write_files, apt_update, apt_resolve, apt_download and
# apt_unpack in this order. $work/PACKAGES names what was resolved, one package a line: name,
# version, architecture, SHA-256.
# shellcheck shell=bash
# shellcheck disable=SC2154  # set by who sources this

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

# One line per entry that serves Debian itself or its security updates, and none of the vendors
# whose address also ends in /debian/: 'mirror|suite|file:position'. Addresses decide only on a
# machine that has no lists at all.
apt_debian_entries() {
    local known
    known=$(index_targets)
    if [[ -n $known ]]; then
        awk -F'|' '$2 == "Debian" && $3 ~ /^Debian(-Security)?$/ { print $1 "|" $4 "|" $5 }' <<<"$known"
    else
        index_targets --no-release-info |
            awk -F'|' '$1 ~ /\/debian(-security)?\/$/ { print $1 "|" $4 "|" $5 }'
    fi
}

# The first of them that is no security archive: the mirror that has every suite.
apt_debian_entry() { apt_debian_entries | awk -F'|' '$1 !~ /security/ && $2 !~ /security/ { print; exit }'; }

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

# apt_write_files LINE... - each 'mirror|suite|file:position' is one source.
#
# A file given with -c is read after the system's apt.conf, so Acquire settings such as
# proxies stay in force. What would leave this folder, or would make the answer depend
# on the system's own packages, is set anew.
apt_write_files() {
    local mirror suite entry
    mkdir -p "$work"/{lists/partial,archives/partial,log}
    : >"$work/status"
    # target= keeps indexes out that other programs ask apt for (icons, file contents).
    while IFS='|' read -r mirror suite entry; do
        printf 'deb [arch=%s target=Packages pdiffs=no %s] %s %s main\n' \
            "$arch" "$(signed_by "$entry")" "$mirror" "$suite"
    done < <(printf '%s\n' "$@") >"$work/sources.list"
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

apt_update() {
    say "reading the package lists of Debian ($arch)"
    own_apt apt-get update >"$work/log.txt" 2>&1 && return
    if grep -q 'is expired' "$work/log.txt"; then
        # A mirror that stands still is no reason to do without: signatures still hold.
        say "the mirror's copy of a suite is past its date; using it all the same"
        own_apt apt-get -o Acquire::Check-Valid-Until=false update >"$work/log.txt" 2>&1 && return
    fi
    show_log
    die 3 "cannot read Debian's lists for $arch from this system's mirror (network down, no such suite there, or a signature that does not hold); $own_way"
}

# Writes $work/PACKAGES: everything that is needed, with the digests of the signed
# list. Against the empty status file apt resolves down to libc.
apt_resolve() {
    local wanted
    own_apt apt-get -s -qq install "${packages[@]}" >"$work/plan.txt" 2>"$work/log.txt" || {
        show_log
        die 3 "this mirror cannot satisfy ${packages[*]} for $arch now; try later, or $own_way"
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

apt_download() {
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

# apt_unpack FOLDER
apt_unpack() {
    local into=$1 name version deb_arch
    say "unpacking"
    rm -rf -- "$into"
    mkdir -p "$into"
    while read -r name version deb_arch _; do
        dpkg-deb -x "$work/archives/$(deb_name "$name" "$version" "$deb_arch")" "$into" ||
            die 3 "cannot unpack $name $version"
    done <"$work/PACKAGES"
}

# apt.conf has no quoting inside quotes, and a loader splits its library path at colons.
apt_check_path() {
    case $1 in
    *[:\;\"\\\$]* | *$'\n'*) die 3 "the path of the cache may hold none of : ; \" \\ \$ and no line break: $1" ;;
    esac
}

# The programs this needs, those that are missing.
apt_missing_programs() {
    local program
    for program in apt-get apt-cache dpkg-deb flock sha256sum timeout; do
        command -v "$program" >/dev/null || printf '%s\n' "$program"
    done
}

# Every child inherits the lock. It ends with the last of them, so the run after a
# killed one waits for an apt that lives on instead of meeting it. True when it had to wait:
# what is wanted may be there now.
apt_lock() {
    exec 9>"$1"
    flock -n 9 && return 1
    say "another run is fetching; waiting for it"
    flock -w 1800 9 || die 3 "gave up waiting for the other run"
}
