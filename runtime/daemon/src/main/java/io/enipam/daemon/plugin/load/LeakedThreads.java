package io.enipam.daemon.plugin.load;

import java.util.List;

/** Finds the threads of a plugin: a thread inherits the context class loader of the one that started it. */
public final class LeakedThreads {
    private LeakedThreads() {}

    /** The threads alive that run in the name of a plugin's loader, or are of a class of its own. */
    public static List<Thread> of(ClassLoader loader) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getContextClassLoader() == loader
                        || thread.getClass().getClassLoader() == loader)
                .toList();
    }
}
