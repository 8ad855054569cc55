package io.enipam.datapath.iproute;

import io.enipam.datapath.iproute.PrivilegeCheck.Programs;
import io.enipam.datapath.iproute.Runner.CommandFailedException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * A process that has ended.
 *
 * @param output its output, errors included
 */
record ProcessResult(int status, String output) {
    /**
     * Runs it to its end.
     *
     * @throws CommandFailedException if it cannot be started, is too slow or has too much output
     */
    static ProcessResult of(List<String> argv, String input, int most, Watchdog watchdog) {
        ProcessBuilder builder = new ProcessBuilder(located(argv)).redirectErrorStream(true);
        Map<String, String> environment = builder.environment();
        environment.clear();
        environment.put("PATH", Programs.PATH);
        environment.put("LC_ALL", "C");
        Process process;
        try {
            process = builder.start();
        } catch (IOException e) {
            throw failed(argv, "cannot be started: " + e.getMessage());
        }
        try (Watchdog.Watch watch = watchdog.watch(process)) {
            return ended(argv, process, input, most, watch, watchdog);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failed(argv, "was interrupted");
        } finally {
            Watchdog.kill(process);
        }
    }

    private static ProcessResult ended(
            List<String> argv, Process process, String input, int most, Watchdog.Watch watch, Watchdog watchdog)
            throws InterruptedException {
        String trouble = "";
        String output = "";
        try {
            output = talk(process, input, most);
        } catch (IOException e) {
            // later JDKs close the streams of a process that is killed: then that is the reason
            trouble = String.valueOf(e.getMessage());
            Watchdog.kill(process);
        }
        int status = process.waitFor();
        if (watch.bit()) {
            throw failed(argv, "had not ended after " + watchdog.limit() + " and was killed");
        }
        if (!trouble.isEmpty()) {
            throw failed(argv, trouble);
        }
        return new ProcessResult(status, output);
    }

    private static String talk(Process process, String input, int most) throws IOException {
        try (OutputStream to = process.getOutputStream()) {
            to.write(input.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            // it ended without reading everything: its output has the reason
        }
        try (InputStream from = process.getInputStream()) {
            byte[] said = from.readNBytes(most + 1);
            if (said.length > most) {
                throw new IOException("said more than " + most + " bytes");
            }
            return new String(said, StandardCharsets.UTF_8);
        }
    }

    private static CommandFailedException failed(List<String> argv, String why) {
        return new CommandFailedException(String.join(" ", argv) + ": " + why, "", why);
    }

    /** The program with its path: this process's own PATH may not lead to it. */
    private static List<String> located(List<String> argv) {
        List<String> located = new ArrayList<>(argv);
        Programs.find(argv.get(0)).ifPresent(file -> located.set(0, file.toString()));
        return located;
    }

    /** Kills processes that do not end in time. Thread-safe. */
    static final class Watchdog implements AutoCloseable {
        private final ScheduledThreadPoolExecutor clock;
        private final long limit;
        private final TimeUnit unit;

        Watchdog(long limit, TimeUnit unit) {
            this.limit = limit;
            this.unit = unit;
            this.clock = new ScheduledThreadPoolExecutor(1, task -> {
                Thread thread = new Thread(task, "enipam-datapath-watchdog");
                thread.setDaemon(true);
                return thread;
            });
            clock.setRemoveOnCancelPolicy(true);
        }

        Watch watch(Process process) {
            return new Watch(process);
        }

        String limit() {
            return limit + " " + unit.name().toLowerCase(java.util.Locale.ROOT);
        }

        /** Kills a process and all it has started: a child that lives on would keep its output open. */
        static void kill(Process process) {
            if (process.isAlive()) {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly();
            }
        }

        @Override
        public void close() {
            clock.shutdownNow();
        }

        /** An eye on one process; closed when it has ended. */
        final class Watch implements AutoCloseable {
            private final Future<?> alarm;
            private volatile boolean bit;

            private Watch(Process process) {
                this.alarm = clock.schedule(
                        () -> {
                            bit = true;
                            kill(process);
                        },
                        limit,
                        unit);
            }

            /** Whether the process was killed. */
            boolean bit() {
                return bit;
            }

            @Override
            public void close() {
                alarm.cancel(false);
            }
        }
    }
}
