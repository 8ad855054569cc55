package io.enipam.shell;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.shell.core.Palette;
import io.enipam.shell.core.RenderContext;
import io.enipam.shell.status.NodeCommands;
import io.enipam.v1.GetStatusReply;
import java.time.Instant;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;

/** What {@code status} says of a daemon of role cluster: its role and who leads, and nothing of a pool that it does not have. */
class RoleTest {
    private static final RenderContext LOOK = new RenderContext(Palette.PLAIN, Instant.EPOCH, ZoneOffset.UTC, false);
    private static final GetStatusReply CLUSTER = GetStatusReply.newBuilder()
            .setPhase("READY")
            .setNode("manager-1")
            .setRole("cluster")
            .build();

    @Test
    void aReplicaThatLeadsSaysSo() {
        assertThat(NodeCommands.status(CLUSTER.toBuilder().setLeads(true).build(), LOOK))
                .anyMatch(line -> line.matches("replica +manager-1"))
                .anyMatch(line -> line.matches("role +cluster leads"))
                .noneMatch(line -> line.matches("(node|pool|ENIs|last GC|last sync|cloud) .*"));
    }

    @Test
    void oneThatFollowsNamesTheLeaderThatItHeardOfLast() {
        assertThat(NodeCommands.status(
                        CLUSTER.toBuilder().setLeader("manager-2").build(), LOOK))
                .anyMatch(line -> line.matches("role +cluster follows, manager-2 led last"));
        assertThat(NodeCommands.status(CLUSTER, LOOK))
                .anyMatch(line -> line.matches("role +cluster follows, no leader is known"));
    }
}
