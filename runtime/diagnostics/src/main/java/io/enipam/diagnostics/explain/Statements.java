package io.enipam.diagnostics.explain;

import io.enipam.diagnostics.explain.Explanation.SourceSummary;
import io.enipam.diagnostics.sources.Snapshot.SourceReply;
import io.enipam.diagnostics.sources.Statement;
import io.enipam.diagnostics.sources.Statement.Topic;
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

    static List<SourceSummary> of(Subject subject, Scene scene, List<Difference> differences) {
        return scene.snapshot().replies().stream()
                .map(account -> statement(account, subject, scene, differences))
                .toList();
    }

    private static SourceSummary statement(
            SourceReply<?> account, Subject subject, Scene scene, List<Difference> differences) {
        List<Statement> fitting =
                account.statements().stream().filter(subject::fits).toList();
        Optional<Instant> since = fitting.stream()
                .filter(statement -> subject.kind() != Subject.Kind.ENI || statement.topic() == Topic.ENI)
                .map(Statement::since)
                .flatMap(Optional::stream)
                .findFirst();
        return new SourceSummary(
                account,
                scene.snapshot().age(account),
                account.known() ? words(subject, fitting) : List.of(account.why()),
                since,
                differences.stream().anyMatch(found -> found.involves(account.source())));
    }

    /** All of it; what hangs on an ENI is counted, since it may be fifty. */
    private static List<String> words(Subject subject, List<Statement> fitting) {
        if (subject.kind() != Subject.Kind.ENI) {
            return fitting.stream().map(Statement::words).distinct().toList();
        }
        Map<String, Long> counts = fitting.stream()
                .filter(statement -> statement.topic() != Topic.ENI && statement.topic() != Topic.OPERATION)
                .collect(Collectors.groupingBy(Statement::state, TreeMap::new, Collectors.counting()));
        Stream<String> own = fitting.stream()
                .filter(statement -> statement.topic() == Topic.ENI || statement.topic() == Topic.OPERATION)
                .map(Statement::words);
        return Stream.concat(
                        own,
                        counts.entrySet().stream()
                                .map(count -> count.getValue() + " " + count.getKey() + " of its addresses"))
                .toList();
    }
}
