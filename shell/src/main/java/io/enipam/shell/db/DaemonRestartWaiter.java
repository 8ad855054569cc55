package io.enipam.shell.db;

import io.enipam.shell.attach.ExitStatus;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.core.DaemonCommand;
import io.enipam.shell.core.ProgressLine;
import io.enipam.shell.core.Session;
import io.enipam.shell.core.TimeFormat;
import io.enipam.v1.DbRestore;
import io.enipam.v1.Event;
import io.enipam.v1.GetStatusReply;
import io.enipam.v1.GetStatusRequest;
import io.enipam.v1.WatchEventsReply;
import io.enipam.v1.WatchEventsRequest;
import java.time.Duration;
import java.util.Iterator;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/** Waits for a daemon that starts its engine anew. */
final class DaemonRestartWaiter {
    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final String NOT_TAKEN = "RestoreNotTaken";
    private static final Duration PAUSE = Duration.ofMillis(100);

    private final Session session;
    private final String what;

    DaemonRestartWaiter(Session session, String what) {
        this.session = session;
        this.what = what;
    }

    /**
     * Returns when an engine serves that came up after the restore was prepared, and on what was restored: all times are by the
     * daemon's clock.
     */
    void of(DbRestore done) {
        ProgressLine.during(session.screen(), what + ": the daemon starts anew", () -> {
            long end = System.nanoTime() + LIMIT.toNanos();
            while (!isBack(done)) {
                if (System.nanoTime() > end) {
                    throw new ShellException(
                            ExitStatus.REFUSED,
                            "",
                            "the restore is prepared, and the daemon does not serve yet",
                            "See 'status', 'events' and its log; the files from before are kept beside the database");
                }
                LockSupport.parkNanos(PAUSE.toNanos());
            }
            return true;
        });
        notTaken(done).ifPresent(event -> {
            throw new ShellException(
                    ExitStatus.REFUSED,
                    event.getType(),
                    event.getMessage(),
                    "The daemon serves as before; see what became of the file, and restore again");
        });
    }

    /** What the daemon says if it found what was prepared unsound when it came up. */
    private Optional<Event> notTaken(DbRestore done) {
        Iterator<WatchEventsReply> parts = session.daemon().stream(
                DaemonCommand.LOOK, stub -> stub.watchEvents(WatchEventsRequest.getDefaultInstance()));
        Optional<Event> last = Optional.empty();
        while (parts.hasNext()) {
            for (Event event : parts.next().getEventsList()) {
                if (event.getType().equals(NOT_TAKEN)
                        && !TimeFormat.instant(event.getAt()).isBefore(TimeFormat.instant(done.getStagedAt()))) {
                    last = Optional.of(event);
                }
            }
        }
        return last;
    }

    private boolean isBack(DbRestore done) {
        try {
            GetStatusReply status = session.daemon()
                    .inspect(DaemonCommand.LOOK, stub -> stub.getStatus(GetStatusRequest.getDefaultInstance()));
            return status.getPhase().equals("READY")
                    && TimeFormat.instant(status.getPhaseSince()).isAfter(TimeFormat.instant(done.getStagedAt()));
        } catch (ShellException away) {
            if (away.exit() == ExitStatus.INTERRUPTED) {
                throw away;
            }
            return false;
        }
    }
}
