# SPDX-License-Identifier: GPL-2.0-only
# bash completion for schedqos(8). Verbs and options are those that --help tells; below is what its words in capitals mean.

# The words that may stand for one of the help.
_schedqos_words()
{
	case $1 in
	ananicy) echo ananicy ;;
	CLASS) schedqos check --print 2> /dev/null | sed -n 's/^\t"\(QOS_[A-Za-z0-9_]*\)": {$/\1/p' ;;
	MAPPING)
		printf '%s\n' announcement /usr/share/schedqos/mappings/*.json /etc/schedqos/mappings/*.json |
			sed -e '/\*/d' -e 's|.*/||' -e 's|\.json$||'
		;;
	# The first two characters of a line are the mark of the current one.
	PROFILE) schedqos sched_profile 2> /dev/null | cut -c 3- ;;
	PATTERN)
		schedqos list --json 2> /dev/null | sed -n 's/^\t\t"app": "\(.*\)",*$/\1/p' | sed 's/\\\(["\\]\)/\1/g' | sort -u |
			while IFS= read -r word; do printf '%q\n' "$word"; done
		;;
	PID) (cd /proc && printf '%s\n' [0-9]*) ;;
	NAME | COMMAND) compgen -c -f -- "$cur" ;;
	FILE) compgen -f -- "$cur" ;;
	DIR | CGROUP) compgen -d -- "$cur" ;;
	esac
}

# Offers those of the lines that begin as what is typed. compgen -W would expand each, and with it run what stands in the
# name of anybody's file.
_schedqos_offer()
{
	local word

	while IFS= read -r word; do
		[[ ! $word || $word != "$cur"* ]] || COMPREPLY+=("$word")
	done
}

_schedqos()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} help kinds kind

	COMPREPLY=() kinds=
	if ((COMP_CWORD == 1)); then
		_schedqos_offer < <(schedqos --help | sed -n 's/^  \([a-z_-]*\).*/\1/p')
		return
	fi
	help=$(schedqos "${COMP_WORDS[1]}" --help 2> /dev/null)
	[[ ! $prev =~ ^-[a-z-]+$ ]] || kinds=$(sed -n "s/^  .*$prev\(, --[a-z]*\)* \([A-Z]*\) .*/\2/p" <<< "$help")
	if [[ ! $kinds && $cur == -* ]]; then
		_schedqos_offer < <(sed 1d <<< "$help" | grep -o '^  -[a-z]\|--[a-z0-9-]*' | tr -d ' ')
		return
	fi
	# In the first line the operands are what is left without the options.
	[[ $kinds ]] || kinds=$(sed -n '1s/.*schedqos [a-z_]*//; 1s/\[-[^]]*\]\|-[a-z] [A-Z]*//g; 1s/[^A-Za-z]/ /gp' <<< "$help")
	[[ " $kinds" == *\ @(FILE|DIR|CGROUP|NAME|COMMAND)* ]] && compopt -o filenames
	_schedqos_offer < <(for kind in $kinds; do _schedqos_words "$kind"; done)
}

complete -F _schedqos schedqos
