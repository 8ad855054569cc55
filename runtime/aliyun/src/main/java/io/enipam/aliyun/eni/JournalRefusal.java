package io.enipam.aliyun.eni;

import io.enipam.aliyun.api.EcsException;
import io.enipam.engine.port.CloudJournal;

/** The failure of a call that was never made, because it could not be written down first. */
final class JournalRefusal {
    private static final String CODE = "Local.JournalRefused";

    private JournalRefusal() {}

    /** Counts as a refusal: nothing was done, and it may be asked again later. */
    static EcsException failure(CloudJournal.Entry operation, Throwable refusal) {
        return new EcsException(
                operation.operation().name(),
                CODE,
                400,
                "",
                "the operation could not be written down first (" + refusal.getMessage()
                        + "), so the cloud was not asked; check the disk of the database");
    }

    static boolean is(EcsException failure) {
        return failure.code().equals(CODE);
    }
}
