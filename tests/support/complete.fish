#!/usr/bin/env fish
# complete.fish SCRIPT - as complete.bash, for fish. Folders lose the slash that fish puts behind them,
# joined values the option before them.
source $argv[1]
while read -l line
    set -l words (complete -C $line | string replace -r '\t.*' '' | string replace -r '/$' '' \
        | string replace -r '^--[a-z-]*=' '' | LC_ALL=C sort)
    echo "$words"
end
