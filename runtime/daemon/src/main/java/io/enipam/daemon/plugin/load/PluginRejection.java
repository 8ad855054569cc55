package io.enipam.daemon.plugin.load;

/** Why a plugin is not used; the message is for people, one line. */
final class PluginRejection extends Exception {
    private static final long serialVersionUID = 1L;

    PluginRejection(String cause) {
        super(cause);
    }

    PluginRejection(String cause, Throwable reason) {
        super(cause, reason);
    }
}
