package io.enipam.shell;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.shell.core.Palette;
import io.enipam.shell.core.RenderContext;
import io.enipam.shell.eni.EniCommands;
import io.enipam.shell.pod.PodCommands;
import io.enipam.shell.status.NodeCommands;
import io.enipam.v1.Eni;
import io.enipam.v1.EniAddress;
import io.enipam.v1.GetStatusReply;
import io.enipam.v1.Lease;
import io.enipam.v1.PodInfo;
import io.enipam.v1.Pool;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What shows a thing that is not as it should be names the command that says why; what shows a healthy one does not. */
class NextCommandTest {
    private static final RenderContext PERSON = new RenderContext(Palette.PLAIN, Instant.EPOCH, ZoneOffset.UTC, true);
    private static final RenderContext RUNBOOK = new RenderContext(Palette.PLAIN, Instant.EPOCH, ZoneOffset.UTC, false);

    private static List<String> tried(List<String> lines) {
        return lines.stream()
                .filter(line -> line.startsWith("try "))
                .map(line -> line.replaceFirst("try +", ""))
                .toList();
    }

    @Test
    void aNodeInTroubleNamesTheDoctor() {
        GetStatusReply ready = GetStatusReply.newBuilder().setPhase("READY").build();
        assertThat(tried(NodeCommands.status(ready, PERSON))).isEmpty();
        assertThat(List.of(
                        ready.toBuilder().setPhase("RECOVERING").build(),
                        ready.toBuilder()
                                .setPool(Pool.newBuilder().setWaiting(2))
                                .build()))
                .allSatisfy(bad -> {
                    assertThat(tried(NodeCommands.status(bad, PERSON))).containsExactly("doctor");
                    assertThat(tried(NodeCommands.status(bad, RUNBOOK))).isEmpty();
                });
        GetStatusReply lost =
                ready.toBuilder().addTroubles(CannedReplies.trouble()).build();
        assertThat(tried(NodeCommands.status(lost, PERSON)))
                .containsExactly("explain eni-1; pool sync; ecs calls --failed", "doctor");
        assertThat(tried(NodeCommands.status(lost, RUNBOOK))).isEmpty();
    }

    @Test
    void anEniThatDoesNotLendOrLostAnAddressIsToBeExplained() {
        Eni well = Eni.newBuilder()
                .setId("eni-1")
                .setState("InUse")
                .addAddresses(EniAddress.newBuilder().setState("IDLE"))
                .build();

        assertThat(tried(EniCommands.one(well, PERSON))).isEmpty();
        assertThat(List.of(
                        well.toBuilder().setState("Stuck").build(),
                        well.toBuilder()
                                .setTrouble(CannedReplies.trouble().getText())
                                .setTroubleSince(CannedReplies.trouble().getSince())
                                .build()))
                .allSatisfy(bad -> {
                    assertThat(tried(EniCommands.one(bad, PERSON))).containsExactly("explain eni-1");
                    assertThat(tried(EniCommands.one(bad, RUNBOOK))).isEmpty();
                });
    }

    @Test
    void aPodThatIsGoneAndStillHasAnAddressIsToBeExplained() {
        PodInfo well = PodInfo.newBuilder()
                .setPod("default/web-0")
                .setKnown(true)
                .addLeases(Lease.getDefaultInstance())
                .build();

        assertThat(tried(PodCommands.one(well, PERSON))).isEmpty();
        assertThat(List.of(
                        well.toBuilder().setKnown(false).build(),
                        well.toBuilder().setFinished(true).build()))
                .allSatisfy(bad ->
                        assertThat(tried(PodCommands.one(bad, PERSON))).containsExactly("explain default/web-0"));
        assertThat(PodCommands.one(well.toBuilder().clearLeases().build(), PERSON))
                .last()
                .asString()
                .contains("explain default/web-0");
    }
}
