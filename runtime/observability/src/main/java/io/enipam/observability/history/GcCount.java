package io.enipam.observability.history;

/**
 * Garbage collections that were no dry run, as far as looks at the last one tell.
 *
 * @param runs how many
 * @param collected leases that they ended
 */
public record GcCount(long runs, long collected) {
    static final GcCount NONE = new GcCount(0, 0);

    GcCount plus(GcCount more) {
        return new GcCount(runs + more.runs, collected + more.collected);
    }
}
