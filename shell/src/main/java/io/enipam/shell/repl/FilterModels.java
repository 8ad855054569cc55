package io.enipam.shell.repl;

import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** The filters as models, so that they are completed, shown and explained as commands are. */
final class FilterModels {
    private FilterModels() {}

    static CommandLine all() {
        CommandSpec root = CommandSpec.create().name("enipam");
        root.addSubcommand(
                "grep",
                filter(
                        "Only the lines that match.",
                        positional("PATTERN", "1", "A regular expression, or part of a line."),
                        flag("-i", "Upper case and lower case are the same."),
                        flag("-v", "The lines that do not match.")));
        root.addSubcommand(
                "head", filter("The first lines.", positional("N", "0..1", "How many."), number("How many lines.")));
        root.addSubcommand(
                "tail", filter("The last lines.", positional("N", "0..1", "How many."), number("How many lines.")));
        root.addSubcommand(
                "sort",
                filter(
                        "The lines in order.",
                        null,
                        flag("-n", "By the number that a line begins with."),
                        flag("-r", "The last first.")));
        root.addSubcommand("wc", filter("How many lines, words and bytes.", null, flag("-l", "Lines alone.")));
        root.addSubcommand(
                "jq", filter("What an expression finds in JSON.", positional("EXPR", "1", "As in: .pool.counts.idle")));
        return new CommandLine(root);
    }

    private static CommandSpec filter(
            String description,
            @org.jspecify.annotations.Nullable PositionalParamSpec positional,
            OptionSpec... options) {
        CommandSpec spec = CommandSpec.create();
        spec.usageMessage().description(description);
        if (positional != null) {
            spec.addPositional(positional);
        }
        for (OptionSpec option : options) {
            spec.addOption(option);
        }
        return spec;
    }

    private static PositionalParamSpec positional(String label, String arity, String description) {
        return PositionalParamSpec.builder()
                .index("0")
                .arity(arity)
                .paramLabel(label)
                .description(description)
                .type(String.class)
                .build();
    }

    private static OptionSpec flag(String name, String description) {
        return OptionSpec.builder(name).description(description).build();
    }

    private static OptionSpec number(String description) {
        return OptionSpec.builder("-n")
                .arity("1")
                .paramLabel("N")
                .type(int.class)
                .description(description)
                .build();
    }
}
