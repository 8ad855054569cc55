package io.enipam.shell.pool;

import io.enipam.shell.core.ControlCommand;
import io.enipam.shell.core.DaemonCommand;
import io.enipam.shell.core.ListCommand;
import io.enipam.shell.core.ListReply;
import io.enipam.shell.core.Session;
import io.enipam.shell.core.TableListing;
import io.enipam.v1.GetPoolRequest;
import io.enipam.v1.Lease;
import io.enipam.v1.ListIdleReply;
import io.enipam.v1.ListIdleRequest;
import io.enipam.v1.ListInUseReply;
import io.enipam.v1.ListInUseRequest;
import io.enipam.v1.PoolEntry;
import io.enipam.v1.SyncPoolRequest;
import java.time.Duration;
import java.util.List;
import picocli.CommandLine.Command;

/** The pool. */
public final class PoolCommands {
    private PoolCommands() {}

    @Command(name = "show", description = "The pool's figures: watermarks, capacity, counts.", footer = "  pool show")
    public static final class Show extends DaemonCommand {
        public Show(Session session) {
            super(session);
        }

        @Override
        public void run() {
            show(
                    inspect(stub -> stub.getPool(GetPoolRequest.getDefaultInstance())),
                    (reply, look) -> PoolViews.pool(reply.getPool(), look),
                    reply -> List.of(reply.getPool().getKind()),
                    FleetRowViews.POOL);
        }
    }

    @Command(
            name = "idle",
            description = "The addresses that are not lent: idle, cooling, reserved.",
            footer = "  pool idle")
    public static final class Idle extends ListCommand<PoolEntry> {
        public Idle(Session session) {
            super(session);
        }

        @Override
        public TableListing<PoolEntry> listing() {
            return PoolViews.IDLE;
        }

        @Override
        public ListReply<PoolEntry> ask() {
            return parts(stub -> stub.listIdle(ListIdleRequest.getDefaultInstance()), ListIdleReply::getEntriesList);
        }
    }

    @Command(
            name = "sync",
            description = {
                "Compare the pool with the cloud now.",
                "",
                "An address that the cloud took is lent to nobody any more. A pod that has one",
                "keeps it, and is named: it has no network. What the cloud has besides joins",
                "the pool, or goes back. A cloud that cannot be asked, or answers in part,",
                "changes nothing. It happens by itself every pool.sync_interval."
            },
            footer = {
                "  pool sync",
                "",
                "  compared 14 addresses, 1 lost, in 210 ms",
                "  FOUND  ADDRESS      ENI    POD            WHAT IT MEANS",
                "  LOST   10.0.1.7/24  eni-1  default/web-0  gone from this node: ..."
            })
    public static final class Sync extends ControlCommand {
        /** Two lists of a slow cloud for each factory, and perhaps another run before. */
        private static final Duration RUN = Duration.ofMinutes(5);

        public Sync(Session session) {
            super(session);
        }

        @Override
        public void run() {
            show(
                    control(RUN, stub -> stub.syncPool(SyncPoolRequest.getDefaultInstance())),
                    (reply, look) -> PoolSyncViews.report(reply.getReport(), look),
                    reply -> reply.getReport().getFindingsList().stream()
                            .map(finding -> finding.getResource().getId())
                            .toList());
        }
    }

    @Command(
            name = "inuse",
            description = "The addresses that pods have.",
            footer = {"  pool inuse --sort-by -age --columns pod,address,age", "  pool inuse -o json"})
    public static final class InUse extends ListCommand<Lease> {
        public InUse(Session session) {
            super(session);
        }

        @Override
        public TableListing<Lease> listing() {
            return PoolViews.IN_USE;
        }

        @Override
        public ListReply<Lease> ask() {
            return parts(stub -> stub.listInUse(ListInUseRequest.getDefaultInstance()), ListInUseReply::getLeasesList);
        }
    }
}
