package io.enipam.shell.status;

import io.enipam.shell.chart.Glyphs;
import io.enipam.shell.core.LiveScreen;
import io.enipam.shell.core.LiveScreen.Key;
import io.enipam.shell.core.LiveScreen.Next;
import io.enipam.shell.core.Palette;
import io.enipam.shell.core.RenderContext;
import io.enipam.shell.core.ShippedText;
import io.enipam.shell.status.Dashboard.Snapshot;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.LongStream;

/**
 * {@code top} on a terminal: the arrow keys move a cursor over the rows that a command says more of, which Enter runs, and {@code /} leaves
 * the events and the APIs that have a text.
 */
final class LiveTop implements LiveScreen.View<Snapshot> {
    private static final int LONGEST_FILTER = 40;
    private static final List<Duration> INTERVALS = LongStream.of(500, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000)
            .mapToObj(Duration::ofMillis)
            .toList();

    private final Glyphs glyphs;
    private Duration interval;
    private boolean paused;
    private boolean helping;
    private boolean typing;
    private String filter = "";
    /** The row that the cursor is on, by its name; empty as long as it is on none. */
    private String cursor = "";

    private List<StyledLine> rows = List.of();

    LiveTop(Glyphs glyphs, Duration interval) {
        this.glyphs = glyphs;
        this.interval = interval;
    }

    @Override
    public Duration pace() {
        return interval;
    }

    @Override
    public boolean paused() {
        return paused;
    }

    @Override
    public String keys() {
        if (typing) {
            return "/" + filter + "_  Enter keeps it, Esc clears it";
        }
        long millis = interval.toMillis();
        String every = millis % 1000 == 0 ? millis / 1000 + "s" : millis + "ms";
        return "q leaves  p pauses  + - every " + every + "  arrows, Enter explains  / "
                + (filter.isEmpty() ? "filters" : "filter: " + Palette.clean(filter)) + "  ? helps";
    }

    @Override
    public List<String> picture(Snapshot glance, RenderContext look, int height) {
        int width = look.columns();
        if (helping) {
            rows = ShippedText.of(LiveTop.class, "top.txt")
                    .lines()
                    .map(line -> new StyledLine().add(line))
                    .toList();
        } else {
            rows = new Dashboard(glyphs, look).rows(glance, width, height, paused, filter);
        }
        return rows.stream()
                .map(row -> !cursor.isEmpty() && row.name().equals(cursor)
                        ? LiveScreen.reversed(row.in(Palette.PLAIN, width))
                        : row.in(look.palette(), width))
                .toList();
    }

    @Override
    public List<List<String>> commands(Snapshot glance) {
        return rows.stream()
                .filter(row -> row.name().equals(cursor))
                .findFirst()
                .map(StyledLine::commands)
                .orElse(List.of());
    }

    @Override
    public Next obey(Key key, String typed, Snapshot glance) {
        if (typing) {
            type(key, typed);
            return Next.STAY;
        }
        switch (key) {
            case UP -> move(-1);
            case DOWN -> move(1);
            case ENTER -> {
                return Next.OPEN;
            }
            case ESCAPE -> filter = "";
            case TEXT -> {
                return command(typed);
            }
            default -> {}
        }
        return Next.STAY;
    }

    private Next command(String typed) {
        switch (typed) {
            case "q" -> {
                return Next.LEAVE;
            }
            case "p", " " -> paused = !paused;
            case "?", "h" -> helping = !helping;
            case "+", "=" -> every(other -> other.compareTo(interval) < 0, INTERVALS.size() - 1);
            case "-", "_" -> every(other -> other.compareTo(interval) > 0, 0);
            case "k" -> move(-1);
            case "j" -> move(1);
            case "/" -> typing = true;
            default -> {}
        }
        return Next.STAY;
    }

    private void type(Key key, String typed) {
        switch (key) {
            case ENTER -> typing = false;
            case ESCAPE -> {
                typing = false;
                filter = "";
            }
            case BACKSPACE -> filter = filter.isEmpty() ? "" : filter.substring(0, filter.length() - 1);
            case TEXT -> filter += filter.length() < LONGEST_FILTER ? typed : "";
            default -> {}
        }
    }

    /** Goes on with the next or the last of the intervals that are shorter or longer. */
    private void every(Predicate<Duration> wanted, int from) {
        List<Duration> others = INTERVALS.stream().filter(wanted).toList();
        if (!others.isEmpty()) {
            interval = others.get(Math.min(from, others.size() - 1));
        }
    }

    /** To the next row that says more; where the cursor's row is gone, as an old event is, to the last one. */
    private void move(int by) {
        List<String> names = rows.stream()
                .map(StyledLine::name)
                .filter(name -> !name.isEmpty())
                .toList();
        if (names.isEmpty()) {
            cursor = "";
            return;
        }
        int at = names.indexOf(cursor);
        int next = at >= 0 ? at + by : cursor.isEmpty() && by > 0 ? 0 : names.size() - 1;
        cursor = names.get(Math.max(0, Math.min(names.size() - 1, next)));
    }
}
