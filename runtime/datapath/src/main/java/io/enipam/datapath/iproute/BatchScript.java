package io.enipam.datapath.iproute;

import java.util.ArrayList;
import java.util.List;

/**
 * A batch as one process takes it: a single program with its commands, or a shell that runs several one after the other. Before
 * the commands of each program the shell says {@code @N}, the index of the first of them, so that what the programs say is
 * understood.
 */
record BatchScript(List<String> argv, String input) {
    static final String MARK = "@@";

    /** The last line of each batch, which no program understands: it says so, and is known to have come so far. */
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

    /** How many programs say that they have come to the end. */
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
        // what failed is told line by line
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
}
