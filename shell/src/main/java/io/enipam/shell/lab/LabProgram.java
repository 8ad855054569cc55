package io.enipam.shell.lab;

import io.enipam.shell.attach.ShellException;
import io.enipam.shell.core.Interrupts;
import io.enipam.shell.core.Session;
import io.grpc.Context;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The program {@code enipam-lab}, beside the daemon's: it has engine, emulator and plugin host on its class path, which the shell has
 * not. It needs no daemon. Ctrl-C ends it, and what it has said until then counts.
 */
record LabProgram(Session session) {
    private static final int USAGE = 2;
    /** It ran to its end, and an invariant of the engine is broken. */
    private static final int FOUND = 3;

    private static final Duration LAST_LINES = Duration.ofSeconds(3);
    private static final String PREFIX = "enipam-lab: ";
    /** What it says of a work that it has done. */
    private static final String NOTE = PREFIX + "note: ";

    /**
     * Runs it on words, and passes on each line that it prints as soon as it is there.
     *
     * @return whether it ran to its end; false if the operator ended it
     * @throws ShellException a usage error for words or files that it refuses, else that it failed
     */
    boolean run(List<String> words, Consumer<String> line) {
        return run(words, line, note -> {});
    }

    /** @param notes gets what the program has to say of a work that it has done to its end */
    boolean run(List<String> words, Consumer<String> line, Consumer<String> notes) {
        Path launcher = session.home().resolve("runtime/bin/enipam-lab");
        if (!Files.isExecutable(launcher)) {
            throw ShellException.here(
                    "NO_PROGRAM",
                    "there is no program " + launcher,
                    "Use the shell of a complete checkout or of the image");
        }
        List<String> command = new ArrayList<>(List.of(launcher.toString()));
        command.addAll(words);
        try {
            Process process = new ProcessBuilder(command).start();
            CountDownLatch read = new CountDownLatch(1);
            Context.current().addListener(over -> end(process, read), Runnable::run);
            try {
                process.getOutputStream().close();
                try (BufferedReader out = new BufferedReader(
                                new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
                        BufferedReader err = new BufferedReader(
                                new InputStreamReader(process.getErrorStream(), StandardCharsets.UTF_8))) {
                    out.lines().forEach(line);
                    // it says a few lines there, which the pipe holds until then
                    List<String> said = err.lines().toList();
                    if (!ended(process.waitFor(), said)) {
                        return false;
                    }
                    said.stream()
                            .filter(text -> text.startsWith(NOTE))
                            .map(text -> text.substring(NOTE.length()))
                            .forEach(notes);
                    return true;
                }
            } finally {
                read.countDown();
                process.destroyForcibly();
            }
        } catch (IOException | UncheckedIOException e) {
            if (Context.current().isCancelled()) {
                return false;
            }
            throw ShellException.here("NO_PROGRAM", launcher + " cannot be run: " + e.getMessage(), "");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Ends it. What it has said can still be read for a while: {@link Process#destroy} would close the pipe at once. */
    private static void end(Process process, CountDownLatch read) {
        if (process.isAlive()) {
            process.toHandle().destroy();
            Runnable close = () -> {
                try {
                    read.await(LAST_LINES.toNanos(), TimeUnit.NANOSECONDS);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                process.destroyForcibly();
            };
            Interrupts.daemonThreads("enipam-lab-end").newThread(close).start();
        }
    }

    private static boolean ended(int status, List<String> said) {
        if (Context.current().isCancelled()) {
            return false;
        }
        String why = said.stream()
                .filter(text -> text.startsWith(PREFIX))
                .findFirst()
                .map(text -> text.substring(PREFIX.length()))
                .orElseGet(() -> said.isEmpty() ? "it ended with status " + status : said.get(0));
        if (status == USAGE) {
            throw ShellException.usage(why, "");
        } else if (status != 0 && status != FOUND) {
            throw ShellException.here("LAB_FAILED", "the lab failed: " + why, "");
        }
        return true;
    }
}
