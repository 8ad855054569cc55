package io.enipam.platform;

/**
 * A thread of the engine's, and one the engine can do without: when a plugin does not give it back, another takes its
 * place. So plugin code may run right on it. Who lends it to a plugin says so with {@link #lend()}; both methods are for the
 * thread itself.
 */
public final class EngineThread extends Thread {
    private boolean lent;

    /**
     * @param task what the thread runs
     * @param name as thread dumps and the health of plugins show it
     */
    public EngineThread(Runnable task, String name) {
        super(task, name);
        setDaemon(true);
        // else it would have that of the thread that happened to start it, which may be a plugin's
        setContextClassLoader(EngineThread.class.getClassLoader());
    }

    /** Lends the thread to a plugin, once: false if a plugin has it already, and this is its own call coming back. */
    public boolean lend() {
        if (lent) {
            return false;
        }
        lent = true;
        return true;
    }

    /** The plugin has given the thread back. */
    public void takeBack() {
        lent = false;
    }

    /** Told when plugin code keeps one of the engine's threads beyond its deadline, and when it lets go. Thread-safe. */
    public interface StuckThreadListener {
        /** A plugin keeps this thread. Told before anything else happens about it, so that another thread can go on. */
        void stuck(Thread thread);

        /** The thread is back. Told once after each {@link #stuck}, on the thread itself. */
        void returned(Thread thread);
    }
}
