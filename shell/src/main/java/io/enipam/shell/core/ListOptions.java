package io.enipam.shell.core;

import io.enipam.shell.attach.ShellException;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

public final class ListOptions {
    @Completes(CompletionKind.COLUMNS)
    @Option(
            names = "--columns",
            paramLabel = "A,B",
            split = ",",
            description = "Only these columns of the table, in this order.")
    List<String> columns = new ArrayList<>();

    @Completes(CompletionKind.COLUMNS)
    @Option(
            names = "--sort-by",
            paramLabel = "A,-B",
            split = ",",
            description = "In the order of these columns; with a minus the last first.")
    List<String> sortBy = new ArrayList<>();

    @Option(
            names = "--watch",
            arity = "0..1",
            fallbackValue = "2",
            paramLabel = "SEC",
            converter = Pace.class,
            description = "Again and again, until Ctrl-C; by default every 2 seconds.")
    @Nullable
    Duration watch;

    /** Throws a usage error for a number of {@code -n} that is below 0. */
    public static void requireLimit(int limit, String instead) {
        if (limit < 0) {
            throw ShellException.usage("-n " + limit + " is below 0", instead);
        }
    }

    /** Finds columns that do not exist; throws a usage error. */
    public void check(TableListing<?> listing) {
        listing.columns(columns);
        listing.order(sortBy);
    }

    /** Throws a usage error, with a hint, for an option given where nothing is listed, as by {@code events -f}. */
    public void refuse(DaemonCommand typed, String command, String instead) {
        typed.refuseCsv(command);
        String given = !columns.isEmpty() ? "--columns" : !sortBy.isEmpty() ? "--sort-by" : endless() ? "--watch" : "";
        if (!given.isEmpty()) {
            throw ShellException.usage(given + " is for lists, and " + command + " prints none", instead);
        }
    }

    public boolean endless() {
        return watch != null;
    }

    /** How often the table itself is drawn anew; empty if it is drawn once, or with columns that were chosen. */
    public Optional<Duration> watched() {
        return Optional.ofNullable(watch).filter(pace -> columns.isEmpty());
    }

    /** Why a command with them is for an operator at the keyboard and not for a runbook; empty if it is for both. */
    public Optional<String> interactiveOnlyReason() {
        return endless() ? Optional.of("--watch ends only at Ctrl-C") : Optional.empty();
    }

    /** A number of seconds, perhaps with a fraction. */
    public static final class Pace implements ITypeConverter<Duration> {
        private static final BigDecimal LEAST = new BigDecimal("0.1");
        private static final BigDecimal MOST = new BigDecimal(86_400);

        @Override
        public Duration convert(String value) {
            if (value.matches("[0-9]{1,6}(\\.[0-9]{1,3})?s?")) {
                BigDecimal seconds = new BigDecimal(value.replace("s", ""));
                if (seconds.compareTo(LEAST) >= 0 && seconds.compareTo(MOST) <= 0) {
                    return Duration.ofMillis(seconds.movePointRight(3).longValue());
                }
            }
            throw new TypeConversionException("'" + value + "' is no number of seconds from 0.1 to 86400");
        }
    }

    public record ListRequest(ListOptions view, TableListing<?> listing) {}
}
