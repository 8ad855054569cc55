package io.enipam.daemon.testing;

import io.enipam.aliyun.AliyunConfig;
import io.enipam.aliyun.calls.ApiCallLog;
import io.enipam.aliyun.calls.LatencyHistogram;
import io.enipam.config.DaemonConfig;
import io.enipam.daemon.DaemonEnvironment;
import io.enipam.engine.port.CloudJournal;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.ResourceDb;
import io.enipam.engine.port.Scheduler;
import io.enipam.engine.port.TimeSource;
import io.enipam.node.cloud.CloudEmulation;
import io.enipam.node.cloud.CloudSession;
import io.enipam.store.LeaseEnds;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/** What a sandbox stands on: the journal on disk, the real client, the embedded emulator, whose account a test may use too. */
public class EmulatedSurroundings implements DaemonEnvironment {
    private final DaemonEnvironment real = DaemonEnvironment.real();
    private final AtomicLong ahead = new AtomicLong();
    private volatile Optional<AliyunConfig> account = Optional.empty();

    /** Somebody else with the account's key; the emulator must have been started. */
    public SomebodyElse somebodyElse() {
        return new SomebodyElse(account.orElseThrow());
    }

    /** So much time passes at once for the cloud's client, which is for the patience that it has with ENIs on their way. */
    public void passes(Duration time) {
        ahead.addAndGet(time.toNanos());
    }

    private TimeSource hastened(TimeSource time) {
        return new TimeSource() {
            @Override
            public Instant now() {
                return time.now();
            }

            @Override
            public long nanoTime() {
                return time.nanoTime() + ahead.get();
            }
        };
    }

    @Override
    public ResourceDb openDb(Path directory, LatencyHistogram forces, Supplier<LeaseEnds> ends) {
        return real.openDb(directory, forces, ends);
    }

    @Override
    public CloudSession openCloud(
            AliyunConfig config,
            ApiCallLog calls,
            TimeSource time,
            Scheduler scheduler,
            EventSink events,
            CloudJournal journal) {
        return real.openCloud(config, calls, hastened(time), scheduler, events, journal);
    }

    @Override
    public CloudEmulation startEmulator(DaemonConfig config, Path stateFile) {
        CloudEmulation emulation = real.startEmulator(config, stateFile);
        account = Optional.of(emulation.client());
        return emulation;
    }
}
