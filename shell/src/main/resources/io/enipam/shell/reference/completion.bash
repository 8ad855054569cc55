# Completion of enipam, made from the grammar of the shell. In ~/.bashrc: . .../completion/enipam.bash
_enipam_words() {
  case $1 in
    @*) _enipam_plugin_words "${1#@}" ;;
@words@    *) echo ;;
  esac
}

# $1: a command of a plugin, or how it begins: the words that may follow, of those that the daemon told.
_enipam_plugin_words() {
  local line words=
  while IFS= read -r line; do
    [[ $line =~ ^[a-z0-9\ -]+$ && ( -z $1 || $line == "$1 "* ) ]] || continue
    line=${line#"${1:+$1 }"}
    line=${line%% *}
    [[ " $words " == *" $line "* ]] || words+="${words:+ }$line"
  done <<<"$_enipam_plugins"
  echo "$words"
}

# $1: command, $2: option. What it takes: words of its own, @COMMAND to ask for them, or @files, perhaps with words beside them.
_enipam_values() {
  case "$1 $2" in
@values@    *) return 1 ;;
  esac
}

# $1: command, $2: which positional, from 0
_enipam_positional() {
  case "$1 $2" in
@positionals@    *) return 1 ;;
  esac
}

# $1: a word as it was typed. As the program would get it: without quotes, and with what ~ stands for.
_enipam_plain() {
  local word=${1//[\"\'\\]/}
  if [[ $1 == "~" || $1 == "~/"* ]]; then word=$HOME${word:1}; fi
  printf '%s\n' "$word"
}

# $1: a command that lists names. A daemon that does not answer is not waited for longer than
# ENIPAM_COMPLETION_SECONDS, 2 unless set; the daemon of a sandbox is not there yet.
_enipam_ask() {
  local -a limit=()
  [[ -n $_enipam_sandbox ]] && return
  command -v timeout >/dev/null && limit=(timeout "${ENIPAM_COMPLETION_SECONDS:-2}")
  "${limit[@]}" "${_enipam_program[@]}" -c "$1" 2>/dev/null </dev/null
}

# The nodes of the cluster that the line names, as kubectl has them; nobody waits for them longer than a moment.
_enipam_nodes() {
  command -v kubectl >/dev/null && command -v timeout >/dev/null || return
  timeout "${ENIPAM_COMPLETION_SECONDS:-0.4}" kubectl "${_enipam_cluster[@]}" get nodes -o name 2>/dev/null </dev/null | while IFS= read -r word; do
    printf '%s\n' "${word#node/}"
  done
}

# $1: what may stand here, $2: what is typed of it
_enipam_offer() {
  local word words
  case $1 in
    @files*)
      compopt -o filenames 2>/dev/null
      while IFS= read -r word; do
        if [[ $2 == "~/"* ]]; then word="~${word#"$HOME"}"; fi
        COMPREPLY+=("$word")
      done < <(compgen -f -- "$(_enipam_plain "$2")")
      words=${1#@files}; words=${words// /$'\n'} ;;
    @nodes) words=$(_enipam_nodes) ;;
    @*) words=$(_enipam_ask "${1#@}") ;;
    *) words=${1// /$'\n'} ;;
  esac
  # not compgen -W, which would run what the name of a pod may hold
  while IFS= read -r word; do
    [[ -n $word && $word == "$2"* ]] && COMPREPLY+=("$word")
  done <<<"$words"
}

# bash hands NAME=VALUE over as three words, zsh as one
_enipam() {
  local word command= next awaits= i positional=0 _enipam_sandbox= _enipam_plugins=
  local cur=${COMP_WORDS[COMP_CWORD]}
  local -a _enipam_cluster=()
  local -a _enipam_program=("$(_enipam_plain "${COMP_WORDS[0]}")")
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if [[ -n $awaits ]]; then
      [[ $word == = ]] && continue
      case $awaits in
        --socket) _enipam_program+=("--socket=$(_enipam_plain "$word")") ;;
        --kubeconfig | --context) _enipam_cluster+=("$awaits=$(_enipam_plain "$word")") ;;
        --node) _enipam_sandbox=yes ;; # far away, for which a moment is not enough
      esac
      awaits=
    elif [[ $word == = ]]; then
      i=$((i + 1)) # belongs to the word before it, with what follows
    elif [[ $word == --*=* ]]; then
      case $word in
        --socket=*) _enipam_program+=("--socket=$(_enipam_plain "${word#*=}")") ;;
        --kubeconfig=* | --context=*) _enipam_cluster+=("${word%%=*}=$(_enipam_plain "${word#*=}")") ;;
        --node=*) _enipam_sandbox=yes ;;
      esac
    elif [[ $word == -* ]]; then
      [[ $word == --sandbox || $word == --all-nodes ]] && _enipam_sandbox=yes
      _enipam_values "$command" "$word" >/dev/null && awaits=$word
    elif [[ " $(_enipam_words "${command:--}") " == *" $word "* ]]; then
      command=${command:+$command }$word
    elif [[ -z $command ]]; then
      command=@$word # of a plugin: the daemon knows how it goes on
      _enipam_plugins=$(_enipam_ask "plugin help -o name")
    else
      positional=$((positional + 1))
    fi
  done
  if ((i > COMP_CWORD)) || [[ $cur == = && -z $awaits ]]; then return; fi
  if [[ $cur == = ]]; then cur=; fi
  if [[ -n $awaits ]]; then
    _enipam_offer "$(_enipam_values "$command" "$awaits")" "$cur"
  elif [[ $cur == --*=* ]]; then
    _enipam_offer "$(_enipam_values "$command" "${cur%%=*}")" "${cur#*=}"
    COMPREPLY=("${COMPREPLY[@]/#/${cur%%=*}=}")
  elif [[ $cur == -* ]]; then
    _enipam_offer "$(_enipam_words "${command:--} -")" "$cur"
  elif next=$(_enipam_words "${command:--}") && [[ -n $next ]]; then
    _enipam_offer "$next" "$cur"
    if [[ -z $command && -n $cur && ${#COMPREPLY[@]} == 0 ]]; then
      _enipam_plugins=$(_enipam_ask "plugin help -o name")
      _enipam_offer "$(_enipam_words @)" "$cur"
    fi
  elif next=$(_enipam_positional "$command" "$positional"); then
    _enipam_offer "$next" "$cur"
  else
    _enipam_offer "$(_enipam_words "${command:--} -")" "$cur"
  fi
}
complete -F _enipam enipam
