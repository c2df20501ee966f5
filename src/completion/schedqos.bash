# SPDX-License-Identifier: GPL-2.0-only
# bash completion for schedqos(8)

_schedqos()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} words=

	if ((COMP_CWORD == 1)); then
		words='start stop restart reload check edit status explain sched_profile restore doctor import --help --version'
		mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
		return
	fi
	case $prev in
	--config | -o | --output)
		compopt -o filenames
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		return
		;;
	--configs-path)
		compopt -o filenames
		mapfile -t COMPREPLY < <(compgen -d -- "$cur")
		return
		;;
	--exe)
		compopt -o filenames
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		return
		;;
	--user)
		mapfile -t COMPREPLY < <(compgen -u -- "$cur")
		return
		;;
	--name | --thread | --argv | --cgroup) return ;;
	esac
	case ${COMP_WORDS[1]} in
	start | restart) words='-d --daemon -v --verbose --config --configs-path --help' ;;
	stop | reload | restore) words='--help' ;;
	check) words='--print --diff --config --configs-path --help' ;;
	edit) words='--config --configs-path --help' ;;
	status) words='--json --metrics --watch --help' ;;
	import)
		words='-o --output --exact --skip-doubtful --help'
		[[ $cur == -* || " ${COMP_WORDS[*]:2:COMP_CWORD-2} " == *' ananicy '* ]] || words=ananicy
		;;
	explain)
		words='--json --name --thread --exe --argv --cgroup --user --config --configs-path --help'
		[[ $cur == -* ]] || words=$(cd /proc && echo [0-9]*)
		;;
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
	else
		mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
	fi
}

complete -F _schedqos schedqos
