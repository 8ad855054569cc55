package io.enipam.datapath.iproute;

import io.enipam.datapath.iproute.Batch.Command;
import io.enipam.datapath.iproute.Batch.Tool;
import io.enipam.datapath.iproute.BatchScript.BatchFailure;
import io.enipam.datapath.iproute.ProcessResult.Watchdog;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Runs iproute2. Blocks; for the datapath's own threads alone. Thread-safe: nothing is shared by two runs.
 *
 * <p>Each run has a deadline after which the process and all it started are killed, and a bound on its output.
 */
public final class Runner implements AutoCloseable {
    private static final int MOST_ANSWER = 1 << 20;
    private static final int MOST_DUMP = 64 << 20;

    private final Watchdog watchdog;
    private final AtomicLong starts = new AtomicLong();

    /** @param seconds the deadline of one run */
    public Runner(int seconds) {
        this.watchdog = new Watchdog(seconds, TimeUnit.SECONDS);
    }

    /**
     * Runs a batch; an empty one without a process.
     *
     * @throws CommandFailedException if a command failed; all others have run
     */
    public void run(Batch batch) {
        if (batch.isEmpty()) {
            return;
        }
        BatchScript script = BatchScript.of(batch);
        ProcessResult finished = start(script.argv(), script.input(), MOST_ANSWER);
        List<BatchFailure> failures = BatchFailure.of(batch, finished.output());
        if (!failures.isEmpty()) {
            throw failed(batch, failures);
        }
    }

    private static CommandFailedException failed(Batch batch, List<BatchFailure> failures) {
        BatchFailure first = failures.get(0);
        String more = failures.size() > 1 ? "; and " + (failures.size() - 1) + " more commands failed" : "";
        String what = first.line() == 0
                ? "a batch of " + batch.commands().size() + " commands was not run to its end: "
                : "'" + first.command() + "' (line " + first.line() + " of "
                        + batch.commands().size() + "): ";
        return new CommandFailedException(where(batch) + what + first.answer() + more, first.command(), first.answer());
    }

    /**
     * Runs commands that read, {@code ip -j ...} and the like, one after the other in one process.
     *
     * @param netns where; empty text for this process's namespace
     * @param commands plain text each
     * @return the answer of each, in order; never a part
     * @throws CommandFailedException if one failed
     */
    public List<String> read(String netns, List<String> commands) {
        List<String> argv = new ArrayList<>();
        if (!netns.isEmpty()) {
            argv.addAll(List.of("nsenter", "--net=" + netns, "--"));
        }
        argv.addAll(List.of("sh", "-s"));
        StringBuilder input = new StringBuilder();
        for (String command : commands) {
            String text = new Command(Tool.IP, command, Set.of()).text();
            // warnings are no part of an answer, errors are: a command that fails says them the second time. The mark
            // of an
            // answer follows it only if it is whole.
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

    private ProcessResult start(List<String> argv, String input, int most) {
        starts.incrementAndGet();
        return ProcessResult.of(argv, input, most, watchdog);
    }

    private static String where(Batch batch) {
        return batch.netns().map(path -> "in " + path + ", ").orElse("");
    }

    private static CommandFailedException unfinished(List<String> argv, ProcessResult finished) {
        String said = finished.output().strip().replace("\n", "; ");
        String answer = said.isEmpty() ? "exit status " + finished.status() : said;
        String shown = answer.length() > 500 ? answer.substring(answer.length() - 500) : answer;
        return new CommandFailedException(String.join(" ", argv) + ": " + shown, "", shown);
    }

    @Override
    public void close() {
        watchdog.close();
    }

    /** A command of a batch failed, or the program that should have run it. */
    public static final class CommandFailedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final String command;
        private final String answer;

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
