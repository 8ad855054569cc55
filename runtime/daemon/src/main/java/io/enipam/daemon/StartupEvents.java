package io.enipam.daemon;

import io.enipam.aliyun.eni.EniUse;
import io.enipam.config.DaemonConfig;
import io.enipam.engine.port.PodDirectory;
import io.enipam.events.EventRing;
import io.enipam.node.cloud.CloudSession;
import io.enipam.pluginhost.load.TrustedPathCheck;
import io.enipam.store.DatabaseTools.FinishedRestore;
import java.util.function.Predicate;

/** Events of a start, in addition to the engine's. Thread-safe. */
final class StartupEvents {
    private final DaemonConfig config;
    private final EventRing events;
    private volatile Predicate<EniUse> silent = use -> false;

    StartupEvents(DaemonConfig config, EventRing events) {
        this.config = config;
        this.events = events;
    }

    /** @param uses whether a use of the cloud is opened only for a trial or a drain, and thus is not in force */
    void suppressFor(Predicate<EniUse> uses) {
        silent = uses;
    }

    void cloudOpened(EniUse use, CloudSession session) {
        if (silent.test(use)) {
            return;
        }
        int capacity = session.factory().capabilities().capacity();
        events.info(
                "CloudConnected",
                "cloud",
                "instance " + session.instanceId() + " has room for " + capacity
                        + (use == EniUse.WHOLE ? " ENIs" : " addresses"));
        cut("pool.max_idle", config.engine().watermarks().maxIdle(), capacity);
        cut("pool.min_idle", config.engine().watermarks().minIdle(), capacity);
    }

    /** The pool never holds more than its factory's capacity, whatever the watermark. */
    private void cut(String watermark, int wanted, int capacity) {
        if (wanted > capacity) {
            events.warning(
                    "ConfigAdjusted",
                    "pool",
                    watermark + " " + wanted + " is above the " + capacity + " addresses that this node can have: "
                            + capacity + " is in force");
        }
    }

    void warnings() {
        TrustedPathCheck.onClassPath().forEach(found -> events.warning("CodeReplaceable", "class path", found));
        config.warnings().forEach(warning -> events.warning("ConfigAdjusted", "config", warning));
    }

    void pods(PodDirectory pods) {
        if (!pods.isAuthoritative()) {
            events.warning(
                    "PodsTrusted",
                    "pods",
                    "no cluster is asked: every pod that a call names is taken to exist, and garbage collection finds"
                            + " nothing");
        }
    }

    void restored(FinishedRestore restore) {
        if (restore.taken()) {
            events.warning("DatabaseRestored", "database", restore.message());
        } else {
            events.error("RestoreNotTaken", "database", restore.message());
        }
    }

    void recoveryFailed(Throwable cause) {
        events.error("RecoveryFailed", "engine", "the engine does not serve: " + cause.getMessage());
    }
}
