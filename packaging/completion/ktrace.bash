# SPDX-License-Identifier: BSD-3-Clause
# Completion of ktrace for bash: the command itself knows its verbs, options and libraries. Without an offer of it, files.
_ktrace()
{
    local i
    COMPREPLY=()
    for ((i = 1; i < COMP_CWORD; i++)); do
        [ "${COMP_WORDS[i]}" = -- ] || continue
        if declare -F _command_offset >/dev/null; then
            _command_offset $((i + 1))
        elif ((COMP_CWORD == i + 1)); then
            mapfile -t COMPREPLY < <(compgen -c -- "${COMP_WORDS[COMP_CWORD]}")
        fi
        return
    done
    mapfile -t COMPREPLY < <("${COMP_WORDS[0]}" help --complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _ktrace ktrace
