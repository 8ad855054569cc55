package io.enipam.acceptance;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import picocli.CommandLine;

/** What the help texts show: lines to type, and the headings of what they print. */
final class HelpExamples {
    private static final Pattern HEADINGS = Pattern.compile("[A-Z][A-Z0-9 ]+( {2,}[A-Z][A-Z0-9 ]+)+");
    private static final Pattern CHANGES = Pattern.compile(
            "(cni (add|del)|pod delete|db (backup|restore|export|import|compact)|cloud (fault (add|remove)|reset|detach|take-ip"
                    + "|stick|release|expire|skew|latency \\S+|throttle \\S+)|pool (warm|drain|sync|policy \\S+)|eni sweep|gc run"
                    + "|cni gc|plugin (swap|reload)|support-bundle|exit|doctor --repair \\S+|run|lab)\\b.*");

    /**
     * A line of an example.
     *
     * @param headings of the table below it; empty if there is none
     */
    record Example(String line, List<String> headings) {
        @Override
        public String toString() {
            return line;
        }
    }

    private HelpExamples() {}

    /** Those that change nothing and come to an end, as they are typed; those of the lab need its own files, and are on the tour. */
    static Stream<Example> readOnly() {
        return CommandTour.GRAMMAR.values().stream()
                .flatMap(command -> of(command).stream())
                .filter(example -> example.line().contains("--dry-run")
                        || !CHANGES.matcher(example.line()).matches())
                .filter(
                        example -> !example.line()
                                .matches(
                                        "events -f.*|.*swap.runbook .*-v .*|top -n [0-9]{2,}.*|.*--watch.*|.*--html.*|watch .*"))
                .distinct();
    }

    private static List<Example> of(CommandLine command) {
        List<Example> examples = new ArrayList<>();
        for (String line : command.getCommandSpec().usageMessage().footer()) {
            if (line.isBlank()) {
                break; // behind it stands what else is to be seen
            }
            String text = line.replace("%%", "%");
            if (text.matches(" {2}\\S.*")) {
                examples.add(new Example(text.strip().split(" {3,}")[0], List.of()));
            } else if (HEADINGS.matcher(text.strip()).matches()) {
                Example last = examples.remove(examples.size() - 1);
                examples.add(new Example(last.line(), headings(text)));
            }
        }
        return examples;
    }

    /** Whether a table is in it: where there is nothing to list, there is none. */
    static boolean hasTable(String printed) {
        return printed.lines().anyMatch(line -> HEADINGS.matcher(line.strip()).matches());
    }

    static List<String> headings(String line) {
        return List.of(line.strip().split(" {2,}"));
    }

    /** The line about this node: the examples' names of an ENI, an address, a container, a file stand for what is there. */
    static String here(String line, Map<String, String> names) {
        String here = line;
        for (Map.Entry<String, String> name : names.entrySet()) {
            here = here.replaceAll(name.getKey(), name.getValue());
        }
        return here;
    }
}
