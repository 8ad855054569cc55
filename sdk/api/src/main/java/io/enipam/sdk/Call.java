package io.enipam.sdk;

import java.util.List;
import java.util.Map;

/** One run of a {@link Command}. Immutable and thread-safe. */
public interface Call {
    /** The values of operands and options; an option that was not typed has its default. */
    Settings arguments();

    /** Whether to change nothing and to answer what would be done; never of a READ command. */
    boolean dryRun();

    /**
     * A call as the host makes it, for a test as well.
     *
     * @param typed the texts of the parameters that were typed, by name
     * @throws IllegalArgumentException naming every problem, one a line: an operand that is missing, a value that is not allowed, a
     *     parameter that there is not
     */
    static Call of(CommandSpec spec, Map<String, List<String>> typed, boolean dryRun) {
        for (Setting<?> operand : spec.operands()) {
            if (!typed.containsKey(operand.name())) {
                throw new IllegalArgumentException(operand.name() + ": it is missing; allowed is " + operand.allowed());
            }
        }
        record Made(Settings arguments, boolean dryRun) implements Call {}
        return new Made(Settings.of(spec.parameters(), typed), dryRun && spec.impact() != CommandSpec.Impact.READ);
    }
}
