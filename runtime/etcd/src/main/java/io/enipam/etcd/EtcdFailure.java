package io.enipam.etcd;

import static io.grpc.Status.Code.DATA_LOSS;
import static io.grpc.Status.Code.INVALID_ARGUMENT;
import static io.grpc.Status.Code.NOT_FOUND;
import static io.grpc.Status.Code.OUT_OF_RANGE;
import static io.grpc.Status.Code.PERMISSION_DENIED;
import static io.grpc.Status.Code.RESOURCE_EXHAUSTED;
import static io.grpc.Status.Code.UNAUTHENTICATED;

import io.enipam.sdk.ErrorKind;
import io.grpc.Status;
import java.net.URI;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import javax.net.ssl.SSLException;

/**
 * Why a call failed, by the status that etcd answered with: what follows, and what an operator is told. The words are those of
 * {@code rpctypes} in etcd 3.4 to 3.6; the first row that fits is the one.
 */
enum EtcdFailure {
    FULL(
            RESOURCE_EXHAUSTED,
            "database space exceeded",
            Reaction.FAIL,
            ErrorKind.UNAVAILABLE,
            "its database has reached its quota: compact and defragment it or raise --quota-backend-bytes, then run etcdctl alarm"
                    + " disarm"),
    TOO_LARGE(INVALID_ARGUMENT, "request is too large", Reaction.FAIL, ErrorKind.MISCONFIGURED, EtcdFailure.LARGER),
    LARGER_THAN_A_MESSAGE(
            RESOURCE_EXHAUSTED, "larger than max", Reaction.FAIL, ErrorKind.MISCONFIGURED, EtcdFailure.LARGER),
    ANSWER_TOO_LARGE(
            RESOURCE_EXHAUSTED,
            "exceeds maximum size",
            Reaction.FAIL,
            ErrorKind.INTERNAL,
            "report this as a bug of enipam"),
    TOO_MANY(
            INVALID_ARGUMENT,
            "too many operations",
            Reaction.FAIL,
            ErrorKind.MISCONFIGURED,
            "start each member with --max-txn-ops=128, which is the default, or more"),
    COMPACTED(
            OUT_OF_RANGE,
            "has been compacted",
            Reaction.FAIL,
            ErrorKind.CONFLICT,
            "the history is compacted in less time than the transaction takes: read less, or compact later"),
    LEASE_GONE(NOT_FOUND, "lease not found", Reaction.FAIL, ErrorKind.UNAVAILABLE, "its lease has expired"),
    TOKEN_REFUSED(UNAUTHENTICATED, "", Reaction.LOG_IN, ErrorKind.UNAUTHORIZED, "check the user and the password"),
    TOKEN_OLD(
            INVALID_ARGUMENT,
            "revision of auth store is old",
            Reaction.LOG_IN,
            ErrorKind.UNAUTHORIZED,
            "users or roles change all the time"),
    PASSWORD_REFUSED(
            INVALID_ARGUMENT,
            "authentication failed",
            Reaction.FAIL,
            ErrorKind.UNAUTHORIZED,
            "check the user and the password"),
    NO_USER(
            INVALID_ARGUMENT,
            "user name is empty",
            Reaction.FAIL,
            ErrorKind.UNAUTHORIZED,
            "its authentication is enabled: name a user and a password"),
    DENIED(
            PERMISSION_DENIED,
            "",
            Reaction.FAIL,
            ErrorKind.UNAUTHORIZED,
            "grant the user's role readwrite on the prefix (etcdctl role grant-permission --prefix=true)"),
    CORRUPT(DATA_LOSS, "", Reaction.FAIL, ErrorKind.UNAVAILABLE, "a member is corrupt: see etcdctl alarm list"),
    TLS(
            Status.Code.UNAVAILABLE,
            "",
            Reaction.REPEAT,
            ErrorKind.UNAUTHORIZED,
            "check the authorities, the certificate and its key, and their dates"),
    NO_LEADER(
            Status.Code.UNAVAILABLE,
            "no leader",
            Reaction.REPEAT,
            ErrorKind.UNAVAILABLE,
            "it has no quorum: start more than half of its members"),
    /** By a member that leads alone, and has not noticed it yet. */
    TIMED_OUT(
            Status.Code.UNAVAILABLE,
            "request timed out",
            Reaction.REPEAT,
            ErrorKind.UNAVAILABLE,
            "it has no quorum, or its disks are too slow: check that more than half of its members run"),
    UNREACHABLE(
            Status.Code.UNAVAILABLE,
            "",
            Reaction.REPEAT,
            ErrorKind.UNAVAILABLE,
            "check that it runs and that the network lets this host through"),
    SILENT(
            Status.Code.DEADLINE_EXCEEDED,
            "",
            Reaction.REPEAT,
            ErrorKind.UNAVAILABLE,
            "check that more than half of its members run, their disks, and the network"),
    BUSY(RESOURCE_EXHAUSTED, "", Reaction.REPEAT, ErrorKind.THROTTLED, "it is overloaded"),
    /** By this side: no status leads here. */
    CLOSED(Status.Code.OK, "", Reaction.FAIL, ErrorKind.UNAVAILABLE, "the journal is closed"),
    ABORTED(Status.Code.ABORTED, "", Reaction.REPEAT, ErrorKind.UNAVAILABLE, "try it again"),
    /** Any other status, such as that of a connection which broke in the middle. */
    OTHER(Status.Code.UNKNOWN, "", Reaction.REPEAT, ErrorKind.UNAVAILABLE, "see etcd's own log");

    static final String REQUEST_BYTES = "4194304";
    private static final String LARGER = "start each member with --max-request-bytes=" + EtcdFailure.REQUEST_BYTES
            + " or more (in Debian's /etc/default/etcd: ETCD_MAX_REQUEST_BYTES)";

    /** What follows from it. */
    enum Reaction {
        /** Doing it again would not help, and it was not done. */
        FAIL,
        /** With a new token. It was not done. */
        LOG_IN,
        /** After a pause, at the next member. Whether it was done is not known. */
        REPEAT
    }

    private final Status.Code code;
    private final String words;
    private final Reaction reaction;
    private final ErrorKind kind;
    private final String advice;

    EtcdFailure(Status.Code code, String words, Reaction reaction, ErrorKind kind, String advice) {
        this.code = code;
        this.words = words;
        this.reaction = reaction;
        this.kind = kind;
        this.advice = advice;
    }

    static EtcdFailure of(Throwable error) {
        Status status = Status.fromThrowable(error);
        String said = said(status);
        boolean secured = tls(error).isPresent();
        return Arrays.stream(values())
                .filter(row -> row.code == status.getCode() && said.contains(row.words) && (row != TLS || secured))
                .findFirst()
                .orElse(OTHER);
    }

    Reaction reaction() {
        return reaction;
    }

    /**
     * What the plugin and its operator get.
     *
     * @param asked the endpoints; where one of several cannot be reached, the others may still be enough
     * @param uncertain whether an earlier try may have been done
     */
    EtcdException exception(List<URI> asked, Throwable error, boolean uncertain) {
        String todo = this == UNREACHABLE && asked.size() > 1
                ? "check that more than half of its members run and that the network lets this host through"
                : advice;
        String cause = tls(error).map(Throwable::getMessage).orElseGet(() -> said(Status.fromThrowable(error)));
        return new EtcdException(
                this, kind, "etcd at " + where(asked) + " failed: " + cause + "; " + todo, uncertain, error);
    }

    /** Endpoints for a message. */
    static String where(List<URI> endpoints) {
        return endpoints.stream().map(URI::toString).collect(Collectors.joining(", "));
    }

    private static Optional<Throwable> tls(Throwable error) {
        for (Throwable at = error; at != null; at = at.getCause()) {
            if (at instanceof SSLException || at instanceof GeneralSecurityException) {
                Throwable cause = at;
                while (cause.getCause() != null) {
                    cause = cause.getCause();
                }
                return Optional.of(cause);
            }
        }
        return Optional.empty();
    }

    /** What etcd said, in one line, or what went wrong on the way. */
    private static String said(Status status) {
        StringBuilder said = new StringBuilder(
                status.getDescription() == null ? status.getCode().name() : status.getDescription());
        for (Throwable cause = status.getCause(); cause != null; cause = cause.getCause()) {
            if (cause.getCause() == null && cause.getMessage() != null) {
                said.append(": ").append(cause.getMessage());
            }
        }
        return said.toString().lines().findFirst().orElse("").replace("etcdserver: ", "");
    }
}
