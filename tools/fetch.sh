# fetch.sh - downloads of which size and digest are known beforehand. Sourced by get-models.sh and
# build-engines.sh, which define say and die.
#
# HTTPS only, also behind redirects; nobody's .curlrc is read. What came is under FILE.partial until size
# and digest are right, so FILE is always whole. A download that broke goes on where it stopped.
# shellcheck shell=bash

readonly fetch_connect_seconds=30
readonly fetch_retries=5
fetch_pause_seconds=${PARETOPILOT_FETCH_PAUSE_SECONDS:-5} # before a retry

file_size() { stat -c %s -- "$1"; }
file_sha256() { sha256sum <"$1" | cut -c1-64; }

# fetch_matches FILE BYTES SHA256 - size first, because a wrong one is found at once; says what differs
fetch_matches() {
    local size sha
    size=$(file_size "$1")
    if [[ $size != "$2" ]]; then
        say "'$1': found $size bytes, expected $2"
        return 1
    fi
    sha=$(file_sha256 "$1")
    if [[ $sha != "$3" ]]; then
        say "'$1': found SHA-256 $sha, expected $3"
        return 1
    fi
}

# fetch_try URL PARTIAL BYTES DEADLINE - one transfer; prints the status code of HTTP
# A server may send without end: the limit on file sizes (in KiB) ends curl soon behind BYTES.
fetch_try() {
    local left=$(($4 - SECONDS))
    ((left > 0)) || left=1 # the second has just passed; curl takes 0 for no limit
    (
        trap '' XFSZ
        ulimit -f $(($3 / 1024 + 64))
        exec curl --disable --silent --show-error --fail --location --max-redirs 10 \
            --proto '=https' --proto-redir '=https' \
            --connect-timeout "$fetch_connect_seconds" --max-time "$left" \
            --continue-at - --output "$2" --write-out '%{http_code}' -- "$1"
    )
}

# fetch_may_retry CURL_EXIT HTTP_STATUS - the network's or the server's passing troubles
fetch_may_retry() {
    case $1 in
    5 | 6 | 7 | 16 | 18 | 28 | 35 | 52 | 55 | 56 | 92) return 0 ;;
    22) case $2 in 408 | 429 | 5??) return 0 ;; esac ;;
    esac
    return 1
}

# fetch_ready PARTIAL BYTES - true when all is there; what is too long is no beginning of it
fetch_ready() {
    [[ -e $1 ]] || return 1
    (($(file_size "$1") <= $2)) || rm -f -- "$1"
    [[ -e $1 ]] && (($(file_size "$1") == $2))
}

# fetch_transfer URL PARTIAL BYTES SECONDS - until the server says that PARTIAL is all, or it has BYTES; dies
# with 3 when it cannot be had, and with 1 when there is more of it
fetch_transfer() {
    local url=$1 partial=$2 bytes=$3 deadline=$((SECONDS + $4)) retries=0 code status
    while ! fetch_ready "$partial" "$bytes"; do
        ((SECONDS < deadline)) || die 3 "'$url': not whole after $4 s; the next run goes on from here"
        code=0
        status=$(fetch_try "$url" "$partial" "$bytes" "$deadline") || code=$?
        ((code != 0)) || return 0
        if [[ -e $partial ]] && (($(file_size "$partial") > bytes)); then
            rm -f -- "$partial"
            die 1 "'$url' sends more than $bytes bytes; it was thrown away"
        fi
        ((retries < fetch_retries)) || die 3 "'$url': given up after $retries retries"
        retries=$((retries + 1))
        if ((code == 33)); then
            say "'$url': the server cannot go on in the middle; from the start again"
            rm -f -- "$partial"
        elif fetch_may_retry "$code" "$status"; then
            say "'$url': curl ended with $code, retry $retries of $fetch_retries"
            sleep "$fetch_pause_seconds"
        else
            die 3 "'$url': curl ended with $code (HTTP status ${status:-none}); no retry would help"
        fi
    done
}

# fetch_file URL FILE BYTES SHA256 SECONDS - FILE is there and right, or the script ends: 1 for another
# content, 2 for a URL that is not https, 3 when it cannot be had. An existing file is never replaced.
fetch_file() {
    local url=$1 file=$2 bytes=$3 sha=$4 partial=$2.partial
    if [[ -e $file || -L $file ]]; then
        fetch_matches "$file" "$bytes" "$sha" || die 1 "'$file' is another file; nothing is overwritten"
        say "'$file' is there already"
        return
    fi
    [[ $url == https://* ]] || die 2 "'$url': expected an address that begins with https://"
    say "fetching '$url', $bytes bytes"
    fetch_transfer "$url" "$partial" "$bytes" "$5"
    if ! fetch_matches "$partial" "$bytes" "$sha"; then
        rm -f -- "$partial"
        die 1 "'$url' has another content than expected; it was thrown away"
    fi
    ln -T -- "$partial" "$file" || die 2 "'$file' has appeared meanwhile; nothing is overwritten"
    rm -f -- "$partial"
    say "'$file' is whole"
}
