package io.enipam.acceptance;

import com.pty4j.PtyProcess;
import com.pty4j.PtyProcessBuilder;
import com.pty4j.WinSize;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;

/** A program on a pseudo-terminal, and the person before it: types, and waits for what shows on the screen. */
final class PseudoTerminal implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final PtyProcess process;
    private final StringBuffer screen = new StringBuffer();
    private int seen;

    private PseudoTerminal(PtyProcess process) {
        this.process = process;
        Thread reader = new Thread(this::read, "screen");
        reader.setDaemon(true);
        reader.start();
    }

    static PseudoTerminal run(Map<String, String> environment, String... command) throws IOException {
        return run(120, 40, environment, command);
    }

    /** The same on a screen of so many columns and rows. */
    static PseudoTerminal run(int columns, int rows, Map<String, String> environment, String... command)
            throws IOException {
        Map<String, String> all = new HashMap<>(System.getenv());
        all.putAll(environment);
        all.put("TERM", "xterm");
        all.put("LANG", "C.UTF-8");
        return new PseudoTerminal(new PtyProcessBuilder(command)
                .setEnvironment(all)
                .setInitialColumns(columns)
                .setInitialRows(rows)
                .start());
    }

    private void read() {
        char[] buffer = new char[4096];
        // keeps the bytes of a letter that come apart
        try (Reader out = new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8)) {
            for (int n = out.read(buffer); n >= 0; n = out.read(buffer)) {
                screen.append(buffer, 0, n);
            }
        } catch (IOException e) {
            screen.append("\n[the terminal is gone: ").append(e.getMessage()).append("]\n");
        }
    }

    /** Types text as it is; {@code \r} is Enter, {@code \t} TAB, \u0003 Ctrl-C, \u0004 Ctrl-D. */
    void type(String keys) throws IOException {
        process.getOutputStream().write(keys.getBytes(StandardCharsets.UTF_8));
        process.getOutputStream().flush();
    }

    /** Waits until a text shows that was not there at the last wait; returns all that came since. */
    String await(String text) {
        Awaitility.await("'" + text + "' on the screen")
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(20))
                .conditionEvaluationListener(ignored -> {})
                .untilAsserted(() -> {
                    if (!shows(text)) {
                        throw new AssertionError("not on the screen: '" + text + "'; what shows is:\n" + plain());
                    }
                });
        String all = plain();
        int end = all.indexOf(text, seen) + text.length();
        String since = all.substring(seen, end);
        seen = end;
        return since;
    }

    /**
     * Presses Tab until a text shows, and waits for it: on a busy machine the daemon's values may come after the completion has
     * given up on them.
     */
    void complete(String text) throws IOException {
        for (int presses = 0; presses < 20 && !shows(text); presses++) {
            type("\t");
            try {
                Awaitility.await().atMost(Duration.ofSeconds(3)).until(() -> shows(text));
            } catch (ConditionTimeoutException e) {
                // another press
            }
        }
        await(text);
    }

    /** Whether a text shows that was not there at the last wait. */
    private boolean shows(String text) {
        return plain().indexOf(text, seen) >= 0;
    }

    /** What shows, without colours and cursor movements. */
    String plain() {
        return screen.toString()
                .replaceAll("\u001b\\[[0-9;?<=>]*[a-zA-Z]", "")
                .replaceAll("\u001b[=>]", "")
                .replaceAll("\u001b\\][^\u0007]*\u0007", "");
    }

    /** Everything that came, as it came. */
    String raw() {
        return screen.toString();
    }

    void resize(int columns, int rows) {
        process.setWinSize(new WinSize(columns, rows));
    }

    int exit() throws InterruptedException {
        if (!process.waitFor(60, TimeUnit.SECONDS)) {
            throw new AssertionError("the program does not end; the screen shows:\n" + plain());
        }
        return process.exitValue();
    }

    /** Whether it ends by itself within that time. */
    boolean ends(Duration within) throws InterruptedException {
        return process.waitFor(within.toSeconds(), TimeUnit.SECONDS);
    }

    boolean running() {
        return process.isAlive();
    }

    long pid() {
        return process.pid();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
