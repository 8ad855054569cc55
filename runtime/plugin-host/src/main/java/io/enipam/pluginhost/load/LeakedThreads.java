package io.enipam.pluginhost.load;

import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Finds the threads a plugin left behind. */
public final class LeakedThreads {
    private static final @Nullable ClassLoader DAEMON = LeakedThreads.class.getClassLoader();

    private LeakedThreads() {}

    /**
     * The live platform threads that belong to a loader: their context class loader is this one, or their class was
     * defined by it. A thread the plugin started from a thread of its own inherits the context class loader and is found;
     * one that sets it to something else, and virtual threads, are not.
     */
    public static List<Thread> of(ClassLoader loader) {
        return everyThread().filter(thread -> belongs(thread, loader)).toList();
    }

    /** A plugin's subclass of Thread can override getContextClassLoader, and is not asked. */
    private static boolean belongs(Thread thread, ClassLoader loader) {
        ClassLoader definer = thread.getClass().getClassLoader();
        boolean trusted = definer == null || definer == DAEMON || definer == ClassLoader.getPlatformClassLoader();
        return definer == loader || trusted && thread.getContextClassLoader() == loader;
    }

    private static Stream<Thread> everyThread() {
        ThreadGroup root = Thread.currentThread().getThreadGroup();
        while (root.getParent() != null) {
            root = root.getParent();
        }
        Thread[] found = new Thread[root.activeCount() + 16];
        int count = root.enumerate(found);
        while (count == found.length) { // it may have been cut off
            found = new Thread[found.length * 2];
            count = root.enumerate(found);
        }
        return Stream.of(found).filter(Objects::nonNull);
    }
}
