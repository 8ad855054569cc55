package io.enipam.pluginhost.guard;

/** A thread that belongs to a plugin: nothing of the engine's runs on it, so it may be lost and interrupted. */
final class PluginThread extends Thread {
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
