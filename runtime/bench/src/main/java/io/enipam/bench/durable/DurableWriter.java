package io.enipam.bench.durable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Something that makes records durable, for a number of callers. */
interface DurableWriter extends AutoCloseable {
    /** As the table shows it. */
    String name();

    /** Makes one record durable; returns when it is. */
    void put(int caller, int index) throws Exception;

    /** Makes room for the next batch; not timed. */
    void clear(int caller, int index) throws Exception;

    @Override
    void close() throws IOException;

    /**
     * Puts batch after batch for a while, and takes each away again. Only the putting is timed.
     *
     * @param batch records of each caller that are there at one time
     */
    default Measurement measure(LoadGenerator callers, int batch, long nanos) throws InterruptedException {
        List<long[]> times = new ArrayList<>();
        List<long[]> ignored = new ArrayList<>();
        long spent = 0;
        while (spent < nanos) {
            spent += callers.each(batch, this::put, times);
            callers.each(batch, this::clear, ignored);
            ignored.clear();
        }
        return Measurement.of(spent, times);
    }
}
