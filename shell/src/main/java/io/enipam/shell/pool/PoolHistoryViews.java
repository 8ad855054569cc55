package io.enipam.shell.pool;

import com.google.protobuf.Duration;
import io.enipam.shell.core.Table;
import io.enipam.shell.core.TableListing;
import io.enipam.shell.core.TimeFormat;
import io.enipam.shell.core.Tone;
import io.enipam.v1.CallMeter;
import io.enipam.v1.HistorySample;

/** How the pool fared lately: a row for each interval of a few seconds. */
public final class PoolHistoryViews {
    private PoolHistoryViews() {}

    /** The samples, oldest first; their names are their numbers. */
    public static final TableListing<HistorySample> POOL = TableListing.<HistorySample>of(
                    "samples", sample -> Long.toString(sample.getSequence()))
            .none("no interval is over yet: one takes a few seconds", "")
            .by(
                    "time",
                    "TIME",
                    HistorySample::getSequence,
                    (sample, look) -> Table.cell(TimeFormat.clock(sample.getAt(), look.zone())))
            .number("idle", "IDLE", sample -> sample.getCounts().getIdle())
            .number("inuse", "IN USE", sample -> sample.getCounts().getInUse())
            .number("cooling", "COOLING", sample -> sample.getCounts().getCooling())
            .number("reserved", "RESERVED", sample -> sample.getCounts().getReserved())
            .number("creating", "CREATING", sample -> sample.getCounts().getCreating())
            .number("waiting", "WAITING", HistorySample::getWaiting)
            .number("add", "ADD", sample -> sample.getAdd().getDone())
            .number("del", "DEL", sample -> sample.getDel().getDone())
            .by(
                    "failed",
                    "FAILED",
                    PoolHistoryViews::failed,
                    (sample, look) ->
                            new Table.Cell(Long.toString(failed(sample)), failed(sample) > 0 ? Tone.BAD : Tone.PLAIN))
            .by(
                    "p50",
                    "ADD P50",
                    sample -> nanos(sample.getAdd().getP50()),
                    (sample, look) -> took(sample.getAdd(), sample.getAdd().getP50()))
            .by(
                    "p99",
                    "P99",
                    sample -> nanos(sample.getAdd().getP99()),
                    (sample, look) -> took(sample.getAdd(), sample.getAdd().getP99()))
            .number("calls", "CALLS", sample -> sample.getCloud().getCalls())
            .by(
                    "throttled",
                    "THROTTLED",
                    sample -> sample.getCloud().getThrottled(),
                    (sample, look) -> new Table.Cell(
                            Long.toString(sample.getCloud().getThrottled()),
                            sample.getCloud().getThrottled() > 0 ? Tone.WAIT : Tone.PLAIN))
            .wideBy(
                    "disposing",
                    "DISPOSING",
                    sample -> sample.getCounts().getDisposing(),
                    (sample, look) -> Table.cell(sample.getCounts().getDisposing()))
            .wideBy(
                    "invalid",
                    "INVALID",
                    sample -> sample.getCounts().getInvalid(),
                    (sample, look) -> Table.cell(sample.getCounts().getInvalid()))
            .wideBy(
                    "capacity",
                    "CAPACITY",
                    HistorySample::getCapacity,
                    (sample, look) -> Table.cell(sample.getCapacity()))
            .wideText("watermarks", "WATERMARKS", sample -> sample.getMinIdle() + "-" + sample.getMaxIdle())
            .build();

    private static long failed(HistorySample sample) {
        return sample.getAdd().getFailed() + sample.getDel().getFailed();
    }

    private static long nanos(Duration time) {
        return TimeFormat.duration(time).toNanos();
    }

    private static Table.Cell took(CallMeter meter, Duration time) {
        return Table.cell(meter.getDone() + meter.getFailed() == 0 ? "" : TimeFormat.took(time));
    }
}
