package io.enipam.shell.command;

import io.enipam.shell.render.PoolViews;
import io.enipam.v1.GetPoolRequest;
import io.enipam.v1.ListIdleReply;
import io.enipam.v1.ListIdleRequest;
import io.enipam.v1.ListInUseReply;
import io.enipam.v1.ListInUseRequest;
import picocli.CommandLine.Command;

/** The pool. */
final class PoolCommands {
    private PoolCommands() {}

    @Command(name = "show", description = "The pool's figures: watermarks, capacity, counts.", footer = "  pool show")
    static final class Show extends DaemonCommand {
        Show(Session session) {
            super(session);
        }

        @Override
        void run() {
            show(
                    inspect(stub -> stub.getPool(GetPoolRequest.getDefaultInstance())),
                    (reply, look) -> PoolViews.pool(reply.getPool(), look));
        }
    }

    @Command(
            name = "idle",
            description = "The addresses that are not lent: idle, cooling, reserved.",
            footer = "  pool idle")
    static final class Idle extends DaemonCommand {
        Idle(Session session) {
            super(session);
        }

        @Override
        void run() {
            showList(
                    "entries",
                    stub -> stub.listIdle(ListIdleRequest.getDefaultInstance()),
                    ListIdleReply::getEntriesList,
                    PoolViews::idle);
        }
    }

    @Command(name = "inuse", description = "The addresses that pods have.", footer = "  pool inuse -o json")
    static final class InUse extends DaemonCommand {
        InUse(Session session) {
            super(session);
        }

        @Override
        void run() {
            showList(
                    "leases",
                    stub -> stub.listInUse(ListInUseRequest.getDefaultInstance()),
                    ListInUseReply::getLeasesList,
                    PoolViews::inUse);
        }
    }
}
