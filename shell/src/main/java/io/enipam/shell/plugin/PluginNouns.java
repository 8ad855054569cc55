package io.enipam.shell.plugin;

import io.enipam.shell.core.CompletionKind;
import io.enipam.shell.core.DaemonCommand;
import io.enipam.shell.core.Grammar;
import io.enipam.shell.core.Grammar.LiveParameter;
import io.enipam.shell.core.Palette;
import io.enipam.shell.core.Session;
import io.enipam.shell.core.ShellCommand;
import io.enipam.v1.PluginCommand;
import io.enipam.v1.PluginParameter;
import io.enipam.v1.PluginSetting;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.InitializationException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Parameters;

/** Picocli's models of the commands that plugins bring, from what the daemon says of them; what is hostile in that is passed over. */
public final class PluginNouns {
    private static final String WORD = "[a-z][a-z0-9-]{0,31}";
    private static final String PARAMETER = "[a-z][a-z0-9_]{0,63}";

    private PluginNouns() {}

    public static boolean isNoun(String word) {
        return word.matches(WORD);
    }

    /** By the first word. Made anew at each call, since picocli keeps values in it. */
    public static Map<String, CommandLine> of(List<PluginCommand> commands, Session session) {
        Map<String, CommandLine> nouns = new LinkedHashMap<>();
        for (PluginCommand command : commands) {
            List<String> path = command.getPathList();
            if (path.size() > 1 && path.stream().allMatch(PluginNouns::isNoun)) {
                try {
                    CommandLine leaf = leaf(command, session);
                    CommandLine noun = nouns.computeIfAbsent(path.get(0), word -> group(word, command));
                    add(noun, path.subList(1, path.size()), leaf, command);
                } catch (InitializationException | IllegalArgumentException clash) {
                    continue; // a daemon of another version lets through what this shell has no place for
                }
            }
        }
        return nouns;
    }

    private static void add(CommandLine above, List<String> words, CommandLine leaf, PluginCommand command) {
        String word = words.get(0);
        if (words.size() == 1) {
            above.addSubcommand(word, leaf);
            return;
        }
        CommandLine below = above.getSubcommands().get(word);
        if (below == null) {
            below = group(word, command);
            above.addSubcommand(word, below);
        }
        add(below, words.subList(1, words.size()), leaf, command);
    }

    private static CommandLine group(String word, PluginCommand command) {
        CommandLine group = Grammar.parser(new Grammar.Group());
        String plugin = literal(command.getPlugin());
        group.getCommandSpec().name(word).usageMessage().description("Commands of the plugin " + plugin + ".");
        return group;
    }

    private static CommandLine leaf(PluginCommand command, Session session) {
        ShellCommand leaf = switch (command.getImpact()) {
            case "READ" -> new PluginCommandLeaves.Read(command);
            case "CHANGE" -> new PluginCommandLeaves.Change(command);
            default -> new PluginCommandLeaves.Destroy(command);
        };
        leaf.runIn(session);
        CommandLine line = Grammar.parser(leaf);
        CommandSpec spec = line.getCommandSpec();
        spec.name(command.getPath(command.getPathCount() - 1));
        spec.usageMessage().description(literal(command.getSummary()));
        String words = String.join(" ", command.getPathList());
        int at = 0;
        for (PluginParameter operand : command.getOperandsList()) {
            spec.addPositional(operand(operand, at, words));
            at++;
        }
        command.getOptionsList()
                .forEach(option -> spec.addOption(option(
                        option,
                        option.getSetting().getName().equals(command.getFile())
                                ? CompletionKind.FILES
                                : new LiveParameter(words, option.getSetting().getName()),
                        option.getSetting().getName().equals(command.getFollow()))));
        return line;
    }

    private static PositionalParamSpec operand(PluginParameter operand, int at, String command) {
        PluginSetting setting = checked(operand.getSetting());
        PositionalParamSpec.Builder spec = PositionalParamSpec.builder()
                .paramLabel(setting.getName().toUpperCase(Locale.ROOT))
                .index(at + (operand.getList() ? "..*" : ""))
                .arity(operand.getList() ? "1..*" : "1")
                .required(true)
                .type(operand.getList() ? List.class : String.class)
                .auxiliaryTypes(String.class)
                .userObject(new LiveParameter(command, setting.getName()))
                .description(description(setting));
        return setting.getChoicesCount() == 0
                ? spec.build()
                : spec.completionCandidates(setting.getChoicesList()).build();
    }

    /**
     * @param completes what the editor completes it with
     * @param follows whether it is the flag with which the command goes on
     */
    private static OptionSpec option(PluginParameter option, Object completes, boolean follows) {
        PluginSetting setting = checked(option.getSetting());
        boolean flag = setting.getChoicesList().equals(List.of("true", "false"))
                && setting.getUsual().equals("false");
        String name = PluginCommandLeaves.option(setting.getName());
        OptionSpec.Builder spec = (follows ? OptionSpec.builder(name, "-f") : OptionSpec.builder(name))
                .paramLabel(completes == CompletionKind.FILES ? "FILE" : "VALUE")
                .arity(flag ? "0" : "1")
                .type(flag ? boolean.class : option.getList() ? List.class : String.class)
                .auxiliaryTypes(flag ? boolean.class : String.class)
                .userObject(completes)
                .description(description(setting));
        return flag || setting.getChoicesCount() == 0
                ? spec.build()
                : spec.completionCandidates(setting.getChoicesList()).build();
    }

    private static PluginSetting checked(PluginSetting setting) {
        if (!setting.getName().matches(PARAMETER)) {
            throw new IllegalArgumentException("a parameter is called " + setting.getName());
        }
        return setting;
    }

    private static String description(PluginSetting setting) {
        String usual = setting.getUsual().isEmpty() ? "" : ", by default " + setting.getUsual();
        String doc = setting.getDoc().isEmpty() ? "" : setting.getDoc() + " ";
        return literal(doc + "(" + setting.getAllowed() + usual + ")");
    }

    /** A plugin's text where picocli would fill in variables. */
    private static String literal(String text) {
        return Palette.clean(text).replace("%", "%%").replace("${", "$${");
    }

    /** Stands for a command that a daemon may know that is not asked yet. It takes any words, and never runs. */
    public static CommandLine unknown(Session nowhere) {
        Unknown command = new Unknown();
        command.runIn(nowhere);
        return Grammar.parser(command).setUnmatchedOptionsArePositionalParams(true);
    }

    @Command(name = "unknown", description = "A command of a plugin.")
    static final class Unknown extends DaemonCommand {
        @Parameters(arity = "0..*")
        List<String> words = List.of();

        @Override
        protected void run() {
            throw new IllegalStateException("no daemon has said what it is");
        }
    }
}
