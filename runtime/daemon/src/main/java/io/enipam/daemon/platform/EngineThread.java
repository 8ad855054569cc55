package io.enipam.daemon.platform;

/**
 * A thread that runs engine code, and that can be done without: whoever made it makes another when this one is held up. Code
 * that nobody trusts may be called on it.
 */
public final class EngineThread extends Thread {
    public EngineThread(Runnable task, String name) {
        super(task, name);
        setDaemon(true);
        // it may be made by a thread that runs a plugin's code just now
        setContextClassLoader(EngineThread.class.getClassLoader());
    }
}
