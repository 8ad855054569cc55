package io.enipam.sdk.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.sdk.Capabilities;
import io.enipam.sdk.Family;
import io.enipam.sdk.IpamPlugin;
import io.enipam.sdk.PluginContext;
import io.enipam.sdk.PoolPolicy;
import io.enipam.sdk.ResourceFactory;
import io.enipam.sdk.Setting;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The classes shown in the SDK's javadoc, compiled as an author would compile them: the whole plugin among them is opened, and
 * its factory keeps the contract.
 */
class DocumentedExamplesTest extends ResourceFactoryContract {
    private static final Path SDK = Path.of("../api/src/main/java/io/enipam/sdk");
    private static final Pattern EXAMPLE = Pattern.compile("<pre>\\{@code\\n(.*?)\\n \\* }</pre>", Pattern.DOTALL);
    private static final Pattern CLASS = Pattern.compile("(?m)^(?:public )?final class (\\w+)");
    private static final List<String> HOSTS =
            IntStream.rangeClosed(1, 8).mapToObj(i -> "192.0.2." + i).toList();
    private static final String IMPORTS = "import io.enipam.sdk.*; import java.io.*; import java.nio.file.*;"
            + " import java.time.*; import java.util.*; import java.util.concurrent.*; import java.util.function.*;"
            + " import java.util.stream.*;\n";

    @TempDir
    static Path scratch;

    @AutoClose
    private static URLClassLoader examples;

    @BeforeAll
    static void compileWhatTheJavadocShows() throws IOException {
        List<String> arguments = new ArrayList<>(List.of(
                "-proc:none",
                "-cp",
                System.getProperty("java.class.path"),
                "-d",
                scratch.resolve("classes").toString()));
        for (String source : List.of(
                "ResourceFactory", "ResourceFactoryProvider", "PoolPolicy", "PoolPolicyProvider", "IpamPlugin")) {
            String text = Files.readString(SDK.resolve(source + ".java"), UTF_8);
            Matcher example = EXAMPLE.matcher(text);
            assertThat(example.find()).as("the example of " + source).isTrue();
            String code = example.group(1).replaceAll("(?m)^ \\* ?", "").replaceAll("(?m)^package .*$", "");
            Matcher name = CLASS.matcher(code);
            assertThat(name.find()).as("a class in the example of " + source).isTrue();
            Path file = Files.writeString(scratch.resolve(name.group(1) + ".java"), IMPORTS + code, UTF_8);
            arguments.add(file.toString());
        }
        int problems =
                ToolProvider.getSystemJavaCompiler().run(null, null, System.err, arguments.toArray(String[]::new));
        assertThat(problems).as("the compiler's verdict").isZero();
        examples = new URLClassLoader(
                new URL[] {scratch.resolve("classes").toUri().toURL()}, IpamPlugin.class.getClassLoader());
    }

    private static <T> T instance(String name, Class<T> type) {
        try {
            var constructor = examples.loadClass(name).getDeclaredConstructor();
            constructor.setAccessible(true);
            return type.cast(constructor.newInstance());
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("the example " + name, e);
        }
    }

    private final IpamPlugin plugin = instance("FixedPlugin", IpamPlugin.class);

    @Override
    protected List<Setting<?>> settings() {
        return plugin.settings();
    }

    @Override
    protected Map<String, List<String>> values() {
        return Map.of("hosts", HOSTS);
    }

    @Override
    protected ResourceFactory open(PluginContext context) {
        return plugin.resourceFactories().get(0).open(context);
    }

    @Override
    protected Capabilities declared() {
        return new Capabilities(Set.of(Family.IPV4), HOSTS.size(), 1, false);
    }

    @Test
    void thePolicyShownAnswersByItself() {
        PoolPolicy policy = instance("KeepOneInTen", PoolPolicy.class);
        assertThat(policy.target(Snapshots.pool().inUse("eni-1", 40).build()).minIdle())
                .isEqualTo(4);
    }
}
