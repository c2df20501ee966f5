#compdef schedqos
# SPDX-License-Identifier: GPL-2.0-only
# zsh completion for schedqos(8)

_schedqos_verbs()
{
	local -a verbs=(
		'start:run the daemon'
		'stop:stop the daemon and put every task back'
		'restart:stop the daemon if it runs, then start'
		'reload:make the daemon read its configuration again'
		'check:validate the configuration'
		'edit:edit and check the configuration, then apply it'
		'status:show what the daemon does and has done'
		'list:show every process with its class'
		'top:show what classes and programs use, and how long they wait'
		'explain:say why a task, or a program of that name, has its class'
		'sched_profile:apply a sched profile, or list them'
		'set:give a process a class, overriding its rule'
		'reset:undo what set or run did'
		'run:run a command in a class, overriding its rule'
		'limit:cap the class of a process tree or cgroup, until Ctrl-C'
		'restore:undo what a killed daemon left behind'
		'weights:give units their cpu weights (for the service)'
		'bridge:let users ask for classes on the system bus (for the service)'
		'focus:follow what a session shows and plays (for its service)'
		'doctor:find what makes classes ineffective here'
		'import:turn the rules of ananicy into a rules file'
	)

	_describe verb verbs
}

# The first two characters of a line are the mark of the current one.
_schedqos_profiles()
{
	local -a profiles=(${${(f)"$(_call_program profiles schedqos sched_profile 2> /dev/null)"}#??})

	_describe profile profiles
}

# Of the configuration.
_schedqos_classes()
{
	local -a classes=(${${(M)${(f)"$(_call_program classes schedqos check --print 2> /dev/null)"}:#$'\t"'QOS_*}//[^A-Za-z0-9_]/})

	_describe class classes
}

# Those that there are.
_schedqos_mappings()
{
	local -a mappings=(announcement /usr/share/schedqos/mappings/*.json(N:t:r) /etc/schedqos/mappings/*.json(N:t:r))

	compadd -a mappings
}

# The values that the tasks of this moment have for a key of `list --json`.
_schedqos_listed()
{
	local -aU values=(${(f)"$(_call_program values schedqos list --json 2> /dev/null |
		sed -n "s/^\t\t\"$1\": \"\(.*\)\",*\$/\1/p")"})

	compadd -a values
}

_schedqos()
{
	local curcontext=$curcontext state line
	local -a help=('(- *)'{-h,--help}'[show help]')
	local -a paths=(
		'--config[use this file instead of /etc/schedqos.json]:file:_files'
		'--configs-path[use only this folder]:folder:_files -/'
	)
	local -a mapping=('--mapping[instead of the mapping that the files name]:mapping:_schedqos_mappings')

	_arguments -C $help '(- *)'{-V,--version}'[show the version]' \
		'1: :_schedqos_verbs' '*:: :->verb'
	[[ $state == verb ]] || return
	case $words[1] in
	(start|restart)
		_arguments $help $paths $mapping '(-d --daemon)'{-d,--daemon}'[go to the background]' \
			'(-v --verbose)'{-v,--verbose}'[log at debug level]'
		;;
	(stop|reload|restore|top)
		_arguments $help
		;;
	(check)
		_arguments $help $paths $mapping '--print[print the merged result]' \
			'--diff[print what differs from what is in force]' '*:file or folder:_files'
		;;
	(edit)
		_arguments $help $paths
		;;
	(status)
		_arguments $help '--json[print as JSON]' '--metrics[print as OpenMetrics text]'
		;;
	(set)
		_arguments $help '--inherit[together with its descendants]' '1:process:_pids' '2:class:_schedqos_classes'
		;;
	(reset)
		_arguments $help '1:process:_pids'
		;;
	(run)
		_arguments $help '(-q --qos)'{-q,--qos}'[the class]:class:_schedqos_classes' \
			'--inherit[together with its descendants]' '(-)1:command:_command_names' '*::argument:_normal'
		;;
	(limit)
		_arguments $help '(--lift)--keep[until the process or cgroup ends, and return]' \
			'(--keep)--lift[end every limit for it]' \
			'1:process or cgroup:{_alternative "pids\:process\:_pids" "folders\:cgroup\:_files -/"}' \
			'2:class:_schedqos_classes'
		;;
	(list)
		_arguments $help '--class[only tasks of this class]:class:_schedqos_listed class' \
			'--app[only those of this rule or program]:app:_schedqos_listed app' \
			'--json[print as JSON]'
		;;
	(explain)
		_arguments $help $paths '--json[print as JSON]' '--name[a program that need not run]:name:_files' \
			'--against[what ranks the two]:process:_pids' '1:process:_pids'
		;;
	(sched_profile)
		_arguments $help $paths '--none[apply none]' '1:profile:_schedqos_profiles'
		;;
	(import)
		_arguments $help '1:whose rules:(ananicy)' '*:file or folder:_files'
		;;
	(weights)
		_arguments $help $paths '--user[of your own service manager]' '--restore[put back what one that was killed has set]'
		;;
	(bridge)
		_arguments $help '--system76[serve com.system76.Scheduler instead]'
		;;
	(focus)
		_arguments $help '--print[print what is seen, and tell nobody]'
		;;
	(doctor)
		_arguments $help $paths '--json[print as JSON]'
		;;
	esac
}

_schedqos "$@"
