#!/usr/bin/env bash
# Completes `kubectl changeover`. kubectl runs it with the words after `changeover`, of which the last one is unfinished.
eval "$(kubectl-changeover completions bash)"
COMP_WORDS=(changeover "$@")
COMP_CWORD=$#
# Outside of an interactive shell, bash can't set options of a completion, and says so.
_changeover changeover "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}" 2>/dev/null
for word in "${COMPREPLY[@]}"; do
    echo "$word"
done
# What the shell does by default: it completes files if there is nothing else.
echo ":0"
