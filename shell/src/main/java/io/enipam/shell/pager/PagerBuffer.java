package io.enipam.shell.pager;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The lines between the command that writes them and the person who reads them. The writer waits when it is far ahead of
 * the reader, so that an endless stream does not fill the memory; of what was read long ago the oldest goes. Thread-safe.
 */
final class PagerBuffer {
    /** How far a command may be ahead. */
    static final int AHEAD = 20_000;

    /** How many lines can be gone back. */
    static final int KEPT = 50_000;

    private final List<String> lines = new ArrayList<>();
    private long dropped;
    private long wanted;
    private boolean complete;
    private boolean closed;

    /** Adds a line; waits while too many are unread. After {@link #close} it is dropped. */
    synchronized void add(String line) {
        while (!closed && dropped + lines.size() - wanted > AHEAD) {
            try {
                wait();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                closed = true;
            }
        }
        if (closed) {
            return;
        }
        if (lines.size() > KEPT) {
            int surplus = KEPT / 10;
            lines.subList(0, surplus).clear();
            dropped += surplus;
        }
        lines.add(line);
    }

    /** Says that no more lines come. */
    synchronized void complete() {
        complete = true;
    }

    synchronized boolean isComplete() {
        return complete;
    }

    /** Says that nobody reads any more. */
    synchronized void close() {
        closed = true;
        notifyAll();
    }

    synchronized boolean isClosed() {
        return closed;
    }

    /** The number of the first line there is; the first of all is 0. */
    synchronized long first() {
        return dropped;
    }

    /** The number of the line after the last. */
    synchronized long end() {
        return dropped + lines.size();
    }

    /** The line with a number; empty if it is there no more, or not yet. */
    synchronized Optional<String> line(long number) {
        boolean there = number >= dropped && number < dropped + lines.size();
        return there ? Optional.of(lines.get((int) (number - dropped))) : Optional.empty();
    }

    /** Up to {@code count} lines from the one with a number on, and word for the writer of how far the reader is. */
    synchronized List<String> from(long number, int count) {
        wanted = Math.max(wanted, number);
        notifyAll();
        int start = (int) Math.min(lines.size(), Math.max(0, number - dropped));
        return List.copyOf(lines.subList(start, Math.min(lines.size(), start + count)));
    }
}
