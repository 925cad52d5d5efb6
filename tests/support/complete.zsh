#!/usr/bin/env zsh
# complete.zsh FOLDER - as complete.bash, for zsh; FOLDER holds _paretopilot.
#
# Completion lives in zsh's line editor, so an interactive zsh runs on a pseudo-terminal, gets the
# line and a Tab, and its compadd notes in a file what it was given.
zmodload zsh/zpty || exit 3
notes=$(mktemp)
setup=$(mktemp)
trap 'rm -f -- $notes $setup' EXIT

cat > $setup <<END
PROMPT= RPROMPT=
fpath=(${(q)1} \$fpath)
autoload -Uz compinit
compinit -D -u
notes=${(q)notes}
compadd() {
    local -a hits
    # These spellings only ask compadd to match words; nothing is offered.
    if [[ "\${(@)@[1,(i)(-|--)]}" == *-(O|A|D)\ * ]]; then
        builtin compadd "\$@"
        return
    fi
    builtin compadd -A hits "\$@"
    (( \$#hits == 0 )) || print -rl -- \$hits >> \$notes
    builtin compadd "\$@"
}
end_of_list() { print -r -- . >> \$notes }
complete_line() {
    comppostfuncs=(end_of_list)
    zle list-choices
}
zle -N complete_line
bindkey '^I' complete_line
print -r -- . >> \$notes
END

wait_for_notes() {
    local i
    for i in {1..1000}; do
        [[ $(tail -n 1 $notes) != . ]] || return 0
        zpty -r -t z > /dev/null
        sleep 0.01
    done
    print -ru2 "complete.zsh: no answer within 10 seconds"
    exit 3
}

zpty z env TERM=dumb zsh -f -i
zpty -w z "source $setup"
wait_for_notes
while IFS= read -r line; do
    : > $notes
    # Twice: zsh asks before it shows a long list, and takes the next key as the answer.
    zpty -w -n z $'\C-u\C-u'$line$'\t'
    wait_for_notes
    words=(${(f)"$(sed '$d' $notes | LC_ALL=C sort -u)"})
    print -r -- "$words"
done
zpty -d z
