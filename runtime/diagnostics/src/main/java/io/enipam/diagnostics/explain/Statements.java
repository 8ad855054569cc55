package io.enipam.diagnostics.explain;

import io.enipam.diagnostics.explain.Explanation.Statement;
import io.enipam.diagnostics.sources.Account;
import io.enipam.diagnostics.sources.Saying;
import io.enipam.diagnostics.sources.Saying.Topic;
import io.enipam.diagnostics.sources.compare.Difference;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What each source says of a thing, source by source. Pure. */
final class Statements {
    private Statements() {}

    static List<Statement> of(Subject subject, Scene scene, List<Difference> differences) {
        return scene.snapshot().accounts().stream()
                .map(account -> statement(account, subject, scene, differences))
                .toList();
    }

    private static Statement statement(Account<?> account, Subject subject, Scene scene, List<Difference> differences) {
        List<Saying> fitting = account.sayings().stream().filter(subject::fits).toList();
        Optional<Instant> since = fitting.stream()
                .filter(saying -> subject.kind() != Subject.Kind.ENI || saying.topic() == Topic.ENI)
                .map(Saying::since)
                .flatMap(Optional::stream)
                .findFirst();
        return new Statement(
                account,
                scene.snapshot().age(account),
                account.known() ? words(subject, fitting) : List.of(account.why()),
                since,
                differences.stream().anyMatch(found -> found.involves(account.source())));
    }

    /** All of it; what hangs on an ENI is counted, since it may be fifty. */
    private static List<String> words(Subject subject, List<Saying> fitting) {
        if (subject.kind() != Subject.Kind.ENI) {
            return fitting.stream().map(Saying::words).distinct().toList();
        }
        Map<String, Long> counts = fitting.stream()
                .filter(saying -> saying.topic() != Topic.ENI && saying.topic() != Topic.OPERATION)
                .collect(Collectors.groupingBy(Saying::state, TreeMap::new, Collectors.counting()));
        Stream<String> own = fitting.stream()
                .filter(saying -> saying.topic() == Topic.ENI || saying.topic() == Topic.OPERATION)
                .map(Saying::words);
        return Stream.concat(
                        own,
                        counts.entrySet().stream()
                                .map(count -> count.getValue() + " " + count.getKey() + " of its addresses"))
                .toList();
    }
}
