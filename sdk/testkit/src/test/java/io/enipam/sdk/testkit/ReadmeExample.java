package io.enipam.sdk.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.sdk.IpamPlugin;
import java.io.IOException;
import java.lang.reflect.Field;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;

/** A plugin that the SDK's README shows whole. */
final class ReadmeExample implements AutoCloseable {
    private static final Path README = Path.of("../README.md");
    private static final Pattern EXAMPLE = Pattern.compile("```java\n(.*?)\n```", Pattern.DOTALL);

    final String source;
    private final URLClassLoader loader;
    private final String plugin;

    /** @param plugin the name of its class, and of no other example's */
    ReadmeExample(String plugin, Path scratch) throws IOException {
        this.plugin = plugin;
        List<String> found = EXAMPLE.matcher(Files.readString(README, UTF_8))
                .results()
                .map((MatchResult example) -> example.group(1))
                .filter(text -> text.contains("class " + plugin + " "))
                .toList();
        assertThat(found).as("the README's example " + plugin).hasSize(1);
        source = found.get(0);
        Path file = Files.writeString(scratch.resolve(plugin + ".java"), source, UTF_8);
        int problems = ToolProvider.getSystemJavaCompiler()
                .run(
                        null,
                        null,
                        System.err,
                        "-proc:none",
                        "-cp",
                        System.getProperty("java.class.path"),
                        "-d",
                        scratch.toString(),
                        file.toString());
        assertThat(problems).as("the compiler's verdict").isZero();
        loader = new URLClassLoader(new URL[] {scratch.toUri().toURL()}, IpamPlugin.class.getClassLoader());
    }

    IpamPlugin plugin() {
        try {
            return (IpamPlugin)
                    loader.loadClass(plugin).getDeclaredConstructor().newInstance();
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("the README's example", e);
        }
    }

    /** A constant of one of its classes. */
    Object constant(String type, String name) {
        try {
            Field field = loader.loadClass(type).getDeclaredField(name);
            field.setAccessible(true);
            return field.get(null);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("the README's example", e);
        }
    }

    @Override
    public void close() throws IOException {
        loader.close();
    }
}
