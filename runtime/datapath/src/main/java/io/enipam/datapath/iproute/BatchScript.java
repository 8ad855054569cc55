package io.enipam.datapath.iproute;

import io.enipam.datapath.iproute.Batch.Command;
import io.enipam.datapath.iproute.Batch.Tool;
import io.enipam.datapath.netlink.KernelChange.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A batch as one process takes it: a single program with its commands, or a shell that runs several one after the other. Before
 * the commands of each program the shell prints {@code @@N}, the index of the first of them, so that their output can be
 * assigned to commands.
 */
record BatchScript(List<String> argv, String input) {
    static final String MARK = "@@";

    /** The last line of each batch, which no program understands: its error shows that the program came so far. */
    private static final String END = "the-end";

    static BatchScript of(Batch batch) {
        List<List<Command>> runs = runs(batch.commands());
        List<String> argv = new ArrayList<>();
        batch.netns().ifPresent(path -> {
            argv.add("nsenter");
            argv.add("--net=" + path);
            argv.add("--");
        });
        if (runs.size() == 1 && runs.get(0).get(0).tool() != Tool.SYSCTL) {
            argv.addAll(List.of(runs.get(0).get(0).tool().command().split(" ")));
            return new BatchScript(List.copyOf(argv), lines(runs.get(0)));
        }
        argv.addAll(List.of("sh", "-s"));
        return new BatchScript(List.copyOf(argv), shell(runs));
    }

    /** How many commands there are of the program that begins with the command of this index. */
    static int length(Batch batch, int first) {
        List<Command> commands = batch.commands();
        int end = first;
        while (end < commands.size()
                && commands.get(end).tool() == commands.get(first).tool()) {
            end++;
        }
        return end - first;
    }

    /** How many programs print an error for the last line. */
    static long programs(Batch batch) {
        return runs(batch.commands()).stream()
                .filter(run -> run.get(0).tool() != Tool.SYSCTL)
                .count();
    }

    private static List<List<Command>> runs(List<Command> commands) {
        List<List<Command>> runs = new ArrayList<>();
        for (Command command : commands) {
            if (runs.isEmpty() || runs.get(runs.size() - 1).get(0).tool() != command.tool()) {
                runs.add(new ArrayList<>());
            }
            runs.get(runs.size() - 1).add(command);
        }
        return runs;
    }

    private static String shell(List<List<Command>> runs) {
        StringBuilder text = new StringBuilder();
        int first = 0;
        for (List<Command> run : runs) {
            text.append("echo ").append(MARK).append(first).append('\n');
            if (run.get(0).tool() == Tool.SYSCTL) {
                for (int i = 0; i < run.size(); i++) {
                    text.append(sysctl(run.get(i).text(), i + 1));
                }
            } else {
                text.append(run.get(0).tool().command())
                        .append(" <<'" + MARK + "'\n")
                        .append(lines(run))
                        .append(MARK + "\n");
            }
            first += run.size();
        }
        // failures are reported line by line
        return text.append("exit 0\n").toString();
    }

    private static String sysctl(String text, int line) {
        String[] words = text.split(" ", 2);
        return "( echo " + words[1] + " > /proc/sys/" + words[0] + " ) || echo 'Command failed -:" + line + "'\n";
    }

    private static String lines(List<Command> run) {
        StringBuilder text = new StringBuilder();
        run.forEach(command -> text.append(command.text()).append('\n'));
        return text.append(END).append('\n').toString();
    }

    /**
     * A command that failed, its number in the batch, from 1, and the answer of the kernel or the program on one line.
     */
    record BatchFailure(int line, String command, String answer) {
        private static final Pattern MARKED = Pattern.compile(MARK + "(\\d+)");
        private static final Pattern FAILED = Pattern.compile("Command failed -:(\\d+)");

        /** Those of a batch that are not as good as success, in order; the last is made up where a program ended before its end. */
        static List<BatchFailure> of(Batch batch, String output) {
            List<BatchFailure> failures = new ArrayList<>();
            List<String> said = new ArrayList<>();
            List<String> lastLines = new ArrayList<>();
            int first = 0;
            int ended = 0;
            for (String line : output.split("\n")) {
                Matcher mark = MARKED.matcher(line);
                Matcher failed = FAILED.matcher(line);
                if (mark.matches()) {
                    first = Integer.parseInt(mark.group(1));
                    lastLines.addAll(said);
                    said.clear();
                } else if (failed.matches()) {
                    int number = Integer.parseInt(failed.group(1));
                    if (number > length(batch, first)) {
                        ended++;
                    } else {
                        at(batch, first + number - 1, said).ifPresent(failures::add);
                    }
                    said.clear();
                } else if (!line.isBlank()) {
                    said.add(line.trim());
                }
            }
            if (failures.isEmpty() && ended < programs(batch)) {
                // text that it does not understand ends a program at once
                lastLines.addAll(said);
                String answer = lastLines.isEmpty() ? "no reason given" : String.join("; ", lastLines);
                failures.add(new BatchFailure(0, "", answer));
            }
            return failures;
        }

        /** Those of a batch that went by netlink. */
        static List<BatchFailure> of(Batch batch, List<Outcome> outcomes) {
            List<BatchFailure> failures = new ArrayList<>();
            for (int i = 0; i < outcomes.size(); i++) {
                Command command = batch.commands().get(i);
                if (!command.accepted().includes(outcomes.get(i))) {
                    failures.add(new BatchFailure(
                            i + 1, command.text(), outcomes.get(i).text()));
                }
            }
            return failures;
        }

        private static Optional<BatchFailure> at(Batch batch, int index, List<String> said) {
            String answer = said.isEmpty() ? "no reason given" : String.join("; ", said);
            Command command = batch.commands().get(index);
            return command.accepted().includes(answer)
                    ? Optional.empty()
                    : Optional.of(new BatchFailure(index + 1, command.text(), answer));
        }
    }
}
