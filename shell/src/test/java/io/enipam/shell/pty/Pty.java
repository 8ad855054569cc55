package io.enipam.shell.pty;

import com.pty4j.PtyProcess;
import com.pty4j.PtyProcessBuilder;
import com.pty4j.WinSize;
import io.enipam.shell.ShellMain;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.jline.builtins.ScreenTerminal;

/** The shell on a pseudo-terminal, and a model of the terminal that knows what is on its screen right now. */
final class Pty implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final PtyProcess process;
    private final ScreenTerminal model;
    private final StringBuffer raw = new StringBuffer();

    private Pty(PtyProcess process, int columns, int rows) {
        this.process = process;
        this.model = new ScreenTerminal(columns, rows);
        Thread reader = new Thread(this::read, "screen");
        reader.setDaemon(true);
        reader.start();
    }

    /** Starts the shell in a JVM of its own, with a home of its own. */
    static Pty shell(int columns, int rows, Path home, Map<String, String> more, String... arguments)
            throws IOException {
        return new Pty(process(columns, rows, home, more, arguments), columns, rows);
    }

    /** What starts the shell in a JVM of its own. */
    static List<String> command(String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xlog:disable",
                "-Xlog:all=warning:stderr",
                "-Denipam.tty=012",
                "-Dslf4j.internal.verbosity=ERROR",
                "-cp",
                System.getProperty("java.class.path"),
                ShellMain.class.getName()));
        command.addAll(List.of(arguments));
        return command;
    }

    static PtyProcess process(int columns, int rows, Path home, Map<String, String> more, String... arguments)
            throws IOException {
        Map<String, String> environment = new HashMap<>(System.getenv());
        environment.keySet().removeAll(List.of("NO_COLOR", "LC_ALL", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"));
        environment.putAll(Map.of("TERM", "xterm", "LANG", "C.UTF-8", "HOME", home.toString()));
        environment.putAll(more);
        return new PtyProcessBuilder(command(arguments).toArray(String[]::new))
                .setEnvironment(environment)
                .setInitialColumns(columns)
                .setInitialRows(rows)
                .start();
    }

    private void read() {
        char[] buffer = new char[4096];
        // keeps the bytes of a letter that come apart
        try (Reader out = new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8)) {
            for (int n = out.read(buffer); n >= 0; n = out.read(buffer)) {
                String text = new String(buffer, 0, n);
                raw.append(text);
                model.write(text);
            }
        } catch (IOException e) {
            raw.append("[the terminal is gone: ").append(e.getMessage()).append("]");
        }
    }

    /** Types text as it is; {@code \r} is Enter, {@code \t} TAB, \u0003 Ctrl-C, \u0004 Ctrl-D. */
    Pty type(String keys) throws IOException {
        process.getOutputStream().write(keys.getBytes(StandardCharsets.UTF_8));
        process.getOutputStream().flush();
        return this;
    }

    /** The lines on the screen, without blanks at their ends. */
    String screen() {
        return String.join(
                "\n", model.toString().lines().map(String::stripTrailing).toList());
    }

    /** All that was ever written to the terminal, with its escape sequences. */
    String raw() {
        return raw.toString();
    }

    /** Waits until the screen shows something, perhaps on two lines. */
    String await(String text) {
        return await("'" + text + "'", screen -> shows(screen, text));
    }

    private static boolean shows(String screen, String text) {
        return screen.contains(text) || screen.replace("\n", "").contains(text);
    }

    /**
     * Types a line and presses Tab until the screen shows something: on a busy machine the daemon's values may come after
     * the completion has given up on them.
     */
    String complete(String line, String text) throws IOException {
        type(line);
        for (int presses = 0; presses < 20; presses++) {
            type("\t");
            try {
                return Awaitility.await()
                        .atMost(Duration.ofSeconds(3))
                        .pollInterval(Duration.ofMillis(20))
                        .until(this::screen, screen -> shows(screen, text));
            } catch (ConditionTimeoutException e) {
                // another press
            }
        }
        throw new AssertionError("Tab does not show '" + text + "':\n" + screen());
    }

    /** Waits until the screen is as it should be, and returns it. */
    String await(String what, Predicate<String> condition) {
        try {
            Awaitility.await(what)
                    .atMost(PATIENCE)
                    .pollInterval(Duration.ofMillis(20))
                    .until(() -> condition.test(screen()));
        } catch (ConditionTimeoutException e) {
            throw new AssertionError("the screen does not show " + what + ":\n" + screen(), e);
        }
        return screen();
    }

    /** Waits until the cursor's line is the prompt, with nothing typed. */
    String awaitPrompt() {
        return await(
                "an empty prompt at its end", screen -> screen.stripTrailing().endsWith(")>"));
    }

    void resize(int columns, int rows) throws IOException {
        model.setSize(columns, rows);
        process.setWinSize(new WinSize(columns, rows));
    }

    boolean running() {
        return process.isAlive();
    }

    int exit() throws InterruptedException {
        if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
            throw new AssertionError("the program does not end; the screen shows:\n" + screen());
        }
        return process.exitValue();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
