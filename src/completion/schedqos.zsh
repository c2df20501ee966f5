#compdef schedqos
# SPDX-License-Identifier: GPL-2.0-only
# zsh completion for schedqos(8). Verbs and options are those that --help tells; below is what its words in capitals mean.

# Adds the words that may stand for some of the help.
_schedqos_words()
{
	local kind

	for kind; do
		case $kind in
		(ananicy) compadd ananicy ;;
		(CLASS) compadd -- ${${(M)${(f)"$(schedqos check --print 2> /dev/null)"}:#$'\t"'QOS_*}//[^A-Za-z0-9_]/} ;;
		(MAPPING) compadd -- announcement /usr/share/schedqos/mappings/*.json(N:t:r) /etc/schedqos/mappings/*.json(N:t:r) ;;
		# The first two characters of a line are the mark of the current one.
		(PROFILE) compadd -- ${${(f)"$(schedqos sched_profile 2> /dev/null)"}#??} ;;
		(PATTERN) compadd -- ${(fu)"$(schedqos list --json 2> /dev/null | sed -n 's/^\t\t"app": "\(.*\)",*$/\1/p')"} ;;
		(PID) _pids ;;
		(NAME|FILE) _files ;;
		(DIR|CGROUP) _files -/ ;;
		esac
	done
}

_schedqos()
{
	local line option
	local -a help specs match mbegin mend

	if ((CURRENT == 2)); then
		# What a verb is for is in the line below it.
		help=(${(f)"$(schedqos --help |
			sed -n '/^  [a-z]/{N;s/^  \([a-z_]*\).*\n */\1:/p;};s/^  \(--[a-z]*\)  *\(show[^;]*\).*/\1:\2/p')"})
		_describe verb help
		return
	fi
	help=(${(f)"$(schedqos $words[2] --help 2> /dev/null)"})
	for line in $help; do
		[[ $line =~ '^  (-(.), )?--([a-z0-9-]+)( ([A-Z]+))? +(.*)$' ]] || continue
		for option in ${match[2]:+-$match[2]} --$match[3]; do
			specs+=("${option}[$match[6]]${match[5]:+:$match[5]:_schedqos_words $match[5]}")
		done
	done
	# In the first line the operands are what is left without the options.
	line=${${help[1]#*schedqos $words[2]}//(\[-[^]]#\]|-[a-z] [A-Z]##)/}
	if [[ $line == *COMMAND* ]]; then
		specs+=('(-)1:command:_command_names' '*::argument:_normal')
	else
		specs+=("*: :_schedqos_words ${line//[^A-Za-z]/ }")
	fi
	shift words
	((CURRENT--))
	_arguments $specs
}

_schedqos "$@"
