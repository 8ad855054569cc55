package io.enipam.shell.event;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The types of events that the shell knows, held against the sources of what publishes them. */
class EventTypesTest {
    private static final Pattern LITERAL = Pattern.compile("\"([A-Z][A-Za-z]+)\"");
    private static final Pattern PUBLISHED =
            Pattern.compile("(?i)events(?:\\(\\))?\\s*\\.(?:info|warning|error)\\(\\s*\"([A-Z][A-Za-z]+)\"");

    @Test
    void theShellKnowsTheTypesThatAreThereAndNoOthers() throws IOException {
        Set<String> literals = new TreeSet<>();
        Set<String> published = new TreeSet<>();
        try (Stream<Path> files = Files.walk(Path.of("../runtime"))) {
            for (Path file : files.filter(path -> path.toString().matches(".*/src/main/java/.*\\.java"))
                    .toList()) {
                String source = Files.readString(file);
                LITERAL.matcher(source).results().forEach(found -> literals.add(found.group(1)));
                Matcher calls = PUBLISHED.matcher(source);
                while (calls.find()) {
                    published.add(calls.group(1));
                }
            }
        }
        List<String> known = EventsCommand.types();

        assertThat(published).isNotEmpty();
        assertThat(known)
                .as("shell/src/main/resources/io/enipam/shell/event/types.txt")
                .isSorted()
                .doesNotHaveDuplicates()
                .containsAll(published);
        assertThat(literals).containsAll(known);
    }
}
