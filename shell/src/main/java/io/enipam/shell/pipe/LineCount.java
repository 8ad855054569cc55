package io.enipam.shell.pipe;

import picocli.CommandLine.Option;

/** How many lines a filter lets through. */
final class LineCount {
    @Option(
            names = {"-n", "--lines"},
            paramLabel = "N",
            defaultValue = "10",
            description = "How many; by default 10.")
    int lines;

    /** Throws a usage error if there are none such. */
    void check(String filter) {
        if (lines < 0) {
            throw Pipeline.usage(
                    filter + ": -n is " + lines + ", and a number of lines is not negative",
                    "As in: " + filter + " -n 5");
        }
    }
}
