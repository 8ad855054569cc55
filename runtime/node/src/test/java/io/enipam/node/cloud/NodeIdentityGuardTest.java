package io.enipam.node.cloud;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.engine.model.NodeIdentity;
import io.enipam.engine.model.NodeIdentity.NodeRecord;
import io.enipam.engine.simulation.MemoryFactory;
import io.enipam.engine.simulation.VirtualTime;
import io.enipam.platform.testing.FakeSweeper;
import io.enipam.sdk.FactoryException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class NodeIdentityGuardTest {
    private final AtomicBoolean closed = new AtomicBoolean();
    private final CloudSession session = new CloudSession(
            "i-1", MemoryFactory.instant(new VirtualTime(), 3), List::of, new FakeSweeper(), () -> closed.set(true));

    private static Optional<NodeRecord> of(String instance) {
        return Optional.of(new NodeRecord(Optional.of(new NodeIdentity(instance, "")), true));
    }

    @Test
    void aSessionBesideAnotherMachinesDatabaseIsEndedBeforeAnybodyUsesIt() {
        NodeIdentityGuard machine = new NodeIdentityGuard(() -> of("i-2"));

        assertThatThrownBy(() -> machine.requireSameMachine(session))
                .isInstanceOf(FactoryException.class)
                .hasMessageContaining("the database is of instance i-2, and this is i-1")
                .hasMessageContaining("move its database directory aside");

        assertThat(closed).isTrue();
        assertThat(machine.identity().toCompletableFuture())
                .as("the engine is told, too")
                .isCompletedWithValue(session.node());
    }

    @Test
    void aSessionBesideItsOwnOrANewDatabasePasses() {
        assertThat(new NodeIdentityGuard(() -> of("i-1")).requireSameMachine(session))
                .isSameAs(session);
        assertThat(new NodeIdentityGuard(Optional::empty).requireSameMachine(session))
                .isSameAs(session);
        assertThat(closed).isFalse();
    }
}
