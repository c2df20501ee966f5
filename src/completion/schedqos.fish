# SPDX-License-Identifier: GPL-2.0-only
# fish completion for schedqos(8)

complete -c schedqos -f
complete -c schedqos -s h -l help -d 'Show help'
complete -c schedqos -n __fish_use_subcommand -s V -l version -d 'Show the version'

complete -c schedqos -n __fish_use_subcommand -a start -d 'Run the daemon'
complete -c schedqos -n __fish_use_subcommand -a stop -d 'End the daemon and put every task back'
complete -c schedqos -n __fish_use_subcommand -a restart -d 'Stop the daemon if it runs, then start'
complete -c schedqos -n __fish_use_subcommand -a reload -d 'Have the daemon read its configuration again'
complete -c schedqos -n __fish_use_subcommand -a check -d 'Validate the configuration'
complete -c schedqos -n __fish_use_subcommand -a edit -d 'Edit the configuration, check it, put it in force'
complete -c schedqos -n __fish_use_subcommand -a status -d 'Show what the daemon does and has done'
complete -c schedqos -n __fish_use_subcommand -a explain -d 'Say why a task has its class'
complete -c schedqos -n __fish_use_subcommand -a sched_profile -d 'Apply a sched profile, or list them'
complete -c schedqos -n __fish_use_subcommand -a restore -d 'Put back what a daemon that was killed has left'
complete -c schedqos -n __fish_use_subcommand -a doctor -d 'Find what keeps classes from having their effect'
complete -c schedqos -n __fish_use_subcommand -a import -d 'Turn the rules of ananicy into a rules file'

complete -c schedqos -n '__fish_seen_subcommand_from start restart' -s d -l daemon -d 'Go to the background'
complete -c schedqos -n '__fish_seen_subcommand_from start restart' -s v -l verbose -d 'Log at debug level'
complete -c schedqos -n '__fish_seen_subcommand_from start restart check edit explain sched_profile doctor' -l config -r -F -d 'Use this file instead of /etc/schedqos.json'
complete -c schedqos -n '__fish_seen_subcommand_from start restart check edit explain sched_profile doctor' -l configs-path -x -a '(__fish_complete_directories)' -d 'Use only this folder'
complete -c schedqos -n '__fish_seen_subcommand_from check' -F
complete -c schedqos -n '__fish_seen_subcommand_from check' -l print -d 'Print the merged result'
complete -c schedqos -n '__fish_seen_subcommand_from check' -l diff -d 'Print what differs from what is in force'
complete -c schedqos -n '__fish_seen_subcommand_from status' -l metrics -d 'Print as OpenMetrics text'
complete -c schedqos -n '__fish_seen_subcommand_from status' -l watch -d 'Print again every 2 seconds'
complete -c schedqos -n '__fish_seen_subcommand_from status explain doctor' -l json -d 'Print as JSON'
complete -c schedqos -n '__fish_seen_subcommand_from explain' -l name -x -d 'A program that need not run'
complete -c schedqos -n '__fish_seen_subcommand_from explain' -l thread -x -d 'The name of a thread of it'
complete -c schedqos -n '__fish_seen_subcommand_from explain' -l exe -r -F -d 'Its executable'
complete -c schedqos -n '__fish_seen_subcommand_from explain' -l argv -x -d 'Its next argument'
complete -c schedqos -n '__fish_seen_subcommand_from explain' -l cgroup -x -d 'The cgroup that it is in'
complete -c schedqos -n '__fish_seen_subcommand_from explain' -l user -x -a '(__fish_complete_users)' -d 'Who runs it'
complete -c schedqos -n '__fish_seen_subcommand_from explain' -a '(__fish_complete_pids)'
complete -c schedqos -n '__fish_seen_subcommand_from sched_profile' -l none -d 'Apply none'
complete -c schedqos -n '__fish_seen_subcommand_from sched_profile' -a '(schedqos sched_profile 2> /dev/null | string replace -r "^.." "")'
complete -c schedqos -n '__fish_seen_subcommand_from import' -F
complete -c schedqos -n '__fish_seen_subcommand_from import' -a ananicy -d 'Rules of ananicy'
complete -c schedqos -n '__fish_seen_subcommand_from import' -s o -l output -r -F -d 'Write into this file or folder'
complete -c schedqos -n '__fish_seen_subcommand_from import' -l exact -d 'Make classes with the values of the types'
complete -c schedqos -n '__fish_seen_subcommand_from import' -l skip-doubtful -d 'Leave out names that unrelated programs share'
