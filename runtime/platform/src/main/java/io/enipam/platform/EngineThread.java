package io.enipam.platform;

/**
 * An engine thread that may run plugin code: when a plugin does not return, another thread replaces this one. The
 * caller marks a plugin call with {@link #lend()}; both methods must be called on the thread itself.
 */
public final class EngineThread extends Thread {
    private boolean lent;

    /** @param name shown in thread dumps and in the health of plugins */
    public EngineThread(Runnable task, String name) {
        super(task, name);
        setDaemon(true);
        // otherwise it inherits that of the thread that happens to start it, which may be a plugin's
        setContextClassLoader(EngineThread.class.getClassLoader());
    }

    /** Marks the start of a plugin call; false if this thread is already in one, as in a nested call. */
    public boolean lend() {
        if (lent) {
            return false;
        }
        lent = true;
        return true;
    }

    /** Marks the return of the plugin call. */
    public void takeBack() {
        lent = false;
    }

    /** Gets notified when plugin code keeps an engine thread beyond its deadline, and when it returns. Thread-safe. */
    public interface StuckThreadListener {
        /** A plugin keeps this thread. Called before any other reaction, so that another thread can continue. */
        void stuck(Thread thread);

        /** The thread has returned. Called once after each {@link #stuck}, on the thread itself. */
        void returned(Thread thread);
    }
}
