# SPDX-License-Identifier: GPL-2.0-only
# fish completion for schedqos(8). Verbs and options are those that --help tells; below is what its words in capitals mean.

# The words that may stand for one of the help.
function __schedqos_words
    switch $argv[1]
        case ananicy
            echo ananicy
        case CLASS
            schedqos check --print 2> /dev/null | string match -rg '^\s*"(QOS_\w+)": \{'
        case MAPPING
            echo announcement
            for file in /usr/share/schedqos/mappings/*.json /etc/schedqos/mappings/*.json
                string replace -r '.*/(.*)\.json' '$1' $file
            end
        case PROFILE # the first two characters of a line are the mark of the current one
            schedqos sched_profile 2> /dev/null | string replace -r '^..' ''
        case PATTERN
            schedqos list --json 2> /dev/null | string match -rg '^\t\t"app": "(.*)",?$' | sort -u
        case PID
            __fish_complete_pids
        case COMMAND
            __fish_complete_subcommand
        case NAME FILE
            __fish_complete_path (commandline -ct)
        case DIR CGROUP
            __fish_complete_directories (commandline -ct)
    end
end

function __schedqos_verbs
    # What a verb is for is in the line below it.
    schedqos --help | sed -n '/^  [a-z]/{N;s/^  \([a-z_]*\).*\n */\1\t/p;};s/^  \(--[a-z]*\)  *\(show[^;]*\).*/\1\t\2/p'
end

function __schedqos_arguments
    set -l words (commandline -opc)
    set -l help (schedqos $words[2] --help 2> /dev/null)
    set -l kinds
    string match -rq -- '^-[a-z-]+$' $words[-1]; and set kinds (string match -rg -- "^  .*$words[-1](?:, \S+)? ([A-Z]+) " $help)
    if test -z "$kinds"; and string match -q -- '-*' (commandline -ct)
        string replace -rf '^  .*?(--[\w-]+)( [A-Z]+)?  *(.*)' '$1\t$3' $help
        string replace -rf '^  (-\w), .*?  +(.*)' '$1\t$2' $help
        return
    end
    # In the first line the operands are what is left without the options.
    test -n "$kinds"; or set kinds (string replace -ra '^.*schedqos \w+|\[-[^]]*\]|-\w [A-Z]+' '' $help[1] | string match -ra '[A-Za-z]+')
    for kind in $kinds
        __schedqos_words $kind
    end
end

complete -c schedqos -f
complete -c schedqos -n __fish_use_subcommand -a '(__schedqos_verbs)'
complete -c schedqos -n 'not __fish_use_subcommand' -a '(__schedqos_arguments)'
