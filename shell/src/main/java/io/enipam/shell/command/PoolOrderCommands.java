package io.enipam.shell.command;

import com.google.protobuf.util.Durations;
import io.enipam.shell.attach.Exit;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.render.OrderViews;
import io.enipam.v1.DrainPoolReply;
import io.enipam.v1.DrainPoolRequest;
import io.enipam.v1.PoolProspect;
import io.enipam.v1.WarmPoolRequest;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What the pool can be told over what its policy wants. */
final class PoolOrderCommands {
    private PoolOrderCommands() {}

    /** As long as the daemon takes. */
    static final class Keep extends Span {
        Keep() {
            super(Duration.ofSeconds(1));
        }
    }

    @Command(
            name = "warm",
            description = {
                "Make addresses now, before many pods come.",
                "So many are made idle once, as far as the node has room, and as many idle ones are kept from going back for a while; what pods take of them is not made a second time. Then the policy alone decides again. It ends a drain."
            })
    static final class Warm extends ControlCommand {
        @Parameters(paramLabel = "N", description = "How many shall be idle.")
        int idle;

        @Option(
                names = "--for",
                paramLabel = "TIME",
                converter = Keep.class,
                description = "How long they are kept, 1s to 24h; by default 10m.")
        @Nullable
        Duration keep;

        @Option(names = "--dry-run", description = "Only say what would be made.")
        boolean dryRun;

        Warm(Session session) {
            super(session);
        }

        @Override
        void prepare() {
            if (idle < 1) {
                throw new ShellException(
                        Exit.USAGE,
                        "",
                        "warm takes a number of addresses, and " + idle + " is none",
                        "As in: pool warm 20");
            }
        }

        @Override
        boolean changes() {
            return !dryRun;
        }

        @Override
        void run() {
            WarmPoolRequest.Builder request =
                    WarmPoolRequest.newBuilder().setIdle(idle).setDryRun(dryRun);
            if (keep != null) {
                request.setKeep(Durations.fromNanos(keep.toNanos()));
            }
            show(
                    control(LOOK, stub -> stub.warmPool(request.build())),
                    OrderViews::warmed,
                    reply -> List.of(reply.getOrder().getKind()));
        }
    }

    @Command(
            name = "drain",
            description = {
                "Give back every idle address, and fill no more.",
                "A pod that comes still gets an address, made for it alone. What pods give back goes, too, after its cool-down, so that a node whose pods leave is empty in the end. It stays so over a restart, until --undo or 'pool warm'."
            })
    static final class Drain extends ControlCommand {
        @Option(names = "--dry-run", description = "Only say what would go.")
        boolean dryRun;

        @Option(names = "--undo", description = "Let the pool fill again.")
        boolean undo;

        @Mixin
        Consent consent = new Consent();

        Drain(Session session) {
            super(session);
        }

        @Override
        boolean changes() {
            return !dryRun;
        }

        @Override
        boolean asks() {
            return !dryRun && !undo && !consent.yes;
        }

        @Override
        void run() {
            if (asks()) {
                if (session.asker().isEmpty()) {
                    throw Consent.missing();
                }
                PoolProspect would = drain(true).getProspect();
                if (!consent.given(
                        session,
                        () -> "Give back " + would.getGives() + " of " + would.getIdle()
                                + " idle addresses, and fill the pool no more?")) {
                    return;
                }
            }
            show(
                    drain(dryRun),
                    OrderViews::drained,
                    reply -> reply.hasOrder() ? List.of(reply.getOrder().getKind()) : List.of());
        }

        private DrainPoolReply drain(boolean dry) {
            return control(
                    LOOK,
                    stub -> stub.drainPool(DrainPoolRequest.newBuilder()
                            .setDryRun(dry)
                            .setUndo(undo)
                            .build()));
        }
    }
}
