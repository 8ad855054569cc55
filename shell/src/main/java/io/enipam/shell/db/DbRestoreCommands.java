package io.enipam.shell.db;

import com.google.protobuf.ByteString;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.core.Completes;
import io.enipam.shell.core.CompletionKind;
import io.enipam.shell.core.ConfirmationOption;
import io.enipam.shell.core.ControlCommand;
import io.enipam.shell.core.OutputFormat;
import io.enipam.shell.core.Session;
import io.enipam.v1.DbConsent;
import io.enipam.v1.DbImport;
import io.enipam.v1.DbLostLease;
import io.enipam.v1.DbRestore;
import io.enipam.v1.ImportDbReply;
import io.enipam.v1.ImportDbRequest;
import io.enipam.v1.Owner;
import io.enipam.v1.RestoreDbRequest;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Bringing the resource database back, from a file on the node or from one here. */
public final class DbRestoreCommands {
    private DbRestoreCommands() {}

    /** What both have in common: look first, ask, do it, and wait until the daemon is up again. */
    abstract static class Restoring extends ControlCommand {
        @Option(names = "--dry-run", description = "Only say what would be changed.")
        boolean dryRun;

        @Option(
                names = "--other-node",
                description = "Take a file of another node, whose place this machine has taken.")
        boolean otherNode;

        @Mixin
        ConfirmationOption consent = new ConfirmationOption();

        Restoring(Session session) {
            super(session);
        }

        @Override
        public boolean changes() {
            return !dryRun;
        }

        @Override
        public boolean needsConfirmation() {
            return !dryRun && !consent.yes;
        }

        abstract DbRestore restore(boolean dry, DbConsent given);

        @Override
        public void run() {
            DbConsent.Builder given = DbConsent.newBuilder().setOtherNode(otherNode);
            if (dryRun) {
                show(restore(true, given.build()), DbToolViews::restore, restored -> List.of(restored.getFile()));
            } else if (consent.yes) {
                doIt(given.setMayLoseAny(true).build());
            } else {
                DbRestore would = restore(true, given.build());
                if (consent.given(session, () -> DbToolViews.question(would))) {
                    // what was shown is agreed to, and nothing that came to be meanwhile
                    would.getLostLeasesList().stream()
                            .map(DbLostLease::getLease)
                            .map(lease -> key(lease.getOwner()))
                            .forEach(given::addMayLose);
                    doIt(given.build());
                }
            }
        }

        private void doIt(DbConsent given) {
            DbRestore done = restore(false, given);
            show(done, DbToolViews::restore, restored -> List.of(restored.getFile()));
            new DaemonRestartWaiter(session, name()).of(done);
            if (format() == OutputFormat.TABLE || format() == OutputFormat.WIDE) {
                out().println("the daemon is up again, on the restored database");
            }
        }

        private static String key(Owner owner) {
            return owner.getNetwork() + "/" + owner.getContainer() + "/" + owner.getIfname();
        }
    }

    @Command(
            name = "restore",
            description = {
                "Put the records of a backup in the place of the present ones.",
                "Everything in the file is checked before anything is changed. What is prepared takes the place of the database when the daemon starts its engine anew, which it does at once, by itself; pods keep their addresses meanwhile, and ADDs get 'try again'. The files from before are kept beside the database. Leases that are in force and not in the file are lost, but for those of pods that still run: without --yes it shows them, and asks. Operations that are pending in the cloud, and leases made meanwhile, stay."
            },
            footer = {
                "  db restore /var/backups/enipam.jsonl --dry-run",
                "    would restore 40 records from /var/backups/enipam.jsonl: a backup of commit 812, 3m old",
                "    leases: 36 stay, 1 would be lost, 2 would come back",
                "    POD            ADDRESSES     SINCE  WHY",
                "    default/web-9  10.0.1.12/24  2m     not in the file",
                "  db restore /var/backups/enipam.jsonl --yes"
            })
    public static final class Restore extends Restoring {
        @Completes(CompletionKind.FILES)
        @Parameters(
                paramLabel = "FILE",
                description = "A backup or an export on the node; a relative path begins where the shell runs.")
        Path file = Path.of("");

        public Restore(Session session) {
            super(session);
        }

        @Override
        DbRestore restore(boolean dry, DbConsent given) {
            RestoreDbRequest request = RestoreDbRequest.newBuilder()
                    .setPath(file.toAbsolutePath().normalize().toString())
                    .setDryRun(dry)
                    .setConsent(given)
                    .build();
            return control(DbToolCommands.WORK, stub -> stub.restoreDb(request)).getRestore();
        }
    }

    @Command(
            name = "import",
            description = {
                "Put the records of an export in the place of the present ones.",
                "As 'db restore', with the same questions, but the file is here and is sent to the daemon. One that was edited is taken if \"sha256\" is removed from its last line, and the number of records there is right."
            },
            footer = {"  db export leases.jsonl", "  db import leases.jsonl --dry-run", "  db import leases.jsonl --yes"
            })
    public static final class Import extends Restoring {
        private static final int PART = 1 << 16;

        @Completes(CompletionKind.FILES)
        @Parameters(paramLabel = "FILE", description = "An export or a backup on this machine.")
        Path file = Path.of("");

        public Import(Session session) {
            super(session);
        }

        @Override
        DbRestore restore(boolean dry, DbConsent given) {
            if (!Files.isRegularFile(file)) {
                throw ShellException.here(
                        "NOT_READABLE",
                        Files.exists(file) ? file + " is no plain file" : "there is no file " + file,
                        "Name a file that 'db export' wrote");
            }
            DbImport wish = DbImport.newBuilder()
                    .setName(file.toString())
                    .setDryRun(dry)
                    .setConsent(given)
                    .build();
            try (InputStream in = Files.newInputStream(file)) {
                ImportDbReply reply =
                        upload(DbToolCommands.WORK, (stub, answer) -> stub.importDb(answer), new Parts(wish, in));
                return reply.getRestore();
            } catch (IOException | UncheckedIOException e) {
                throw ShellException.here(
                        "NOT_READABLE",
                        "cannot read " + file + ": " + e.getMessage(),
                        "Look whether you may read it",
                        e);
            }
        }
    }

    /** What is wanted, then the file, a part at a time. */
    private static final class Parts implements Iterator<ImportDbRequest> {
        private final InputStream in;
        private ImportDbRequest next;
        private boolean more = true;

        Parts(DbImport wish, InputStream in) {
            this.in = in;
            this.next = ImportDbRequest.newBuilder().setImport(wish).build();
        }

        @Override
        public boolean hasNext() {
            return more;
        }

        @Override
        public ImportDbRequest next() {
            if (!more) {
                throw new NoSuchElementException("all of it was read");
            }
            ImportDbRequest now = next;
            try {
                byte[] data = in.readNBytes(Import.PART);
                more = data.length > 0;
                next = ImportDbRequest.newBuilder()
                        .setData(ByteString.copyFrom(data))
                        .build();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return now;
        }
    }
}
