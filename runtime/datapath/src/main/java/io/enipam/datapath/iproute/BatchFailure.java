package io.enipam.datapath.iproute;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A command that failed.
 *
 * @param line its number in the batch, from 1
 * @param command as it was given
 * @param answer what the kernel or the program said, on one line
 */
record BatchFailure(int line, String command, String answer) {
    private static final Pattern MARK = Pattern.compile(BatchScript.MARK + "(\\d+)");
    private static final Pattern FAILED = Pattern.compile("Command failed -:(\\d+)");

    /** Those of a batch that are not as good as success, in order; the last is made up where a program ended before its end. */
    static List<BatchFailure> of(Batch batch, String output) {
        List<BatchFailure> failures = new ArrayList<>();
        List<String> said = new ArrayList<>();
        List<String> lastWords = new ArrayList<>();
        int first = 0;
        int ended = 0;
        for (String line : output.split("\n")) {
            Matcher mark = MARK.matcher(line);
            Matcher failed = FAILED.matcher(line);
            if (mark.matches()) {
                first = Integer.parseInt(mark.group(1));
                lastWords.addAll(said);
                said.clear();
            } else if (failed.matches()) {
                int number = Integer.parseInt(failed.group(1));
                if (number > BatchScript.length(batch, first)) {
                    ended++;
                } else {
                    at(batch, first + number - 1, said).ifPresent(failures::add);
                }
                said.clear();
            } else if (!line.isBlank()) {
                said.add(line.trim());
            }
        }
        if (failures.isEmpty() && ended < BatchScript.programs(batch)) {
            // a word that it does not understand ends a program at once
            lastWords.addAll(said);
            String answer = lastWords.isEmpty() ? "no reason given" : String.join("; ", lastWords);
            failures.add(new BatchFailure(0, "", answer));
        }
        return failures;
    }

    private static Optional<BatchFailure> at(Batch batch, int index, List<String> said) {
        String answer = said.isEmpty() ? "no reason given" : String.join("; ", said);
        Command command = batch.commands().get(index);
        return command.accepts(answer) ? Optional.empty() : Optional.of(new BatchFailure(index + 1, command.text(), answer));
    }
}
