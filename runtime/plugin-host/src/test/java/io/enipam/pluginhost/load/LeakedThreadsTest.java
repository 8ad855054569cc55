package io.enipam.pluginhost.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.enipam.pluginhost.testing.PluginJar;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LeakedThreadsTest {
    private static final String LEAK = """
            package leak;
            public class Leak implements java.util.concurrent.Callable<Thread> {
                public Thread call() {
                    Thread thread = %s;
                    thread.setDaemon(true);
                    thread.start();
                    return thread;
                }
                static void work() {
                    try {
                        Thread.sleep(600_000);
                    } catch (InterruptedException e) {
                        return;
                    }
                }
                static class Rude extends Thread {
                    public void run() { work(); }
                    public ClassLoader getContextClassLoader() { throw new IllegalStateException("mind your business"); }
                }
            }
            """;

    @AutoClose
    private final PluginInstallation daemon;

    LeakedThreadsTest(@TempDir Path directory) {
        daemon = new PluginInstallation(directory);
    }

    @Test
    void aThreadStartedByAThreadOfThePluginIsFoundUntilItEnds() throws Exception {
        daemon.add(PluginJar.of("leaky")
                .source(LEAK.formatted("new Thread(Leak::work)"))
                .plugin(""));
        PluginClassLoader loader = daemon.loadOne().loader();
        assertThat(LeakedThreads.of(loader)).isEmpty();

        Thread leaked = asThePlugin(loader);

        assertThat(LeakedThreads.of(loader)).containsExactly(leaked);
        leaked.interrupt();
        await().atMost(Duration.ofMinutes(1))
                .until(() -> LeakedThreads.of(loader).isEmpty());
    }

    @Test
    void aThreadOfThePluginsOwnClassIsFoundAndNotAsked() throws Exception {
        daemon.add(PluginJar.of("leaky").source(LEAK.formatted("new Rude()")).plugin(""));
        daemon.add(PluginJar.of("other").plugin(""));
        daemon.load();
        PluginClassLoader leaky = daemon.catalog().plugins().get(0).loader();
        PluginClassLoader other = daemon.catalog().plugins().get(1).loader();

        Thread leaked = leak(leaky);

        assertThat(LeakedThreads.of(leaky)).containsExactly(leaked);
        assertThat(LeakedThreads.of(other)).isEmpty();
        leaked.interrupt();
        leaked.join();
    }

    @Test
    void threadsOfTheDaemonBelongToNoPlugin() {
        daemon.add(PluginJar.of("quiet").plugin(""));

        assertThat(LeakedThreads.of(daemon.loadOne().loader())).isEmpty();
        assertThat(LeakedThreads.of(getClass().getClassLoader())).contains(Thread.currentThread());
    }

    @Test
    void aManyThreadedLeakIsFoundWhole() throws Exception {
        daemon.add(PluginJar.of("leaky")
                .source(LEAK.formatted("new Thread(Leak::work)"))
                .plugin(""));
        PluginClassLoader loader = daemon.loadOne().loader();
        List<Thread> leaked = new java.util.ArrayList<>();
        for (int n = 0; n < 50; n++) {
            leaked.add(asThePlugin(loader));
        }

        assertThat(LeakedThreads.of(loader)).containsExactlyInAnyOrderElementsOf(leaked);
        leaked.forEach(Thread::interrupt);
    }

    /** As the daemon runs plugin code: with the plugin's loader as the context's. */
    private static Thread asThePlugin(ClassLoader loader) throws Exception {
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        Thread.currentThread().setContextClassLoader(loader);
        try {
            return leak(loader);
        } finally {
            Thread.currentThread().setContextClassLoader(before);
        }
    }

    private static Thread leak(ClassLoader loader) throws Exception {
        Object leak = loader.loadClass("leak.Leak").getConstructor().newInstance();
        return (Thread) ((Callable<?>) leak).call();
    }
}
