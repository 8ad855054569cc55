package io.enipam.pluginhost.load;

/** One plugin cannot be used; the message is what a person is told. */
final class PluginLoadException extends Exception {
    private static final long serialVersionUID = 1L;

    PluginLoadException(String cause) {
        super(OneLine.of(cause));
    }

    /** What a person is told, one printable line. */
    String describe() {
        return String.valueOf(getMessage());
    }
}
