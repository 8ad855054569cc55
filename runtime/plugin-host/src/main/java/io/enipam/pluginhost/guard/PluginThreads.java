package io.enipam.pluginhost.guard;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The threads one plugin's code runs on, and the class loader it sees there. A thread that the plugin starts inherits that
 * class loader, which is how those it leaves behind are found. Thread-safe.
 */
final class PluginThreads implements ThreadFactory {
    private static final ClassLoader OURS = PluginThreads.class.getClassLoader();

    private final String pluginId;
    private final ClassLoader loader;
    private final AtomicInteger count = new AtomicInteger();

    PluginThreads(String pluginId, ClassLoader pluginLoader) {
        this.pluginId = pluginId;
        // a plugin on the daemon's own class path gets a name tag, so that its threads can be told from the daemon's
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
        ThreadGroup all = Thread.currentThread().getThreadGroup();
        while (all.getParent() != null) {
            all = all.getParent();
        }
        Thread[] threads = new Thread[2 * all.activeCount() + 16];
        int living = all.enumerate(threads);
        int started = 0;
        for (int i = 0; i < living; i++) {
            if (startedByPlugin(threads[i])) {
                started++;
            }
        }
        return started;
    }

    /** Asks nothing of a thread whose class is somebody's own: its methods may be, too. */
    private boolean startedByPlugin(Thread thread) {
        if (thread instanceof PluginThread) {
            return false;
        }
        ClassLoader definer = thread.getClass().getClassLoader();
        if (definer == null || definer == OURS || definer == ClassLoader.getPlatformClassLoader()) {
            return thread.getContextClassLoader() == loader;
        }
        return definer == loader;
    }

    private static final class NameTag extends ClassLoader {
        NameTag(ClassLoader parent) {
            super(parent);
        }
    }
}
