package io.enipam.emulator.cloud;

/** What happens to an ENI: calls by a client, and ends of what the calls began. */
public enum EniEvent {
    /** A client attaches it. */
    ATTACH,
    /** The attach is done. */
    ATTACHED,
    /** A client detaches it. */
    DETACH,
    /** The detach is done. */
    DETACHED,
    /** A client deletes it. */
    DELETE,
    /** The ENI is gone. */
    DELETED
}
