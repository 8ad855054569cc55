package io.enipam.platform;

/** Told when plugin code keeps one of the engine's threads beyond its deadline, and when it lets go. Thread-safe. */
public interface StuckThreadListener {
    /** A plugin keeps this thread. Told before anything else happens about it, so that another thread can go on. */
    void stuck(Thread thread);

    /** The thread is back. Told once after each {@link #stuck}, on the thread itself. */
    void returned(Thread thread);
}
