package io.enipam.shell.runbook;

/** What a runbook may be and do at most, so that a broken or hostile one ends with a message. */
public final class RunbookLimits {
    /** Bytes of one file. */
    public static final int FILE_BYTES = 256 << 10;

    /** Characters of a line, with those that continue it. */
    static final int LINE = 16 << 10;

    /** Files that are read for one runbook, and how deep they may include each other. */
    static final int FILES = 64;

    static final int INCLUDE_DEPTH = 8;

    /** Blocks in blocks. */
    static final int BLOCK_DEPTH = 16;

    /** Items of one {@code for}. */
    static final int ITEMS = 10_000;

    /** Steps of one run. */
    static final int STEPS = 100_000;

    /** Characters of a variable's value. */
    static final int VALUE = 64 << 10;

    /** How many problems are reported; more of them are of no use. */
    static final int PROBLEMS = 100;

    private RunbookLimits() {}
}
