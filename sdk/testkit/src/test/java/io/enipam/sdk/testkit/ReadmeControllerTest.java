package io.enipam.sdk.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.sdk.Controller;
import io.enipam.sdk.Extension;
import io.enipam.sdk.Journal;
import io.enipam.sdk.Source;
import io.enipam.sdk.Table;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The controller that the SDK's README shows keeps the contract, in about a hundred lines. */
class ReadmeControllerTest extends ControllerContract {
    @TempDir
    static Path scratch;

    @AutoClose
    private static ReadmeExample example;

    @BeforeAll
    static void compile() throws IOException {
        example = new ReadmeExample("NumbersPlugin", scratch);
    }

    @Override
    protected Extension extension() {
        return example.plugin().extensions().get(0);
    }

    @Override
    protected List<String> keys() {
        return List.of("a", "b", "c");
    }

    /** The source looks ten times a second. */
    @Override
    protected int histories() {
        return 2;
    }

    @Override
    protected void change(String key, Random random) {
        Path file = directory.resolve("wanted").resolve(key);
        try {
            if (!Files.deleteIfExists(file)) {
                Files.createFile(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    protected Set<String> outside() {
        return given().entrySet().stream().map(String::valueOf).collect(Collectors.toSet());
    }

    @Override
    protected Optional<String> unwanted(Journal tables) {
        Map<String, String> rows = rows(tables);
        Set<String> wanted = files("wanted").keySet();
        return given().equals(rows) && wanted.equals(rows.keySet())
                ? Optional.empty()
                : Optional.of("wanted " + wanted + ", rows " + rows + ", given " + given());
    }

    @Override
    protected Optional<String> violated(Journal tables) {
        Map<String, String> rows = rows(tables);
        return Set.copyOf(rows.values()).size() == rows.size()
                ? Optional.empty()
                : Optional.of("a number was given twice: " + rows);
    }

    private static Map<String, String> rows(Journal tables) {
        Map<String, String> rows = new TreeMap<>();
        return tables.read(tx -> {
            Table<?> numbers = (Table<?>) example.constant("NumbersController", "NUMBERS");
            tx.scan(numbers, "").forEach(row -> rows.put(row.key(), String.valueOf(row.value())));
            return rows;
        });
    }

    private Map<String, String> given() {
        return files("given");
    }

    private Map<String, String> files(String name) {
        Map<String, String> found = new TreeMap<>();
        try (Stream<Path> files = Files.list(directory.resolve(name))) {
            for (Path file : files.toList()) {
                found.put(file.getFileName().toString(), Files.readString(file, UTF_8));
            }
            return found;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void itIsShort() {
        assertThat(example.source.lines().count()).isLessThan(120);
    }

    @Test
    void aFileWhoseNameIsNoKeyIsToldAsALoss() throws Exception {
        CompletableFuture<String> lost = new CompletableFuture<>();
        try (Controller controller = (Controller) extension()
                        .open(TestContext.builder().directory(directory).build());
                AutoCloseable source = controller.watches().get(0).open(new Source.Sink() {
                    @Override
                    public void changed(String key) {
                        throw new IllegalArgumentException(key + " is no key");
                    }

                    @Override
                    public void synced() {}

                    @Override
                    public void lost(String why) {
                        lost.complete(why);
                    }
                })) {
            Files.createFile(directory.resolve("wanted").resolve("two\tcolumns"));

            assertThat(lost.get(patience().toSeconds(), TimeUnit.SECONDS)).contains("is no key");
        }
    }
}
