package io.enipam.daemon.testing;

import io.enipam.aliyun.AliyunConfig;
import io.enipam.aliyun.calls.CallBook;
import io.enipam.daemon.Surroundings;
import io.enipam.daemon.cloud.CloudEmulation;
import io.enipam.daemon.cloud.CloudSession;
import io.enipam.daemon.config.DaemonConfig;
import io.enipam.engine.port.CloudJournal;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.ResourceDb;
import io.enipam.engine.port.Scheduler;
import io.enipam.engine.port.TimeSource;
import java.nio.file.Path;
import java.util.Optional;

/** What a sandbox stands on: the journal on disk, the real client, the embedded emulator, whose account a test may use too. */
public class EmulatedSurroundings implements Surroundings {
    private final Surroundings real = Surroundings.real();
    private volatile Optional<AliyunConfig> account = Optional.empty();

    /** Somebody else with the account's key; the emulator must have been started. */
    public SomebodyElse somebodyElse() {
        return new SomebodyElse(account.orElseThrow());
    }

    @Override
    public ResourceDb openDb(Path directory) {
        return real.openDb(directory);
    }

    @Override
    public CloudSession openCloud(
            AliyunConfig config,
            CallBook calls,
            TimeSource time,
            Scheduler scheduler,
            EventSink events,
            CloudJournal journal) {
        return real.openCloud(config, calls, time, scheduler, events, journal);
    }

    @Override
    public CloudEmulation startEmulator(DaemonConfig config, Path stateFile) {
        CloudEmulation emulation = real.startEmulator(config, stateFile);
        account = Optional.of(emulation.client());
        return emulation;
    }
}
