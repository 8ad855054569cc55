package io.enipam.shell.core;

import io.enipam.shell.attach.ShellException;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The options of every listing. */
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

    /** Finds columns that do not exist; throws a usage error. */
    public void check(TableListing<?> listing) {
        listing.columns(columns);
        listing.order(sortBy);
    }

    /**
     * Throws a usage error if an option was given where nothing is listed, as by {@code events -f}; {@code instead} is
     * the hint.
     */
    public void refuse(String command, String instead) {
        Optional<String> given = Stream.of(
                        Optional.of("--columns").filter(name -> !columns.isEmpty()),
                        Optional.of("--sort-by").filter(name -> !sortBy.isEmpty()),
                        Optional.of("--watch").filter(name -> endless()))
                .flatMap(Optional::stream)
                .findFirst();
        given.ifPresent(name -> {
            throw ShellException.usage(name + " is for lists, and " + command + " prints none", instead);
        });
    }

    public boolean endless() {
        return watch != null;
    }

    /** Why a command with them is for an operator at the keyboard and not for a runbook; empty if it is for both. */
    public Optional<String> interactiveOnlyReason() {
        return endless() ? Optional.of("--watch ends only at Ctrl-C") : Optional.empty();
    }

    /** Reads seconds. */
    static final class Pace implements ITypeConverter<Duration> {
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

    /** What a command lists in one of its forms: the options given, and how it is listed. */
    public record ListRequest(ListOptions view, TableListing<?> listing) {}
}
