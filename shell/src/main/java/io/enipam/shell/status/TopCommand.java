package io.enipam.shell.status;

import io.enipam.shell.attach.ShellException;
import io.enipam.shell.chart.Glyphs;
import io.enipam.shell.core.Canvas;
import io.enipam.shell.core.DaemonCommand;
import io.enipam.shell.core.Interrupts;
import io.enipam.shell.core.JsonOutput;
import io.enipam.shell.core.LiveScreen;
import io.enipam.shell.core.OutputFormat;
import io.enipam.shell.core.Palette;
import io.enipam.shell.core.RenderContext;
import io.enipam.shell.core.YamlFormat;
import io.enipam.v1.TopFrame;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(name = "top", description = "A live picture of the daemon: pool, calls, API budgets, the last ten minutes.")
public final class TopCommand extends DaemonCommand {
    private static final int PLAIN_WIDTH = 100;
    private static final int PLAIN_HEIGHT = 36;
    private static final Duration LEAST = Duration.ofMillis(100);
    private static final Duration MOST = Duration.ofHours(1);

    @Option(
            names = {"-n", "--frames"},
            paramLabel = "N",
            description = "So many frames, as plain text.")
    @Nullable
    Integer frames;

    @Option(
            names = {"-d", "--delay"},
            paramLabel = "SEC",
            defaultValue = "1",
            description = "How many seconds between looks, 0.1 to 3600. By default 1.")
    double delay;

    @Option(names = "--ascii", description = "Draw with characters that every terminal has.")
    boolean ascii;

    @Override
    public void prepare() {
        if (frames != null && frames < 1) {
            throw ShellException.usage("-n takes a number of frames from 1 on, not " + frames, "");
        }
        if (Double.isNaN(delay) || interval().compareTo(LEAST) < 0 || interval().compareTo(MOST) > 0) {
            throw ShellException.usage("-d takes 0.1 to 3600 seconds, not " + delay, "");
        }
    }

    @Override
    public Optional<String> interactiveOnlyReason() {
        return frames == null ? Optional.of("top ends only at a key; 'top -n 1' shows one frame") : Optional.empty();
    }

    @Override
    public List<String> inBundle() {
        return List.of("top -n 1 --ascii");
    }

    @Override
    public boolean endless() {
        return frames == null;
    }

    @Override
    public void run() {
        if (format() == OutputFormat.NAME) {
            throw noNames();
        }
        DashboardCollector observer = new DashboardCollector(session::daemon, TopCommand::load, session.clock());
        boolean live = frames == null && !format().structured();
        boolean[] shown = {false};
        session.terminal()
                .filter(there -> live)
                .ifPresent(there -> there.withTerminal(terminal -> {
                    if (Canvas.fits(terminal)) {
                        shown[0] = true;
                        new LiveScreen<>(terminal, session, new LiveTop(Glyphs.here(ascii), interval()))
                                .run(observer::poll);
                    }
                }));
        if (!shown[0]) {
            plain(observer);
        }
    }

    private void plain(DashboardCollector observer) {
        int left = frames == null ? Integer.MAX_VALUE : frames;
        while (left > 0 && !out().checkError()) {
            left--;
            Dashboard.Snapshot glance = observer.poll();
            if (json()) {
                TopFrame frame = observer.frame(glance);
                boolean only = frames != null && frames == 1;
                out().println(only ? JsonOutput.document(frame) : JsonOutput.line(frame));
            } else if (format() == OutputFormat.YAML) {
                out().println("---");
                out().println(YamlFormat.document(observer.frame(glance)));
            } else {
                RenderContext now = session.renderContext();
                new Dashboard(Glyphs.here(ascii), new RenderContext(Palette.PLAIN, now.now(), now.zone(), false))
                        .frame(glance, now.columnsOr(PLAIN_WIDTH), PLAIN_HEIGHT, false)
                        .forEach(out()::println);
                if (left > 0) {
                    out().println();
                }
            }
            out().flush();
            if (left > 0 && !Interrupts.pause(interval())) {
                throw ShellException.interrupted();
            }
        }
    }

    private Duration interval() {
        return Duration.ofNanos((long) (delay * 1e9));
    }

    /** The first three numbers of proc_loadavg(5): the shell runs on the daemon's machine. */
    private static String load() {
        try {
            String[] words = Files.readString(Path.of("/proc/loadavg")).split(" ");
            return words[0] + " " + words[1] + " " + words[2];
        } catch (IOException | RuntimeException unreadable) {
            return "";
        }
    }
}
