package io.enipam.shell.runbook;

/**
 * What there was in place of what was expected.
 *
 * @param verb how a sentence tells it, up to the value: {@code "saw "}; empty if the value is told by itself
 * @param value for a program: the value alone
 */
record ActualValue(String verb, String value) {
    static final ActualValue NOTHING = new ActualValue("saw ", "nothing");
    static final ActualValue NULL = new ActualValue("saw ", "null");

    /** What a sentence of its own tells. */
    static ActualValue told(String sentence) {
        return new ActualValue("", sentence);
    }

    static ActualValue saw(String value) {
        return new ActualValue("saw ", value);
    }

    /** The end of a sentence. */
    @Override
    public String toString() {
        return verb + value;
    }
}
