package io.enipam.shell.fleet;

import static io.enipam.shell.attach.ShellException.usage;

import io.enipam.shell.attach.ExitStatus;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.core.DaemonCommand;
import io.enipam.shell.core.Session;
import io.enipam.shell.core.ShellCommand;
import io.enipam.shell.pipe.CommandRunner;
import io.enipam.shell.pipe.CommandRunner.ParsedCommand;
import io.enipam.shell.pipe.Pipeline;
import io.enipam.shell.pipe.Pipeline.Redirect;
import io.enipam.shell.runbook.RunCommand;
import io.enipam.shell.status.TopCommand;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;

/**
 * A line of commands for many daemons, checked against the grammar once, before anything is sent. Its {@code questions}
 * are the commands that would ask the operator, who is asked once for all nodes.
 */
public record FleetCommandLine(List<Pipeline> pipelines, List<String> questions) {
    /** Stands for the node in the name of a file. */
    public static final String NODE = "{node}";

    /** Checks the commands, without a daemon; throws a usage error if one is wrong, or is not for many daemons. */
    public static FleetCommandLine of(Session nowhere, List<Pipeline> pipelines) {
        List<String> questions = new ArrayList<>();
        for (Pipeline pipeline : pipelines) {
            if (pipeline.system().isPresent()) {
                throw usage(
                        "the system's shell would run once for every node",
                        "Put | behind the quotes, in the shell that enipam was started from");
            }
            ParsedCommand parsed = ParsedCommand.of(nowhere, pipeline.command());
            ShellCommand command = parsed.command().orElseThrow(() -> noDaemon(parsed.name()));
            requireFit(command, pipeline);
            command.validate();
            if (command.endless()) {
                throw unfit(command, "would not end by itself");
            }
            if (command.needsConfirmation()) {
                questions.add(command.name());
            }
        }
        return new FleetCommandLine(List.copyOf(pipelines), List.copyOf(questions));
    }

    private static void requireFit(ShellCommand command, Pipeline pipeline) {
        boolean runbook = command instanceof RunCommand;
        if (!runbook && !(command instanceof DaemonCommand)) {
            throw noDaemon(command.name());
        }
        if (command instanceof TopCommand) {
            throw unfit(command, "draws on a whole screen");
        }
        for (String word : pipeline.command()) {
            if (word.matches("-o.*|--output(=.*)?")) {
                throw usage(
                        "all nodes answer in one format, and '" + word + "' is of one command",
                        "Put it before the commands: enipam --all-nodes -o json -c '" + command.name() + "'");
            }
        }
        boolean toOneFile = pipeline.redirect()
                .filter(redirect -> !redirect.file().toString().contains(NODE))
                .isPresent();
        boolean savesOne =
                command.writesLocalFile() && pipeline.command().stream().noneMatch(word -> word.contains(NODE));
        if (toOneFile || savesOne) {
            throw usage(
                    "every node would write the same file",
                    "Put " + NODE + " into its name; to have all answers in one file, put > behind the quotes");
        }
    }

    private static ShellException noDaemon(String command) {
        return usage("'" + command + "' asks no daemon", "Run it without --all-nodes");
    }

    private static ShellException unfit(ShellCommand command, String why) {
        return usage("'" + command.name() + "' " + why, "Run it at one node, with --node NAME");
    }

    /** Runs it at one daemon, up to the first command that fails; {@code failed} gets what and why. The exit status. */
    public int run(Session session, String node, BiConsumer<String, ShellException> failed) {
        CommandRunner runner = new CommandRunner(session, failed);
        int status = ExitStatus.DONE.status();
        for (Pipeline pipeline : pipelines) {
            status = runner.pipeline(at(node, pipeline));
            if (status != ExitStatus.DONE.status()) {
                break;
            }
        }
        return status;
    }

    private static Pipeline at(String node, Pipeline pipeline) {
        if (node.contains("/")) {
            return pipeline; // no node is named so, and no file shall be
        }
        Optional<Redirect> redirect = pipeline.redirect()
                .map(to -> new Redirect(Path.of(to.file().toString().replace(NODE, node)), to.append()));
        return new Pipeline(
                pipeline.command().stream()
                        .map(word -> word.replace(NODE, node))
                        .toList(),
                pipeline.filters(),
                redirect);
    }
}
