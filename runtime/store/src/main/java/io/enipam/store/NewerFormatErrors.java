package io.enipam.store;

import io.enipam.store.StoreException.Reason;

/** The one wording for files that a newer program wrote. */
final class NewerFormatErrors {
    static final String HINT = "run the newer enipamd that wrote it";

    private NewerFormatErrors() {}

    static StoreException of(String message) {
        return new StoreException(Reason.NEWER, message, HINT);
    }

    static StoreException of(String message, Throwable cause) {
        return new StoreException(Reason.NEWER, message, HINT, cause);
    }
}
