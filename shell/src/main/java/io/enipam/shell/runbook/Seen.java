package io.enipam.shell.runbook;

/**
 * What there was in place of what was expected.
 *
 * @param verb how a sentence tells it, up to the value: {@code "saw "}; empty if the value is told by itself
 * @param value for a program: the value alone
 */
record Seen(String verb, String value) {
    static final Seen NOTHING = new Seen("saw ", "nothing");
    static final Seen NULL = new Seen("saw ", "null");

    /** What a sentence of its own tells. */
    static Seen told(String sentence) {
        return new Seen("", sentence);
    }

    static Seen saw(String value) {
        return new Seen("saw ", value);
    }

    /** The end of a sentence. */
    @Override
    public String toString() {
        return verb + value;
    }
}
