#!/usr/bin/env bash
# install.sh BUILD BIN MAN DATA - `meson install` puts the program, the man page and shell completion in
# their places, given as folders below the root, and the program runs there. Reports in TAP.
set -u
build=$1
bin=$2
man=$3
data=$4
# shellcheck source=tests/support/checks.sh
. "${PARETOPILOT_SOURCE:?}/tests/support/checks.sh"
make_work
root=$work/root

meson install -C "$build" --no-rebuild --destdir "$root" >"$work/log" 2>&1
report $? "meson install --destdir"
[ "$failed" -eq 0 ] || explain "$work/log"

LC_ALL=C sort >"$work/expected" <<END
.$bin/paretopilot
.$data/bash-completion/completions/paretopilot
.$data/fish/vendor_completions.d/paretopilot.fish
.$data/zsh/site-functions/_paretopilot
.$man/man1/paretopilot.1
END
(cd "$root" && find . -type f | LC_ALL=C sort) >"$work/got"
diff "$work/expected" "$work/got" | explain
cmp -s "$work/expected" "$work/got"
report $? "the files installed are the program, the man page and three completions"

[ "$("$root$bin/paretopilot" --version)" = "$("${PARETOPILOT_BINARY:?}" --version)" ]
report $? "the installed program runs"
[ -z "$(find "$root$man" "$root$data" -type f ! -perm -444)" ]
report $? "everybody may read the man page and the completions"
end
