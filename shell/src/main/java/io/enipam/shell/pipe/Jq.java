package io.enipam.shell.pipe;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** A jq expression over each JSON document that comes. */
@Command(
        name = "jq",
        customSynopsis = "jq [-r] [-c] [-e] EXPR",
        description = {
            "What a jq expression makes of JSON.",
            "The command right before it prints JSON without being told to. The language is jq's, version 1.7, but for repeat and $ENV, which it does not know; after 30 s an expression is given up."
        },
        footer = "  pool inuse | jq -r '.leases[].pod'")
public final class Jq implements Filter {
    @Option(
            names = {"-r", "--raw-output"},
            description = "A string without its quotes.")
    boolean raw;

    @Option(
            names = {"-c", "--compact-output"},
            description = "Each result on one line.")
    boolean compact;

    @Option(
            names = {"-e", "--exit-status"},
            description = "Exit status 1 if the last result is null or false, or there is none.")
    boolean judges;

    @Parameters(paramLabel = "EXPR", description = "The expression, in single quotes.")
    String expression = "";

    Jq() {}

    @Override
    public void prepare() {
        JqStage.compile(expression);
    }

    @Override
    public FilterStage open(LineSink next) {
        return new JqStage(this, next);
    }
}
