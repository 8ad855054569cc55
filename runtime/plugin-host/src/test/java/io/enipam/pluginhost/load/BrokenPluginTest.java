package io.enipam.pluginhost.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.pluginhost.testing.PluginJar;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever is wrong with one plugin is told of that one, and the next is loaded. */
class BrokenPluginTest {
    @TempDir
    Path directory;

    private PluginInstallation daemon;

    @BeforeEach
    void aGoodPluginComesAfterTheBrokenOne() {
        daemon = new PluginInstallation(directory);
        daemon.add(PluginJar.of("zzz-good").plugin(""));
    }

    @AfterEach
    void theGoodOneWasLoaded() {
        assertThat(daemon.ids()).containsExactly("zzz-good");
        assertThat(daemon.rejected().cause()).doesNotContain("\n").hasSizeLessThan(700);
        daemon.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"Plugin-Id", "Plugin-Version", "Sdk-Version"})
    void anAttributeIsMissing(String attribute) {
        daemon.add(PluginJar.of("broken").plugin("").without(attribute));

        assertThat(daemon.loadAndReject().cause())
                .contains("has no " + attribute)
                .contains("broken-1.0.0.jar")
                .contains("must write Plugin-Id, Plugin-Version and Sdk-Version");
    }

    @ParameterizedTest
    @CsvSource({
        "Plugin-Id, Broken, a letter first",
        "Plugin-Id, 7up, a letter first",
        "Plugin-Id, ../etc, a letter first",
        "Plugin-Id, a234567890123456789012345678901234567890123456789012345678901234, at most 63",
        "Plugin-Version, 1.0, a semantic version such as 1.0.0",
        "Plugin-Version, 01.0.0, a semantic version such as 1.0.0",
        "Plugin-Version, latest, a semantic version such as 1.0.0",
        "Sdk-Version, 0.1, 'a range with two ends, such as [0.1,0.2)'",
        "Sdk-Version, banana, 'a range with two ends, such as [0.1,0.2)'",
        "Sdk-Version, '[0.2,0.1)', 'a range with two ends, such as [0.1,0.2)'",
        "Sdk-Version, '[0.1,)', 'a range with two ends, such as [0.1,0.2)'",
    })
    void anAttributeIsNotWhatItMustBe(String attribute, String value, String allowed) {
        daemon.add(PluginJar.of("broken").plugin("").manifest(attribute, value));

        assertThat(daemon.loadAndReject().cause()).contains(attribute, value, allowed);
    }

    @ParameterizedTest
    @ValueSource(strings = {"[0.2,0.3)", "[0.0,0.1)", "(0.1,0.2)", "[1,2)"})
    void itIsForAnotherSdk(String range) {
        daemon.add(PluginJar.of("broken").plugin("").manifest("Sdk-Version", range));

        assertThat(daemon.loadAndReject().cause())
                .contains("works with versions " + range + " of the SDK, and this daemon has 0.1.0");
    }

    @Test
    void itIsForAnotherSdkAndNoClassOfItIsTouched() {
        String flag = "enipam.test.touched";
        daemon.add(PluginJar.of("broken")
                .manifest("Sdk-Version", "[9,10)")
                .plugin("static { System.setProperty(\"" + flag + "\", \"yes\"); }"));

        daemon.load();

        assertThat(System.getProperty(flag)).isNull();
    }

    @Test
    void itIsNoJar() throws IOException {
        Files.writeString(directory.resolve("broken.jar"), "PK, or so");

        assertThat(daemon.loadAndReject().cause()).contains("broken.jar cannot be read as a jar", "copy it again");
        assertThat(daemon.rejected().name()).isEqualTo("broken.jar");
    }

    @Test
    void itIsHalfAJar() throws IOException {
        Path jar = daemon.add(PluginJar.of("broken").plugin(""));
        byte[] whole = Files.readAllBytes(jar);
        Files.write(jar, Arrays.copyOf(whole, whole.length / 2));

        assertThat(daemon.loadAndReject().cause()).contains("cannot be read as a jar");
    }

    @Test
    void itsManifestIsNone() {
        daemon.add(PluginJar.of("broken").plugin("").entry("META-INF/MANIFEST.MF", "there is no colon\n\n"));

        assertThat(daemon.loadAndReject().cause()).contains("cannot be read as a jar");
    }

    @Test
    void itsManifestUnpacksToGigabytes() {
        daemon.add(PluginJar.of("broken").plugin("").entry("META-INF/MANIFEST.MF", new byte[64 << 20]));

        assertThat(daemon.loadAndReject().cause()).contains("META-INF/MANIFEST.MF", "larger than 8192 KiB");
    }

    @Test
    void theHeadOfItsManifestIsHuge() {
        daemon.add(PluginJar.of("broken").plugin("").manifest("Comment", "x".repeat(70_000)));

        assertThat(daemon.loadAndReject().cause()).contains("META-INF/MANIFEST.MF", "larger than 64 KiB");
    }

    @Test
    void itsServicesAreHuge() {
        daemon.add(PluginJar.of("broken").plugin("").service("#" + "x".repeat(70_000)));

        assertThat(daemon.loadAndReject().cause()).contains("META-INF/services/", "larger than 64 KiB");
    }

    @Test
    void itNamesNoEntryPoint() {
        daemon.add(PluginJar.of("broken").plugin("").service("# to be done"));

        assertThat(daemon.loadAndReject().cause())
                .contains("no class is named in META-INF/services/io.enipam.sdk.IpamPlugin");
    }

    @Test
    void itNamesTwoEntryPoints() {
        daemon.add(PluginJar.of("broken").plugin("").service("a.First", "b.Second # too"));

        assertThat(daemon.loadAndReject().cause()).contains("names 2 classes, a.First, b.Second");
    }

    @Test
    void itsEntryPointIsNotThere() {
        daemon.add(PluginJar.of("broken").plugin("").service("a.Missing"));

        assertThat(daemon.loadAndReject().cause()).contains("a.Missing not found");
    }

    @Test
    void itsEntryPointIsNoPlugin() {
        daemon.add(PluginJar.of("broken")
                .source("package a; public class Stranger {}")
                .service("a.Stranger"));

        assertThat(daemon.loadAndReject().cause()).contains("a.Stranger not a subtype");
    }

    @Test
    void itsEntryPointIsAbstract() {
        daemon.add(PluginJar.of("broken")
                .source("package a; public abstract class Idea implements io.enipam.sdk.IpamPlugin {}")
                .service("a.Idea"));

        assertThat(daemon.loadAndReject().cause()).contains("the constructor of a.Idea", "InstantiationException");
    }

    @Test
    void itsClassFileIsCutOff() {
        PluginJar jar = PluginJar.of("broken").plugin("");
        byte[] whole = jar.classes().get("plugins/broken/Plugin.class");
        daemon.add(jar.entry("plugins/broken/Plugin.class", Arrays.copyOf(whole, whole.length - 20)));

        assertThat(daemon.loadAndReject().cause()).contains("ClassFormatError");
    }

    @Test
    void itWasBuiltForALaterJvm() {
        PluginJar jar = PluginJar.of("broken").plugin("");
        byte[] later = jar.classes().get("plugins/broken/Plugin.class").clone();
        later[7] = 120;
        daemon.add(jar.entry("plugins/broken/Plugin.class", later));

        assertThat(daemon.loadAndReject().cause()).contains("UnsupportedClassVersionError");
    }

    @Test
    void itsDirectoryIsEmpty() throws IOException {
        Files.createDirectory(directory.resolve("broken"));

        assertThat(daemon.loadAndReject().cause()).contains("holds no *.jar");
    }

    @Test
    void itsDirectoryHoldsNoPlugin() {
        PluginJar.library("one").write(directory.resolve("broken"));
        PluginJar.library("two").write(directory.resolve("broken"));

        assertThat(daemon.loadAndReject().cause()).contains("no manifest of its jars has a Plugin-Id");
    }

    @Test
    void itsDirectoryHoldsTwoPlugins() {
        PluginJar.of("one").plugin("").write(directory.resolve("broken"));
        PluginJar.of("two").plugin("").write(directory.resolve("broken"));

        assertThat(daemon.loadAndReject().cause())
                .contains("one in one-1.0.0.jar", "two in two-1.0.0.jar", "a directory of its own");
        assertThat(daemon.rejected().name()).isEqualTo("broken");
    }

    @Test
    void itsDirectoryHoldsTooManyJars() {
        for (int n = 0; n <= PluginFinder.MOST_JARS; n++) {
            PluginJar.library("library-" + n).write(directory.resolve("broken"));
        }

        assertThat(daemon.loadAndReject().cause()).contains("holds 101 jars, and 100 are the most");
    }

    @Test
    void itIsAPipeThatNobodyWritesTo() throws Exception {
        Path pipe = directory.resolve("broken");
        Files.createDirectory(pipe);
        new ProcessBuilder("mkfifo", pipe.resolve("pipe.jar").toString())
                .start()
                .waitFor();

        assertThat(daemon.loadAndReject().cause()).contains("holds no *.jar");
    }

    @Test
    void itHasTextForATerminalInItsName() {
        daemon.add(PluginJar.of("broken").plugin("").manifest("Plugin-Id", "\u001b[2J\u0007evil"));

        assertThat(daemon.loadAndReject().cause()).contains("evil").doesNotContain("\u001b", "\u0007");
        assertThat(daemon.rejected().name()).isEqualTo("broken-1.0.0.jar");
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("misdeeds")
    void itMisbehaves(String what, String members, String cause) {
        daemon.add(PluginJar.of("broken").plugin(members));

        assertThat(daemon.loadAndReject().cause()).as(what).contains(cause);
        assertThat(daemon.rejected().name()).isEqualTo("broken");
    }

    static Stream<Arguments> misdeeds() {
        String factory = """
                static ResourceFactoryProvider factory(String name) {
                    return new ResourceFactoryProvider() {
                        public String name() { return name; }
                        public ResourceFactory open(PluginContext context) { return null; }
                    };
                }
                public List<ResourceFactoryProvider> resourceFactories() { return %s; }
                """;
        String policy = """
                static PoolPolicyProvider policy(String name) {
                    return new PoolPolicyProvider() {
                        public String name() { return name; }
                        public PoolPolicy open(PluginContext context) { return null; }
                    };
                }
                public List<PoolPolicyProvider> poolPolicies() { return %s; }
                """;
        String diagnostic = """
                static Diagnostic diagnostic(String name, String summary, List<Setting<?>> parameters) {
                    return new Diagnostic() {
                        public String name() { return name; }
                        public String summary() { return summary; }
                        public List<Setting<?>> parameters() { return parameters; }
                        public DiagnosticTable run(DiagnosticRequest request) { return null; }
                    };
                }
                public List<Diagnostic> diagnostics() { return %s; }
                """;
        String settings = "public List<Setting<?>> settings() { return %s; }";
        return Stream.of(
                misdeed(
                        "its constructor throws",
                        "public Plugin() { throw new IllegalStateException(\"no licence\\nfound\"); }",
                        "the constructor of plugins.broken.Plugin failed: java.lang.IllegalStateException: no licence"
                                + " found"),
                misdeed(
                        "its constructor is private",
                        "private Plugin() {}",
                        "an entry point has a public constructor without parameters"),
                misdeed(
                        "its initialiser throws",
                        "static { if (true) throw new IllegalStateException(\"early\"); }",
                        "java.lang.IllegalStateException: early"),
                misdeed(
                        "it overflows the stack",
                        "public Plugin() { deeper(); } void deeper() { deeper(); }",
                        "java.lang.StackOverflowError"),
                misdeed(
                        "it runs out of memory",
                        "public Plugin() { throw new OutOfMemoryError(\"Java heap space\"); }",
                        "java.lang.OutOfMemoryError: Java heap space"),
                misdeed(
                        "it needs what it does not bring",
                        "public Plugin() { io.grpc.Status.OK.getCode(); }",
                        "NoClassDefFoundError: io/grpc/Status; a plugin sees the JDK, io.enipam.sdk and slf4j"),
                misdeed("it throws what cannot be printed", """
                        static class Rude extends RuntimeException {
                            public String getMessage() { throw new StackOverflowError(); }
                        }
                        public Plugin() { throw new Rude(); }
                        """, "failed: plugins.broken.Plugin$Rude"),
                misdeed(
                        "its method throws an Error",
                        "public List<Setting<?>> settings() { throw new AssertionError(\"oops\"); }",
                        "settings() failed: java.lang.AssertionError: oops"),
                misdeed("its settings are null", settings.formatted("null"), "settings(): the list is null"),
                misdeed(
                        "a setting is null",
                        settings.formatted("Arrays.asList(Setting.flag(\"a\", true), null)"),
                        "settings(): element 1 of the list is null"),
                misdeed(
                        "a setting has no meaning at all",
                        settings.formatted("List.of(Setting.flag(\"a\", true).doc(null))"),
                        "settings(): a.doc() is null"),
                misdeed(
                        "two settings have one name",
                        settings.formatted("List.of(Setting.flag(\"a\", true), Setting.flag(\"a\", false))"),
                        "settings(): the name a is there twice"),
                misdeed(
                        "its list has no end",
                        settings.formatted("""
                                new AbstractList<>() {
                                    public Setting<?> get(int n) { return Setting.flag("a" + n, true); }
                                    public int size() { return Integer.MAX_VALUE; }
                                }"""),
                        "settings(): the list has more than 1000 elements"),
                misdeed(
                        "its list holds something else",
                        settings.formatted("(List) List.of(\"a\")"),
                        "settings() failed: java.lang.ClassCastException"),
                misdeed("its factories are null", factory.formatted("null"), "resourceFactories(): the list is null"),
                misdeed(
                        "a factory is null",
                        factory.formatted("Collections.singletonList(null)"),
                        "resourceFactories(): element 0 of the list is null"),
                misdeed(
                        "a factory has no name",
                        factory.formatted("List.of(factory(null))"),
                        "resourceFactories(): a name() is null"),
                misdeed(
                        "a factory's name is not allowed",
                        factory.formatted("List.of(factory(\"Eni IP\"))"),
                        "resourceFactories(): the name 'Eni IP' is not allowed"),
                misdeed(
                        "two factories have one name",
                        factory.formatted("List.of(factory(\"a\"), factory(\"a\"))"),
                        "resourceFactories(): the name a is there twice"),
                misdeed("its policies are null", policy.formatted("null"), "poolPolicies(): the list is null"),
                misdeed(
                        "a policy's name is not allowed",
                        policy.formatted("List.of(policy(\"\"))"),
                        "poolPolicies(): the name '' is not allowed"),
                misdeed(
                        "two policies have one name",
                        policy.formatted("List.of(policy(\"a\"), policy(\"a\"))"),
                        "poolPolicies(): the name a is there twice"),
                misdeed("its diagnostics are null", diagnostic.formatted("null"), "diagnostics(): the list is null"),
                misdeed(
                        "two diagnostics have one name",
                        diagnostic
                                .formatted(
                                        "List.of(diagnostic(\"a\", \"A.\", List.of()), diagnostic(\"a\", \"\", null))")
                                .replace("\"\", null", "\"\", List.of()"),
                        "diagnostics(): the name a is there twice"),
                misdeed(
                        "a diagnostic has no summary",
                        diagnostic.formatted("List.of(diagnostic(\"a\", null, List.of()))"),
                        "diagnostics(): a.summary() is null"),
                misdeed(
                        "a diagnostic has no parameters, not even none",
                        diagnostic.formatted("List.of(diagnostic(\"a\", \"A.\", null))"),
                        "a.parameters(): the list is null"));
    }

    private static Arguments misdeed(String what, String members, String cause) {
        return Arguments.of(what, members, cause);
    }
}
