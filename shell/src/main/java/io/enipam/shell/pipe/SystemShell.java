package io.enipam.shell.pipe;

import io.enipam.shell.attach.ShellException;
import io.enipam.shell.core.Interrupts;
import io.enipam.shell.pipe.Filter.LineSink;
import java.io.BufferedWriter;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.Writer;
import java.nio.charset.StandardCharsets;

/**
 * A line of the system's shell, as the way out of this one: {@code ! CMD}, which reads what this shell reads, or {@code | !CMD},
 * which reads what a command prints. On a terminal it has the terminal; elsewhere what it prints goes on as this shell's own
 * output. For one thread.
 */
public final class SystemShell implements LineSink, AutoCloseable {
    private final Process process;
    private final Writer input;
    private final Thread copying;

    private SystemShell(Process process, PrintStream out) {
        this.process = process;
        this.input = new BufferedWriter(new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8));
        this.copying = Interrupts.daemonThreads("enipam-system").newThread(() -> copy(process.getInputStream(), out));
        copying.start();
    }

    /** Starts a line that reads what is put in. Throws {@link ShellException} if the system has no shell. */
    static SystemShell reading(String line, PrintStream out, boolean onTerminal) {
        return new SystemShell(start(line, onTerminal, ProcessBuilder.Redirect.PIPE), out);
    }

    /** Runs a line until it ends; its exit status. Throws {@link ShellException} if the system has no shell. */
    public static int run(String line, PrintStream out, boolean onTerminal) {
        out.flush();
        ProcessBuilder.Redirect input =
                onTerminal ? ProcessBuilder.Redirect.INHERIT : ProcessBuilder.Redirect.from(new File("/dev/null"));
        Process process = start(line, onTerminal, input);
        copy(process.getInputStream(), out);
        return ended(process);
    }

    private static Process start(String line, boolean onTerminal, ProcessBuilder.Redirect input) {
        try {
            return new ProcessBuilder("/bin/sh", "-c", line)
                    .redirectInput(input)
                    .redirectOutput(onTerminal ? ProcessBuilder.Redirect.INHERIT : ProcessBuilder.Redirect.PIPE)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
        } catch (IOException e) {
            throw ShellException.here("the system's shell cannot be run: " + e.getMessage(), "");
        }
    }

    private static void copy(InputStream from, PrintStream out) {
        try {
            from.transferTo(out);
        } catch (IOException e) {
            return; // it has ended, or was ended
        } finally {
            out.flush();
        }
    }

    /** Waits for the end of a command that the operator runs and ends: the terminal sends it Ctrl-C, too. */
    private static int ended(Process process) {
        try {
            return process.waitFor();
        } catch (InterruptedException e) {
            process.destroy();
            Thread.currentThread().interrupt();
            return 1;
        }
    }

    @Override
    public boolean line(String line) {
        try {
            input.write(line);
            input.write('\n');
            return true;
        } catch (IOException e) {
            return false; // it reads no more, as a pager that was left
        }
    }

    @Override
    public void flush() {
        try {
            input.flush();
        } catch (IOException e) {
            return; // as above: the next line says so
        }
    }

    @Override
    public void end() {
        try {
            input.close();
        } catch (IOException e) {
            return; // as above
        }
    }

    /** Waits for its end; whether it succeeded. */
    boolean succeeded() {
        end();
        int status = ended(process);
        try {
            copying.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return status == 0;
    }

    @Override
    public void close() {
        end();
        process.destroy();
    }
}
