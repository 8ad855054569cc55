package io.enipam.diagnostics.doctor;

/** How bad it is, from nothing to look at up to what wants somebody at once. */
public enum Severity {
    /** Looked at, and well. */
    OK,
    /** Not looked at, for a reason that is told. */
    SKIPPED,
    /** Good to know; nobody has to do anything. */
    INFO,
    /** It works, and will not for long, or not for everybody: look at it today. */
    WARN,
    /** Pods are without network, or are about to be: look at it now. */
    CRITICAL;

    /** Whether it is this bad or worse. */
    public boolean atLeast(Severity other) {
        return compareTo(other) >= 0;
    }

    Severity worse(Severity other) {
        return atLeast(other) ? this : other;
    }
}
