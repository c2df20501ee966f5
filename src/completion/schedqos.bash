# SPDX-License-Identifier: GPL-2.0-only
# bash completion for schedqos(8)

_schedqos()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} words=

	if ((COMP_CWORD == 1)); then
		words='start stop restart reload check status --help --version'
		mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
		return
	fi
	case $prev in
	--config)
		compopt -o filenames
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		return
		;;
	--configs-path)
		compopt -o filenames
		mapfile -t COMPREPLY < <(compgen -d -- "$cur")
		return
		;;
	esac
	case ${COMP_WORDS[1]} in
	start | restart) words='-d --daemon -v --verbose --config --configs-path --help' ;;
	stop | reload) words='--help' ;;
	check) words='--print --config --configs-path --help' ;;
	status) words='--json --help' ;;
	esac
	if [[ ${COMP_WORDS[1]} == check && $cur != -* ]]; then
		compopt -o filenames
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
	else
		mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
	fi
}

complete -F _schedqos schedqos
