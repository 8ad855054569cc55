package io.enipam.aliyun.testing;

import io.enipam.aliyun.AliyunCloud;
import io.enipam.aliyun.AliyunConfig;
import io.enipam.aliyun.CloudConnection;
import io.enipam.aliyun.EniConfig;
import io.enipam.aliyun.RecordedEvents;
import io.enipam.aliyun.calls.ApiCallLog;
import io.enipam.aliyun.client.RetryingEcsApi.CallConfig;
import io.enipam.aliyun.client.RetryingEcsApi.Sleeper;
import io.enipam.aliyun.credentials.CredentialsProvider.CredentialsConfig;
import io.enipam.aliyun.eni.FactorySettings.VSwitchPolicy;
import io.enipam.aliyun.lent.CloudLender;
import io.enipam.emulator.CloudEmulator;
import io.enipam.emulator.EmulatorConfig;
import io.enipam.emulator.cloud.CloudSnapshot.EniEntry;
import io.enipam.emulator.fault.FaultRule;
import io.enipam.engine.simulation.MemoryCloudJournal;
import io.enipam.engine.testing.RealTime;
import io.enipam.sdk.cloud.Cloud;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;

/** A node whose plugins have the daemon's own client, and an emulated cloud behind it. */
public final class PluginNode implements AutoCloseable {
    private static final String ZONE = "cn-hangzhou-a";

    private final RealTime time = new RealTime();
    private final AliyunConfig config;
    private final AliyunCloud daemon;
    private final CloudLender lender;
    private final CloudEmulator emulator;
    private final RecordedEvents events = new RecordedEvents();

    /** @param vSwitches id to range, the node's own first, in the order of preference */
    public PluginNode(String instanceType, Map<String, String> vSwitches) {
        emulator = CloudEmulator.start(EmulatorConfig.defaults()
                .withSite(new EmulatorConfig.Site("cn-hangzhou", List.of(ZONE), List.of(instanceType), vSwitches))
                .withAccessKey("test-key", "test-secret"));
        config = new AliyunConfig(
                new CredentialsConfig.Fixed("test-key", "test-secret"),
                CallConfig.USUAL,
                Optional.of(uri(emulator.address())),
                uri(emulator.metadataAddress()),
                EniConfig.defaults()
                        .withVSwitches(Map.of(ZONE, List.copyOf(vSwitches.keySet())), VSwitchPolicy.ORDERED));
        daemon = AliyunCloud.open(config, book(), time, time, events, new MemoryCloudJournal());
        lender = new CloudLender(daemon::lend, time);
    }

    private static URI uri(InetSocketAddress address) {
        return URI.create("http://127.0.0.1:" + address.getPort());
    }

    /** The cloud as the daemon lends it to the plugin with an id. */
    public Cloud lend(String plugin) {
        return lender.lend(plugin);
    }

    private ApiCallLog book() {
        return new ApiCallLog(time, new SplittableRandom(1), Map.of());
    }

    /** A replica of role CLUSTER on the same instance, without the node. */
    public CloudLender replica(BooleanSupplier leads) {
        return new CloudLender(
                () -> CloudConnection.open(config, book(), time, events, Sleeper.SLEEP)
                        .lend(leads),
                time);
    }

    public AliyunCloud daemon() {
        return daemon;
    }

    public CloudEmulator emulator() {
        return emulator;
    }

    public void fault(FaultRule rule) {
        emulator.control().faults().add(rule);
    }

    /** Has the cloud refuse the next call of an API with a code that it is known to use. */
    public void refuseNext(String api, String code) {
        fault(FaultRule.on(api).atMost(1).fail(code));
    }

    public RealTime time() {
        return time;
    }

    public RecordedEvents events() {
        return events;
    }

    /** The ENIs beside the instance's primary one. */
    public List<EniEntry> enis() {
        return emulator.snapshot().enis().stream().filter(eni -> !eni.primary()).toList();
    }

    /** The security groups of the VPC; the instance is in the first. */
    public List<String> securityGroups() {
        return emulator.securityGroups();
    }

    /** The /28 prefixes on them. */
    public List<String> prefixes() {
        return enis().stream()
                .flatMap(eni -> eni.addresses().ipv4Prefixes().stream())
                .sorted()
                .toList();
    }

    @Override
    public void close() {
        lender.close();
        daemon.close();
        emulator.close();
        time.close();
    }
}
