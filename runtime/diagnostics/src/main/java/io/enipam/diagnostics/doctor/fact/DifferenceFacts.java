package io.enipam.diagnostics.doctor.fact;

import io.enipam.diagnostics.sources.Account;
import io.enipam.diagnostics.sources.compare.Comparing;
import io.enipam.diagnostics.sources.compare.Difference;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Where the sources differ, after looks that lasted.
 *
 * @param silent sources that did not answer or are not there, and why
 */
public record DifferenceFacts(List<Difference> differences, Map<String, String> silent) {
    public DifferenceFacts {
        differences = List.copyOf(differences);
        silent = Map.copyOf(silent);
    }

    public static DifferenceFacts of(Comparing.Outcome outcome) {
        return new DifferenceFacts(
                outcome.differences(),
                outcome.snapshot().accounts().stream()
                        .filter(account -> !account.known())
                        .collect(Collectors.toMap(Account::source, Account::why)));
    }

    /** Those of a kind. */
    public List<Difference> of(Difference.Kind kind) {
        return differences.stream().filter(found -> found.kind() == kind).toList();
    }
}
