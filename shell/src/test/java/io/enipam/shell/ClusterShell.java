package io.enipam.shell;

import io.enipam.kubernetes.testing.ExecServer;
import io.enipam.kubernetes.testing.ExecServer.Program;
import io.enipam.shell.ShellProgram.Terminals;
import io.enipam.shell.relay.RelayMain;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** The ground of tests that go to daemons through an API server: real HTTP, real relays, real sockets, canned answers. */
abstract class ClusterShell {
    @AutoClose
    static ExecServer cluster;

    @TempDir
    Path directory;

    Path scratch;
    private final List<FakeDaemon> daemons = new ArrayList<>();

    @BeforeAll
    static void startServer() {
        cluster = new ExecServer();
    }

    @BeforeEach
    final void prepare() throws IOException {
        cluster.clear();
        scratch = Files.createDirectory(directory.resolve("tmp"));
        cluster.kubeconfig(directory);
    }

    @AfterEach
    final void stopDaemons() {
        daemons.forEach(FakeDaemon::close);
    }

    final FakeDaemon daemon(String name) throws IOException {
        FakeDaemon daemon = new FakeDaemon(socket(name));
        daemons.add(daemon);
        return daemon;
    }

    final Path socket(String name) {
        return directory.resolve(name + ".sock");
    }

    /** What the container of such a daemon runs: the relay that ships. */
    final Program relay(String name) {
        return (words, in, out, err) -> {
            if (!words.equals(List.of("enipam", "relay"))) {
                throw new IOException("exec: \"" + words.get(0) + "\": executable file not found in $PATH");
            }
            return RelayMain.run(new String[] {"--socket", socket(name).toString()}, in, out, err);
        };
    }

    /** A node with a daemon that answers. */
    final FakeDaemon node(String name) throws IOException {
        cluster.daemon(name, relay(name));
        return daemon(name);
    }

    final TestShell shell() {
        return new TestShell(directory, scratch);
    }

    final String[] in(String... arguments) {
        return Stream.concat(
                        Stream.of(
                                "--kubeconfig", directory.resolve("kubeconfig").toString()),
                        Stream.of(arguments))
                .toArray(String[]::new);
    }

    final TestShell.Result run(String... arguments) {
        return shell().run(in(arguments));
    }

    /** The same for somebody at a terminal, who answers what he is asked. */
    final TestShell.Result asked(String answer, String... arguments) {
        return shell().on(new Terminals(true, false, true), Map.of())
                .typing(answer + "\n")
                .run(in(arguments));
    }
}
