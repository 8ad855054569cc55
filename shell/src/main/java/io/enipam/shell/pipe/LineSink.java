package io.enipam.shell.pipe;

/** Takes lines, one after the other. Not thread-safe. */
public interface LineSink {
    /**
     * Takes a line.
     *
     * @param line without its end
     * @return whether more is wanted; if not, only {@link #end} may follow
     * @throws io.enipam.shell.attach.ShellException if it cannot be taken
     */
    boolean line(String line);

    /** Hears that this was all, once. */
    void end();

    /** Sends on its way what is held back for speed alone. */
    default void flush() {}
}
