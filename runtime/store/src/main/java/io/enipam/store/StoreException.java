package io.enipam.store;

import java.nio.file.Path;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** The database cannot be opened. The message says what is wrong and where, the hint what to do about it. */
public final class StoreException extends RuntimeException {
    static final String DAMAGED_HINT =
            "nothing was changed: 'enipamd --recover --dry-run' tells what can be rebuilt from what is left of it and"
                    + " from the kernel, the API server and the cloud, 'enipamd --recover' does it and keeps the"
                    + " damaged files aside; or put a backup of the whole directory in its place";
    static final String NEWER_HINT = "run the newer enipamd that wrote it";

    private static final long serialVersionUID = 1L;

    private final Reason reason;
    private final String hint;
    private final OptionalLong offset;

    public StoreException(String message, String hint) {
        this(Reason.UNUSABLE, message, hint, null);
    }

    public StoreException(String message, String hint, Throwable cause) {
        this(Reason.UNUSABLE, message, hint, cause);
    }

    StoreException(Reason reason, String message, String hint, @Nullable Throwable cause) {
        this(reason, OptionalLong.empty(), message, hint, cause);
    }

    private StoreException(Reason reason, OptionalLong offset, String message, String hint, @Nullable Throwable cause) {
        super(message, cause);
        this.reason = reason;
        this.hint = hint;
        this.offset = offset;
    }

    /** Files are not what was written, from an offset of one file on. */
    static StoreException damaged(Path file, long offset, String what) {
        String message = file + " is damaged at offset " + offset + ": " + what;
        return new StoreException(Reason.DAMAGED, OptionalLong.of(offset), message, DAMAGED_HINT, null);
    }

    /** Damage that has no offset, such as a file that is missing. */
    static StoreException damaged(String message) {
        return new StoreException(Reason.DAMAGED, message, DAMAGED_HINT, null);
    }

    static StoreException damaged(String message, Throwable cause) {
        return new StoreException(Reason.DAMAGED, message, DAMAGED_HINT, cause);
    }

    static StoreException newer(String message) {
        return new StoreException(Reason.NEWER, message, NEWER_HINT, null);
    }

    static StoreException newer(String message, Throwable cause) {
        return new StoreException(Reason.NEWER, message, NEWER_HINT, cause);
    }

    /** Where in the file the damage begins, in bytes; empty if it is about no place of one file. */
    public OptionalLong offset() {
        return offset;
    }

    public Reason reason() {
        return reason;
    }

    public String hint() {
        return hint;
    }

    /** Why a database cannot be opened. */
    public enum Reason {
        /** Its files are not what was written: {@code enipamd --recover} goes on from what is left of them. */
        DAMAGED,
        /** A newer program wrote it. Nothing is wrong with it, and this program must leave it alone. */
        NEWER,
        /** It cannot be used here and now: it is in use, or its directory cannot be read or written. */
        UNUSABLE
    }
}
