package io.enipam.shell.pipe;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * The lines with a pattern in them, or those without. The patterns are RE2's: a search takes time in proportion to the line,
 * whatever the pattern.
 */
@Command(
        name = "grep",
        customSynopsis = "grep [-v] [-i] [-c] [-F] PATTERN",
        description = {
            "The lines that match a pattern.",
            "A pattern is a regular expression of RE2: no look-around and no back references, and no pattern takes long. If nothing matches, the line's exit status is 1."
        },
        footer = "  pool inuse | grep -v kube-system")
public final class Grep implements Filter {
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

    private @Nullable Pattern compiled;

    Grep() {}

    @Override
    public void prepare() {
        compiled();
    }

    private Pattern compiled() {
        Pattern ready = compiled;
        if (ready == null) {
            try {
                ready = Pattern.compile(
                        fixed ? Pattern.quote(pattern) : pattern, ignoreCase ? Pattern.CASE_INSENSITIVE : 0);
            } catch (PatternSyntaxException e) {
                throw Pipeline.usage(
                        "grep: '" + pattern + "' is no pattern: " + e.getDescription(),
                        "To look for the text as it is: grep -F");
            }
            compiled = ready;
        }
        return ready;
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
