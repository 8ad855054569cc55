package io.enipam.shell.command;

import io.enipam.v1.ControlGrpc.ControlBlockingStub;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;

/** A command that changes the daemon: only such a one can call its service Control. */
abstract class ControlCommand extends DaemonCommand {
    ControlCommand(Session session) {
        super(session);
    }

    @Override
    boolean changes() {
        return true;
    }

    @Override
    List<String> inBundle() {
        return List.of();
    }

    final <T> T control(Duration within, Function<ControlBlockingStub, T> call) {
        return waiting(() -> session.daemon().control(within, call));
    }
}
