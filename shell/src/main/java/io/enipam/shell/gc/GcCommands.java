package io.enipam.shell.gc;

import io.enipam.shell.core.ControlCommand;
import io.enipam.shell.core.DaemonCommand;
import io.enipam.v1.GetGcStatusRequest;
import io.enipam.v1.RunGcRequest;
import java.time.Duration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Garbage collection. */
@Command(
        name = "gc",
        description = "Garbage collection.",
        subcommands = {GcCommands.Run.class, GcCommands.Status.class})
public final class GcCommands {
    /** It asks the API server once for each lease whose pod seems gone. */
    private static final Duration RUN = Duration.ofMinutes(5);

    private GcCommands() {}

    @Command(
            name = "run",
            description = "Take back the addresses of pods that are gone.",
            footer = {"  gc run --dry-run", "  gc run"})
    public static final class Run extends ControlCommand {
        @Option(names = "--dry-run", description = "Only say what would be taken back.")
        boolean dryRun;

        @Override
        public boolean changes() {
            return !dryRun;
        }

        @Override
        public void run() {
            RunGcRequest request = RunGcRequest.newBuilder().setDryRun(dryRun).build();
            show(
                    control(RUN, stub -> stub.runGc(request)),
                    (reply, look) -> GcViews.report(reply.getReport(), look),
                    reply -> GcViews.pods(reply.getReport()));
        }
    }

    @Command(name = "status", description = "What the last garbage collection did.", footer = "  gc status")
    public static final class Status extends DaemonCommand {
        @Override
        public void run() {
            show(
                    inspect(stub -> stub.getGcStatus(GetGcStatusRequest.getDefaultInstance())),
                    GcViews::status,
                    reply -> GcViews.pods(reply.getLast()));
        }
    }
}
