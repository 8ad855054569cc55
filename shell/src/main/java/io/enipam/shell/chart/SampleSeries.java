package io.enipam.shell.chart;

import com.google.protobuf.util.Durations;
import io.enipam.shell.core.TimeFormat;
import io.enipam.v1.CallMeter;
import io.enipam.v1.HistorySample;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.DoubleBinaryOperator;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/** Samples, the oldest first, on an axis that ends now. Their ages decide where they stand, whatever the clock says. */
public record SampleSeries(List<HistorySample> samples, Duration span) {
    private static final Duration LATELY = Duration.ofMinutes(1);

    public SampleSeries {
        samples = List.copyOf(samples);
    }

    /** On an axis that begins with the oldest. */
    public static SampleSeries of(List<HistorySample> samples) {
        Duration oldest = samples.stream()
                .map(sample -> TimeFormat.duration(sample.getAge()))
                .max(Comparator.naturalOrder())
                .orElse(Duration.ZERO);
        return new SampleSeries(samples, oldest);
    }

    /** What {@code further} chooses in each of so many equal stretches of the axis; NaN where there is no sample. */
    public double[] extremes(int columns, ToDoubleFunction<HistorySample> value, DoubleBinaryOperator further) {
        double[] peaks = new double[columns];
        Arrays.fill(peaks, Double.NaN);
        for (HistorySample sample : samples) {
            double share = 1 - Durations.toSecondsAsDouble(sample.getAge()) / (span.toMillis() / 1e3);
            int column = (int) Math.floor(share * columns);
            if (column >= 0 && columns > 0) {
                int within = Math.min(columns - 1, column);
                double here = value.applyAsDouble(sample);
                peaks[within] = Double.isNaN(peaks[within]) ? here : further.applyAsDouble(peaks[within], here);
            }
        }
        return filled(peaks, further);
    }

    /** One empty stretch between two that are not is the beat of samples against columns, not a hole. */
    private static double[] filled(double[] peaks, DoubleBinaryOperator further) {
        double[] whole = peaks.clone();
        for (int i = 1; i < peaks.length - 1; i++) {
            if (Double.isNaN(peaks[i]) && !Double.isNaN(peaks[i - 1]) && !Double.isNaN(peaks[i + 1])) {
                whole[i] = further.applyAsDouble(peaks[i - 1], peaks[i + 1]);
            }
        }
        return whole;
    }

    /** How many a second there were in the last minute. */
    public double rate(ToDoubleFunction<HistorySample> count) {
        double counted = 0;
        double time = 0;
        for (HistorySample sample : lately()) {
            counted += count.applyAsDouble(sample);
            time += Durations.toSecondsAsDouble(sample.getInterval());
        }
        return time == 0 ? 0 : counted / time;
    }

    public long sum(ToDoubleFunction<HistorySample> count) {
        return Math.round(samples.stream().mapToDouble(count).sum());
    }

    /** The calls of the latest interval of the last minute in which one ended; without times if there is none. */
    public CallMeter latest(Function<HistorySample, CallMeter> calls) {
        return lately().stream()
                .map(calls)
                .filter(CallMeter::hasP50)
                .reduce(CallMeter.getDefaultInstance(), (earlier, later) -> later);
    }

    private List<HistorySample> lately() {
        return samples.stream()
                .filter(sample -> TimeFormat.duration(sample.getAge()).compareTo(LATELY) < 0)
                .toList();
    }

    /** So many in the interval of a sample, a second. */
    public static double perSecond(HistorySample sample, long count) {
        double seconds = Durations.toSecondsAsDouble(sample.getInterval());
        return seconds == 0 ? 0 : count / seconds;
    }

    /** How many ADDs and DELs of its interval failed. */
    public static long failed(HistorySample sample) {
        return sample.getAdd().getFailed() + sample.getDel().getFailed();
    }

    public static long ended(CallMeter calls) {
        return calls.getDone() + calls.getFailed();
    }
}
