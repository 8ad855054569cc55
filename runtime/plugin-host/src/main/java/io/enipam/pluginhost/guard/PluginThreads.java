package io.enipam.pluginhost.guard;

import io.enipam.pluginhost.load.LeakedThreads;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The threads one plugin's code runs on, and the class loader it sees there. A thread that the plugin starts inherits
 * that class loader, which is how those it leaves behind are found. Thread-safe.
 */
final class PluginThreads implements ThreadFactory {
    private static final ClassLoader OURS = PluginThreads.class.getClassLoader();

    private final String pluginId;
    private final ClassLoader loader;
    private final AtomicInteger count = new AtomicInteger();

    PluginThreads(String pluginId, ClassLoader pluginLoader) {
        this.pluginId = pluginId;
        // a plugin on the daemon's own class path gets a name tag, so that its threads can be distinguished from the
        // daemon's
        this.loader = pluginLoader == OURS ? new NameTag(pluginLoader) : pluginLoader;
    }

    /** The context class loader of the plugin's code. */
    ClassLoader loader() {
        return loader;
    }

    @Override
    public Thread newThread(Runnable task) {
        return new PluginThread(task, "plugin-" + pluginId + "-" + count.incrementAndGet(), loader);
    }

    /** How many threads live that the plugin itself has started. */
    int started() {
        return (int) LeakedThreads.of(loader).stream()
                .filter(thread -> !(thread instanceof PluginThread))
                .count();
    }

    private static final class NameTag extends ClassLoader {
        NameTag(ClassLoader parent) {
            super(parent);
        }
    }

    /** A thread that belongs to a plugin: nothing of the engine's runs on it, so it may be lost and interrupted. */
    static final class PluginThread extends Thread {
        private final ClassLoader loader;

        PluginThread(Runnable task, String name, ClassLoader loader) {
            super(task, name);
            this.loader = loader;
            setDaemon(true);
            setContextClassLoader(loader);
        }

        /** Takes away what a call may have left on the thread. */
        static void clean() {
            Thread.interrupted();
            if (Thread.currentThread() instanceof PluginThread mine) {
                mine.setContextClassLoader(mine.loader);
            }
        }
    }
}
