package io.enipam.bench.keys;

import com.pty4j.PtyProcessBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * How long a person waits for what is typed: commands are typed key by key into {@code enipam --sandbox} on a
 * pseudo-terminal of 120x40, with colours and tips, and the time from each key to the first byte of its echo is taken.
 * {@code cat} on the same kind of terminal, whose echo is the kernel's, is what the measuring itself costs. At the end
 * stands what memory the shell has.
 *
 * <p>Argument: how many times the commands are typed, by default 20.
 */
public final class Main {
    private static final List<String> LINES = List.of(
            "pool inuse -o wide | grep default/web",
            "cni add --pod default/web-0 --timeout 5s",
            "stauts --nonsense 'an open quote",
            "pod show default/web-0; eni list -o json");
    private static final String CTRL_U = "\u0015";

    private Main() {}

    public static void main(String[] args) throws Exception {
        int rounds = args.length > 0 ? Integer.parseInt(args[0]) : 20;
        System.out.printf("%-12s %8s %9s %9s %9s%n", "", "keys", "p50 ms", "p99 ms", "slowest");
        try (Typist cat = started("/bin/cat")) {
            report("cat", typed(cat, rounds, "\n"));
        }
        Path shell =
                Path.of(System.getProperty("enipam.home", ".")).toAbsolutePath().resolve("shell/bin/enipam");
        try (Typist enipam = started(shell.toString(), "--sandbox")) {
            enipam.await("READY");
            report("first line", typed(enipam, 1, CTRL_U));
            report("enipam", typed(enipam, rounds, CTRL_U));
            System.out.println(memory(enipam.pid()));
            enipam.type("exit\r");
            Thread.sleep(1_000);
        }
    }

    private static Typist started(String... command) throws IOException {
        Map<String, String> environment = new HashMap<>(System.getenv());
        environment.put("TERM", "xterm-256color");
        environment.put("LANG", "C.UTF-8");
        return new Typist(new PtyProcessBuilder(command)
                .setEnvironment(environment)
                .setInitialColumns(120)
                .setInitialRows(40)
                .start());
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
