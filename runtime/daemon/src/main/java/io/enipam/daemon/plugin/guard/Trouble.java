package io.enipam.daemon.plugin.guard;

/**
 * What was wrong with an answer.
 *
 * @param threw whether there was an exception instead of one
 * @param text one line
 */
record Trouble(boolean threw, String text) {
    static Trouble threw(String what, Throwable thrown) {
        return new Trouble(true, what + " threw " + Words.of(thrown));
    }

    static Trouble rejected(String text) {
        return new Trouble(false, text);
    }
}
