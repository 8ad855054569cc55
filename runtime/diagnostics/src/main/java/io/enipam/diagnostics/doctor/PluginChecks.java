package io.enipam.diagnostics.doctor;

import io.enipam.diagnostics.doctor.Outcome.Evidence;
import io.enipam.diagnostics.doctor.Outcome.Severity;
import io.enipam.diagnostics.explain.PluginWords.CheckFinding;
import io.enipam.engine.concurrent.Stages;
import io.enipam.pluginhost.guard.PluginText;
import io.enipam.pluginhost.operator.OperatorParts;
import io.enipam.pluginhost.operator.OperatorParts.OfferedCheck;
import io.enipam.pluginhost.operator.OperatorParts.OfferedCommand;
import io.enipam.pluginhost.operator.ParameterTexts;
import io.enipam.pluginhost.operator.PluginCommands;
import io.enipam.sdk.Answer;
import io.enipam.sdk.CheckRequest;
import io.enipam.sdk.Finding;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;

/** The checks that running parts of plugins bring, as checks of the doctor. Thread-safe. */
public record PluginChecks(OperatorParts parts, PluginCommands commands) {
    private static final Duration LOOK = Duration.ofSeconds(5);
    private static final int MOST_FINDINGS = 100;
    private static final Comparator<Finding> WORST_FIRST =
            Comparator.comparing(Finding::severity).reversed();

    private record MadeAt(Instant at) implements CheckRequest {}

    /** Those of the parts that run now. */
    public List<Check> all() {
        return parts.checks().stream().map(this::check).toList();
    }

    /** What they find now; a check that fails, or is late, is left out. */
    public CompletableFuture<List<CheckFinding>> findings(Instant now) {
        List<CompletableFuture<List<CheckFinding>>> looks = parts.checks().stream()
                .map(offered -> found(offered, now)
                        .thenApply(findings -> findings.stream()
                                .map(finding -> new CheckFinding(offered.id(), finding))
                                .toList())
                        .exceptionally(failure -> List.of()))
                .toList();
        return CompletableFuture.allOf(looks.toArray(CompletableFuture<?>[]::new))
                .thenApply(done ->
                        looks.stream().flatMap(look -> look.join().stream()).toList());
    }

    private static CompletableFuture<List<Finding>> found(OfferedCheck offered, Instant now) {
        return offered.calls()
                .call(
                        "check " + offered.name(),
                        LOOK,
                        () -> bounded(offered.check().run(new MadeAt(now))));
    }

    private Check check(OfferedCheck offered) {
        String plugin = "plugin " + offered.plugin();
        return Check.of(offered.id(), Severity.CRITICAL, PluginText.line(offered.title()))
                .reads("What an extension of " + plugin + " looks at.")
                .because("What " + plugin + " says of itself.")
                .advice("plugin info " + offered.plugin() + "; plugin help " + offered.plugin())
                .repairedBy(Repair.PLUGIN)
                .by(facts -> look(offered, facts.now()));
    }

    /** On a thread of the doctor's, which waits within the check's deadline. */
    private Outcome look(OfferedCheck offered, Instant now) {
        try {
            List<Finding> findings = found(offered, now).join();
            return findings.isEmpty()
                    ? Outcome.ok("plugin " + offered.plugin() + " found nothing")
                    : found(offered, findings);
        } catch (CompletionException e) {
            return Outcome.found(
                            Severity.WARN,
                            "the check could not be made: " + Stages.cause(e).getMessage())
                    .fixedBy("plugin info " + offered.plugin());
        }
    }

    /** On the plugin's thread. */
    private static List<Finding> bounded(List<Finding> all) {
        List<Finding> findings = new ArrayList<>();
        for (Finding finding : all) {
            Finding.Severity severity = finding.severity();
            Optional<Finding.Repair> repair = finding.repair();
            if (severity == null || repair == null) {
                throw new IllegalStateException("a finding has no severity");
            }
            findings.add(new Finding(
                    severity,
                    PluginText.line(finding.subject()),
                    PluginText.line(finding.why()),
                    PluginText.line(finding.fix()),
                    repair));
            if (findings.size() == MOST_FINDINGS) {
                break;
            }
        }
        findings.sort(WORST_FIRST);
        return findings;
    }

    private Outcome found(OfferedCheck offered, List<Finding> findings) {
        Finding worst = findings.get(0);
        String first = worst.subject() + ": " + worst.why();
        Outcome outcome = Outcome.found(
                Severity.valueOf(worst.severity().name()),
                findings.size() == 1 ? first : findings.size() + " findings; " + first,
                findings.stream()
                        .map(each -> new Evidence(each.subject(), each.why(), "plugin " + offered.plugin()))
                        .toList());
        Optional<String> fix = findings.stream()
                .map(Finding::fix)
                .filter(text -> !text.isEmpty())
                .findFirst();
        Outcome advised = fix.map(outcome::fixedBy).orElse(outcome);
        List<Finding.Repair> repairs =
                findings.stream().flatMap(finding -> finding.repair().stream()).toList();
        return repairs.isEmpty() ? advised : advised.repairedBy(dryRun -> repaired(offered.plugin(), repairs, dryRun));
    }

    /** Runs the commands one after the other, up to the first that fails. */
    private CompletionStage<List<String>> repaired(String plugin, List<Finding.Repair> repairs, boolean dryRun) {
        CompletableFuture<List<String>> steps = CompletableFuture.completedFuture(List.of());
        for (Finding.Repair repair : repairs) {
            steps = steps.thenCompose(before -> run(plugin, repair, dryRun).thenApply(step -> {
                List<String> after = new ArrayList<>(before);
                after.add(step);
                return after;
            }));
        }
        return steps;
    }

    private CompletableFuture<String> run(String plugin, Finding.Repair repair, boolean dryRun) {
        Optional<OfferedCommand> command = commands.all().stream()
                .filter(each ->
                        each.plugin().equals(plugin) && each.spec().path().equals(repair.path()))
                .findFirst();
        Map<String, List<String>> arguments = ParameterTexts.separated(
                command.map(each -> each.spec().parameters()).orElse(List.of()), repair.arguments());
        String line = PluginText.line(String.join(" ", repair.path()) + " "
                + new TreeMap<>(repair.arguments())
                        .entrySet().stream()
                                .map(each -> each.getKey() + "=" + each.getValue())
                                .collect(Collectors.joining(" ")));
        // of another plugin it finds no command, which is the failure that is reported
        List<String> path = command.isPresent() ? repair.path() : List.of(plugin, line);
        return commands.change(path, arguments, dryRun)
                .thenApply(done -> (dryRun ? "would run " : "ran ") + line.strip() + told(done.answer()));
    }

    private static String told(Answer answer) {
        return answer instanceof Answer.Prose prose ? ": " + PluginText.line(prose.text()) : "";
    }
}
