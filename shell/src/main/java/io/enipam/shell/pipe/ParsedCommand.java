package io.enipam.shell.pipe;

import io.enipam.shell.CommandTree;
import io.enipam.shell.core.Session;
import io.enipam.shell.core.ShellCommand;
import io.enipam.shell.core.UsageErrors;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** A command line that the grammar takes, and that has not run. */
public final class ParsedCommand {
    private final CommandLine leaf;

    private ParsedCommand(CommandLine leaf) {
        this.leaf = leaf;
    }

    /** Holds words against the grammar; throws a usage error for what it does not take. No daemon is asked. */
    public static ParsedCommand of(Session session, List<String> words) {
        CommandLine root = CommandTree.of(session, words);
        try {
            root.parseArgs(words.toArray(String[]::new));
            CommandLine leaf = lastOf(root);
            if (leaf.getCommand() instanceof CommandTree.Group group && !leaf.isUsageHelpRequested()) {
                group.run();
            }
            return new ParsedCommand(leaf);
        } catch (ParameterException e) {
            throw UsageErrors.of(e);
        }
    }

    private static CommandLine lastOf(CommandLine root) {
        List<CommandLine> path = root.getParseResult().asCommandLineList();
        return path.get(path.size() - 1);
    }

    /** The command as it is typed: {@code cni add}. */
    public String name() {
        return CommandRunner.nameOf(leaf.getCommandSpec());
    }

    /** What would run; empty if only its help was asked for. */
    public Optional<ShellCommand> command() {
        return leaf.getCommand() instanceof ShellCommand command && !leaf.isUsageHelpRequested()
                ? Optional.of(command)
                : Optional.empty();
    }
}
