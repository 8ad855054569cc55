package io.enipam.engine.model;

import java.time.Instant;

/**
 * Why a lease ended.
 *
 * @param by who ended it: {@code cni}, {@code gc}, {@code terway}, a user of the control socket; or empty text
 * @param detail what a person should know beyond the reason, one line; or empty text
 */
public record LeaseEnd(Reason reason, String by, String detail, Instant at) {
    public enum Reason {
        /** The runtime, or a person in its place, asked for it. */
        DEL,
        /** The pod is gone, and no DEL came. */
        GC,
        /** The cloud had taken the address away before the lease ended. */
        LOST,
        /** The ADD that made it failed behind it. */
        UNDONE,
        /** The lease went on under another owner, or the owner got another address. */
        PASSED_ON,
        /** A start-up found that another owner has the address. */
        CONFLICT,
        /** A restored database does not have it. */
        RESTORE,
        /** A program that gave no reasons ended it, or none that is known. */
        UNKNOWN
    }
}
