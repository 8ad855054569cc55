package io.enipam.shell.runbook;

/**
 * What a variable stands for.
 *
 * @param text as it is put into a command
 * @param number whether it stands for a number in a jq expression; if not, for a string
 */
record Value(String text, boolean number) {
    static Value text(String text) {
        return new Value(text, false);
    }
}
