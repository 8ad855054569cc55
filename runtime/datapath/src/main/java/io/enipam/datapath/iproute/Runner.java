package io.enipam.datapath.iproute;

import io.enipam.datapath.iproute.Batch.Accepted;
import io.enipam.datapath.iproute.Batch.Command;
import io.enipam.datapath.iproute.Batch.Tool;
import io.enipam.datapath.iproute.BatchScript.BatchFailure;
import io.enipam.datapath.iproute.PrivilegeCheck.Programs;
import io.enipam.datapath.netlink.NetlinkHelper;
import io.enipam.datapath.netlink.NetlinkHelper.HelperFailedException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Runs batches: by the helper that speaks netlink where that can be, else by iproute2, as all reads. Blocks; for the datapath's own
 * threads alone. Each run of a program has a deadline after which the process and all it started are killed, and a bound on its
 * output. Thread-safe: two runs share nothing but the helper.
 */
public final class Runner {
    private static final int MOST_ANSWER = 1 << 20;
    private static final int MOST_DUMP = 64 << 20;

    private final int seconds;
    private final NetlinkHelper netlink;
    private final AtomicLong starts = new AtomicLong();

    /**
     * @param seconds the deadline of one run of a program
     * @param netlink what takes the batches that have a form for it, while it can; its launcher starts the programs, too
     */
    public Runner(int seconds, NetlinkHelper netlink) {
        this.seconds = seconds;
        this.netlink = netlink;
    }

    /**
     * Runs a batch; an empty one without a process. Throws CommandFailedException if a command failed; all others have
     * run.
     */
    public void run(Batch batch) {
        if (batch.commands().isEmpty()) {
            return;
        }
        List<BatchFailure> failures = byNetlink(batch).orElseGet(() -> byPrograms(batch));
        if (!failures.isEmpty()) {
            throw failed(batch, failures);
        }
    }

    private Optional<List<BatchFailure>> byNetlink(Batch batch) {
        try {
            return batch.changes()
                    .flatMap(changes -> netlink.make(batch.netns().orElse(""), changes))
                    .map(outcomes -> BatchFailure.of(batch, outcomes));
        } catch (HelperFailedException e) {
            return Optional.of(List.of(new BatchFailure(0, "", e.getMessage())));
        }
    }

    private List<BatchFailure> byPrograms(Batch batch) {
        BatchScript script = BatchScript.of(batch);
        ProcessResult finished = start(script.argv(), script.input(), MOST_ANSWER);
        return BatchFailure.of(batch, finished.output());
    }

    private static CommandFailedException failed(Batch batch, List<BatchFailure> failures) {
        BatchFailure first = failures.get(0);
        String more = failures.size() > 1 ? "; and " + (failures.size() - 1) + " more commands failed" : "";
        String where = batch.netns().map(path -> "in " + path + ", ").orElse("");
        String what = first.line() == 0
                ? "a batch of " + batch.commands().size() + " commands was not run to its end: "
                : "'" + first.command() + "' (line " + first.line() + " of "
                        + batch.commands().size() + "): ";
        return new CommandFailedException(where + what + first.answer() + more, first.command(), first.answer());
    }

    /**
     * Runs commands that read, {@code ip -j ...} and the like, one after the other in one process; the empty path is
     * the namespace of this process. Returns the answer of each, never a part. Throws CommandFailedException if one
     * failed.
     */
    public List<String> read(String netns, List<String> commands) {
        List<String> argv = new ArrayList<>();
        if (!netns.isEmpty()) {
            argv.addAll(List.of("nsenter", "--net=" + netns, "--"));
        }
        argv.addAll(List.of("sh", "-s"));
        StringBuilder input = new StringBuilder();
        for (String command : commands) {
            String text = new Command(Tool.IP, command, Accepted.NONE, Optional.empty()).text();
            // warnings are no part of an answer, errors are: a command that fails says them the second time. The mark
            // of an answer follows it only if it is whole.
            input.append(text + " 2>/dev/null || { " + text + "; exit 1; }\necho\necho " + BatchScript.MARK + "\n");
        }
        ProcessResult finished = start(argv, input.toString(), MOST_DUMP);
        String[] answers = finished.output().split("\n" + BatchScript.MARK + "\n", -1);
        if (finished.status() != 0 || answers.length != commands.size() + 1) {
            throw unfinished(argv, finished);
        }
        return List.of(answers).subList(0, commands.size());
    }

    /** How many processes it has started. */
    public long starts() {
        return starts.get();
    }

    /** A process that has ended; {@code output} has its errors, too. */
    record ProcessResult(int status, String output) {}

    /**
     * Runs a program to its end. Throws CommandFailedException if it cannot be started, is too slow or has more than
     * {@code most} bytes of output.
     */
    ProcessResult start(List<String> argv, String input, int most) {
        starts.incrementAndGet();
        List<String> located = new ArrayList<>(argv);
        // this process's own PATH may not lead to the program
        Programs.find(argv.get(0)).ifPresent(file -> located.set(0, file.toString()));
        ProcessBuilder builder = new ProcessBuilder(located).redirectErrorStream(true);
        builder.environment().clear();
        builder.environment().putAll(Map.of("PATH", Programs.PATH, "LC_ALL", "C"));
        Process process;
        try {
            process = netlink.launcher().start(builder);
        } catch (IOException e) {
            throw failed(argv, "cannot be started: " + e.getMessage());
        }
        CompletableFuture<Void> ended = new CompletableFuture<Void>().orTimeout(seconds, TimeUnit.SECONDS);
        ended.whenComplete((none, late) -> {
            if (late != null) {
                kill(process);
            }
        });
        try {
            String trouble = "";
            String output = "";
            try {
                output = talk(process, input, most);
            } catch (IOException e) {
                // later JDKs close the streams of a process that is killed: then that is the reason
                trouble = String.valueOf(e.getMessage());
                kill(process);
            }
            int status = process.waitFor();
            if (!ended.complete(null)) {
                throw failed(argv, "had not ended after " + seconds + " seconds and was killed");
            }
            if (!trouble.isEmpty()) {
                throw failed(argv, trouble);
            }
            return new ProcessResult(status, output);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failed(argv, "was interrupted");
        } finally {
            ended.complete(null);
            kill(process);
        }
    }

    /** Kills a process and all it has started: a child that lives on would keep its output open. */
    private static void kill(Process process) {
        if (process.isAlive()) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
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

    private static CommandFailedException unfinished(List<String> argv, ProcessResult finished) {
        String said = finished.output().strip().replace("\n", "; ");
        String answer = said.isEmpty() ? "exit status " + finished.status() : said;
        String shown = answer.length() > 500 ? answer.substring(answer.length() - 500) : answer;
        return failed(argv, shown);
    }

    /** A command of a batch failed, or the program that should have run it. */
    public static final class CommandFailedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final String command;
        private final String answer;

        CommandFailedException(String why) {
            this(why, "", why);
        }

        CommandFailedException(String message, String command, String answer) {
            super(message);
            this.command = command;
            this.answer = answer;
        }

        /** The command that failed first; empty text if it is not known. */
        public String command() {
            return command;
        }

        /** The answer of the kernel or the program. */
        public String answer() {
            return answer;
        }
    }
}
