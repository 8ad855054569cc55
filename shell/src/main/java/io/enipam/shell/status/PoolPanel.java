package io.enipam.shell.status;

import io.enipam.shell.core.Tone;
import io.enipam.v1.HistorySample;
import io.enipam.v1.Pool;
import io.enipam.v1.PoolCounts;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.function.ToIntFunction;

/** How many resources are in which state, against capacity and watermarks, and how that was in the last ten minutes. */
final class PoolPanel {
    private static final int NUMBERS_END = 17;
    private static final int LONGEST_SPARK = 120;

    private final Glyphs glyphs;
    private final int bar;
    private final int spark;

    PoolPanel(Glyphs glyphs, int width) {
        this.glyphs = glyphs;
        int room = width - NUMBERS_END - 4;
        this.spark = Math.min(LONGEST_SPARK, room / 2);
        this.bar = room - spark;
    }

    List<StyledLine> rows(Pool pool, SampleSeries series) {
        PoolCounts counts = pool.getCounts();
        int held = counts.getIdle()
                + counts.getInUse()
                + counts.getCooling()
                + counts.getReserved()
                + counts.getCreating()
                + counts.getDisposing()
                + counts.getInvalid();
        List<StyledLine> rows = new ArrayList<>();
        StyledLine head = new StyledLine()
                .add(Tone.HEAD, "POOL")
                .add("  " + pool.getKind() + " by " + pool.getPolicy() + ", " + held + " of " + pool.getCapacity()
                        + ", keeps " + pool.getMinIdle() + " to " + pool.getMaxIdle() + " idle");
        if (pool.getWaiting() > 0) {
            head.add("  ").add(Tone.BAD, pool.getWaiting() + " waiting");
        }
        rows.add(head);
        rows.add(row("in use", PoolCounts::getInUse, Tone.PLAIN, pool, series));
        rows.add(row("idle", PoolCounts::getIdle, idleTone(pool), pool, series));
        rows.add(row("cooling", PoolCounts::getCooling, Tone.PLAIN, pool, series));
        rows.add(row("reserved", PoolCounts::getReserved, Tone.PLAIN, pool, series));
        rows.add(row("creating", PoolCounts::getCreating, Tone.PLAIN, pool, series));
        rows.add(row("leaving", PoolPanel::leaving, counts.getInvalid() > 0 ? Tone.BAD : Tone.PLAIN, pool, series));
        return rows;
    }

    private static int leaving(PoolCounts counts) {
        return counts.getDisposing() + counts.getInvalid();
    }

    private static Tone idleTone(Pool pool) {
        int idle = pool.getCounts().getIdle();
        if (idle == 0) {
            return Tone.BAD;
        }
        return idle < pool.getMinIdle() ? Tone.WAIT : Tone.GOOD;
    }

    private StyledLine row(String label, ToIntFunction<PoolCounts> count, Tone tone, Pool pool, SampleSeries series) {
        int number = count.applyAsInt(pool.getCounts());
        double capacity = Math.max(1, pool.getCapacity());
        String filled = glyphs.bar(number / capacity, bar);
        boolean idle = label.equals("idle");
        if (idle) {
            filled = glyphs.marked(filled, pool.getMinIdle() / capacity);
            filled = glyphs.marked(filled, pool.getMaxIdle() / capacity);
        }
        ToDoubleFunction<HistorySample> value = sample -> count.applyAsInt(sample.getCounts());
        // of the idle ones the few are the trouble, of the others the many
        double[] course = idle ? series.lows(spark, value) : series.peaks(spark, value);
        return new StyledLine()
                .add("  ")
                .add(Tone.LABEL, label)
                .right(NUMBERS_END, tone, Integer.toString(number))
                .add("  ")
                .add(tone, filled)
                .add("  ")
                .add(glyphs.spark(course));
    }
}
