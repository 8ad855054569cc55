package io.enipam.pluginhost.guard;

/**
 * What was wrong with an answer.
 *
 * @param threw whether there was an exception instead of one
 * @param text one line
 */
record CallFailure(boolean threw, String text) {
    static CallFailure threw(String what, Throwable thrown) {
        return new CallFailure(true, what + " threw " + PluginText.of(thrown));
    }

    static CallFailure rejected(String text) {
        return new CallFailure(false, text);
    }
}
