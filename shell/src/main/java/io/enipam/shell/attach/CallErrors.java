package io.enipam.shell.attach;

import static io.enipam.shell.attach.ExitStatus.INTERRUPTED;
import static io.enipam.shell.attach.ExitStatus.NOT_ATTACHED;
import static io.enipam.shell.attach.ExitStatus.REFUSED;

import com.google.protobuf.InvalidProtocolBufferException;
import io.enipam.v1.ErrorDetail;
import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.FileNotFoundException;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** From what gRPC throws to what an operator reads: the daemon's own words where it sent some, else the status's. */
record CallErrors(DaemonRoute route) {
    /** Bytes and no parsed message: a detail that this shell cannot read costs the detail and not the error. */
    private static final Metadata.Key<byte[]> DETAIL =
            Metadata.Key.of("enipam-error-bin", Metadata.BINARY_BYTE_MARSHALLER);

    /** Nothing came at all. */
    ShellException mute(StatusRuntimeException e) {
        return route.diagnose()
                .orElseGet(() -> new ShellException(
                        NOT_ATTACHED,
                        "DEADLINE_EXCEEDED",
                        "nothing came from " + route.name() + " in time",
                        "Does enipamd listen there, and is it alive? Look at its log, or restart it",
                        e));
    }

    ShellException translate(StatusRuntimeException e) {
        return detail(e)
                .map(d -> new ShellException(REFUSED, d.getCode(), d.getMessage(), d.getHint(), e))
                .orElseGet(() -> status(e));
    }

    private ShellException status(StatusRuntimeException e) {
        Status status = e.getStatus();
        return switch (status.getCode()) {
            case UNAVAILABLE -> unavailable(status, e);
            case CANCELLED ->
                endedHere(status)
                        ? new ShellException(INTERRUPTED, "", "interrupted", "", e)
                        : gone("it ended the call", e);
            case DEADLINE_EXCEEDED ->
                ShellException.noReply(
                        "DEADLINE_EXCEEDED",
                        "the daemon did not answer in time",
                        "See 'events', or the daemon's log",
                        e);
            case UNIMPLEMENTED ->
                new ShellException(
                        REFUSED,
                        "UNIMPLEMENTED",
                        "the daemon does not know this command",
                        "Compare 'version' with 'enipam --version'",
                        e);
            default -> new ShellException(REFUSED, status.getCode().name(), description(status), "", e);
        };
    }

    private ShellException unavailable(Status status, StatusRuntimeException e) {
        if (route.diagnose().isPresent()) {
            return route.diagnose().get();
        }
        Path socket = route.socket();
        for (Throwable cause = status.getCause(); cause != null; cause = cause.getCause()) {
            String message = String.valueOf(cause.getMessage());
            if (cause instanceof FileNotFoundException || message.contains("No such file")) {
                return SocketPath.missing(socket, e);
            }
            if (message.contains("ermission denied")) {
                return SocketPath.denied(socket, e);
            }
            if (message.contains("refused")) {
                return SocketPath.deserted(socket, e);
            }
        }
        return gone(description(status), e);
    }

    /** Whether this side ended the call; a daemon that stops resets the calls that run. */
    private static boolean endedHere(Status status) {
        return Context.current().isCancelled() || status.getCause() instanceof InterruptedException;
    }

    private ShellException gone(String why, StatusRuntimeException e) {
        return new ShellException(
                NOT_ATTACHED,
                "UNAVAILABLE",
                "the daemon on " + route.name() + " went away: " + why,
                "Is enipamd running? Look at its log, then try again",
                e);
    }

    private static String description(Status status) {
        @Nullable String description = status.getDescription();
        return description == null ? "the daemon gave no reason" : description;
    }

    private static Optional<ErrorDetail> detail(StatusRuntimeException e) {
        @Nullable Metadata trailers = e.getTrailers();
        byte @Nullable [] bytes = trailers == null ? null : trailers.get(DETAIL);
        if (bytes == null) {
            return Optional.empty();
        }
        try {
            return Optional.of(ErrorDetail.parseFrom(bytes))
                    .filter(d -> !d.getMessage().isEmpty());
        } catch (InvalidProtocolBufferException notOurs) {
            return Optional.empty(); // a later daemon's detail: its status still says what happened
        }
    }
}
