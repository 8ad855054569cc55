package io.enipam.shell.runbook;

import io.enipam.shell.attach.ShellException;
import io.enipam.shell.core.ClosestMatch;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Optional;

/** The runbooks that come with the shell. They include each other by their files' names. */
public final class RunbookLibrary {
    private static final String DIRECTORY = "/io/enipam/shell/runbooks/";
    private static final String SUFFIX = ".runbook";
    private static final String INDEX = "index.txt";

    private RunbookLibrary() {}

    private record Shipped(String file) implements ScriptSource {
        @Override
        public String name() {
            return file.endsWith(SUFFIX) ? file.substring(0, file.length() - SUFFIX.length()) : file;
        }

        @Override
        public String identity() {
            return "library:" + file;
        }

        @Override
        public String text() {
            return resource(file).orElseThrow(() -> ScriptSource.usage("the library has no " + file, null));
        }

        @Override
        public ScriptSource included(String other) {
            return new Shipped(other);
        }
    }

    public static List<String> names() {
        String index = resource(INDEX).orElse("");
        return index.lines().map(String::strip).filter(line -> !line.isEmpty()).toList();
    }

    public static Optional<ScriptSource> named(String name) {
        return names().contains(name) ? Optional.of(new Shipped(name + SUFFIX)) : Optional.empty();
    }

    /** The one with this name; throws a usage error with what may have been meant if there is none. */
    public static ScriptSource required(String name) {
        String near = ClosestMatch.to(name, names())
                .map(other -> "; did you mean '" + other + "'?")
                .orElse("");
        return named(name).orElseThrow(() -> ScriptSource.usage("the library has no '" + name + "'" + near, null));
    }

    /** What a runbook says of itself, whatever else is wrong with it. */
    public static RunbookHeader header(ScriptSource source) {
        return HeaderParser.split(RunbookLine.of(source.name(), source.text()), problem -> {})
                .header();
    }

    private static Optional<String> resource(String file) {
        if (file.indexOf('/') >= 0 || file.indexOf('\\') >= 0) {
            return Optional.empty();
        }
        try (InputStream in = RunbookLibrary.class.getResourceAsStream(DIRECTORY + file)) {
            return in == null ? Optional.empty() : Optional.of(ScriptSource.read(file, in));
        } catch (IOException e) {
            throw new UncheckedIOException("the shell's own jar cannot be read", e);
        } catch (ShellException e) {
            throw new IllegalStateException("a shipped runbook is no runbook: " + e.getMessage(), e);
        }
    }
}
