package io.enipam.daemon;

import io.enipam.aliyun.AliyunCloud;
import io.enipam.aliyun.AliyunConfig;
import io.enipam.aliyun.calls.ApiCallLog;
import io.enipam.aliyun.calls.LatencyHistogram;
import io.enipam.config.DaemonConfig;
import io.enipam.engine.port.CloudJournal;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.ResourceDb;
import io.enipam.engine.port.Scheduler;
import io.enipam.engine.port.TimeSource;
import io.enipam.node.cloud.CloudEmulation;
import io.enipam.node.cloud.CloudEmulation.EmbeddedEmulator;
import io.enipam.node.cloud.CloudSession;
import io.enipam.node.kernel.HostNodeView;
import io.enipam.node.kernel.NodeView;
import io.enipam.observability.history.MeteredDisk;
import io.enipam.store.Disk;
import io.enipam.store.JournaledResourceDb;
import io.enipam.store.LeaseEnds;
import io.enipam.store.StoreOptions;
import java.nio.file.Path;
import java.util.function.Supplier;

/**
 * The daemon's environment, replaceable so that tests of start-up and shutdown need no cloud and no database on disk.
 */
public interface DaemonEnvironment {
    /** Sets where libraries unpack files such as native code: only in the daemon's own directories. */
    default void unpackInto(Path directory) {}

    /**
     * Opens the resource database of a directory, recording how long the disk takes to force a file.
     *
     * @param ends follows the leases that end; asked once, when the database has been read, and may block until then
     */
    ResourceDb openDb(Path directory, LatencyHistogram forces, Supplier<LeaseEnds> ends);

    /**
     * Asks the cloud for this node's identity; blocks. Operations in the cloud are written to the journal before they
     * are sent. Throws {@link io.enipam.sdk.FactoryException} if there is no answer.
     */
    CloudSession openCloud(
            AliyunConfig config,
            ApiCallLog calls,
            TimeSource time,
            Scheduler scheduler,
            EventSink events,
            CloudJournal journal);

    /** The node that the daemon runs on. */
    default NodeView node(Supplier<DaemonConfig> config) {
        return new HostNodeView(config);
    }

    /** Starts the cloud of a sandbox. */
    CloudEmulation startEmulator(DaemonConfig config, Path stateFile);

    /** The journal on disk, Alibaba Cloud, and the emulator. */
    static DaemonEnvironment real() {
        return new DaemonEnvironment() {
            @Override
            public void unpackInto(Path directory) {
                System.setProperty("java.io.tmpdir", directory.toString());
            }

            @Override
            public ResourceDb openDb(Path directory, LatencyHistogram forces, Supplier<LeaseEnds> ends) {
                return JournaledResourceDb.open(
                        directory, StoreOptions.defaults(), new MeteredDisk(Disk.local(), forces), ends);
            }

            @Override
            public CloudSession openCloud(
                    AliyunConfig config,
                    ApiCallLog calls,
                    TimeSource time,
                    Scheduler scheduler,
                    EventSink events,
                    CloudJournal journal) {
                return CloudSession.of(AliyunCloud.open(config, calls, time, scheduler, events, journal));
            }

            @Override
            public CloudEmulation startEmulator(DaemonConfig config, Path stateFile) {
                return EmbeddedEmulator.start(config, stateFile);
            }
        };
    }
}
