package io.enipam.shell.runbook;

/**
 * What a variable stands for.
 *
 * @param text as it is put into a command
 * @param number whether it stands for a number in a jq expression; if not, for a string
 */
record VariableValue(String text, boolean number) {
    static VariableValue text(String text) {
        return new VariableValue(text, false);
    }
}
