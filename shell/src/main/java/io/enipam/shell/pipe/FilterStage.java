package io.enipam.shell.pipe;

/** A filter at work: takes lines, and hands on what becomes of them. */
abstract class FilterStage implements LineSink {
    private final LineSink next;
    private boolean open = true;

    FilterStage(LineSink next) {
        this.next = next;
    }

    /** Hands a line on, if more is wanted; returns whether more is. */
    final boolean pass(String line) {
        open = open && next.line(line);
        return open;
    }

    @Override
    public void end() {
        next.end();
    }

    @Override
    public final void flush() {
        next.flush();
    }

    /** Whether it found what it was to find; asked after {@link #end} of the last stage of a line. */
    boolean found() {
        return true;
    }
}
