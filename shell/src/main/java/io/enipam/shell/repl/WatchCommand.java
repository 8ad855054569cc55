package io.enipam.shell.repl;

import static io.enipam.shell.attach.ShellException.usage;

import io.enipam.shell.attach.ShellException;
import io.enipam.shell.core.Completes;
import io.enipam.shell.core.CompletionKind;
import io.enipam.shell.core.ListOptions;
import io.enipam.shell.core.ShellCommand;
import io.enipam.shell.core.WatchLoop;
import io.enipam.shell.pipe.CommandRunner;
import io.enipam.shell.pipe.CommandRunner.ParsedCommand;
import io.enipam.shell.pipe.Pipeline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Any command that only looks, again and again. */
@Command(
        name = "watch",
        description = "Run a command again and again until Ctrl-C, one that only looks; with filters: in quotes.")
public final class WatchCommand extends ShellCommand {
    @Option(
            names = {"-n", "--interval"},
            paramLabel = "SEC",
            defaultValue = "2",
            converter = ListOptions.Pace.class,
            description = "Every so many seconds; by default ${DEFAULT-VALUE}.")
    Duration pace = Duration.ofSeconds(2);

    @Completes(CompletionKind.COMMANDS)
    @Parameters(arity = "1..*", paramLabel = "CMD", description = "The command, or a whole line in quotes.")
    List<String> words = new ArrayList<>();

    @Override
    public boolean takesCommand() {
        return true;
    }

    @Override
    public boolean endless() {
        return true;
    }

    @Override
    public Optional<String> interactiveOnlyReason() {
        return Optional.of("it ends only at Ctrl-C");
    }

    @Override
    public void prepare() {
        for (Pipeline pipeline : pipelines()) {
            ShellCommand command = ParsedCommand.of(session, pipeline.command())
                    .command()
                    .orElseThrow(() -> usage("help is not watched", "As in: watch pool show"));
            command.validate();
            if (command.changes() || pipeline.system().isPresent() || command instanceof SessionCommands.SystemLine) {
                throw usage(
                        "'" + String.join(" ", pipeline.command())
                                + "' is more than a look, and would be done each time",
                        "Watch what only looks, as in: watch pool show");
            }
            if (command.endless()) {
                throw usage("'" + command.name() + "' goes on by itself", "Leave out watch");
            }
        }
    }

    /** Several words are one command; one word may be a line in quotes. */
    private List<Pipeline> pipelines() {
        return words.size() > 1
                ? List.of(new Pipeline(words, List.of(), Optional.empty()))
                : Pipeline.parse(words.get(0));
    }

    @Override
    protected void run() {
        List<Pipeline> line = pipelines();
        new WatchLoop(session, pace)
                .run(() -> new WatchLoop.Frame(seen(line), Optional.empty()), () -> print(seen(line)));
    }

    /** What it prints now; a failure is seen as well, and the next turn may do better. */
    private List<String> seen(List<Pipeline> line) {
        List<String> seen = session.capture(session.format(), inner -> {
            CommandRunner runner = new CommandRunner(inner);
            for (Pipeline pipeline : line) {
                if (runner.pipeline(pipeline) != 0) {
                    break;
                }
            }
        });
        if (io.grpc.Context.current().isCancelled()) {
            throw ShellException.interrupted();
        }
        return seen;
    }
}
