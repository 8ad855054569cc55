package io.enipam.shell.command;

import io.enipam.shell.render.GcViews;
import io.enipam.v1.GetGcStatusRequest;
import io.enipam.v1.RunGcRequest;
import java.time.Duration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Garbage collection. */
final class GcCommands {
    /** It asks the API server once for each lease whose pod seems gone. */
    private static final Duration RUN = Duration.ofMinutes(5);

    private GcCommands() {}

    @Command(
            name = "run",
            description = "Take back the addresses of pods that are gone.",
            footer = {"  gc run --dry-run", "  gc run"})
    static final class Run extends ControlCommand {
        @Option(names = "--dry-run", description = "Only say what would be taken back.")
        boolean dryRun;

        Run(Session session) {
            super(session);
        }

        @Override
        boolean changes() {
            return !dryRun;
        }

        @Override
        void run() {
            show(
                    control(
                            RUN,
                            stub -> stub.runGc(
                                    RunGcRequest.newBuilder().setDryRun(dryRun).build())),
                    (reply, look) -> GcViews.report(reply.getReport(), look));
        }
    }

    @Command(name = "status", description = "What the last garbage collection did.", footer = "  gc status")
    static final class Status extends DaemonCommand {
        Status(Session session) {
            super(session);
        }

        @Override
        void run() {
            show(inspect(stub -> stub.getGcStatus(GetGcStatusRequest.getDefaultInstance())), GcViews::status);
        }
    }
}
