package io.enipam.pluginhost.guard;

import java.time.Duration;
import java.util.Optional;

/** A piece of work for a thread of the plugin's. */
interface PluginTask {
    /** Its name, for people: {@code create}. */
    String what();

    /** Does it, with the plugin's code in it. What it throws counts as the plugin's. */
    Optional<CallFailure> run() throws Exception;

    /** It threw. Told on the plugin's thread, where the plugin's exceptions may be asked. */
    void threw(Throwable thrown);

    /** It has not returned within its deadline; it may still. Told once, on the watchdog's thread. */
    default void late() {}

    /** It is not done. Told instead of all else. */
    void refused(String why, Duration retryAfter);
}
