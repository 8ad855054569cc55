package io.enipam.shell.db;

import com.google.protobuf.ByteString;
import com.google.protobuf.util.Timestamps;
import io.enipam.shell.attach.ExitStatus;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.core.Completes;
import io.enipam.shell.core.CompletionKind;
import io.enipam.shell.core.DaemonCommand;
import io.enipam.shell.core.PreviewedCommand;
import io.enipam.shell.core.ProgressLine;
import io.enipam.shell.core.Session;
import io.enipam.v1.DbConsent;
import io.enipam.v1.DbImport;
import io.enipam.v1.DbLostLease;
import io.enipam.v1.DbRestore;
import io.enipam.v1.Event;
import io.enipam.v1.GetStatusReply;
import io.enipam.v1.GetStatusRequest;
import io.enipam.v1.ImportDbReply;
import io.enipam.v1.ImportDbRequest;
import io.enipam.v1.Owner;
import io.enipam.v1.RestoreDbRequest;
import io.enipam.v1.WatchEventsReply;
import io.enipam.v1.WatchEventsRequest;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Bringing the resource database back, from a file on the node or from one here. */
public final class DbRestoreCommands {
    private DbRestoreCommands() {}

    /** What both have in common: look first, ask, do it, and wait until the daemon is up again. */
    abstract static class Restoring extends PreviewedCommand<DbRestore> {
        @Option(
                names = "--other-node",
                description = "Take a file of another node, whose place this machine has taken.")
        boolean otherNode;

        /** The leases that the operator saw and agreed to lose. */
        private final List<String> mayLose = new ArrayList<>();

        abstract DbRestore restore(boolean dry, DbConsent given);

        @Override
        protected final void run() {
            if (needsConfirmation() && session.asker().isEmpty()) {
                ask(true); // a file that cannot be restored is a better reason to refuse than a missing --yes
            }
            super.run();
        }

        @Override
        protected final DbRestore ask(boolean dry) {
            DbConsent.Builder given =
                    DbConsent.newBuilder().setOtherNode(otherNode).addAllMayLose(mayLose);
            return restore(dry, given.setMayLoseAny(!dry && consent.yes).build());
        }

        @Override
        protected final Optional<String> question(DbRestore preview) {
            for (DbLostLease lost : preview.getLostLeasesList()) {
                Owner owner = lost.getLease().getOwner();
                mayLose.add(owner.getNetwork() + "/" + owner.getContainer() + "/" + owner.getIfname());
            }
            return Optional.of(DbCommands.question(preview));
        }

        @Override
        protected final void show(DbRestore reply) {
            show(reply, DbCommands::restore, restored -> List.of(restored.getFile()));
            if (!dryRun) {
                new RestartWaiter(session, name()).awaitRestored(reply);
                if (format().text()) {
                    out().println("the daemon is up again, on the restored database");
                }
            }
        }
    }

    @Command(name = "restore", description = "Put the records of a backup in the place of the present ones.")
    public static final class Restore extends Restoring {
        @Completes(CompletionKind.FILES)
        @Parameters(
                paramLabel = "FILE",
                description = "A backup or an export on the node; a relative path begins where the shell runs.")
        Path file = Path.of("");

        @Override
        DbRestore restore(boolean dry, DbConsent given) {
            String path = file.toAbsolutePath().normalize().toString();
            RestoreDbRequest.Builder request =
                    RestoreDbRequest.newBuilder().setPath(path).setDryRun(dry);
            return control(
                            DbCommands.WORK,
                            stub -> stub.restoreDb(request.setConsent(given).build()))
                    .getRestore();
        }
    }

    @Command(name = "import", description = "Put the records of an export in the place of the present ones.")
    public static final class Import extends Restoring {
        private static final int PART = 1 << 16;

        @Completes(CompletionKind.FILES)
        @Parameters(paramLabel = "FILE", description = "An export or a backup on this machine.")
        Path file = Path.of("");

        @Override
        DbRestore restore(boolean dry, DbConsent given) {
            if (!Files.isRegularFile(file)) {
                throw ShellException.here(
                        "NOT_READABLE",
                        Files.exists(file) ? file + " is no plain file" : "there is no file " + file,
                        "Name a file that 'db export' wrote");
            }
            DbImport.Builder header = DbImport.newBuilder()
                    .setName(file.toString())
                    .setDryRun(dry)
                    .setConsent(given);
            try (InputStream in = Files.newInputStream(file)) {
                // a header, then the file, a part at a time
                Stream<ImportDbRequest> parts = Stream.concat(
                        Stream.of(ImportDbRequest.newBuilder().setImport(header).build()),
                        Stream.iterate(part(in), part -> !part.getData().isEmpty(), part -> part(in)));
                ImportDbReply reply =
                        upload(DbCommands.WORK, (stub, answer) -> stub.importDb(answer), parts.iterator());
                return reply.getRestore();
            } catch (IOException | UncheckedIOException e) {
                String why = "cannot read " + file + ": " + e.getMessage();
                throw ShellException.here("NOT_READABLE", why, "Look whether you may read it", e);
            }
        }

        private static ImportDbRequest part(InputStream in) {
            try {
                ByteString data = ByteString.copyFrom(in.readNBytes(PART));
                return ImportDbRequest.newBuilder().setData(data).build();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Waits for a daemon that starts its engine anew. */
    private record RestartWaiter(Session session, String what) {
        private static final Duration LIMIT = Duration.ofMinutes(2);
        private static final Duration PAUSE = Duration.ofMillis(100);

        /** Returns when an engine serves that came up after the restore was prepared, by the daemon's clock. */
        void awaitRestored(DbRestore done) {
            ProgressLine.during(session.screen(), what + ": the daemon starts anew", () -> {
                long end = System.nanoTime() + LIMIT.toNanos();
                while (!isBack(done)) {
                    if (System.nanoTime() > end) {
                        String hint =
                                "See 'status', 'events' and its log; the files from before are kept beside the database";
                        String why = "the restore is prepared, and the daemon does not serve yet";
                        throw new ShellException(ExitStatus.REFUSED, "", why, hint);
                    }
                    LockSupport.parkNanos(PAUSE.toNanos());
                }
                return true;
            });
            notTaken(done).ifPresent(event -> {
                String hint = "The daemon serves as before; see what became of the file, and restore again";
                throw new ShellException(ExitStatus.REFUSED, event.getType(), event.getMessage(), hint);
            });
        }

        /** The event by which the daemon says that it found what was prepared unsound when it came up. */
        private Optional<Event> notTaken(DbRestore done) {
            WatchEventsReply.Builder all = WatchEventsReply.newBuilder();
            session.daemon().stream(
                            DaemonCommand.LOOK, stub -> stub.watchEvents(WatchEventsRequest.getDefaultInstance()))
                    .forEachRemaining(all::mergeFrom);
            return all.getEventsList().stream()
                    .filter(event -> event.getType().equals("RestoreNotTaken"))
                    .filter(event -> Timestamps.compare(event.getAt(), done.getStagedAt()) >= 0)
                    .reduce((first, second) -> second);
        }

        private boolean isBack(DbRestore done) {
            try {
                GetStatusReply status = session.daemon()
                        .inspect(DaemonCommand.LOOK, stub -> stub.getStatus(GetStatusRequest.getDefaultInstance()));
                return status.getPhase().equals("READY")
                        && Timestamps.compare(status.getPhaseSince(), done.getStagedAt()) > 0;
            } catch (ShellException away) {
                if (away.exit() == ExitStatus.INTERRUPTED) {
                    throw away;
                }
                return false;
            }
        }
    }
}
