package io.enipam.shell.core;

import io.enipam.v1.ControlGrpc.ControlBlockingStub;
import io.enipam.v1.ControlGrpc.ControlStub;
import io.grpc.stub.ClientResponseObserver;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Function;

/** A command that changes the daemon: only such a one can call its service Control. */
public abstract class ControlCommand extends DaemonCommand {
    @Override
    public boolean changes() {
        return true;
    }

    @Override
    public List<String> inBundle() {
        return List.of();
    }

    /** Whether the daemon answers only users who may control it, given what was typed; true of a dry run by Control. */
    public boolean needsControl() {
        return true;
    }

    /** Asks for a change; in a read-only session for a dry run alone. */
    protected final <T> T control(Duration within, Function<ControlBlockingStub, T> call) {
        requireWritable();
        return waiting(() -> session.daemon().control(within, call));
    }

    /** The same with a file. */
    protected final <Q, R> R upload(
            Duration within, BiConsumer<ControlStub, ClientResponseObserver<Q, R>> call, Iterator<Q> parts) {
        requireWritable();
        return waiting(() -> session.daemon().upload(within, call, parts));
    }
}
