package io.enipam.sdk.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.sdk.Extension;
import io.enipam.sdk.IpamPlugin;
import io.enipam.sdk.Setting;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The allocator that the SDK's README shows keeps the contract, in less than a hundred lines. */
class ReadmeAllocatorTest extends AllocatorContract {
    private static final Path README = Path.of("../README.md");
    private static final Pattern EXAMPLE = Pattern.compile("```java\n(.*?)\n```", Pattern.DOTALL);

    @TempDir
    static Path scratch;

    private static URLClassLoader compiled;
    private static String source;

    @BeforeAll
    static void compile() throws IOException {
        Matcher example = EXAMPLE.matcher(Files.readString(README, UTF_8));
        assertThat(example.find()).as("the README's example").isTrue();
        source = example.group(1);
        Path file = Files.writeString(scratch.resolve("FilesPlugin.java"), source, UTF_8);
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
        compiled = new URLClassLoader(new URL[] {scratch.toUri().toURL()}, IpamPlugin.class.getClassLoader());
    }

    @AfterAll
    static void forget() throws IOException {
        compiled.close();
    }

    private static IpamPlugin plugin() {
        try {
            return (IpamPlugin)
                    compiled.loadClass("FilesPlugin").getDeclaredConstructor().newInstance();
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("the README's example", e);
        }
    }

    private final IpamPlugin plugin = plugin();

    @Override
    protected Extension extension() {
        return plugin.extensions().get(0);
    }

    @Override
    protected List<Setting<?>> settings() {
        return plugin.settings();
    }

    @Override
    protected Map<String, List<String>> values() {
        return Map.of("addresses", List.of("10.0.0.2/24", "10.0.0.3/24", "10.0.0.4/24", "2001:db8::5/64"));
    }

    @Test
    void itIsShort() {
        assertThat(source.lines().count()).isLessThan(100);
    }
}
