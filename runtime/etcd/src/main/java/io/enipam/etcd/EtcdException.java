package io.enipam.etcd;

import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.JournalException;

/** A call of etcd failed. */
final class EtcdException extends JournalException {
    private static final long serialVersionUID = 1L;

    private final EtcdFailure failure;
    private final boolean uncertain;

    EtcdException(EtcdFailure failure, ErrorKind kind, String message, boolean uncertain, Throwable cause) {
        super(kind, message, cause);
        this.failure = failure;
        this.uncertain = uncertain;
    }

    EtcdFailure failure() {
        return failure;
    }

    /** Whether the request may have been done all the same. */
    boolean isUncertain() {
        return uncertain;
    }
}
