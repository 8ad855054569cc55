package io.enipam.pluginhost.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.enipam.pluginhost.load.PluginCatalog.PluginSearchPath;
import io.enipam.pluginhost.testing.PluginJar;
import io.enipam.sdk.IpamPlugin;
import io.enipam.sdk.Setting;
import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** What a plugin sees of the daemon, of other plugins, and of its own jars. */
class PluginClassLoaderTest {
    @TempDir
    Path temporary;

    @AutoClose
    private PluginInstallation daemon;

    @BeforeEach
    void directory() throws Exception {
        daemon = new PluginInstallation(Files.createDirectory(temporary.resolve("plugins")));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "io.enipam.engine.IpamEngine",
                "io.enipam.daemon.DaemonMain",
                "io.enipam.pluginhost.load.PluginCatalog",
                "io.grpc.Status",
                "ch.qos.logback.classic.Logger",
                "org.objectweb.asm.ClassReader",
                "org.junit.jupiter.api.Test"
            })
    void nothingElseOfTheDaemonIsThere(String name) throws Exception {
        daemon.add(PluginJar.of("curious").plugin(""));
        PluginClassLoader loader = daemon.loadOne().loader();
        String path = name.replace('.', '/') + ".class";

        assertThat(Class.forName(name)).as("the daemon has it").isNotNull();
        assertThatExceptionOfType(ClassNotFoundException.class).isThrownBy(() -> loader.loadClass(name));
        assertThat(loader.getResource(path)).isNull();
        assertThat(loader.getResourceAsStream(path)).isNull();
        assertThat(Collections.list(loader.getResources(path))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "io.enipam.sdk.IpamPlugin",
                "org.slf4j.Logger",
                "org.slf4j.event.Level",
                "org.jspecify.annotations.Nullable",
                "java.sql.Connection",
                "java.net.http.HttpClient"
            })
    void whatIsSharedIsTheDaemonsOwn(String name) throws Exception {
        daemon.add(PluginJar.of("curious").plugin(""));

        PluginClassLoader loader = daemon.loadOne().loader();

        assertThat(loader.loadClass(name)).isSameAs(Class.forName(name));
        assertThat(loader.getResource(name.replace('.', '/') + ".class")).isNotNull();
    }

    @Test
    void thePluginsOwnCopiesOfWhatIsSharedNeverCount() throws Exception {
        daemon.add(PluginJar.of("fat")
                .source("package io.enipam.sdk; public class Setting<T> {}")
                .source("package io.enipam.sdk; public class Extra {}")
                .source("package org.slf4j; public class LoggerFactory {}")
                .plugin(""));

        PluginClassLoader loader = daemon.loadOne().loader();

        assertThat(loader.loadClass("io.enipam.sdk.Setting")).isSameAs(Setting.class);
        assertThat(loader.loadClass("org.slf4j.LoggerFactory")).isSameAs(LoggerFactory.class);
        assertThatExceptionOfType(ClassNotFoundException.class)
                .isThrownBy(() -> loader.loadClass("io.enipam.sdk.Extra"));
        assertThat(loader.getResource("io/enipam/sdk/Extra.class")).isNull();
        assertThat(Collections.list(loader.getResources("org/slf4j/LoggerFactory.class")))
                .singleElement()
                .satisfies(url -> assertThat(url.toString()).doesNotContain("fat"));
    }

    @Test
    void aPackageBelowTheSdkIsThePluginsOwn() throws Exception {
        daemon.add(PluginJar.of("below")
                .source("package io.enipam.sdk.testkit; public class Contract {}")
                .plugin(""));

        PluginClassLoader loader = daemon.loadOne().loader();

        assertThat(loader.loadClass("io.enipam.sdk.testkit.Contract").getClassLoader())
                .isSameAs(loader);
    }

    @Test
    void twoPluginsMayBringTwoVersionsOfALibrary() throws Exception {
        for (String id : List.of("one", "two")) {
            daemon.add(PluginJar.of(id)
                    .source("package lib; public class Version implements java.util.concurrent.Callable<String> {"
                            + " public String call() { return \"" + id + "\"; } }")
                    .plugin(""));
        }
        daemon.load();

        for (LoadedPlugin plugin : daemon.catalog().plugins()) {
            assertThat(call(plugin.loader(), "lib.Version"))
                    .isEqualTo(plugin.manifest().id());
        }
    }

    @Test
    void theServiceLoaderOfAPluginFindsWhatItBrings() {
        daemon.add(PluginJar.of("extensible")
                .source("package ext; public interface Greeting { String text(); }")
                .source("package ext; public class Hello implements Greeting { public String text() { return"
                        + " \"hello\"; } }")
                .entry("META-INF/services/ext.Greeting", "ext.Hello\n")
                .plugin("""
                    public List<Setting<?>> settings() {
                        List<Setting<?>> found = new ArrayList<>();
                        for (ext.Greeting greeting : ServiceLoader.load(ext.Greeting.class)) {
                            found.add(Setting.flag(greeting.text(), true));
                        }
                        return found;
                    }
                    """));

        assertThat(daemon.loadOne().settings()).extracting(Setting::name).containsExactly("hello");
    }

    @Test
    void aResourceIsReadFromThePluginsJar() throws Exception {
        daemon.add(PluginJar.of("wordy").entry("words/with space.txt", "hello").plugin(""));
        PluginClassLoader loader = daemon.loadOne().loader();

        try (InputStream in = loader.getResourceAsStream("words/with space.txt")) {
            assertThat(new String(in.readAllBytes(), StandardCharsets.UTF_8)).isEqualTo("hello");
        }
        assertThat(loader.getResource("words/none.txt")).isNull();
    }

    @Test
    void aClassPathInTheManifestIsNotFollowed() {
        PluginJar.library("aside").entry("aside.txt", "not checked by anybody").write(temporary);
        daemon.add(
                PluginJar.of("linking").manifest("Class-Path", "../aside.jar").plugin(""));

        assertThat(daemon.loadOne().loader().getResource("aside.txt")).isNull();
    }

    @Test
    void ofAMultiReleaseJarTheClassesForThisJvmAreUsed() throws Exception {
        String release = "META-INF/versions/17/";
        byte[] later = callable("later").classes().get("mr/Which.class");
        daemon.add(callable("base")
                .manifest("Multi-Release", "true")
                .entry(release + "mr/Which.class", later)
                .entry("mr/which.txt", "base")
                .entry(release + "mr/which.txt", "later")
                .plugin(""));
        PluginClassLoader loader = daemon.loadOne().loader();

        assertThat(call(loader, "mr.Which")).isEqualTo("later");
        try (InputStream in = loader.getResourceAsStream("mr/which.txt")) {
            assertThat(new String(in.readAllBytes(), StandardCharsets.UTF_8)).isEqualTo("later");
        }
    }

    @Test
    void aSealedPackageIsNotSpreadOverJars() throws Exception {
        Path home = daemon.directory().resolve("sealing");
        PluginJar.library("zz-other")
                .source("package vault; public class Thief {}")
                .write(home);
        PluginJar.of("sealing")
                .manifest("Sealed", "true")
                .source("package vault; public class Gold {}")
                .plugin("")
                .write(home);
        PluginClassLoader loader = daemon.loadOne().loader();

        assertThat(loader.loadClass("vault.Gold").getPackage().isSealed()).isTrue();
        assertThatExceptionOfType(SecurityException.class)
                .isThrownBy(() -> loader.loadClass("vault.Thief"))
                .withMessageContaining("package vault is sealed");
    }

    @Test
    void aClosedLoaderHasReleasedItsJars() throws Exception {
        Path jar = daemon.add(PluginJar.of("closing")
                .source("package late; public class Comer {}")
                .entry("a.txt", "a")
                .plugin(""));
        PluginClassLoader loader = daemon.loadOne().loader();
        loader.getResourceAsStream("a.txt");
        assertThat(openFiles()).contains(jar.toRealPath().toString());

        daemon.close();

        assertThat(openFiles()).doesNotContain(jar.toRealPath().toString());
        assertThatExceptionOfType(ClassNotFoundException.class).isThrownBy(() -> loader.loadClass("late.Comer"));
        assertThat(loader.getResource("a.txt")).isNull();
    }

    @Test
    void aRejectedPluginHoldsNoJarOpen() throws Exception {
        Path jar = daemon.add(PluginJar.of("broken").plugin("public Plugin() { throw new IllegalStateException(); }"));

        daemon.loadAndReject();

        assertThat(openFiles()).doesNotContain(jar.toRealPath().toString());
    }

    @Test
    void aPluginOnTheClassPathIsLoadedFromItsJarAlone() throws Exception {
        Path jar = PluginJar.of("beside").plugin("").write(temporary);
        Path library = PluginJar.library("neighbour")
                .source("package near; public class By {}")
                .write(temporary);
        try (URLClassLoader classPath = new URLClassLoader(new URL[] {url(jar), url(library)}, null)) {
            daemon.load(new PluginSearchPath(Optional.empty(), List.of(), classPath), PluginInstallation.PATIENT);
        }

        assertThat(daemon.ids()).containsExactly("beside");
        LoadedPlugin plugin = daemon.catalog().plugins().get(0);
        assertThat(plugin.plugin().getClass().getClassLoader()).isSameAs(plugin.loader());
        assertThatExceptionOfType(ClassNotFoundException.class)
                .isThrownBy(() -> plugin.loader().loadClass("near.By"));
    }

    @Test
    void classesOnTheClassPathWithoutAJarAreNoPlugin() throws Exception {
        Path classes = temporary.resolve("classes");
        Path services = Files.createDirectories(classes.resolve("META-INF/services"));
        Files.writeString(services.resolve(IpamPlugin.class.getName()), "a.Plugin\n");
        try (URLClassLoader classPath = new URLClassLoader(new URL[] {url(classes)}, null)) {
            daemon.load(new PluginSearchPath(Optional.empty(), List.of(), classPath), PluginInstallation.PATIENT);
        }

        assertThat(daemon.ids()).isEmpty();
        assertThat(daemon.catalog().rejected()).isEmpty();
    }

    @Test
    void manyThreadsLoadTheClassesOfOnePackageAtOnce() throws Exception {
        StringBuilder many = new StringBuilder("package crowd; public class C0 {} ");
        for (int n = 1; n < 60; n++) {
            many.append("class C").append(n).append(" extends C").append(n - 1).append(" {} ");
        }
        daemon.add(PluginJar.of("crowded").source(many.toString()).plugin(""));
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            for (int round = 0; round < 20; round++) {
                PluginClassLoader loader = daemon.loadOne().loader();
                CyclicBarrier start = new CyclicBarrier(8);
                List<Callable<Class<?>>> loads = new ArrayList<>();
                for (int thread = 0; thread < 8; thread++) {
                    // some come from above and some from below, and meet
                    String first = "crowd.C" + (thread % 2 == 0 ? 59 : thread * 7);
                    loads.add(() -> {
                        start.await();
                        loader.loadClass(first);
                        return loader.loadClass("crowd.C59");
                    });
                }

                Set<Class<?>> seen = new HashSet<>();
                for (Future<Class<?>> load : threads.invokeAll(loads)) {
                    seen.add(load.get());
                }

                assertThat(seen).hasSize(1);
                assertThat(loader.isRegisteredAsParallelCapable()).isTrue();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void aClassThatUnpacksToTooMuchIsNotRead() {
        daemon.add(PluginJar.of("bomb")
                .entry("boom/Boom.class", new byte[17 << 20])
                .plugin(""));
        PluginClassLoader loader = daemon.loadOne().loader();

        assertThatExceptionOfType(ClassNotFoundException.class)
                .isThrownBy(() -> loader.loadClass("boom.Boom"))
                .withMessageContaining("larger than 16777216 bytes");
    }

    private static PluginJar callable(String answer) {
        return PluginJar.of("releases")
                .source("package mr; public class Which implements java.util.concurrent.Callable<String> {"
                        + " public String call() { return \"" + answer + "\"; } }");
    }

    private static Object call(ClassLoader loader, String name) throws Exception {
        return ((Callable<?>) loader.loadClass(name).getConstructor().newInstance()).call();
    }

    private static URL url(Path path) throws Exception {
        return path.toUri().toURL();
    }

    private static List<String> openFiles() throws Exception {
        try (var descriptors = Files.list(Path.of("/proc/self/fd"))) {
            return descriptors
                    .map(descriptor -> {
                        try {
                            return Files.readSymbolicLink(descriptor).toString();
                        } catch (java.io.IOException gone) {
                            return "";
                        }
                    })
                    .toList();
        }
    }
}
