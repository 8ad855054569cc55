package io.enipam.shell.pool;

import com.google.protobuf.util.Durations;
import io.enipam.shell.attach.ExitStatus;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.core.ConfirmationOption;
import io.enipam.shell.core.ControlCommand;
import io.enipam.shell.core.DurationParser.DurationConverter;
import io.enipam.shell.core.Session;
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
public final class CapacityOverrideCommands {
    private CapacityOverrideCommands() {}

    /** As long as the daemon takes. */
    static final class Keep extends DurationConverter {
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
    public static final class Warm extends ControlCommand {
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

        public Warm(Session session) {
            super(session);
        }

        @Override
        public void prepare() {
            if (idle < 1) {
                throw new ShellException(
                        ExitStatus.USAGE,
                        "",
                        "warm takes a number of addresses, and " + idle + " is none",
                        "As in: pool warm 20");
            }
        }

        @Override
        public boolean changes() {
            return !dryRun;
        }

        @Override
        public void run() {
            WarmPoolRequest.Builder request =
                    WarmPoolRequest.newBuilder().setIdle(idle).setDryRun(dryRun);
            if (keep != null) {
                request.setKeep(Durations.fromNanos(keep.toNanos()));
            }
            show(
                    control(LOOK, stub -> stub.warmPool(request.build())),
                    CapacityOverrideViews::warmed,
                    reply -> List.of(reply.getOrder().getKind()));
        }
    }

    @Command(
            name = "drain",
            description = {
                "Give back every idle address, and fill no more.",
                "A pod that comes still gets an address, made for it alone. What pods give back goes, too, after its cool-down, so that a node whose pods leave is empty in the end. It stays so over a restart, until --undo or 'pool warm'."
            })
    public static final class Drain extends ControlCommand {
        @Option(names = "--dry-run", description = "Only say what would go.")
        boolean dryRun;

        @Option(names = "--undo", description = "Let the pool fill again.")
        boolean undo;

        @Mixin
        ConfirmationOption consent = new ConfirmationOption();

        public Drain(Session session) {
            super(session);
        }

        @Override
        public boolean changes() {
            return !dryRun;
        }

        @Override
        public boolean needsConfirmation() {
            return !dryRun && !undo && !consent.yes;
        }

        @Override
        public void run() {
            if (needsConfirmation()) {
                if (session.asker().isEmpty()) {
                    throw ConfirmationOption.missing();
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
                    CapacityOverrideViews::drained,
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
