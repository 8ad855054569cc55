package io.enipam.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.engine.port.Leadership;
import io.enipam.etcd.testing.EtcdServer;
import io.enipam.etcd.testing.TcpProxy;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which of two replicas leads while one goes, the network stops, or etcd is killed. At no moment both do. */
class EtcdLeadershipTest {
    private static final Duration LEASE = Duration.ofSeconds(4);
    /** Not lost by a replica that a busy machine holds up. */
    private static final Duration LONG_LEASE = Duration.ofMinutes(2);

    @TempDir
    Path temp;

    @AutoClose
    private final Clients clients = new Clients();

    private EtcdServer etcd;

    @BeforeAll
    static void assumeEtcd() {
        Clients.assumeEtcd();
    }

    @BeforeEach
    void start() {
        etcd = clients.started(temp, "http", EtcdServer.LARGE_REQUESTS);
    }

    private EtcdJournals connected(URI endpoint) {
        return clients.connect(new EtcdSettings(
                List.of(endpoint),
                Optional.empty(),
                Optional.empty(),
                EtcdSettings.DEFAULT_PREFIX,
                Duration.ofSeconds(3)));
    }

    private Leadership replica(String name) {
        return replica(name, LEASE);
    }

    private Leadership replica(String name, Duration lease) {
        return connected(etcd.endpoint()).leadership(name, lease);
    }

    /** Waits for it, and looks all the while that no two lead. */
    private static void until(BooleanSupplier condition, Leadership... replicas) {
        long end = System.nanoTime() + Duration.ofMinutes(1).toNanos();
        while (!condition.getAsBoolean()) {
            // the one that was asked first may have lost it by the time the other one is asked, and never the other way
            // round
            boolean one = replicas[0].leads();
            boolean other = replicas[replicas.length - 1].leads();
            assertThat(replicas.length == 2 && one && other && replicas[0].leads())
                    .as("both lead")
                    .isFalse();
            assertThat(System.nanoTime() - end).as("waited for a minute").isNegative();
            Thread.onSpinWait();
        }
    }

    @Test
    void oneOfTwoLeadsBothKnowWhichAndTheOtherOneLeadsAtOnceWhenTheFirstGivesItUp() {
        Leadership first = replica("one", LONG_LEASE);
        until(first::leads, first);
        Leadership second = replica("two", LONG_LEASE);
        until(() -> second.leader().equals(Optional.of("one")), first, second);
        assertThat(first.leader()).contains("one");
        assertThat(second.leads()).isFalse();

        first.close();
        assertThat(first.leads()).isFalse();
        until(second::leads, second, first);
        assertThat(second.leader()).contains("two");
    }

    @Test
    void aListenerHearsWhatIsSoAndThenEachChangeOnce() {
        Leadership first = replica("one", LONG_LEASE);
        until(first::leads, first);
        Leadership second = replica("two", LONG_LEASE);
        List<Boolean> heard = new CopyOnWriteArrayList<>();
        second.follow(heard::add);
        until(() -> heard.equals(List.of(false)), first, second);
        first.close();
        until(() -> heard.equals(List.of(false, true)), first, second);
        second.close();
        until(() -> heard.equals(List.of(false, true, false)), first, second);
    }

    @Test
    void aLeaderBehindAPartitionKnowsThatItLeadsNoMoreBeforeTheOtherOneDoes() {
        try (TcpProxy proxy = new TcpProxy(etcd.port())) {
            Leadership first = connected(proxy.endpoint()).leadership("one", LEASE.multipliedBy(3));
            until(first::leads, first);
            Leadership second = replica("two");
            List<Boolean> heard = new CopyOnWriteArrayList<>();
            first.follow(heard::add);
            until(() -> heard.equals(List.of(true)), first, second);

            proxy.stop();
            until(second::leads, first, second);
            assertThat(first.leads()).isFalse();
            until(() -> heard.equals(List.of(true, false)), first, second);

            proxy.goOn();
            until(() -> first.leader().equals(Optional.of("two")), first, second);
            second.close();
            until(first::leads, second, first);
        }
    }

    @Test
    void aReplicaThatIsGoneWithoutAWordIsFollowedByTheOtherOneWhenItsLeaseIsOver() {
        EtcdJournals doomed = connected(etcd.endpoint());
        Leadership first = doomed.leadership("one", LEASE);
        until(first::leads, first);
        Leadership second = replica("two");
        doomed.close(); // its connections alone, as a process that is killed
        until(second::leads, first, second);
        assertThat(first.leads()).isFalse();
    }

    @Test
    void anEtcdThatIsKilledLeavesNoLeaderUntilItIsBack() {
        Leadership first = replica("one");
        until(first::leads, first);
        Leadership second = replica("two");
        etcd.kill();
        until(() -> !first.leads(), first, second);
        assertThat(second.leads()).isFalse();
        etcd.start();
        until(() -> first.leads() || second.leads(), first, second);
    }

    @Test
    void aKeyThatAnOperatorDeletesIsPutAgainByOneOfThem() {
        Leadership first = replica("one");
        until(first::leads, first);
        EtcdJournals other = connected(etcd.endpoint());
        other.client()
                .call(
                        io.etcd.jetcd.api.KVGrpc.getDeleteRangeMethod(),
                        io.etcd.jetcd.api.DeleteRangeRequest.newBuilder()
                                .setKey(other.keys().leader())
                                .build())
                .join();
        Leadership second = other.leadership("two", LEASE);
        long last = System.nanoTime() + LEASE.multipliedBy(2).toNanos();
        until(() -> System.nanoTime() > last && (first.leads() || second.leads()), first);
        // asked again, as above
        assertThat(first.leads() && second.leads() && first.leads()).isFalse();
    }
}
