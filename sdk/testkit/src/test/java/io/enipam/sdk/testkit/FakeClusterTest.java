package io.enipam.sdk.testkit;

import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.cluster.Cluster;
import io.enipam.sdk.cluster.ClusterEvent;
import io.enipam.sdk.cluster.ObjectRef;
import java.util.List;

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
}
