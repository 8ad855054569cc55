package io.enipam.shell.pipe;

import io.enipam.shell.attach.ShellException;
import io.enipam.shell.core.PlainCommandLine;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** What becomes of a command's lines. A filter holds what was typed, and may be used again and again. */
public sealed interface Filter permits Grep, Head, Tail, Sort, WordCount, Jq {
    /** By their names, in the order they are told. */
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

    /** Begins its work. */
    FilterStage open(LineSink next);

    /** Finds what is wrong with what was typed; throws a usage error. */
    default void prepare() {}

    /** The filters' options and positionals by their names, for help and completion. */
    static Map<String, CommandLine> models() {
        Map<String, CommandLine> models = new LinkedHashMap<>();
        ALL.forEach((name, make) -> models.put(name, parser(name, make.get())));
        return models;
    }

    /**
     * Reads the words between two bars.
     *
     * @throws ShellException (usage) if they are no filter
     */
    static Filter of(List<String> words) {
        if (words.isEmpty()) {
            throw Pipeline.usage(
                    "a filter is missing behind '|'", "As in: pool inuse | grep web; the filters: help pipes");
        }
        String name = words.get(0);
        Supplier<Filter> make = Optional.ofNullable(ALL.get(name)).orElseThrow(() -> Pipeline.unknown(name));
        Filter filter = make.get();
        CommandLine parser = parser(name, filter);
        try {
            parser.parseArgs(arguments(words).toArray(String[]::new));
        } catch (UnmatchedArgumentException e) {
            throw Pipeline.usage(
                    name + " does not know '" + e.getUnmatched().get(0) + "'",
                    synopsis(parser.getCommandSpec()) + "; see 'help pipes'");
        } catch (ParameterException e) {
            String why = String.valueOf(e.getMessage());
            throw Pipeline.usage(
                    name + ": " + why.substring(0, 1).toLowerCase(java.util.Locale.ROOT) + why.substring(1),
                    synopsis(parser.getCommandSpec()) + "; see 'help pipes'");
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
        return PlainCommandLine.of(filter).setCommandName(name);
    }

    private static String synopsis(CommandSpec spec) {
        String[] own = spec.usageMessage().customSynopsis();
        return own.length == 0 ? "See 'help pipes'" : "As in: " + own[0];
    }
}
