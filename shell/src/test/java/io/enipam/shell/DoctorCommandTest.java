package io.enipam.shell;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.shell.ShellProgram.Terminals;
import io.enipam.v1.DoctorFinding;
import io.enipam.v1.RepairFindingRequest;
import io.enipam.v1.RunDoctorReply;
import io.enipam.v1.RunDoctorRequest;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The exit status says how the node is, and nothing is mended unasked; what is printed is in the golden files. */
class DoctorCommandTest extends AttachedShell {
    @Test
    void pipedInputGoesOnAfterAVerdictAndEndsWithItsStatus() {
        TestShell.Result result = new TestShell(directory, directory)
                .typing("doctor --fail-on INFO\npool idle -o name\nversion -o json\n")
                .at(socket);

        assertThat(result.out()).contains("\"version\"");
        assertThat(result.status()).isEqualTo(1);
    }

    @Test
    void pipedInputEndsAtWhatCouldNotBeDone() {
        TestShell.Result result = new TestShell(directory, directory)
                .typing("doctor --fail-on INFO\nplugin inf\nversion -o json\n")
                .at(socket);

        assertThat(result.out()).doesNotContain("\"version\"");
        assertThat(result.status()).isEqualTo(2);
    }

    @Test
    void aFindingAtWarnOrAboveIsExit1() {
        TestShell.Result result = run("doctor");

        assertThat(result.status()).isEqualTo(1);
        assertThat(result.out()).startsWith("CRITICAL\n  address-lost").endsWith("fine, 1 skipped, in 1.2 s\n");
        assertThat(result.err())
                .isEqualTo("enipam: doctor: 2 checks are WARN or worse. More on one of them: doctor --explain ID\n");
    }

    @Test
    void whoAsksSaysHowBadIsTooBad() {
        assertThat(run("doctor --fail-on CRITICAL").err())
                .isEqualTo("enipam: doctor: 1 check is CRITICAL. More on one of them: doctor --explain ID\n");
        assertThat(run("doctor --fail-on NONE").status()).isZero();
        daemon.answer(
                RunDoctorRequest.class,
                RunDoctorReply.newBuilder()
                        .addAllFindings(
                                CannedDoctor.diagnosis().getFindingsList().subList(2, 6))
                        .build());
        assertThat(run("doctor").status()).isZero();
        assertThat(run("doctor --fail-on INFO").status()).isEqualTo(1);
    }

    @Test
    void whatIsPrintedAndWhatTheExitStatusSaysAreTwoThings() {
        TestShell.Result result = run("doctor --severity CRITICAL --fail-on CRITICAL -o json");

        assertThat(result.status()).isEqualTo(1);
        assertThat(result.out()).contains("address-lost").doesNotContain("lease-stale");
    }

    @Test
    void onlyTheChecksThatWereAskedForAreMade() {
        run("doctor eni-stuck gc-late");

        assertThat(daemon.received())
                .singleElement()
                .isInstanceOfSatisfying(
                        RunDoctorRequest.class,
                        request -> assertThat(request.getChecksList()).containsExactly("eni-stuck", "gc-late"));
    }

    @Test
    void aCheckThatIsNotThereIsNamedWithTheNearest() {
        TestShell.Result result = run("doctor --explain lease-stail");

        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err()).contains("there is no check 'lease-stail'; did you mean lease-stale?");
    }

    @Test
    void nothingIsMendedUnasked() {
        TestShell.Result result = run("doctor --repair lease-stale");

        assertThat(result.status()).isEqualTo(2);
        assertThat(result.err()).contains("it has to be confirmed").endsWith("Add --yes\n");
        assertThat(received(RepairFindingRequest.class))
                .allSatisfy(request -> assertThat(request.getDryRun()).isTrue());
    }

    @Test
    void aWrongNameIsToldBeforeAnybodyWouldBeAsked() {
        refuse(RepairFindingRequest.class, "NOT_FOUND", "there is no check 'nosuch'", "");

        TestShell.Result result = run("doctor --repair nosuch");

        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err()).contains("there is no check 'nosuch'").doesNotContain("confirmed");
    }

    private void findings(DoctorFinding... findings) {
        daemon.answer(
                RunDoctorRequest.class,
                RunDoctorReply.newBuilder().addAllFindings(List.of(findings)).build());
    }

    private static DoctorFinding finding(String check, String severity, String summary) {
        return DoctorFinding.newBuilder()
                .setCheck(check)
                .setSeverity(severity)
                .setSummary(summary)
                .build();
    }

    @Test
    void aNamedCheckThatCouldNotBeMadeSaysWhyAndIsNoHealth() {
        DoctorFinding blind = finding("address-lost", "SKIPPED", "the cloud does not say: Forbidden.RAM");
        findings(blind);

        TestShell.Result result = run("doctor address-lost");

        assertThat(result.out()).startsWith("SKIPPED\n  address-lost  the cloud does not say: Forbidden.RAM\n");
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err()).contains("the check could not be made").hasLineCount(1);
        assertThat(run("doctor address-lost --fail-on none").status()).isZero();

        findings(blind, finding("gc-late", "OK", "one runs every 5m"));
        assertThat(run("doctor address-lost gc-late").status()).isZero();
    }

    @Test
    void aCheckThatCouldNotLookIsToldFromOneThatThisBuildDoesNotMake() {
        findings(
                finding("address-lost", "SKIPPED", "the cloud does not say: Forbidden.RAM"),
                finding("kernel-rule-missing", "SKIPPED", "not applicable: no datapath").toBuilder()
                        .setNotApplicable(true)
                        .build(),
                finding("gc-late", "OK", "one runs every 5m"));

        assertThat(run("doctor").out())
                .startsWith("1 check fine, 2 skipped (1 could not look; see: doctor --severity skipped), in ");
        assertThat(run("doctor --severity skipped").out()).contains("1 check fine, 2 skipped, in ");
    }

    @Test
    void theQuestionSaysWhatWouldBeDone() {
        TestShell.Result result = new TestShell(directory, directory)
                .on(new Terminals(true, true, true), Map.of())
                .typing("y\n")
                .at(socket, "doctor", "--repair", "lease-stale");

        assertThat(result.err())
                .isEqualTo("1 lease of pods that are gone: would end the lease of default/web-1. Do it? [y/N] ");
        assertThat(result.status()).isZero();
        List<Boolean> dryRuns = daemon.received().stream()
                .filter(RepairFindingRequest.class::isInstance)
                .map(request -> ((RepairFindingRequest) request).getDryRun())
                .toList();
        assertThat(dryRuns).containsExactly(true, false);
    }

    @Test
    void whatMakesNoSenseIsAUsageError() {
        assertThat(run("doctor --list eni-stuck").status()).isEqualTo(2);
        assertThat(run("doctor --dry-run").status()).isEqualTo(2);
        assertThat(run("doctor --severity BAD").status()).isEqualTo(2);
        assertThat(daemon.received()).isEmpty();
    }
}
