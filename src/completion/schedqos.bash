# SPDX-License-Identifier: GPL-2.0-only
# bash completion for schedqos(8)

# The classes of the configuration.
_schedqos_classes()
{
	schedqos check --print 2> /dev/null | sed -n 's/^\t"\(QOS_[A-Za-z0-9_]*\)": {$/\1/p'
}

# The mappings that there are.
_schedqos_mappings()
{
	printf '%s\n' announcement /usr/share/schedqos/mappings/*.json /etc/schedqos/mappings/*.json |
		sed -e '/\*/d' -e 's|.*/||' -e 's|\.json$||'
}

_schedqos_pids()
{
	(cd /proc && printf '%s\n' [0-9]*)
}

# The values that the tasks of this moment have for a key of `list --json`.
_schedqos_listed()
{
	schedqos list --json 2> /dev/null | sed -n "s/^\t\t\"$1\": \"\(.*\)\",*$/\1/p" | sort -u
}

_schedqos()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} words=

	if ((COMP_CWORD == 1)); then
		words='start stop restart reload check edit status explain list top sched_profile set reset run limit restore weights bridge focus doctor import --help --version'
		mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
		return
	fi
	case $prev in
	--config)
		compopt -o filenames
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		return
		;;
	-q | --qos)
		mapfile -t COMPREPLY < <(compgen -W "$(_schedqos_classes)" -- "$cur")
		return
		;;
	--class | --app)
		mapfile -t COMPREPLY < <(compgen -W "$(_schedqos_listed "${prev#--}")" -- "$cur")
		return
		;;
	--configs-path)
		compopt -o filenames
		mapfile -t COMPREPLY < <(compgen -d -- "$cur")
		return
		;;
	--mapping)
		mapfile -t COMPREPLY < <(compgen -W "$(_schedqos_mappings)" -- "$cur")
		return
		;;
	--name)
		compopt -o filenames
		mapfile -t COMPREPLY < <(compgen -c -f -- "$cur")
		return
		;;
	esac
	case ${COMP_WORDS[1]} in
	set)
		words='--inherit --help'
		[[ $cur == -* ]] || words="$(_schedqos_pids) $(_schedqos_classes)"
		;;
	reset)
		words='--help'
		[[ $cur == -* ]] || words=$(_schedqos_pids)
		;;
	run) words='-q --qos --inherit --help' ;;
	limit)
		words='--keep --lift --help'
		[[ $cur == -* ]] || words="$(_schedqos_pids) $(_schedqos_classes)"
		;;
	start | restart) words='-d --daemon -v --verbose --config --configs-path --mapping --help' ;;
	stop | reload | restore | top) words='--help' ;;
	check) words='--print --diff --config --configs-path --mapping --help' ;;
	edit) words='--config --configs-path --help' ;;
	status) words='--json --metrics --help' ;;
	list) words='--class --app --json --help' ;;
	import)
		words='--help'
		[[ $cur == -* || " ${COMP_WORDS[*]:2:COMP_CWORD-2} " == *' ananicy '* ]] || words=ananicy
		;;
	explain)
		words='--json --name --against --config --configs-path --help'
		[[ $cur == -* ]] || words=$(cd /proc && echo [0-9]*)
		;;
	weights) words='--user --restore --config --configs-path --help' ;;
	bridge) words='--system76 --help' ;;
	focus) words='--print --help' ;;
	doctor) words='--json --config --configs-path --help' ;;
	sched_profile)
		words='--none --config --configs-path --help'
		# The first two characters of a line are the mark of the current one.
		[[ $cur == -* ]] || words=$(schedqos sched_profile 2> /dev/null | cut -c 3-)
		;;
	esac
	if [[ ${COMP_WORDS[1]} == @(check|import) && $cur != -* && $words != ananicy ]]; then
		compopt -o filenames
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
	elif [[ ${COMP_WORDS[1]} == run && $cur != -* ]]; then
		compopt -o filenames
		mapfile -t COMPREPLY < <(compgen -c -f -- "$cur")
	elif [[ ${COMP_WORDS[1]} == limit && $cur == /* ]]; then
		compopt -o filenames
		mapfile -t COMPREPLY < <(compgen -d -- "$cur")
	else
		mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
	fi
}

complete -F _schedqos schedqos
