package io.enipam.shell.pty;

import static org.assertj.core.api.Assertions.assertThat;

import com.pty4j.PtyProcessBuilder;
import io.enipam.shell.FakeDaemon;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * How long a person waits for what is typed. It runs only if it is named: {@code mvn -pl shell -am test
 * -Dtest=KeyToEchoBench -Dsurefire.failIfNoSpecifiedTests=false}.
 *
 * <p>Commands are typed key by key into the shell on a pseudo-terminal of 120x40, with colours and tips, and the time from
 * each key to the first byte of its echo is taken. {@code cat} on the same kind of terminal, whose echo is the kernel's, is
 * what the measuring itself costs. At the end stands what memory the shell has.
 */
class KeyToEchoBench {
    private static final int ROUNDS = 20;
    private static final List<String> LINES = List.of(
            "pool inuse -o wide | grep default/web",
            "cni add --pod default/web-0 --timeout 5s",
            "stauts --nonsense 'an open quote",
            "pod show default/web-0; eni list -o json");
    private static final String CTRL_U = "\u0015";

    @Test
    void fromAKeyToItsEcho(@TempDir Path directory) throws Exception {
        System.out.printf("%-12s %8s %9s %9s %9s%n", "", "keys", "p50 ms", "p99 ms", "slowest");
        try (Typist cat = new Typist(new PtyProcessBuilder(new String[] {"/bin/cat"}).start())) {
            report("cat", typed(cat, ROUNDS, "\n"));
        }
        try (FakeDaemon daemon = new FakeDaemon(directory.resolve("s"));
                Typist shell = new Typist(Pty.process(
                        120,
                        40,
                        directory,
                        Map.of(),
                        "--socket",
                        directory.resolve("s").toString()))) {
            shell.await("READY");
            report("first lines", typed(shell, 1, CTRL_U));
            report("enipam", typed(shell, ROUNDS, CTRL_U));
            System.out.println(memory(shell.pid()));
            assertThat(daemon.received()).isNotEmpty();
        }
    }

    private static List<Long> typed(Typist typist, int rounds, String end) throws Exception {
        List<Long> nanos = new ArrayList<>();
        for (int round = 0; round < rounds; round++) {
            for (String line : LINES) {
                for (char key : line.toCharArray()) {
                    nanos.add(typist.press(key));
                    Thread.sleep(15); // the rest of a screen's update is no part of the next key's
                }
                typist.type(end);
                Thread.sleep(100);
            }
        }
        return nanos;
    }

    private static void report(String name, List<Long> nanos) {
        List<Long> sorted = nanos.stream().sorted().toList();
        System.out.printf(
                Locale.ROOT,
                "%-12s %8d %9.2f %9.2f %9.2f%n",
                name,
                sorted.size(),
                sorted.get(sorted.size() / 2) / 1e6,
                sorted.get((int) (sorted.size() * 0.99)) / 1e6,
                sorted.get(sorted.size() - 1) / 1e6);
    }

    /** The process's resident memory, now and at most. */
    private static String memory(long pid) throws IOException {
        StringBuilder text = new StringBuilder("resident memory of the shell:");
        for (String line : Files.readAllLines(Path.of("/proc/" + pid + "/status"))) {
            if (line.startsWith("VmRSS") || line.startsWith("VmHWM")) {
                text.append("  ").append(line.replaceAll("\\s+", " "));
            }
        }
        return text.toString();
    }
}
