# SPDX-License-Identifier: GPL-2.0-only
# fish completion for schedqos(8)

# The values that the tasks of this moment have for a key of `list --json`.
function __schedqos_listed
    schedqos list --json 2> /dev/null | string replace -rf '^\t\t"'$argv[1]'": "(.*)",?$' '$1' | sort -u
end

# The mappings that there are.
function __schedqos_mappings
    echo announcement
    for file in /usr/share/schedqos/mappings/*.json /etc/schedqos/mappings/*.json
        string replace -r '.*/(.*)\.json' '$1' $file
    end
end

complete -c schedqos -f
complete -c schedqos -s h -l help -d 'Show help'
complete -c schedqos -n __fish_use_subcommand -s V -l version -d 'Show the version'

complete -c schedqos -n __fish_use_subcommand -a start -d 'Run the daemon'
complete -c schedqos -n __fish_use_subcommand -a stop -d 'End the daemon and put every task back'
complete -c schedqos -n __fish_use_subcommand -a restart -d 'Stop the daemon if it runs, then start'
complete -c schedqos -n __fish_use_subcommand -a reload -d 'Have the daemon read its configuration again'
complete -c schedqos -n __fish_use_subcommand -a check -d 'Validate the configuration'
complete -c schedqos -n __fish_use_subcommand -a edit -d 'Edit and check the configuration, then apply it'
complete -c schedqos -n __fish_use_subcommand -a status -d 'Show what the daemon does and has done'
complete -c schedqos -n __fish_use_subcommand -a list -d 'Show every process with its class'
complete -c schedqos -n __fish_use_subcommand -a top -d 'Show what classes and programs use, and how long they wait'
complete -c schedqos -n __fish_use_subcommand -a explain -d 'Say why a task has its class'
complete -c schedqos -n __fish_use_subcommand -a sched_profile -d 'Apply a sched profile, or list them'
complete -c schedqos -n __fish_use_subcommand -a set -d 'Give a process a class, overriding its rule'
complete -c schedqos -n __fish_use_subcommand -a reset -d 'Undo what set or run did'
complete -c schedqos -n __fish_use_subcommand -a run -d 'Run a command in a class, overriding its rule'
complete -c schedqos -n __fish_use_subcommand -a limit -d 'Cap the class of a process tree or cgroup, until Ctrl-C'
complete -c schedqos -n __fish_use_subcommand -a restore -d 'Undo what a killed daemon left behind'
complete -c schedqos -n __fish_use_subcommand -a weights -d 'Give units their cpu weights (for the service)'
complete -c schedqos -n __fish_use_subcommand -a bridge -d 'Let users ask for classes on the system bus (for the service)'
complete -c schedqos -n __fish_use_subcommand -a focus -d 'Follow what a session shows and plays (for its service)'
complete -c schedqos -n __fish_use_subcommand -a doctor -d 'Find what keeps classes from having their effect'
complete -c schedqos -n __fish_use_subcommand -a import -d 'Turn the rules of ananicy into a rules file'

complete -c schedqos -n '__fish_seen_subcommand_from start restart' -s d -l daemon -d 'Go to the background'
complete -c schedqos -n '__fish_seen_subcommand_from start restart' -s v -l verbose -d 'Log at debug level'
complete -c schedqos -n '__fish_seen_subcommand_from start restart check edit explain sched_profile weights doctor' -l config -r -F -d 'Use this file instead of /etc/schedqos.json'
complete -c schedqos -n '__fish_seen_subcommand_from start restart check edit explain sched_profile weights doctor' -l configs-path -x -a '(__fish_complete_directories)' -d 'Use only this folder'
complete -c schedqos -n '__fish_seen_subcommand_from start restart check' -l mapping -x -a '(__schedqos_mappings)' -d 'Instead of the mapping that the files name'
complete -c schedqos -n '__fish_seen_subcommand_from check' -F
complete -c schedqos -n '__fish_seen_subcommand_from check' -l print -d 'Print the merged result'
complete -c schedqos -n '__fish_seen_subcommand_from status explain list doctor' -l json -d 'Print as JSON'
complete -c schedqos -n '__fish_seen_subcommand_from list' -l class -x -a '(__schedqos_listed class)' -d 'Only tasks of this class'
complete -c schedqos -n '__fish_seen_subcommand_from list' -l app -x -a '(__schedqos_listed app)' -d 'Only those of this rule or program'
complete -c schedqos -n '__fish_seen_subcommand_from check' -l diff -d 'Print what differs from what is in force'
complete -c schedqos -n '__fish_seen_subcommand_from status' -l metrics -d 'Print as OpenMetrics text'
complete -c schedqos -n '__fish_seen_subcommand_from explain' -l name -r -F -d 'A program that need not run'
complete -c schedqos -n '__fish_seen_subcommand_from explain' -l against -x -a '(__fish_complete_pids)' -d 'What ranks the two'
complete -c schedqos -n '__fish_seen_subcommand_from explain' -a '(__fish_complete_pids)'
complete -c schedqos -n '__fish_seen_subcommand_from sched_profile' -l none -d 'Apply none'
complete -c schedqos -n '__fish_seen_subcommand_from sched_profile' -a '(schedqos sched_profile 2> /dev/null | string replace -r "^.." "")'
complete -c schedqos -n '__fish_seen_subcommand_from import' -F
complete -c schedqos -n '__fish_seen_subcommand_from import' -a ananicy -d 'Rules of ananicy'
complete -c schedqos -n '__fish_seen_subcommand_from focus' -l print -d 'Print what is seen, and tell nobody'
complete -c schedqos -n '__fish_seen_subcommand_from weights' -l user -d 'Of your own service manager'
complete -c schedqos -n '__fish_seen_subcommand_from weights' -l restore -d 'Put back what one that was killed has set'
complete -c schedqos -n '__fish_seen_subcommand_from bridge' -l system76 -d 'Serve com.system76.Scheduler instead'

function __schedqos_classes
	schedqos check --print 2> /dev/null | string match -rg '^\s*"(QOS_\w+)": \{'
end

complete -c schedqos -n '__fish_seen_subcommand_from set run' -l inherit -d 'Together with its descendants'
complete -c schedqos -n '__fish_seen_subcommand_from run' -s q -l qos -x -a '(__schedqos_classes)' -d 'The class'
complete -c schedqos -n '__fish_seen_subcommand_from run' -a '(__fish_complete_subcommand)'
complete -c schedqos -n '__fish_seen_subcommand_from set reset limit' -a '(__fish_complete_pids)'
complete -c schedqos -n '__fish_seen_subcommand_from set limit' -a '(__schedqos_classes)'
complete -c schedqos -n '__fish_seen_subcommand_from limit' -F
complete -c schedqos -n '__fish_seen_subcommand_from limit' -l keep -d 'Until the process or cgroup ends, and return'
complete -c schedqos -n '__fish_seen_subcommand_from limit' -l lift -d 'End every limit for it'
