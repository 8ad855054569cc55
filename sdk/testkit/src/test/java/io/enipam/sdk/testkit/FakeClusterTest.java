package io.enipam.sdk.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Source;
import io.enipam.sdk.cluster.Cluster;
import io.enipam.sdk.cluster.ClusterEvent;
import io.enipam.sdk.cluster.ClusterObject;
import io.enipam.sdk.cluster.ObjectKind;
import io.enipam.sdk.cluster.ObjectRef;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FakeClusterTest extends ClusterContract {
    private final FakeCluster fake = new FakeCluster();

    @Override
    protected Cluster cluster() {
        return fake;
    }

    @Override
    protected Cluster another() {
        return fake;
    }

    @Override
    protected void whileWatchesAreBroken(Runnable meanwhile) {
        fake.breakWatches();
        meanwhile.run();
        fake.restoreWatches();
    }

    @Override
    protected void failNextWrite(ErrorKind kind, boolean done) {
        fake.failNext(1, kind, done);
    }

    @Override
    protected void lead(boolean now) {
        fake.lead(now);
    }

    @Override
    protected List<String> reasons(ObjectRef about) {
        return fake.events(about).stream().map(ClusterEvent::reason).toList();
    }

    @Override
    protected void end() {}

    @Test
    void aSourceWhoseWatchBreaksWhileItIsOpenedNeverSaysThatItIsSynced() {
        fake.put(ClusterObject.of(ObjectRef.node("node-1"), Map.of()));
        List<String> told = new ArrayList<>();

        fake.informer(ObjectKind.NODE).source().open(new Source.Sink() {
            @Override
            public void changed(String key) {
                told.add(key);
                fake.breakWatches();
                fake.restoreWatches();
            }

            @Override
            public void synced() {
                told.add("synced");
            }

            @Override
            public void lost(String why) {
                told.add("lost");
            }
        });

        assertThat(told).startsWith("node-1", "lost").doesNotContain("synced");
    }
}
