package io.enipam.shell.status;

import io.enipam.shell.core.Tone;
import io.enipam.v1.HistorySample;
import io.enipam.v1.ProcessGauge;
import java.util.List;
import java.util.Locale;

/** What the daemon's process takes, in one line. */
final class ProcessPanel {
    private static final double MIB = 1 << 20;

    private ProcessPanel() {}

    static List<StyledLine> rows(SampleSeries series) {
        StyledLine row = new StyledLine().add(Tone.HEAD, "DAEMON");
        if (series.samples().isEmpty()) {
            return List.of(row.add(Tone.LABEL, "  the first sample comes within five seconds"));
        }
        HistorySample last = series.samples().get(series.samples().size() - 1);
        ProcessGauge process = last.getProcess();
        double interval = SampleSeries.seconds(last.getInterval());
        double cpu = interval == 0 ? 0 : SampleSeries.seconds(process.getCpu()) / interval * 100;
        return List.of(row.add(String.format(
                Locale.ROOT,
                "  rss %.0f MiB  heap %.0f of %.0f MiB  cpu %.1f%%  %d threads  %d files",
                process.getRss() / MIB,
                process.getHeapUsed() / MIB,
                process.getHeapMax() / MIB,
                cpu,
                process.getThreads(),
                process.getFds())));
    }
}
