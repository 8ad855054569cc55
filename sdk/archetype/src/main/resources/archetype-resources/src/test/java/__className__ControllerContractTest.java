package ${package};

import io.enipam.sdk.Extension;
import io.enipam.sdk.Journal;
import io.enipam.sdk.testkit.ControllerContract;
import io.enipam.sdk.testkit.TestContext;
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
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;

/** The rules every controller keeps; the tests are inherited. This says what the world is. */
class ${className}ControllerContractTest extends ControllerContract {
    @TempDir
    Path files;

    @Override
    protected Extension extension() {
        return new ${className}Plugin().extensions().get(0);
    }

    @Override
    protected void prepare(TestContext.Builder host) {
        host.directory(files);
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
        Path file = files.resolve("wanted").resolve(key);
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
        return in("given").entrySet().stream().map(String::valueOf).collect(Collectors.toSet());
    }

    @Override
    protected Optional<String> unwanted(Journal tables) {
        Map<String, String> numbers = numbers(tables);
        Set<String> wanted = in("wanted").keySet();
        return in("given").equals(numbers) && wanted.equals(numbers.keySet())
                ? Optional.empty()
                : Optional.of("wanted " + wanted + ", numbers " + numbers + ", given " + in("given"));
    }

    @Override
    protected Optional<String> violated(Journal tables) {
        Map<String, String> numbers = numbers(tables);
        return Set.copyOf(numbers.values()).size() == numbers.size()
                ? Optional.empty()
                : Optional.of("a number was given twice: " + numbers);
    }

    private static Map<String, String> numbers(Journal tables) {
        Map<String, String> numbers = new TreeMap<>();
        return tables.read(tx -> {
            tx.scan(${className}Controller.NUMBERS, "").forEach(row -> numbers.put(row.key(), row.value()));
            return numbers;
        });
    }

    private Map<String, String> in(String name) {
        Map<String, String> found = new TreeMap<>();
        try (Stream<Path> listed = Files.list(files.resolve(name))) {
            for (Path file : listed.toList()) {
                found.put(file.getFileName().toString(), Files.readString(file));
            }
            return found;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
