package io.enipam.daemon.platform;

/** Told when code that nobody trusts holds a thread up, so that another may take its place. Thread-safe. */
public interface StuckThreads {
    /** The thread is held up. */
    void stuck(Thread thread);

    /** The thread is back; called once for each {@link #stuck}. */
    void returned(Thread thread);
}
