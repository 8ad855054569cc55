package io.enipam.shell.pipe;

import io.enipam.shell.attach.ShellException;
import io.enipam.shell.pipe.Filter.FilterStage;
import io.enipam.shell.pipe.Filter.LineSink;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The lines in order. It needs all of them, and says so if they are too many. */
@Command(
        name = "sort",
        customSynopsis = "sort [-n] [-r] [-u] [-k N]",
        description = {
            "The lines in order.",
            "A heading is a line like any other here; to sort a table by a column: --sort-by."
        },
        footer = "  pool inuse -o name | sort -u")
public final class Sort implements Filter {
    /** Characters kept; two bytes each at most. */
    private static final long LIMIT = 64L << 20;

    /** A sign and digits with at most one point between them: nothing in it can take long to match. */
    private static final Pattern NUMBER = Pattern.compile("\\s*(-?\\d{1,30}(?:\\.\\d{1,30})?)");

    @Option(
            names = {"-n", "--numeric-sort"},
            description = "By the number each begins with; none counts as 0.")
    boolean numeric;

    @Option(
            names = {"-r", "--reverse"},
            description = "The last first.")
    boolean reverse;

    @Option(
            names = {"-u", "--unique"},
            description = "Of equal ones only the first.")
    boolean unique;

    @Option(
            names = {"-k", "--key"},
            paramLabel = "N",
            description = "From the Nth word on, counted from 1.")
    int key = 1;

    @Override
    public void prepare() {
        if (key < 1) {
            throw ShellException.usage("sort: words are counted from 1, and -k is " + key, "As in: sort -k 2");
        }
    }

    private record Keyed(String line, String key, BigDecimal number) {}

    private Keyed keyed(String line) {
        String from = key == 1 ? line : fromWord(line, key);
        return new Keyed(line, from, numeric ? number(from) : BigDecimal.ZERO);
    }

    private static String fromWord(String line, int word) {
        int at = blanks(line, 0);
        for (int left = word; left > 1; left--) {
            while (at < line.length() && !Character.isWhitespace(line.charAt(at))) {
                at++;
            }
            at = blanks(line, at);
        }
        return line.substring(at);
    }

    private static int blanks(String line, int from) {
        int at = from;
        while (at < line.length() && Character.isWhitespace(line.charAt(at))) {
            at++;
        }
        return at;
    }

    private static BigDecimal number(String text) {
        Matcher matcher = NUMBER.matcher(text);
        return matcher.lookingAt() ? new BigDecimal(matcher.group(1)) : BigDecimal.ZERO;
    }

    private Comparator<Keyed> order() {
        Comparator<Keyed> order = numeric ? Comparator.comparing(Keyed::number) : Comparator.comparing(Keyed::key);
        Comparator<Keyed> whole = unique ? order : order.thenComparing(Keyed::line);
        return reverse ? whole.reversed() : whole;
    }

    @Override
    public FilterStage open(LineSink next) {
        return new FilterStage(next) {
            private final List<Keyed> lines = new ArrayList<>();
            private long characters;

            @Override
            public boolean line(String line) {
                characters += line.length();
                if (characters > LIMIT) {
                    throw ShellException.here(
                            "FILTER",
                            "sort: there is more than " + (LIMIT >> 20) + " million characters to sort",
                            "Narrow it down with grep first, or write it to a file and sort that");
                }
                lines.add(keyed(line));
                return true;
            }

            @Override
            public void end() {
                Comparator<Keyed> order = order();
                lines.sort(order);
                @Nullable Keyed before = null;
                for (Keyed line : lines) {
                    boolean repeats = unique && before != null && order.compare(before, line) == 0;
                    before = line;
                    if (!repeats && !pass(line.line())) {
                        break;
                    }
                }
                super.end();
            }
        };
    }
}
