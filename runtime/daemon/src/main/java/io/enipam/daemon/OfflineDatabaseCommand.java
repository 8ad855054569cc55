package io.enipam.daemon;

import io.enipam.engine.model.Lease;
import io.enipam.store.DatabaseFileException;
import io.enipam.store.DatabaseTools.FinishedRestore;
import io.enipam.store.DatabaseTools.NodeName;
import io.enipam.store.DatabaseTools.RestorePlan;
import io.enipam.store.DatabaseTools.RestoreRequest;
import io.enipam.store.LockFile;
import io.enipam.store.OfflineTools;
import io.enipam.store.StoreException;
import io.enipam.store.Verification;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/**
 * Command line operations on the database of a daemon that does not run, in case it cannot start. The daemon's lock is
 * held meanwhile.
 */
final class OfflineDatabaseCommand {
    private static final int DONE = 0;
    private static final int REFUSED = 1;

    @Option(
            names = "--verify-db",
            description = "Check every file and every record of the database, change nothing, and exit: with 1 if"
                    + " something is wrong. While enipamd runs, use 'db verify' of the shell.")
    private boolean verify;

    @Option(
            names = "--restore-db",
            paramLabel = "FILE",
            description = "Put the records of a backup or an export in the place of the present ones, keep those"
                    + " beside them, and exit. While enipamd runs, use 'db restore' of the shell.")
    private Optional<Path> restore = Optional.empty();

    @Option(
            names = "--yes",
            description = "With --restore-db: give up leases that are in force and not in FILE, and a database that is"
                    + " damaged. With --recover: go on although leases may be lost.")
    private boolean yes;

    @Option(
            names = "--other-node",
            description = "With --restore-db: take a file of another node, whose place this machine has taken.")
    private boolean otherNode;

    /** Whether the command line requests this instead of a daemon. */
    boolean wanted() {
        return verify || restore.isPresent();
    }

    /** Whether the loss of leases is accepted beforehand. */
    boolean yes() {
        return yes;
    }

    /** Runs the operation and prints the result; returns the exit code. */
    int run(DaemonLayout layout, CommandLine line) {
        OfflineTools tools = OfflineTools.of(layout.database());
        try (LockFile lock = locked(layout)) {
            return restore.map(file -> restored(tools, file, line.getOut()))
                    .orElseGet(() -> verified(tools, line.getOut()));
        } catch (StoreException e) {
            line.getErr().println("enipamd: " + e.getMessage() + "; " + e.hint());
        } catch (DatabaseFileException e) {
            line.getErr().println("enipamd: " + e.getMessage() + "; " + e.hint());
        } catch (StartupException e) {
            line.getErr().println("enipamd: " + e.getMessage());
        } catch (IOException e) {
            line.getErr().println("enipamd: " + layout.lock() + " cannot be closed: " + e.getMessage());
        }
        line.getErr().flush();
        return REFUSED;
    }

    private static LockFile locked(DaemonLayout layout) {
        layout.prepare();
        return layout.takeLock();
    }

    private static int verified(OfflineTools tools, PrintWriter out) {
        Verification found = tools.verify();
        for (Verification.Check check : found.checks()) {
            long problems = found.problems().stream()
                    .filter(problem -> problem.check().equals(check.name()))
                    .count();
            out.printf("%-12s %8d %-8s %d problems%n", check.name(), check.examined(), check.unit(), problems);
        }
        for (Verification.Problem problem : found.problems()) {
            String at = problem.offset().isPresent() ? " at " + problem.offset().getAsLong() : "";
            out.println(problem.check() + " " + problem.where() + at + ": " + problem.message());
        }
        String sound = "the database is sound up to commit " + found.generation();
        out.println(found.sound() ? sound : "the database is not sound");
        out.flush();
        return found.sound() ? DONE : REFUSED;
    }

    private int restored(OfflineTools tools, Path file, PrintWriter out) {
        // apply what an earlier restore has prepared first: it is the present database from then on
        tools.finishRestore().map(FinishedRestore::message).ifPresent(out::println);
        RestorePlan plan = tools.restore(new RestoreRequest(
                file.toAbsolutePath(), file.toString(), new NodeName("", ""), false, Set.of(), yes, otherNode));
        for (RestorePlan.Lost lost : plan.lost()) {
            Lease lease = lost.lease();
            out.println("given up: " + lease.pod() + " " + lease.resource().addresses() + ": " + lost.why());
        }
        out.println(tools.finishRestore().map(FinishedRestore::message).orElse("nothing was restored"));
        out.println("start enipamd: it compares the " + plan.records()
                + " records with the kernel, the API server and the cloud before it hands anything out");
        out.flush();
        return DONE;
    }
}
