package io.enipam.shell.reference;

import io.enipam.shell.core.CompletionKind;
import io.enipam.shell.core.Grammar;
import io.enipam.shell.help.HelpTopics;
import io.enipam.shell.runbook.RunbookLibrary;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * The completion of bash, and by its emulation of zsh. Commands, options and fixed values are in the script; pods, ENIs and
 * plugins are asked of the daemon, by the commands that list them, at the socket that the line names, and for two seconds;
 * nodes are asked of the cluster, by kubectl where there is one.
 */
final class BashCompletion {
    /** Which command lists what a value may be; all others complete from what is fixed. */
    private static final Map<CompletionKind, String> LISTED_BY = Map.of(
            CompletionKind.PODS, "pod list -o name",
            CompletionKind.ENIS, "eni list -o name",
            CompletionKind.PLUGINS, "plugin list -o name");

    /** What takes nodes of a cluster, which no daemon knows. */
    private static final Set<String> NODES = Set.of("--node", "--nodes");

    private static final String SCRIPT = """
            # Completion of enipam, made from the grammar of the shell. In ~/.bashrc: . .../completion/enipam.bash
            _enipam_words() {
              case $1 in
            %s    *) echo ;;
              esac
            }

            # $1: command, $2: option. What it takes: words of its own, @COMMAND to ask for them, or @files, perhaps with words beside them.
            _enipam_values() {
              case "$1 $2" in
            %s    *) return 1 ;;
              esac
            }

            # $1: command, $2: which positional, from 0
            _enipam_positional() {
              case "$1 $2" in
            %s    *) return 1 ;;
              esac
            }

            # $1: a word as it was typed. As the program would get it: without quotes, and with what ~ stands for.
            _enipam_plain() {
              local word=${1//[\\"\\'\\\\]/}
              if [[ $1 == "~" || $1 == "~/"* ]]; then word=$HOME${word:1}; fi
              printf '%%s\\n' "$word"
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
                printf '%%s\n' "${word#node/}"
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
                  words=${1#@files}; words=${words// /$'\\n'} ;;
                @nodes) words=$(_enipam_nodes) ;;
                @*) words=$(_enipam_ask "${1#@}") ;;
                *) words=${1// /$'\\n'} ;;
              esac
              # not compgen -W, which would run what the name of a pod may hold
              while IFS= read -r word; do
                [[ -n $word && $word == "$2"* ]] && COMPREPLY+=("$word")
              done <<<"$words"
            }

            # bash hands NAME=VALUE over as three words, zsh as one
            _enipam() {
              local word command= next awaits= i positional=0 _enipam_sandbox=
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
                    --kubeconfig=* | --context=*) _enipam_cluster+=("${word%%%%=*}=$(_enipam_plain "${word#*=}")") ;;
                    --node=*) _enipam_sandbox=yes ;;
                  esac
                elif [[ $word == -* ]]; then
                  [[ $word == --sandbox || $word == --all-nodes ]] && _enipam_sandbox=yes
                  _enipam_values "$command" "$word" >/dev/null && awaits=$word
                elif [[ " $(_enipam_words "${command:--}") " == *" $word "* ]]; then
                  command=${command:+$command }$word
                else
                  positional=$((positional + 1))
                fi
              done
              if ((i > COMP_CWORD)) || [[ $cur == = && -z $awaits ]]; then return; fi
              if [[ $cur == = ]]; then cur=; fi
              if [[ -n $awaits ]]; then
                _enipam_offer "$(_enipam_values "$command" "$awaits")" "$cur"
              elif [[ $cur == --*=* ]]; then
                _enipam_offer "$(_enipam_values "$command" "${cur%%%%=*}")" "${cur#*=}"
                COMPREPLY=("${COMPREPLY[@]/#/${cur%%%%=*}=}")
              elif [[ $cur == -* ]]; then
                _enipam_offer "$(_enipam_words "${command:--} -")" "$cur"
              elif next=$(_enipam_words "${command:--}") && [[ -n $next ]]; then
                _enipam_offer "$next" "$cur"
              elif next=$(_enipam_positional "$command" "$positional"); then
                _enipam_offer "$next" "$cur"
              else
                _enipam_offer "$(_enipam_words "${command:--} -")" "$cur"
              fi
            }
            complete -F _enipam enipam
            """;

    private final StringBuilder words = new StringBuilder();
    private final StringBuilder values = new StringBuilder();
    private final StringBuilder positionals = new StringBuilder();
    private final String commands;

    private BashCompletion(CommandLine grammar) {
        commands = Stream.concat(grammar.getSubcommands().keySet().stream(), HelpTopics.names().keySet().stream())
                .collect(Collectors.joining(" "));
    }

    /**
     * @param program the options before the command
     * @param grammar the commands
     */
    static String of(CommandLine program, CommandLine grammar) {
        BashCompletion completion = new BashCompletion(grammar);
        completion.options("", program);
        completion.command("", grammar);
        return SCRIPT.formatted(completion.words, completion.values, completion.positionals);
    }

    private void command(String name, CommandLine command) {
        if (!command.getSubcommands().isEmpty()) {
            line(
                    words,
                    name.isEmpty() ? "-" : name,
                    String.join(" ", command.getSubcommands().keySet()));
        }
        if (!name.isEmpty()) {
            options(name, command);
            for (PositionalParamSpec positional : command.getCommandSpec().positionalParameters()) {
                int last = Math.min(positional.index().max(), positional.index().min() + 3);
                for (int at = positional.index().min(); at <= last; at++) {
                    line(positionals, name + " " + at, taken(positional));
                }
            }
        }
        command.getSubcommands().forEach((word, below) -> command(name.isEmpty() ? word : name + " " + word, below));
    }

    private void options(String name, CommandLine command) {
        List<String> names = new ArrayList<>();
        for (OptionSpec option : command.getCommandSpec().options()) {
            if (option.hidden()) {
                continue;
            }
            names.addAll(List.of(option.names()));
            // a value that may be left out stands behind '=' alone, and the next word is none
            if (option.arity().min() > 0) {
                for (String each : option.names()) {
                    line(values, name + " " + each, taken(option));
                }
            }
        }
        line(words, (name.isEmpty() ? "-" : name) + " -", String.join(" ", names));
    }

    /** What the script offers for a value; nothing if it may be anything. */
    private String taken(ArgSpec argument) {
        if (argument.completionCandidates() != null) {
            List<String> candidates = new ArrayList<>();
            argument.completionCandidates().forEach(candidates::add);
            return String.join(" ", candidates);
        }
        if (argument instanceof OptionSpec option && NODES.contains(option.longestName())) {
            return "@nodes";
        }
        Optional<CompletionKind> kind = Grammar.live(argument);
        if (kind.isPresent() && LISTED_BY.containsKey(kind.get())) {
            return "@" + LISTED_BY.get(kind.get());
        }
        if (kind.isPresent() && kind.get() == CompletionKind.COMMANDS) {
            return commands;
        }
        if (kind.isPresent() && kind.get() == CompletionKind.RUNBOOKS) {
            return "@files " + String.join(" ", RunbookLibrary.names());
        }
        return kind.filter(CompletionKind.FILES::equals).isPresent()
                        || java.nio.file.Path.class.isAssignableFrom(argument.auxiliaryTypes()[0])
                ? "@files"
                : "";
    }

    private static void line(StringBuilder cases, String pattern, String answer) {
        cases.append("    '")
                .append(pattern.replace("'", "'\\''"))
                .append("') echo '")
                .append(answer.replace("'", "'\\''"))
                .append("' ;;\n");
    }
}
