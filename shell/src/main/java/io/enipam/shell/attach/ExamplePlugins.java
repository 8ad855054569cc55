package io.enipam.shell.attach;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The example plugins of a checkout, as far as they are built; an installed copy has none. They are a convenience: where their
 * directory cannot be read there are none, either.
 *
 * @param directory with one directory for each
 */
public record ExamplePlugins(Path directory) {
    /** Those of the checkout that a program belongs to. */
    public static ExamplePlugins of(Path home) {
        return new ExamplePlugins(home.resolve("plugins-examples").toAbsolutePath());
    }

    /** The words for {@code enipamd} or {@code enipam-lab} that bring all of them along, loaded and not in force. */
    public List<String> options() {
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        try (Stream<Path> modules = Files.list(directory)) {
            return modules.map(ExamplePlugins::built)
                    .filter(ExamplePlugins::isPlugin)
                    .sorted()
                    .flatMap(plugin -> Stream.of("--example", plugin.toString()))
                    .toList();
        } catch (IOException e) {
            return List.of();
        }
    }

    /** The words for {@code enipamd} by which one of them is in force with the settings of its demonstration. */
    public List<String> demonstrated(String name) {
        Path module = directory.resolve(name);
        Path settings = module.resolve("demo.yaml");
        return isPlugin(built(module)) && Files.isReadable(settings)
                ? List.of("--config", settings.toString())
                : List.of();
    }

    private static Path built(Path module) {
        return module.resolve("target").resolve("plugin");
    }

    private static boolean isPlugin(Path path) {
        try {
            return Files.isDirectory(path) && holdsJars(path);
        } catch (IOException e) {
            return false;
        }
    }

    /** Whether a directory is a plugin as {@code --plugin} takes one. */
    public static boolean holdsJars(Path directory) throws IOException {
        try (DirectoryStream<Path> jars = Files.newDirectoryStream(directory, "*.jar")) {
            return jars.iterator().hasNext();
        }
    }
}
