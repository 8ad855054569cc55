package io.enipam.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import inet.ipaddr.IPAddressString;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** {@code enipam --sandbox -c '...'}: one program, no preparation, nothing left behind. */
class SandboxOneShotIT extends SandboxFixture {
    private static final String VSWITCH = "10.0.0.0/24";

    @Test
    void twoPodsGetTwoAddressesOfTheVSwitch() throws IOException {
        ProgramRunner.Result result = programs.enipam(
                "--sandbox", "-c", "cni add --pod default/web-0; cni add --pod default/web-1; pool inuse -o json");

        assertThat(result.status()).as(result.toString()).isZero();
        Set<String> addresses = new HashSet<>();
        for (JsonNode lease : lastDocument(result.out()).path("leases")) {
            String address = lease.path("resource").path("addresses").path(0).asText();
            addresses.add(address);
            assertThat(new IPAddressString(VSWITCH).contains(new IPAddressString(address.split("/")[0])))
                    .as("%s is in %s", address, VSWITCH)
                    .isTrue();
        }
        assertThat(addresses).hasSize(2);
    }

    @Test
    void theSamePodTwiceHasOneAddress() throws IOException {
        ProgramRunner.Result result = programs.enipam(
                "--sandbox",
                "-c",
                "cni add --pod default/a -o json; cni add --pod default/a -o json; pool inuse -o json");

        assertThat(result.status()).as(result.toString()).isZero();
        assertThat(lastDocument(result.out()).path("leases")).hasSize(1);
        assertThat(result.out()).contains("\"repeated\": true");
    }

    @Test
    void everyCallOfTheCloudIsOnRecordWithItsCost() throws IOException {
        ProgramRunner.Result calls = programs.enipam(
                "--sandbox", "-c", "cni add --pod default/a; ecs calls --api AttachNetworkInterface -o json");

        assertThat(calls.status()).as(calls.toString()).isZero();
        JsonNode attach = lastDocument(calls.out()).path("calls").path(0);
        assertThat(attach.path("api").asText()).isEqualTo("AttachNetworkInterface");
        assertThat(attach.path("target").asText()).startsWith("eni-");
        assertThat(attach.path("requestId").asText()).isNotEmpty();
        assertThat(attach.path("attempts").asInt()).isEqualTo(1);
    }

    @Test
    void aCallOfTheCloudIsTakenOffTheBudgetOfItsMinute() {
        // again where a minute ended between the call and the look
        await().atMost(Duration.ofMinutes(3)).untilAsserted(() -> {
            ProgramRunner.Result budget =
                    programs.enipam("--sandbox", "-c", "cni add --pod default/a; ecs budget -o json");
            assertThat(budget.status()).as(budget.toString()).isZero();
            assertThat(lastDocument(budget.out()).path("apis")).anySatisfy(api -> {
                assertThat(api.path("api").asText()).isEqualTo("CreateNetworkInterface");
                assertThat(api.path("left").asInt()).isEqualTo(api.path("limit").asInt() - 1);
            });
        });
    }

    @Test
    void aDelOfAnUnknownPodSaysThatNothingWasHeld() {
        ProgramRunner.Result result = programs.enipam("--sandbox", "cni", "del", "--pod", "default/ghost");

        assertThat(result.status()).isZero();
        assertThat(result.out()).contains("nothing was held");
    }

    @Test
    void aPodThatVanishedIsCollectedAndADryRunOnlyTells() {
        ProgramRunner.Result result = programs.enipam(
                "--sandbox",
                "-c",
                "cni add --pod default/a; pod delete default/a --yes; gc run --dry-run; pool inuse; gc run; pool inuse");

        assertThat(result.status()).as(result.toString()).isZero();
        assertThat(result.out()).contains("default/a", "the pod does not exist");
        assertThat(result.out().lines().reduce((a, b) -> b).orElseThrow()).contains("no address is in use");
    }

    @Test
    void everyInspectingCommandAnswersInBothForms() {
        String commands = String.join(
                "; ",
                "cni add --pod default/a",
                "status",
                "version",
                "config show",
                "pool show",
                "pool idle",
                "pool inuse",
                "eni list",
                "pod list",
                "pod show default/a",
                "db dump",
                "events",
                "gc status",
                "status -o json",
                "version -o json",
                "config show -o json",
                "pool show -o json",
                "pool idle -o json",
                "eni list -o json",
                "pod list -o json",
                "pod show default/a -o json",
                "db dump -o json",
                "events -o json",
                "gc status -o json",
                "help",
                "history");

        ProgramRunner.Result result = programs.enipam("--sandbox", "-c", commands);

        assertThat(result.status()).as(result.toString()).isZero();
        assertThat(result.err()).isEmpty();
        assertThat(result.out()).contains("READY", "default/a", "eni-", "LeaseGranted", "pool.min_idle");
        assertThat(result.out()).doesNotContain("testsecret", "sandboxsecret", "\u001b");
    }

    @Test
    void anUnknownCommandIsAUsageErrorThatNamesTheNearest() {
        ProgramRunner.Result result = programs.enipam("--sandbox", "pol", "show");

        assertThat(result.status()).isEqualTo(2);
        assertThat(result.err()).contains("pool").hasLineCount(1);
    }

    @Test
    void aRunbookHoldsUpToTheFirstLineThatDoesNot() throws IOException {
        Path runbook = Files.writeString(scratch.resolve("demo.runbook"), """
                cni add --pod ${pod}
                expect pool inuse | grep ${pod}
                ! cni add --pod default/b --netns /proc/none
                cni del --pod ${pod}
                retry 30s: expect ! pool inuse | grep ${pod}
                expect pool inuse | grep ${pod}
                """);

        ProgramRunner.Result result = programs.enipam("--sandbox", "run", runbook.toString(), "-v", "pod=default/a");

        assertThat(result.status()).as(result.toString()).isEqualTo(4);
        assertThat(result.err())
                .contains(runbook + ":6: expected a line with 'default/a' from 'pool inuse'")
                .hasLineCount(1);
        assertThat(result.out()).contains("enipam> cni del --pod default/a\ndefault/a gave back");
        Files.delete(runbook);
    }

    /** The last JSON document that was printed: from the last line that is a brace alone, or begins with one, at column 0. */
    private static JsonNode lastDocument(String out) throws IOException {
        int begin = Math.max(out.lastIndexOf("\n{"), out.startsWith("{") ? 0 : -1);
        return new ObjectMapper().readTree(out.substring(begin).strip());
    }
}
