package io.enipam.diagnostics.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.enipam.diagnostics.doctor.Doctor.Diagnosis;
import io.enipam.diagnostics.doctor.Doctor.Finding;
import io.enipam.diagnostics.doctor.Doctor.RepairResult;
import io.enipam.diagnostics.doctor.Outcome.Evidence;
import io.enipam.diagnostics.doctor.Outcome.Severity;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.platform.SystemTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What one check does, throws or never ends spoils no other, and what is repaired is looked at again. */
class DoctorTest {
    record Weather(String word) {}

    private final List<Doctor> doctors = new ArrayList<>();

    @AfterEach
    void close() {
        doctors.forEach(Doctor::close);
    }

    private Doctor doctor(Probes probes, Map<Repair, Repair.Operation> repairs, Check... checks) {
        return doctor(Duration.ofSeconds(30), probes, repairs, checks);
    }

    private Doctor doctor(Duration patience, Probes probes, Map<Repair, Repair.Operation> repairs, Check... checks) {
        Doctor doctor =
                new Doctor(() -> List.of(checks), probes, repairs, new SystemTime(), patience, patience, patience);
        doctors.add(doctor);
        return doctor;
    }

    private static Check check(String id, Function<Facts, Outcome> look) {
        return Check.of(id, Severity.CRITICAL, "t").advice("do it").by(look);
    }

    /** A check that {@link Repair#GC} repairs. */
    private static Check repairable(String id, Function<Facts, Outcome> look) {
        return Check.of(id, Severity.WARN, "t")
                .advice("do it")
                .repairedBy(Repair.GC)
                .by(look);
    }

    /** Counts that it was begun, and is well once it may end. */
    private static Check hanging(String id, AtomicInteger begun, CountDownLatch end) {
        return check(id, facts -> {
            begun.incrementAndGet();
            try {
                end.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return Outcome.ok("at last");
        });
    }

    private static Diagnosis examined(Doctor doctor, String... ids) throws Exception {
        return doctor.examine(List.of(ids), List.of()).toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    private static List<String> told(Diagnosis diagnosis) {
        return diagnosis.findings().stream()
                .map(f -> f.check().id() + " " + f.severity())
                .toList();
    }

    @Test
    void theWorstComesFirst() throws Exception {
        Doctor doctor = doctor(
                new Probes(),
                Map.of(),
                check("a", facts -> Outcome.ok("fine")),
                check("b", facts -> Outcome.skipped("not here")),
                check("c", facts -> Outcome.found(Severity.WARN, "hm")),
                check("d", facts -> Outcome.found(Severity.CRITICAL, "oh")),
                check("e", facts -> Outcome.found(Severity.INFO, "by the way")));

        Diagnosis diagnosis = examined(doctor);

        assertThat(told(diagnosis)).containsExactly("d CRITICAL", "c WARN", "e INFO", "b SKIPPED", "a OK");
        assertThat(diagnosis.worst()).isEqualTo(Severity.CRITICAL);
    }

    @Test
    void oneThatThrowsIsAFindingAndSpoilsNoOther() throws Exception {
        Doctor doctor =
                doctor(new Probes(), Map.of(), check("fine", facts -> Outcome.ok("fine")), check("broken", facts -> {
                    throw new IllegalStateException("boom");
                }));

        Diagnosis diagnosis = examined(doctor);

        assertThat(told(diagnosis)).containsExactly("broken WARN", "fine OK");
        assertThat(diagnosis.findings().get(0).outcome().summary())
                .contains("could not be made")
                .contains("boom");
    }

    @Test
    void oneThatHangsIsAFindingAndIsNotBegunAgain() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        AtomicInteger begun = new AtomicInteger();
        Doctor doctor = doctor(
                Duration.ofMillis(200),
                new Probes(),
                Map.of(),
                check("fine", facts -> Outcome.ok("fine")),
                hanging("hanging", begun, never));

        // again if a busy machine gave it no thread in time
        Finding first = await().atMost(Duration.ofSeconds(60))
                .until(() -> finding(examined(doctor), "hanging"), finding -> begun.get() == 1);
        Finding second = finding(examined(doctor), "hanging");

        assertThat(first.outcome().summary()).contains("did not come to its end");
        assertThat(second.outcome().summary()).contains("was begun earlier");
        assertThat(begun).hasValue(1);
        never.countDown();
        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(
                        () -> assertThat(finding(examined(doctor), "hanging").severity())
                                .isEqualTo(Severity.OK));
    }

    @Test
    void manyThatHangCostAFewThreadsAndThoseInLineAreToldSoAndNeverBegin() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        AtomicInteger begun = new AtomicInteger();
        AtomicInteger fine = new AtomicInteger();
        Check[] checks = new Check[Doctor.CHECK_THREADS + 1];
        for (int i = 0; i < Doctor.CHECK_THREADS; i++) {
            checks[i] = hanging("hanging-" + i, begun, never);
        }
        checks[Doctor.CHECK_THREADS] = check("in-line", facts -> Outcome.ok("fine " + fine.incrementAndGet()));
        Doctor doctor = doctor(Duration.ofSeconds(2), new Probes(), Map.of(), checks);

        Diagnosis first = examined(doctor);
        Finding again = finding(examined(doctor, "hanging-0"), "hanging-0");

        assertThat(first.findings()).hasSize(checks.length);
        assertThat(finding(first, "in-line").outcome().summary()).contains("no thread was free");
        assertThat(again.outcome().summary()).contains("was begun earlier");
        assertThat(begun).hasValue(Doctor.CHECK_THREADS);
        never.countDown();
        await().atMost(Duration.ofSeconds(30))
                .until(() -> finding(examined(doctor, "in-line"), "in-line").severity() == Severity.OK);
        // what was given up did not begin when a thread was free at last
        assertThat(fine).hasValue(1);
    }

    private static Finding finding(Diagnosis diagnosis, String id) {
        return diagnosis.findings().stream()
                .filter(finding -> finding.check().id().equals(id))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no finding of " + id));
    }

    @Test
    void whoAsksForWhatIsWaitingSharesItAndMoreThanAFewAreRefused() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        AtomicInteger begun = new AtomicInteger();
        Check[] checks = new Check[6];
        for (int i = 0; i < checks.length; i++) {
            checks[i] = hanging("c" + i, begun, go);
        }
        Doctor doctor = doctor(new Probes(), Map.of(), checks);
        List<CompletableFuture<Diagnosis>> runs = new ArrayList<>();
        runs.add(doctor.examine(List.of("c0"), List.of()).toCompletableFuture());
        await().atMost(Duration.ofSeconds(30)).until(() -> begun.get() == 1);
        for (int i = 1; i <= Doctor.MOST_WAITING; i++) {
            String id = "c" + i;
            for (int again = 0; again < 10; again++) {
                runs.add(doctor.examine(List.of(id), List.of()).toCompletableFuture());
            }
        }

        assertThatThrownBy(() -> doctor.examine(List.of("c5"), List.of()))
                .isInstanceOfSatisfying(
                        IpamException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TRY_AGAIN));
        go.countDown();
        for (CompletableFuture<Diagnosis> run : runs) {
            assertThat(run.get(60, TimeUnit.SECONDS).worst()).isEqualTo(Severity.OK);
        }
        assertThat(begun).hasValue(1 + Doctor.MOST_WAITING);
        assertThat(told(examined(doctor, "c5"))).containsExactly("c5 OK");
    }

    @Test
    void factsAreGatheredOnceForAllChecks() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        Probes probes = new Probes().with(Weather.class, () -> new Weather("rain " + asked.incrementAndGet()));
        Doctor doctor = doctor(
                probes,
                Map.of(),
                check("a", facts -> Outcome.ok(facts.the(Weather.class).word())),
                check("b", facts -> Outcome.ok(facts.the(Weather.class).word())));

        assertThat(examined(doctor).findings())
                .extracting(finding -> finding.outcome().summary())
                .containsExactly("rain 1", "rain 1");
        assertThat(examined(doctor, "b").findings())
                .extracting(finding -> finding.outcome().summary())
                .containsExactly("rain 2");
    }

    @Test
    void aFactThatCannotBeHadSkipsItsChecksWithTheReason() throws Exception {
        Probes probes = new Probes().with(Weather.class, () -> {
            throw new java.io.IOException("no window");
        });
        Doctor doctor = doctor(
                probes,
                Map.of(),
                check("a", facts -> Outcome.ok(facts.the(Weather.class).word())),
                check("b", facts -> Outcome.ok("fine")));

        Diagnosis diagnosis = examined(doctor);

        assertThat(told(diagnosis)).containsExactly("a SKIPPED", "b OK");
        assertThat(diagnosis.findings().get(0).outcome().summary()).isEqualTo("no window");
        assertThat(diagnosis.worst()).isEqualTo(Severity.OK);
    }

    @Test
    void aFactThatHangsIsNotAskedForAgainWhileItDoes() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        AtomicInteger asked = new AtomicInteger();
        Probes probes = new Probes().with(Weather.class, () -> {
            asked.incrementAndGet();
            never.await();
            return new Weather("rain");
        });
        Check check = check("a", facts -> Outcome.ok(facts.the(Weather.class).word()));
        Doctor doctor = new Doctor(
                () -> List.of(check),
                probes,
                Map.of(),
                new SystemTime(),
                Duration.ofSeconds(30),
                Duration.ofMillis(200),
                Duration.ofSeconds(30));
        doctors.add(doctor);

        assertThat(finding(examined(doctor), "a").outcome().summary()).startsWith("no answer within ");
        assertThat(finding(examined(doctor), "a").outcome().summary())
                .isEqualTo("it was asked for earlier, and there is still no answer");
        await().atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(asked).hasValue(1));
        never.countDown();
        await().atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(
                                finding(examined(doctor), "a").outcome().summary())
                        .isEqualTo("rain"));
    }

    @Test
    void whatIsRepairedIsLookedAtAgain() throws Exception {
        AtomicBoolean broken = new AtomicBoolean(true);
        Map<Repair, Repair.Operation> repairs = Map.of(Repair.GC, dryRun -> {
            broken.compareAndSet(true, dryRun);
            return CompletableFuture.completedFuture(List.of(dryRun ? "would mend it" : "mended it"));
        });
        Doctor doctor = doctor(
                new Probes(),
                repairs,
                repairable(
                        "a",
                        facts -> broken.get()
                                ? Outcome.found(Severity.WARN, "broken", new Evidence("a", "broken", "test"))
                                : Outcome.ok("fine")));

        RepairResult dry = doctor.repair("a", true).toCompletableFuture().get(60, TimeUnit.SECONDS);
        RepairResult done = doctor.repair("a", false).toCompletableFuture().get(60, TimeUnit.SECONDS);
        RepairResult again = doctor.repair("a", false).toCompletableFuture().get(60, TimeUnit.SECONDS);

        assertThat(dry.steps()).containsExactly("would mend it");
        assertThat(dry.after()).isEmpty();
        assertThat(done.steps()).containsExactly("mended it");
        assertThat(done.before().severity()).isEqualTo(Severity.WARN);
        assertThat(done.after()).get().extracting(Finding::severity).isEqualTo(Severity.OK);
        assertThat(again.steps()).isEmpty();
    }

    @Test
    void nothingIsRepairedForACheckThatCouldNotLook() throws Exception {
        AtomicInteger repaired = new AtomicInteger();
        Map<Repair, Repair.Operation> repairs = Map.of(Repair.GC, dryRun -> {
            repaired.incrementAndGet();
            return CompletableFuture.completedFuture(List.of("mended it"));
        });
        Doctor doctor = doctor(
                new Probes(),
                repairs,
                repairable("a", facts -> {
                    throw new IllegalStateException("boom");
                }),
                repairable("b", facts -> Outcome.skipped("nobody tells")));

        for (String id : List.of("a", "b")) {
            RepairResult treatment =
                    doctor.repair(id, false).toCompletableFuture().get(60, TimeUnit.SECONDS);
            assertThat(treatment.steps()).isEmpty();
            assertThat(treatment.after()).isEmpty();
        }
        assertThat(repaired).hasValue(0);
    }

    @Test
    void aRepairThatHangsKeepsTheDoctorFromNobody() throws Exception {
        Map<Repair, Repair.Operation> repairs = Map.of(Repair.GC, dryRun -> new CompletableFuture<>());
        Doctor doctor = new Doctor(
                () -> List.of(repairable(
                        "a", facts -> Outcome.found(Severity.WARN, "broken", new Evidence("a", "broken", "test")))),
                new Probes(),
                repairs,
                new SystemTime(),
                Duration.ofSeconds(30),
                Duration.ofSeconds(30),
                Duration.ofMillis(200));
        doctors.add(doctor);

        CompletableFuture<RepairResult> hanging = doctor.repair("a", false).toCompletableFuture();

        assertThat(told(examined(doctor, "a"))).containsExactly("a WARN");
        assertThatThrownBy(() -> hanging.get(60, TimeUnit.SECONDS))
                .cause()
                .isInstanceOfSatisfying(
                        IpamException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.DEADLINE_EXCEEDED));
    }

    @Test
    void whatNothingMendsIsRefusedWithWhatToDo() {
        Doctor doctor = doctor(new Probes(), Map.of(), check("a", facts -> Outcome.ok("fine")));

        assertThatThrownBy(() -> doctor.repair("a", false))
                .isInstanceOfSatisfying(
                        IpamException.class, e -> assertThat(e.hint()).isEqualTo("see: do it"));
        assertThatThrownBy(() -> doctor.examine(List.of("aa"), List.of()))
                .hasMessage("there is no check 'aa'; did you mean a?");
    }
}
