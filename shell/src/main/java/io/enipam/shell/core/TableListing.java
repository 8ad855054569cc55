package io.enipam.shell.core;

import com.google.protobuf.Duration;
import com.google.protobuf.Timestamp;
import com.google.protobuf.util.Durations;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.core.TableListing.Column;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How things of one kind are listed, in every format: their columns, and the name of each. */
public final class TableListing<I> {
    private final Builder<I> built;
    private final List<Column<I>> columns;
    private final String none;
    private final String advice;

    private TableListing(Builder<I> built, List<Column<I>> columns, String none, String advice) {
        this.built = built;
        this.columns = List.copyOf(columns);
        this.none = none;
        this.advice = advice;
    }

    /** Begins one; {@code field} is its name in reply and JSON, {@code name} the identifier that commands take. */
    public static <I> Builder<I> of(String field, Function<I, String> name) {
        return new Builder<>(field, name);
    }

    public String field() {
        return built.field;
    }

    public String name(I item) {
        return Palette.clean(built.name.apply(item));
    }

    public String none(RenderContext look) {
        return Palette.clean(look.withAdvice(none, advice));
    }

    /** Lines below an item's row for what fits no column; not wanted by an operator who chose columns. */
    public Function<I, List<String>> under(boolean wanted) {
        return wanted ? built.under : item -> List.of();
    }

    public List<String> keys() {
        return columns.stream().map(Column::key).toList();
    }

    static <I> List<Table.Heading> headings(List<Column<I>> columns) {
        return columns.stream()
                .map(column -> new Table.Heading(column.key(), column.heading(), column.prose()))
                .toList();
    }

    /**
     * The same of the past, with its own text for an empty list: there is nothing to be done about that one.
     *
     * @param unknown the keys of columns of which no record says anything: each has a dash in every row
     */
    public TableListing<I> past(String noneThen, String... unknown) {
        Set<String> dashes = Set.of(unknown);
        return new TableListing<>(
                built,
                columns.stream()
                        .map(column -> dashes.contains(column.key())
                                ? new Column<I>(
                                        column.key(),
                                        column.heading(),
                                        column.wideOnly(),
                                        column.prose(),
                                        (item, look) -> Table.cell(""),
                                        (one, other) -> 0)
                                : column)
                        .toList(),
                noneThen,
                "");
    }

    /** Those that are shown without being asked for, or all of them. */
    public List<Column<I>> columns(boolean wide) {
        return columns.stream().filter(column -> wide || !column.wideOnly()).toList();
    }

    /** Those with these keys, in this order; throws a usage error for one that does not exist. */
    public List<Column<I>> columns(List<String> keys) {
        return keys.stream().map(this::column).toList();
    }

    /** An order by columns, the most important first, reversed by a minus. Throws a usage error for an unknown key. */
    public Comparator<I> order(List<String> keys) {
        Comparator<I> order = (a, b) -> 0;
        for (String key : keys) {
            boolean descending = key.startsWith("-");
            Comparator<I> by = column(descending ? key.substring(1) : key).order();
            order = order.thenComparing(descending ? by.reversed() : by);
        }
        return order;
    }

    private Column<I> column(String key) {
        return columns.stream()
                .filter(column -> column.key().equalsIgnoreCase(key.strip()))
                .findFirst()
                .orElseThrow(() -> ShellException.usage(
                        "unknown column '" + key + "'",
                        ClosestMatch.prefix(key, keys()) + "There are " + String.join(", ", keys())));
    }

    /** Gathers columns, in the order in which they are shown. */
    public static final class Builder<I> {
        private final String field;
        private final Function<I, String> name;
        private final List<Column<I>> columns = new ArrayList<>();
        private String none = "there is none";
        private String advice = "";
        private Function<I, List<String>> under = item -> List.of();

        private Builder(String field, Function<I, String> name) {
            this.field = field;
            this.name = name;
        }

        /** The text for an empty list, and advice that goes on behind it with the sign between the two sentences. */
        public Builder<I> none(String text, String then) {
            none = text;
            advice = then;
            return this;
        }

        /** Says that the last column up to here is prose, which is wrapped at words. */
        public Builder<I> flowing() {
            Column<I> last = columns.remove(columns.size() - 1);
            columns.add(new Column<>(last.key(), last.heading(), last.wideOnly(), true, last.cell(), last.order()));
            return this;
        }

        /** Lines below the row of an item, which are cleaned and indented here. */
        public Builder<I> under(Function<I, List<String>> lines) {
            under = lines;
            return this;
        }

        /** A column of text in natural order: numbers in it by their value. */
        public Builder<I> text(String key, String heading, Function<I, String> text) {
            return shown(key, heading, text, (item, look) -> Table.cell(text.apply(item)));
        }

        /** The same, shown only if asked for. */
        public Builder<I> wideText(String key, String heading, Function<I, String> text) {
            return column(key, heading, true, (item, look) -> Table.cell(text.apply(item)), natural(text));
        }

        public Builder<I> state(String key, String heading, Function<I, String> state) {
            return shown(key, heading, state, (item, look) -> Table.state(state.apply(item)));
        }

        public Builder<I> number(String key, String heading, ToLongFunction<I> number) {
            return by(key, heading, number, (item, look) -> Table.cell(number.applyAsLong(item)));
        }

        /** The same, shown only if asked for. */
        public Builder<I> wideNumber(String key, String heading, ToLongFunction<I> number) {
            return wideBy(key, heading, number, (item, look) -> Table.cell(number.applyAsLong(item)));
        }

        public Builder<I> number(String key, String heading, ToLongFunction<I> number, Function<I, Tone> tone) {
            return by(
                    key,
                    heading,
                    number,
                    (item, look) -> new Table.Cell(Long.toString(number.applyAsLong(item)), tone.apply(item)));
        }

        /** A column of numbers that stand out in a tone where they are not 0. */
        public Builder<I> count(String key, String heading, ToLongFunction<I> number, Tone tone) {
            return number(key, heading, number, item -> number.applyAsLong(item) > 0 ? tone : Tone.PLAIN);
        }

        /** How long something took; a dash for an item of which that is not known. */
        public Builder<I> took(String key, String heading, Function<I, Duration> took, Predicate<I> known) {
            return by(
                    key,
                    heading,
                    item -> Durations.toNanos(took.apply(item)),
                    (item, look) -> Table.cell(known.test(item) ? TimeFormat.took(took.apply(item)) : ""));
        }

        public Builder<I> toned(String key, String heading, Function<I, String> text, Function<I, Tone> tone) {
            return shown(key, heading, text, (item, look) -> Table.toned(text.apply(item), tone.apply(item)));
        }

        public Builder<I> clock(String key, String heading, Function<I, Timestamp> at, Tone tone) {
            return by(
                    key,
                    heading,
                    item -> TimeFormat.millis(at.apply(item)),
                    (item, look) -> new Table.Cell(TimeFormat.clock(at.apply(item), look.zone()), tone));
        }

        /** How long ago something was; a message without the time has none. */
        public Builder<I> age(String key, String heading, Function<I, Timestamp> since) {
            return by(key, heading, item -> -TimeFormat.millis(since.apply(item)), age(since));
        }

        /** The same, shown only if asked for. */
        public Builder<I> wideAge(String key, String heading, Function<I, Timestamp> since) {
            return wideBy(key, heading, item -> -TimeFormat.millis(since.apply(item)), age(since));
        }

        private static <I> BiFunction<I, RenderContext, Table.Cell> age(Function<I, Timestamp> since) {
            return (item, look) -> Table.cell(
                    TimeFormat.millis(since.apply(item)) == 0 ? "" : TimeFormat.age(since.apply(item), look.now()));
        }

        /** The time that is left until something, in a tone; a message without the time has none. */
        public Builder<I> left(String key, String heading, Function<I, Timestamp> until, Tone tone) {
            return by(
                    key,
                    heading,
                    item -> TimeFormat.millis(until.apply(item)),
                    (item, look) -> Table.toned(
                            TimeFormat.millis(until.apply(item)) == 0
                                    ? ""
                                    : TimeFormat.left(until.apply(item), look.now()),
                            tone));
        }

        /** A column that is sorted by a number, and shows something else. */
        public Builder<I> by(
                String key, String heading, ToLongFunction<I> value, BiFunction<I, RenderContext, Table.Cell> cell) {
            return column(key, heading, false, cell, Comparator.comparingLong(value));
        }

        /** The same, shown only if asked for. */
        public Builder<I> wideBy(
                String key, String heading, ToLongFunction<I> value, BiFunction<I, RenderContext, Table.Cell> cell) {
            return column(key, heading, true, cell, Comparator.comparingLong(value));
        }

        /** A column that is sorted by one text, and shows it in its own way. */
        public Builder<I> shown(
                String key, String heading, Function<I, String> text, BiFunction<I, RenderContext, Table.Cell> cell) {
            return column(key, heading, false, cell, natural(text));
        }

        private Builder<I> column(
                String key,
                String heading,
                boolean wideOnly,
                BiFunction<I, RenderContext, Table.Cell> cell,
                Comparator<I> order) {
            columns.add(new Column<>(key, heading, wideOnly, false, cell, order));
            return this;
        }

        private static <I> Comparator<I> natural(Function<I, String> text) {
            return Comparator.comparing(text, NaturalOrder.ORDER);
        }

        public TableListing<I> build() {
            return new TableListing<>(this, columns, none, advice);
        }
    }

    /**
     * A column: its key for {@code --columns} and {@code --sort-by}, its heading, whether only {@code wide} has it, and whether it is
     * {@code prose}, which is wrapped at words where a name would be cut.
     */
    public record Column<I>(
            String key,
            String heading,
            boolean wideOnly,
            boolean prose,
            BiFunction<I, RenderContext, Table.Cell> cell,
            Comparator<I> order) {}

    /** Natural order: numbers in the text by their value, so that 10.0.0.9 comes before 10.0.0.10. */
    public static final class NaturalOrder {
        public static final Comparator<String> ORDER =
                Comparator.comparing(NaturalOrder::key).thenComparing(Comparator.naturalOrder());

        private static final Pattern NUMBER = Pattern.compile("0*([0-9]+)");

        private NaturalOrder() {}

        /** The text with each number, without zeros before it, behind a zero and its length: no number is too long. */
        private static String key(String text) {
            return NUMBER.matcher(text).replaceAll(number -> {
                String value = number.group(1);
                return Matcher.quoteReplacement("0" + (char) value.length() + value);
            });
        }
    }

    /** Rows of one daemon for tables, before padding: those of many have to line up. Not thread-safe. */
    public static final class TableBuffer {
        /** One table's part, with the text for none at any daemon. */
        public record Block(List<Table.Heading> headings, String none, List<Row> rows) {}

        /** A cell for each heading, and lines below the row. */
        public record Row(List<Table.Cell> cells, List<String> under) {}

        private final List<Block> blocks = new ArrayList<>();

        public <I> void list(
                TableListing<I> listing,
                List<Column<I>> columns,
                boolean withLinesBelow,
                Iterator<? extends List<I>> parts,
                RenderContext look) {
            Block block = new Block(headings(columns), listing.none(look), new ArrayList<>());
            blocks.add(block);
            while (parts.hasNext()) {
                for (I item : parts.next()) {
                    List<Table.Cell> cells = columns.stream()
                            .map(column -> column.cell().apply(item, look))
                            .toList();
                    block.rows()
                            .add(new Row(cells, listing.under(withLinesBelow).apply(item)));
                }
            }
        }

        public List<Block> blocks() {
            return blocks;
        }
    }
}
