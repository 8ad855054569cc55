package io.enipam.shell.pipe;

import static io.enipam.shell.attach.ShellException.usage;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import io.enipam.shell.core.ClosestMatch;
import io.enipam.shell.core.Grammar;
import io.enipam.shell.core.UsageErrors;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.StringTokenizer;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.UnmatchedArgumentException;

/** What becomes of a command's lines. A filter holds what was typed, and may be used again and again. */
public sealed interface Filter permits Filter.Grep, Filter.Counted, Sort, Filter.WordCount, Jq {
    /** By name, in the order of the list for users. */
    Map<String, Supplier<Filter>> ALL = all();

    private static Map<String, Supplier<Filter>> all() {
        Map<String, Supplier<Filter>> all = new LinkedHashMap<>();
        all.put("grep", Grep::new);
        all.put("head", Head::new);
        all.put("tail", Tail::new);
        all.put("sort", Sort::new);
        all.put("wc", WordCount::new);
        all.put("jq", Jq::new);
        return all;
    }

    FilterStage open(LineSink next);

    /** Finds what is wrong with what was typed; throws a usage error. */
    default void prepare() {}

    /** The filters' options and positionals by their names, for help and completion. */
    static Map<String, CommandLine> models() {
        Map<String, CommandLine> models = new LinkedHashMap<>();
        ALL.forEach((name, make) -> models.put(name, parser(name, make.get())));
        return models;
    }

    /** Reads the words between two bars; throws a usage error if they are no filter. */
    static Filter of(List<String> words) {
        if (words.isEmpty()) {
            throw usage("a filter is missing behind '|'", "As in: pool inuse | grep web; the filters: help pipes");
        }
        String name = words.get(0);
        Supplier<Filter> make = ALL.get(name);
        if (make == null) {
            String all = "There are " + String.join(", ", ALL.keySet()) + ". See 'help pipes'";
            throw usage("unknown filter '" + name + "'", ClosestMatch.hint(name, ALL.keySet(), all));
        }
        Filter filter = make.get();
        CommandLine parser = parser(name, filter);
        try {
            parser.parseArgs(arguments(words).toArray(String[]::new));
        } catch (ParameterException e) {
            String why = e instanceof UnmatchedArgumentException unmatched
                    ? name + " does not know '" + unmatched.getUnmatched().get(0) + "'"
                    : name + ": " + UsageErrors.message(e);
            String synopsis = parser.getCommandSpec().usageMessage().customSynopsis()[0];
            throw usage(why, "As in: " + synopsis + "; see 'help pipes'");
        }
        filter.prepare();
        return filter;
    }

    /** What stands behind the filter's name; {@code head -3} is short for {@code head -n 3}. */
    private static List<String> arguments(List<String> words) {
        boolean takesNumber = words.get(0).equals("head") || words.get(0).equals("tail");
        if (!takesNumber || words.size() == 1 || !words.get(1).matches("-[0-9]+")) {
            return words.subList(1, words.size());
        }
        List<String> arguments = new ArrayList<>(words.subList(2, words.size()));
        arguments.addAll(0, List.of("-n", words.get(1).substring(1)));
        return arguments;
    }

    private static CommandLine parser(String name, Filter filter) {
        return Grammar.parser(filter).setCommandName(name);
    }

    /** A filter at work: takes lines, and hands on what becomes of them. */
    abstract class FilterStage implements LineSink {
        private final LineSink next;
        private boolean open = true;

        FilterStage(LineSink next) {
            this.next = next;
        }

        /** Hands a line on, if more is wanted; returns whether more is. */
        final boolean pass(String line) {
            open = open && next.line(line);
            return open;
        }

        @Override
        public void end() {
            next.end();
        }

        @Override
        public final void flush() {
            next.flush();
        }

        /** Whether it found what it was to find; asked after {@link #end} of the last stage of a line. */
        boolean found() {
            return true;
        }
    }

    /** Takes lines, one after the other. Not thread-safe. */
    interface LineSink {
        /** Takes a line without its end; false if no more is wanted and only {@link #end} may follow. */
        boolean line(String line);

        void end();

        /** Sends on its way what is held back for speed alone. */
        default void flush() {}
    }

    /** Lets so many lines through. */
    abstract sealed class Counted implements Filter permits Head, Tail {
        @Option(
                names = {"-n", "--lines"},
                paramLabel = "N",
                defaultValue = "10",
                description = "How many; by default 10.")
        int lines;

        @Override
        public void prepare() {
            if (lines < 0) {
                String name = getClass().getAnnotation(Command.class).name();
                String why = name + ": -n is " + lines + ", and a number of lines is not negative";
                throw usage(why, "As in: " + name + " -n 5");
            }
        }
    }

    /** The first lines; a command that only looks is ended once they are there. */
    @Command(
            name = "head",
            customSynopsis = "head [-n N | -N]",
            description = {
                "The first lines.",
                "A command that only looks is ended once they are there, as in 'events -f | head'; one that changes something is not."
            },
            footer = "  pool inuse | head -n 3")
    final class Head extends Counted {
        @Override
        public FilterStage open(LineSink next) {
            return new FilterStage(next) {
                private int left = lines;

                @Override
                public boolean line(String line) {
                    boolean more = left > 0 && pass(line);
                    left--;
                    return more && left > 0;
                }
            };
        }
    }

    @Command(
            name = "tail",
            customSynopsis = "tail [-n N | -N]",
            description = "The last lines.",
            footer = "  events | tail -n 3")
    final class Tail extends Counted {
        @Override
        public FilterStage open(LineSink next) {
            return new FilterStage(next) {
                private final Deque<String> last = new ArrayDeque<>();

                @Override
                public boolean line(String line) {
                    last.addLast(line);
                    if (last.size() > lines) {
                        last.removeFirst();
                    }
                    return true;
                }

                @Override
                public void end() {
                    for (String line : last) {
                        if (!pass(line)) {
                            break;
                        }
                    }
                    super.end();
                }
            };
        }
    }

    @Command(
            name = "wc",
            customSynopsis = "wc [-l]",
            description = "How many lines, words and characters there are.",
            footer = "  pool inuse -o name | wc -l")
    final class WordCount implements Filter {
        @Option(
                names = {"-l", "--lines"},
                description = "Only the lines.")
        boolean linesOnly;

        @Override
        public FilterStage open(LineSink next) {
            return new FilterStage(next) {
                private long lines;
                private long words;
                private long characters;

                @Override
                public boolean line(String line) {
                    lines++;
                    words += new StringTokenizer(line).countTokens();
                    characters += line.codePointCount(0, line.length()) + 1;
                    return true;
                }

                @Override
                public void end() {
                    pass(linesOnly ? Long.toString(lines) : lines + " " + words + " " + characters);
                    super.end();
                }
            };
        }
    }

    /** The lines with a pattern, or without. Patterns are RE2's: a search takes time in proportion to the line. */
    @Command(
            name = "grep",
            customSynopsis = "grep [-v] [-i] [-c] [-F] PATTERN",
            description = {
                "The lines that match a pattern.",
                "A pattern is a regular expression of RE2: no look-around and no back references, and no pattern takes long. If nothing matches, the line's exit status is 1."
            },
            footer = "  pool inuse | grep -v kube-system")
    final class Grep implements Filter {
        @Option(
                names = {"-v", "--invert-match"},
                description = "The lines that do not match.")
        boolean invert;

        @Option(
                names = {"-i", "--ignore-case"},
                description = "Letters match in either case.")
        boolean ignoreCase;

        @Option(
                names = {"-c", "--count"},
                description = "Only how many lines there are.")
        boolean count;

        @Option(
                names = {"-E", "--extended-regexp"},
                description = "Taken for grep's sake: all patterns are of this kind.")
        boolean extended;

        @Option(
                names = {"-F", "--fixed-strings"},
                description = "The pattern is a text, not an expression.")
        boolean fixed;

        @Parameters(paramLabel = "PATTERN", description = "What to look for; after -- if it begins with a dash.")
        String pattern = "";

        @Override
        public void prepare() {
            compiled();
        }

        private Pattern compiled() {
            try {
                String text = fixed ? Pattern.quote(pattern) : pattern;
                return Pattern.compile(text, ignoreCase ? Pattern.CASE_INSENSITIVE : 0);
            } catch (PatternSyntaxException e) {
                throw usage(
                        "grep: '" + pattern + "' is no pattern: " + e.getDescription(),
                        "To look for the text as it is: grep -F");
            }
        }

        @Override
        public FilterStage open(LineSink next) {
            Pattern wanted = compiled();
            return new FilterStage(next) {
                private long matches;

                @Override
                public boolean line(String line) {
                    if (wanted.matcher(line).find() == invert) {
                        return true;
                    }
                    matches++;
                    return count || pass(line);
                }

                @Override
                public void end() {
                    if (count) {
                        pass(Long.toString(matches));
                    }
                    super.end();
                }

                @Override
                boolean found() {
                    return matches > 0;
                }
            };
        }
    }
}
