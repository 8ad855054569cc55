package io.enipam.daemon;

import io.enipam.aliyun.AliyunCloud;
import io.enipam.aliyun.AliyunConfig;
import io.enipam.aliyun.calls.ApiCallLog;
import io.enipam.config.DaemonConfig;
import io.enipam.engine.port.CloudJournal;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.ResourceDb;
import io.enipam.engine.port.Scheduler;
import io.enipam.engine.port.TimeSource;
import io.enipam.node.cloud.CloudEmulation;
import io.enipam.node.cloud.CloudSession;
import io.enipam.node.cloud.EmbeddedEmulator;
import io.enipam.node.kernel.HostNodeView;
import io.enipam.node.kernel.NodeView;
import io.enipam.observability.history.MeteredDisk;
import io.enipam.observability.history.TimingRecorder;
import io.enipam.store.DatabaseTools;
import io.enipam.store.DatabaseTools.FinishedRestore;
import io.enipam.store.Disk;
import io.enipam.store.JournaledResourceDb;
import io.enipam.store.OfflineTools;
import io.enipam.store.StoreOptions;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Supplier;

/** What the daemon stands on, so that its start-up and shutdown can be tested without a cloud and a disk's database. */
public interface DaemonEnvironment {
    /** Says where libraries may unpack what they need, such as native code: nowhere outside the daemon's own places. */
    default void unpackInto(Path directory) {}

    /** Opens the resource database of a directory. */
    ResourceDb openDb(Path directory);

    /** The same, counting how long the disk takes to force a file, where there is a disk. */
    default ResourceDb openDb(Path directory, TimingRecorder forces) {
        return openDb(directory);
    }

    /** Puts the database that a restore has prepared in the place of the present one; called before it is opened. */
    default Optional<FinishedRestore> finishRestore(Path directory) {
        return OfflineTools.of(directory).finishRestore();
    }

    /** What can be done to a database besides using it; empty if it has no files. */
    default Optional<DatabaseTools> toolsOf(ResourceDb db) {
        return db instanceof JournaledResourceDb journaled ? Optional.of(journaled.tools()) : Optional.empty();
    }

    /**
     * Asks the cloud who this node is; blocks. What is begun in the cloud is written to the journal first. Throws {@link
     * io.enipam.sdk.FactoryException} if there is no answer.
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
            public ResourceDb openDb(Path directory) {
                return JournaledResourceDb.open(directory);
            }

            @Override
            public ResourceDb openDb(Path directory, TimingRecorder forces) {
                return JournaledResourceDb.open(
                        directory, StoreOptions.defaults(), new MeteredDisk(Disk.local(), forces));
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
