package io.enipam.pluginhost.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.enipam.pluginhost.testing.PluginJar;
import io.enipam.sdk.Setting;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The thread a plugin is loaded on, and what becomes of it. */
class HangingPluginTest {
    /** A plugin that does not hang is done long before, on a busy machine too. */
    private static final Duration SHORT = Duration.ofSeconds(4);

    private static final String SLEEP = "try { Thread.sleep(600_000); } catch (InterruptedException e) { }";

    @TempDir
    Path directory;

    @AutoClose
    private PluginInstallation daemon;

    @BeforeEach
    void directory() {
        daemon = new PluginInstallation(directory);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "public Plugin() { %s }                                            | the constructor of plugins.hanging.Plugin",
                "static { %s }                                                     | the constructor of plugins.hanging.Plugin",
                "public List<Setting<?>> settings() { %s return List.of(); }       | settings()",
                "public List<Diagnostic> diagnostics() { %s return List.of(); }    | diagnostics()",
            })
    void aPluginThatHangsIsRejectedWithWhatItHangsIn(String members, String step) {
        daemon.add(PluginJar.of("hanging").plugin(members.formatted(SLEEP)));

        daemon.load(PluginInstallation.places(directory), SHORT);

        assertThat(daemon.rejected().cause()).contains(step + " has not returned after 4000 ms");
        await().atMost(Duration.ofMinutes(1))
                .until(() -> threads("plugin-hanging-load").isEmpty());
    }

    @Test
    void aPluginThatNeverEndsIsLeftBehindAndTheNextIsLoaded() {
        String stop = "enipam.test.stop";
        System.clearProperty(stop);
        daemon.add(PluginJar.of("hanging")
                .plugin("public Plugin() { while (System.getProperty(\"" + stop
                        + "\") == null) Thread.onSpinWait(); }"));
        daemon.add(PluginJar.of("zzz-good").plugin(""));

        daemon.load(PluginInstallation.places(directory), SHORT.multipliedBy(2));

        assertThat(daemon.ids()).containsExactly("zzz-good");
        assertThat(threads("plugin-hanging-load")).singleElement().satisfies(thread -> {
            assertThat(thread.isDaemon()).as("does not keep the process alive").isTrue();
            assertThat(thread.isInterrupted()).isTrue();
            assertThat(LeakedThreads.of(thread.getContextClassLoader())).containsExactly(thread);
        });
        System.setProperty(stop, "now");
        await().atMost(Duration.ofMinutes(1))
                .until(() -> threads("plugin-hanging-load").isEmpty());
        System.clearProperty(stop);
    }

    @Test
    void anExceptionWhoseMessageHangsHoldsNobodyUp() {
        daemon.add(PluginJar.of("hanging").plugin("""
                static class Slow extends RuntimeException {
                    public String getMessage() { %s return "at last"; }
                }
                public Plugin() { throw new Slow(); }
                """.formatted(SLEEP)));

        daemon.load(PluginInstallation.places(directory), SHORT);

        assertThat(daemon.rejected().cause()).contains("has not returned after 4000 ms");
    }

    @Test
    void itIsLoadedOnAThreadOfItsOwn() {
        daemon.add(PluginJar.of("asking").plugin("""
                public List<Setting<?>> settings() {
                    Thread here = Thread.currentThread();
                    boolean own = here.getContextClassLoader() == getClass().getClassLoader();
                    return List.of(Setting.text("thread", "a name", ".*", here.getName() + " " + own + here.isDaemon()));
                }
                """));

        assertThat(daemon.loadOne().settings())
                .extracting(Setting::usual)
                .isEqualTo(List.of("plugin-asking-load truetrue"));
        await().atMost(Duration.ofMinutes(1))
                .until(() -> threads("plugin-asking-load").isEmpty());
    }

    @Test
    void whoeverIsInterruptedWhileLoadingStaysInterrupted() {
        daemon.add(PluginJar.of("patient").plugin("public Plugin() { " + SLEEP + " }"));

        Thread.currentThread().interrupt();
        daemon.load();

        assertThat(Thread.interrupted()).isTrue();
        assertThat(daemon.rejected().cause()).contains("interrupted");
    }

    private static List<Thread> threads(String name) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals(name))
                .toList();
    }
}
