package io.enipam.diagnostics.doctor;

import static io.enipam.diagnostics.doctor.Patient.NOW;
import static io.enipam.diagnostics.doctor.Patient.ago;
import static io.enipam.diagnostics.doctor.Patient.budget;
import static io.enipam.diagnostics.doctor.Patient.call;
import static io.enipam.diagnostics.doctor.Patient.calls;
import static io.enipam.diagnostics.doctor.Patient.cluster;
import static io.enipam.diagnostics.doctor.Patient.engine;
import static io.enipam.diagnostics.doctor.Patient.eni;
import static io.enipam.diagnostics.doctor.Patient.healthy;
import static io.enipam.diagnostics.doctor.Patient.minutesAgo;
import static io.enipam.diagnostics.doctor.Patient.pool;
import static io.enipam.diagnostics.doctor.Patient.rights;
import static io.enipam.diagnostics.doctor.Patient.room;
import static io.enipam.diagnostics.doctor.Patient.served;
import static io.enipam.diagnostics.doctor.Patient.stale;
import static io.enipam.diagnostics.doctor.Patient.sweep;
import static io.enipam.diagnostics.doctor.Patient.token;
import static io.enipam.diagnostics.doctor.Patient.unknown;
import static io.enipam.diagnostics.doctor.Patient.watch;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.enipam.aliyun.CloudProbe.Limits;
import io.enipam.aliyun.CloudProbe.VSwitchRoom;
import io.enipam.config.DaemonConfig;
import io.enipam.datapath.KernelDatapath.KernelFault;
import io.enipam.diagnostics.doctor.ClockChecks.CloudClock;
import io.enipam.diagnostics.doctor.CloudChecks.CloudKeys;
import io.enipam.diagnostics.doctor.CloudChecks.MetadataReply;
import io.enipam.diagnostics.doctor.CloudChecks.UnfinishedWork;
import io.enipam.diagnostics.doctor.CloudChecks.VSwitches;
import io.enipam.diagnostics.doctor.ClusterChecks.Credentials;
import io.enipam.diagnostics.doctor.ClusterChecks.NodeObject;
import io.enipam.diagnostics.doctor.ClusterChecks.PodListDifference;
import io.enipam.diagnostics.doctor.ConditionTracker.Observations;
import io.enipam.diagnostics.doctor.ConfigChecks.ConfigState;
import io.enipam.diagnostics.doctor.ConfigChecks.PluginOutput;
import io.enipam.diagnostics.doctor.ConfigChecks.PluginState;
import io.enipam.diagnostics.doctor.ExtensionChecks.ExtensionState;
import io.enipam.diagnostics.doctor.Facts.MissingFact;
import io.enipam.diagnostics.doctor.HostProbes.Conntrack;
import io.enipam.diagnostics.doctor.HostProbes.DiskSpace;
import io.enipam.diagnostics.doctor.HostProbes.ProcessState;
import io.enipam.diagnostics.doctor.KernelChecks.KernelFaults;
import io.enipam.diagnostics.doctor.Outcome.Evidence;
import io.enipam.diagnostics.doctor.Outcome.Severity;
import io.enipam.diagnostics.doctor.PoolChecks.EngineState;
import io.enipam.diagnostics.doctor.PoolChecks.GcPreview;
import io.enipam.diagnostics.doctor.PoolChecks.PoolOverride;
import io.enipam.diagnostics.doctor.ProcessChecks.DatabaseState;
import io.enipam.diagnostics.doctor.ProcessChecks.KeptEvents;
import io.enipam.diagnostics.doctor.ProcessChecks.RecordFiles;
import io.enipam.diagnostics.doctor.ProcessChecks.Versions;
import io.enipam.diagnostics.doctor.SourceChecks.SourceDifferences;
import io.enipam.diagnostics.doctor.StartLog.Starts;
import io.enipam.diagnostics.readiness.Trouble;
import io.enipam.diagnostics.readiness.Trouble.Cause;
import io.enipam.diagnostics.readiness.Troubles;
import io.enipam.diagnostics.sources.NodeSources.KnownEnis;
import io.enipam.diagnostics.sources.compare.Difference;
import io.enipam.diagnostics.sources.compare.Difference.Kind;
import io.enipam.engine.EngineStatus.Phase;
import io.enipam.engine.PendingWork;
import io.enipam.engine.lease.GarbageCollector.GcReport;
import io.enipam.engine.model.Event;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.ResourceKey;
import io.enipam.engine.model.TableRow;
import io.enipam.engine.pool.CapacityOverride;
import io.enipam.engine.pool.PoolFactories.FactoryView;
import io.enipam.engine.pool.PoolSettings.Watermarks;
import io.enipam.engine.pool.PoolView;
import io.enipam.engine.pool.PoolView.RetryState;
import io.enipam.engine.pool.PoolView.WaiterView;
import io.enipam.engine.port.CloudJournal;
import io.enipam.engine.port.CloudOperation;
import io.enipam.engine.port.LeaseHistory;
import io.enipam.engine.port.ResourceDb.Intent;
import io.enipam.engine.testing.FakeGrants;
import io.enipam.kubernetes.api.CredentialStatus;
import io.enipam.kubernetes.api.RequestStats.Count;
import io.enipam.node.cluster.ClusterInspector.ClusterState;
import io.enipam.platform.testing.FakeEngine;
import io.enipam.pluginhost.PluginReport;
import io.enipam.pluginhost.controller.ControllerView;
import io.enipam.pluginhost.controller.ControllerView.FailingKey;
import io.enipam.pluginhost.endpoint.Endpoints;
import io.enipam.pluginhost.endpoint.Endpoints.Counts;
import io.enipam.pluginhost.endpoint.Endpoints.EndpointView;
import io.enipam.pluginhost.extension.Drift;
import io.enipam.pluginhost.extension.EffectQueue.EffectView;
import io.enipam.pluginhost.extension.Voting.BallotView;
import io.enipam.pluginhost.extension.Voting.VoteView;
import io.enipam.pluginhost.load.LoadedPlugin.PluginManifest;
import io.enipam.sdk.ClaimId;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Grant;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.Prefix;
import io.enipam.sdk.ResourceState;
import io.enipam.sdk.ledger.Ledger;
import io.enipam.sdk.ledger.PendingEffect;
import io.enipam.store.Verification;
import io.enipam.store.history.RecordLog;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Each check finds its fault, says it as bad as it is, and finds nothing on a node in good health. */
class CatalogueTest {
    private static Stream<Arguments> faults() {
        return Stream.of(
                fault("kernel-link-broken", Severity.CRITICAL, kernel(KernelFault.Part.LINK), "cali1 is down"),
                fault("kernel-link-broken", Severity.OK, kernel(KernelFault.Part.RULE), ""),
                fault("kernel-rule-foreign", Severity.WARN, kernel(KernelFault.Part.LEFTOVER), "cali1 is down"),
                fault("kernel-rule-missing", Severity.CRITICAL, kernel(KernelFault.Part.RULE), "cali1 is down"),
                fault("kernel-rule-missing", Severity.CRITICAL, kernel(KernelFault.Part.ROUTE), "c1"),
                fault("kernel-setting-wrong", Severity.WARN, kernel(KernelFault.Part.SYSCTL), "cali1 is down"),
                fault(
                        "lease-stale",
                        Severity.WARN,
                        new GcPreview(List.of(stale()), List.of(), List.of()),
                        "default/web-0"),
                fault(
                        "lease-stale",
                        Severity.WARN,
                        new GcPreview(
                                List.of(stale()),
                                List.of(new GcReport.ClaimEnd(
                                        new FakeGrants().grant("c1", "default/db-0", "u1", "10.7.0.2/24"),
                                        "the pod does not exist")),
                                List.of()),
                        "default/db-0"),
                fault("gc-late", Severity.WARN, since(minutesAgo(30), minutesAgo(1)), "30m"),
                fault("reconcile-late", Severity.WARN, since(minutesAgo(1), minutesAgo(30)), "30m"),
                fault("eni-leaked", Severity.WARN, sweep(unknown(true)), "eni-7"),
                fault("eni-leaked", Severity.INFO, sweep(unknown(false)), "younger"),
                fault("eni-stuck", Severity.WARN, enis("Stuck", minutesAgo(1), 0), "Stuck"),
                fault("eni-stuck", Severity.WARN, enis("Detaching", minutesAgo(5), 0), "Detaching"),
                fault("eni-stuck", Severity.OK, enis("Detaching", minutesAgo(1), 0), ""),
                fault("eni-backlog", Severity.WARN, enis("InUse", minutesAgo(50), 10), "10 requests"),
                fault("pool-exhausted", Severity.CRITICAL, trouble(Cause.POOL_FULL, true, "all 10"), "all 10"),
                fault("pool-exhausted", Severity.WARN, trouble(Cause.POOL_FULL, false, "all 10"), "all 10"),
                fault("pool-exhausted", Severity.OK, engine(pool(0, 9, 10, 3)), "1 more"),
                fault("pool-starving", Severity.WARN, agenda(queue(), 0), "default/web-9"),
                fault("pool-starving", Severity.WARN, waiting(Duration.ofSeconds(40)), "40s"),
                fault("pool-starving", Severity.CRITICAL, waiting(Duration.ofMinutes(3)), "3m"),
                fault("pool-starving", Severity.OK, waiting(Duration.ofSeconds(10)), ""),
                fault("supply-failing", Severity.WARN, agenda(List.of(), 3), "quota"),
                fault("supply-failing", Severity.OK, agenda(List.of(), 2), ""),
                fault("disposal-failing", Severity.WARN, agenda(List.of(), 3), "eni-1/10.0.0.4"),
                fault("add-failures", Severity.WARN, Patient.adds(5, Map.of("CLOUD_FAILED", 3L)), "3 of the last 8"),
                fault("add-failures", Severity.CRITICAL, Patient.adds(0, Map.of("STORE_FAILED", 6L)), "STORE_FAILED"),
                fault("add-failures", Severity.OK, Patient.adds(100, Map.of("CLOUD_FAILED", 3L)), ""),
                fault("address-duplicate", Severity.CRITICAL, differs(Kind.ADDRESS_TWICE), "10.0.0.4"),
                fault("address-leaked", Severity.WARN, differs(Kind.ADDRESS_UNKNOWN), "cloud"),
                fault("address-lost", Severity.CRITICAL, differs(Kind.ADDRESS_NOT_IN_CLOUD), "a pod has"),
                fault("address-lost", Severity.WARN, invalid(), "no pod has"),
                fault("address-lost", Severity.CRITICAL, lostEni(), "3 addresses of it away, 3 pods have some"),
                fault(
                        "address-file-differs",
                        Severity.WARN,
                        new AddressFileState(
                                "/var/lib/cni/networks",
                                0,
                                1,
                                List.of(new AddressFileState.Odd("10.0.0.4", "no owner", Optional.empty()))),
                        "10.0.0.4"),
                fault("eni-lost", Severity.CRITICAL, differs(Kind.ENI_NOT_IN_CLOUD), "10.0.0.4"),
                fault("hold-differs", Severity.WARN, differs(Kind.HOLD_DIFFERS), "10.0.0.4"),
                fault("lease-contradiction", Severity.CRITICAL, differs(Kind.LEASE_NOT_IN_POOL), "10.0.0.4"),
                fault("lease-contradiction", Severity.CRITICAL, differs(Kind.LENT_WITHOUT_LEASE), "10.0.0.4"),
                fault("sandbox-disconnected", Severity.CRITICAL, differs(Kind.LEASE_NOT_CONNECTED), "10.0.0.4"),
                fault("sandbox-stray", Severity.WARN, differs(Kind.CONNECTED_WITHOUT_LEASE), "10.0.0.4"),
                fault("pod-address-differs", Severity.WARN, differs(Kind.POD_TELLS_ANOTHER), "10.0.0.4"),
                fault("stock-low", Severity.WARN, below(Duration.ofMinutes(6)), "6m"),
                fault("stock-low", Severity.OK, below(Duration.ofMinutes(2)), ""),
                fault("eni-lost", Severity.CRITICAL, trouble(Cause.ENI_LOST, true, "eni-1: 9 pods"), "9 pods"),
                fault("supply-failing", Severity.CRITICAL, trouble(Cause.SUPPLY, true, "none idle"), "none idle"),
                fault("supply-failing", Severity.WARN, trouble(Cause.STOCK, false, "1 idle"), "1 idle"),
                fault("pool-drained", Severity.INFO, drained(), "told by shell, uid 0"),
                fault("pool-drained", Severity.OK, warm(), ""),
                fault("watermarks-unmet", Severity.WARN, minimum(7), "7 is wanted, 3 is in force"),
                fault("watermarks-unmet", Severity.OK, minimum(3), ""),
                fault("watermarks-unmet", Severity.CRITICAL, engine(pool(0, 0, 0, 0)), "no address at all"),
                fault("capacity-reduced", Severity.INFO, new Limits("ecs.x", 7, 2, 20), "2 in force"),
                fault("factory-leaving", Severity.INFO, leaving(), "cidr"),
                fault("operation-overdue", Severity.WARN, pending(11), "eni-9"),
                fault("operation-overdue", Severity.OK, pending(5), ""),
                fault("cloud-unreachable", Severity.CRITICAL, calls(Optional.of("dead"), List.of(), List.of()), "dead"),
                fault("cloud-unreachable", Severity.CRITICAL, failing("SDK.ServerUnreachable", 3, false), "3 calls"),
                fault("cloud-unreachable", Severity.OK, failing("SDK.ServerUnreachable", 2, false), ""),
                fault("cloud-unreachable", Severity.OK, failing("Throttling.User", 9, false), ""),
                fault("cloud-refuses", Severity.CRITICAL, failing("Forbidden.RAM", 1, false), "R-1"),
                fault("cloud-refuses", Severity.OK, failing("Forbidden.RAM", 1, true), ""),
                fault("cloud-refuses", Severity.WARN, failing("QuotaExceeded", 5, true), "5 of the last 6"),
                fault(
                        "api-throttled",
                        Severity.WARN,
                        budgets(500, 500, 10, Optional.of(NOW.plusSeconds(20)), 1),
                        "20s"),
                fault("api-throttled", Severity.WARN, budgets(500, 100, 10, Optional.empty(), 1), "100 calls"),
                fault("api-budget-low", Severity.WARN, budgets(500, 500, 450, Optional.empty(), 0), "50 left"),
                fault("vswitch-low", Severity.WARN, vswitches(room("vsw-a", 3), room("vsw-b", 90)), "vsw-b with 90"),
                fault("vswitch-low", Severity.WARN, vswitches(room("vsw-a", 0), room("vsw-b", 3)), "vsw-b"),
                fault("vswitch-low", Severity.CRITICAL, vswitches(room("vsw-a", 0)), "0 free"),
                fault(
                        "vswitch-low",
                        Severity.WARN,
                        vswitches(room("vsw-a", 99), new VSwitchRoom("vsw-x", "", "", 0, "it does not exist")),
                        "does not exist"),
                fault("credentials-expiring", Severity.WARN, keys(NOW.plusSeconds(300)), "5m"),
                fault("credentials-expiring", Severity.CRITICAL, keys(NOW.minusSeconds(1)), "ended"),
                fault(
                        "credentials-expiring",
                        Severity.CRITICAL,
                        new CloudKeys("", Optional.empty(), Optional.of("no role")),
                        "no role"),
                fault("clock-skew", Severity.WARN, new CloudClock(Duration.ofMinutes(3)), "behind the cloud"),
                fault("clock-skew", Severity.CRITICAL, new CloudClock(Duration.ofMinutes(-14)), "ahead of the cloud"),
                fault("clock-skew", Severity.CRITICAL, failing("InvalidTimeStamp.Expired", 1, false), "refuses calls"),
                fault("clock-skew", Severity.OK, failing("InvalidTimeStamp.Expired", 1, true), ""),
                fault("cloud-refuses", Severity.CRITICAL, failing("Client.NoCredentials", 1, false), "R-1"),
                fault("clock-jumped", Severity.WARN, jump(10), "60m ahead"),
                fault("clock-jumped", Severity.INFO, jump(120), "60m ahead"),
                fault("metadata-unreachable", Severity.WARN, metadata("", Optional.of("timeout")), "timeout"),
                fault("metadata-unreachable", Severity.CRITICAL, metadata("i-2", Optional.empty()), "i-2"),
                fault(
                        "database-unwritable",
                        Severity.CRITICAL,
                        trouble(Cause.DATABASE, true, "no space left"),
                        "no space left"),
                fault("database-damaged", Severity.CRITICAL, damaged(), "checksum"),
                fault("database-large", Severity.INFO, new DatabaseState(2L << 30), "2.0 GiB"),
                fault(
                        "lease-history",
                        Severity.WARN,
                        new LeaseHistory.State(7, 500, Optional.empty(), Optional.of("No space left on device")),
                        "No space left on device"),
                fault("record-files", Severity.WARN, events(0, "No space left on device"), "No space left on device"),
                fault("record-files", Severity.WARN, events(7, ""), "7 dropped"),
                fault("record-files", Severity.OK, events(0, ""), ""),
                fault("disk-nearly-full", Severity.WARN, disk(100L << 30, 900L << 20, 500), "900 MiB"),
                fault("disk-nearly-full", Severity.CRITICAL, disk(100L << 30, 1L << 20, 500), "1.0 MiB"),
                fault("disk-nearly-full", Severity.WARN, disk(100L << 30, 50L << 30, 50), "inodes"),
                fault("disk-nearly-full", Severity.CRITICAL, disk(100L << 30, 50L << 30, 10), "inodes"),
                fault("disk-nearly-full", Severity.OK, disk(2000L << 30, 20L << 30, 500), ""),
                fault("file-rights", Severity.CRITICAL, rights("rw-rw-rw-"), "rw-rw-rw-"),
                fault("file-rights", Severity.WARN, rights("r--r-----"), "r--r-----"),
                fault("file-rights", Severity.OK, rights("rw-------"), ""),
                fault("not-serving", Severity.WARN, recovering(Duration.ofMinutes(1)), "RECOVERING"),
                fault("not-serving", Severity.CRITICAL, recovering(Duration.ofMinutes(9)), "RECOVERING"),
                fault("not-serving", Severity.INFO, recovering(Duration.ofSeconds(9)), "RECOVERING"),
                fault("restart-storm", Severity.WARN, starts(3), "3 starts"),
                fault("restart-storm", Severity.CRITICAL, starts(6), "6 starts"),
                fault("descriptors-low", Severity.WARN, process(850, 10, List.of(), 1), "850 of 1000"),
                fault("descriptors-low", Severity.CRITICAL, process(990, 10, List.of(), 1), "990 of 1000"),
                fault("memory-low", Severity.WARN, process(1, 90, List.of(), 1), "heap"),
                fault("memory-low", Severity.CRITICAL, process(1, 1, List.of(), 99), "control group"),
                fault("deadlocked", Severity.CRITICAL, process(1, 1, List.of("a", "b"), 1), "2 threads"),
                fault("events-short", Severity.INFO, events(minutesAgo(5)), "AddressLost"),
                fault("events-short", Severity.OK, events(minutesAgo(500)), ""),
                fault(
                        "config-adjusted",
                        Severity.INFO,
                        new ConfigState(List.of("cut"), List.of("prefix of x"), List.of(), List.of()),
                        "prefix"),
                fault(
                        "config-adjusted",
                        Severity.INFO,
                        new ConfigState(
                                List.of(),
                                List.of(),
                                List.of(new DaemonConfig.Pending("max_eni", "3", "configmap a/b")),
                                List.of()),
                        "is '3' of configmap a/b after a restart"),
                fault(
                        "config-not-followed",
                        Severity.WARN,
                        new ConfigState(List.of(), List.of(), List.of(), List.of("the API server knows no node 'n'")),
                        "no node 'n'"),
                fault(
                        "kernel-unusable",
                        Severity.CRITICAL,
                        trouble(Cause.KERNEL, true, "ip not found on the PATH"),
                        "ip not found"),
                fault("version-skew", Severity.INFO, new Versions("1.0", "0.9"), "0.9"),
                fault(
                        "apiserver-unreachable",
                        Severity.CRITICAL,
                        asked(false, unanswered()),
                        "GET pods, seen=no answer"),
                fault("apiserver-unreachable", Severity.WARN, asked(true, unanswered()), "GET pods, seen=no answer"),
                fault("apiserver-unreachable", Severity.OK, asked(false, now("GET pods", 500)), ""),
                fault("apiserver-refuses-token", Severity.CRITICAL, asked(true, now("GET pods", 401)), "401"),
                fault("apiserver-refuses-token", Severity.OK, healed("GET pods", 401), ""),
                fault("permission-missing", Severity.CRITICAL, asked(true, now("WATCH pods", 403)), "watch pods"),
                fault("permission-missing", Severity.WARN, asked(true, now("PATCH nodes", 403)), "patch nodes"),
                fault("permission-missing", Severity.OK, healed("LIST pods", 403), ""),
                fault("apiserver-throttles", Severity.WARN, asked(true, now("GET pods", 429)), "429"),
                fault("apiserver-clock-skew", Severity.WARN, clock(Duration.ofSeconds(-40)), "40s ahead of"),
                fault("apiserver-clock-skew", Severity.WARN, clock(Duration.ofMinutes(40)), "40m behind"),
                fault("cluster-events-lost", Severity.INFO, lost(minutesAgo(5)), "too many"),
                fault("cluster-events-lost", Severity.OK, lost(minutesAgo(15)), ""),
                fault("watch-stale", Severity.WARN, asked(false, now("LIST pods", 200)), "no route"),
                fault(
                        "watch-stale",
                        Severity.WARN,
                        new PodListDifference(List.of("a/b, uid 1"), List.of()),
                        "never heard of"),
                fault("watch-stale", Severity.WARN, new PodListDifference(List.of(), List.of("a/b, uid 1")), "a/b"),
                fault("node-unknown", Severity.CRITICAL, new NodeObject("node-x", Optional.empty()), "node-x"),
                fault("certificate-expiring", Severity.WARN, credential(token(3600, 300)), "ends in 5h"),
                fault("certificate-expiring", Severity.OK, credential(token(60, 10)), ""),
                fault("certificate-expiring", Severity.CRITICAL, credential(token(60, -1)), "ended 60s ago"),
                fault("certificate-expiring", Severity.CRITICAL, credential(unreadable()), "holds none"),
                fault("pod-without-lease", Severity.WARN, differs(Kind.POD_WITHOUT_LEASE), "10.0.0.4"),
                fault(
                        "gc-unconfirmed",
                        Severity.WARN,
                        new GcPreview(List.of(), List.of(), List.of("GET pod a/b: 500")),
                        "500"),
                fault("pods-unknown", Severity.INFO, unknownPods(), "no cluster"),
                fault("plugin-output-limited", Severity.WARN, new PluginOutput(Map.of("vlan", "not taken")), "vlan"),
                fault("effect-failing", Severity.WARN, extensions(), "1 effect failing"),
                fault("ballot-waiting", Severity.WARN, extensions(), "1 claim waiting"),
                fault("endpoint-down", Severity.WARN, extensions(), "2 endpoints not serving"),
                fault("allocator-drift", Severity.WARN, extensions(), "1 grant not as outside"),
                fault("controller-lost", Severity.WARN, extensions(), "the watch ended"),
                fault("controller-key-failing", Severity.WARN, extensions(), "2 keys failing"),
                fault("controller-behind", Severity.WARN, extensions(), "11 keys wait"),
                fault("grants-unserved", Severity.WARN, extensions(), "1 extension with grants not running"),
                fault("plugin-failed", Severity.WARN, plugins(PluginReport.State.FAILED, "a", "a", ""), "warm"),
                fault("plugin-replaced", Severity.INFO, plugins(PluginReport.State.LOADED, "a", "a", ""), "warm"),
                fault("plugin-replaced", Severity.OK, plugins(PluginReport.State.ACTIVE, "a", "a", ""), ""),
                fault("plugin-degraded", Severity.WARN, plugins(PluginReport.State.DEGRADED, "a", "a", ""), "warm"),
                fault(
                        "policy-fallback",
                        Severity.WARN,
                        plugins(PluginReport.State.LOADED, "warm", "a", ""),
                        "stands in"),
                fault("policy-target", Severity.WARN, flapping(), "policy warm changes its target"),
                fault("factory-away", Severity.CRITICAL, plugins(PluginReport.State.LOADED, "a", "a", "away"), "away"),
                fault(
                        "kernel-netlink-unused",
                        Severity.WARN,
                        new KernelFaults(Optional.empty(), Optional.of("enipam-netlink is not there"), List.of()),
                        "enipam-netlink is not there"),
                fault("cool-down-short", Severity.INFO, conntrack(Duration.ofSeconds(120), 1), "time_wait"),
                fault("conntrack-full", Severity.WARN, conntrack(Duration.ofSeconds(1), 850), "850 of 1000"),
                fault("conntrack-full", Severity.CRITICAL, conntrack(Duration.ofSeconds(1), 990), "990 of 1000"));
    }

    private static KernelFaults kernel(KernelFault.Part part) {
        return new KernelFaults(
                Optional.empty(),
                Optional.empty(),
                List.of(new KernelFault(Optional.of(new OwnerKey("k8s", "c1", "eth0")), part, "cali1 is down", true)));
    }

    private static Troubles.Found trouble(Cause cause, boolean critical, String text) {
        String advice = "doctor " + cause.check();
        return new Troubles.Found(
                List.of(new Trouble(cause, critical, text, minutesAgo(3), List.of(), List.of("eni-1"), advice)), false);
    }

    @Test
    void whatATroubleSaysComesBeforeWhatTheCheckSawAndItsAdviceDoesNotNameTheCheckItself() {
        Outcome outcome = check("add-failures")
                .look(healthy()
                        .with(Patient.adds(0, Map.of("CLOUD_FAILED", 9L)))
                        .with(trouble(Cause.ADDS, true, "every ADD of the last 70 s failed")));

        assertThat(outcome.summary()).isEqualTo("every ADD of the last 70 s failed");
        assertThat(outcome.evidence())
                .extracting(Evidence::subject)
                .containsExactly("eni-1", "add-failures", "CLOUD_FAILED");
        assertThat(outcome.evidence().get(0).since()).contains(minutesAgo(3));
        assertThat(outcome.fix()).as("the check's own").isEmpty();
    }

    @Test
    void aNodeThatIsNotReadySinceEveryAddFailsIsCriticalAlthoughOneWorkedMinutesAgo() {
        Outcome outcome = check("add-failures")
                .look(healthy()
                        .with(Patient.adds(1, Map.of("CLOUD_FAILED", 9L)))
                        .with(trouble(Cause.ADDS, true, "every ADD of the last 70 s failed")));

        assertThat(outcome.severity()).isEqualTo(Severity.CRITICAL);
        assertThat(outcome.summary()).isEqualTo("every ADD of the last 70 s failed");
    }

    @Test
    void aDaemonThatConnectsNobodyInTheKernelHasNothingToLookAtThere() {
        Outcome outcome = check("kernel-rule-missing")
                .look(healthy().with(new KernelFaults(Optional.of("all is simulated"), Optional.empty(), List.of())));

        assertThat(outcome.severity()).isEqualTo(Severity.SKIPPED);
        assertThat(outcome.summary()).isEqualTo("not applicable: all is simulated");
    }

    private static Arguments fault(String id, Severity severity, Record spoilt, String said) {
        return arguments(id, severity, spoilt, said);
    }

    @ParameterizedTest(name = "{0} says {1}: {3}")
    @MethodSource("faults")
    void aCheckFindsItsFault(String id, Severity severity, Record spoilt, String said) {
        Outcome outcome = check(id).look(healthy().with(spoilt));

        assertThat(outcome.severity()).as(outcome.toString()).isEqualTo(severity);
        assertThat(outcome.toString()).contains(said);
        if (severity.atLeast(Severity.WARN)) {
            assertThat(outcome.evidence()).isNotEmpty();
            assertThat(outcome.fix().orElse(check(id).fix())).isNotBlank();
        }
        assertThat(check(id).worst().atLeast(severity)).isTrue();
    }

    @Test
    void nothingIsFoundOnANodeInGoodHealth() {
        assertThat(Catalogue.all()).allSatisfy(check -> {
            Outcome outcome = check.look(healthy());
            assertThat(outcome.severity()).as(check.id() + " " + outcome).isEqualTo(Severity.OK);
            assertThat(outcome.summary()).isNotBlank();
        });
    }

    @Test
    void everyCheckOfThisBuildIsShownAFaultHere() {
        Set<String> shown = new HashSet<>();
        faults().filter(fault -> fault.get()[1] != Severity.OK).forEach(fault -> shown.add((String) fault.get()[0]));

        assertThat(Catalogue.all())
                .extracting(check -> check.id())
                .allSatisfy(id -> assertThat(shown).contains(id));
    }

    @Test
    void idsAreStableWordsAndTextsAreThere() {
        assertThat(Catalogue.all())
                .extracting(check -> check.id())
                .doesNotHaveDuplicates()
                .isSorted();
        assertThat(Catalogue.all()).allSatisfy(check -> {
            assertThat(check.id()).matches("[a-z][a-z0-9]*(-[a-z0-9]+)*");
            assertThat(List.of(check.title(), check.looksAt(), check.why())).noneMatch(String::isBlank);
            assertThat(check.worst()).isNotIn(Severity.OK, Severity.SKIPPED);
        });
    }

    @Test
    void aCheckWhoseFactsAreMissingSaysSoAndJudgesNothing() {
        Patient silent = healthy().without(VSwitches.class);

        org.assertj.core.api.Assertions.assertThatThrownBy(
                        () -> check("vswitch-low").look(silent))
                .isInstanceOf(MissingFact.class);
    }

    private static Check check(String id) {
        return Catalogue.all().stream()
                .filter(check -> check.id().equals(id))
                .findFirst()
                .orElseThrow(() -> new AssertionError("there is no check " + id));
    }

    private static ClusterState asked(boolean heard, Count last) {
        return cluster(watch(heard, heard), served("GET pods", 200), last);
    }

    private static Count unanswered() {
        return now("GET pods", 0);
    }

    private static Count now(String request, int code) {
        return new Count(request, code, 1, NOW);
    }

    /** Refused once, and served since. */
    private static ClusterState healed(String request, int code) {
        return cluster(watch(true, true), served(request, code), now(request, 200));
    }

    private static ClusterState clock(Duration ahead) {
        return cluster(watch(true, true), Optional.empty(), ahead, served("GET pods", 200));
    }

    private static ClusterState lost(Instant last) {
        return cluster(watch(true, true), Optional.of(last), Duration.ZERO, served("GET pods", 200));
    }

    private static Credentials credential(CredentialStatus credential) {
        return new Credentials("a token", List.of(credential));
    }

    private static CredentialStatus unreadable() {
        return new CredentialStatus(
                "client certificate", Optional.empty(), Optional.empty(), Optional.of("x holds none"));
    }

    private static EngineState since(Instant gc, Instant sync) {
        return engine(Phase.READY, minutesAgo(90), pool(2, 3, 10, 0), gc, sync, List.of());
    }

    private static SourceDifferences differs(Kind kind) {
        return new SourceDifferences(
                List.of(new Difference(
                        kind,
                        "10.0.0.4",
                        Set.of("10.0.0.4"),
                        "eni-1",
                        Optional.of(Patient.owner(1)),
                        Optional.empty(),
                        "address 10.0.0.4 is not as it should be",
                        Map.of("cloud", "not on eni-1"))),
                Map.of());
    }

    /** One ENI with three pods on it. */
    private static EngineState lostEni() {
        List<PoolView.Entry> lost = IntStream.range(7, 10)
                .mapToObj(number -> new PoolView.Entry(
                        Patient.resource(number),
                        ResourceState.INVALID,
                        minutesAgo(1),
                        Optional.empty(),
                        Optional.of(Patient.owner(number)),
                        Optional.of(new PodRef("default", "web-" + number))))
                .toList();
        return engine(FakeEngine.view(NOW, "eni-ip", new Watermarks(2, 5, 10), 0, 0, lost));
    }

    private static EngineState invalid() {
        PoolView usual = pool(2, 3, 10, 0);
        PoolView.Entry lost = new PoolView.Entry(
                Patient.resource(9),
                ResourceState.INVALID,
                minutesAgo(1),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
        return engine(FakeEngine.view(
                NOW,
                "eni-ip",
                new Watermarks(2, 5, 10),
                0,
                0,
                List.of(usual.entries().get(0), lost)));
    }

    private static List<WaiterView> queue() {
        return List.of(new WaiterView(Patient.owner(9), new PodRef("default", "web-9"), minutesAgo(1), NOW));
    }

    /** An engine with these callers in the queue, and so many tries in a row that failed. */
    private static EngineState agenda(List<WaiterView> queue, int failures) {
        EngineState usual = engine(pool(2, 3, 10, 0));
        RetryState setback = new RetryState(
                failures, ErrorKind.QUOTA_EXHAUSTED, "the quota is used up", minutesAgo(1), NOW, minutesAgo(1));
        PendingWork agenda = new PendingWork(
                NOW,
                Set.of(),
                queue,
                List.of(),
                failures == 0 ? Optional.empty() : Optional.of(setback),
                failures == 0 ? Map.of() : Map.of(ResourceKey.of(Patient.resource(4)), setback),
                PendingWork.NextRuns.NONE);
        return new EngineState(usual.status(), usual.pool(), usual.config(), agenda, usual.factories(), true);
    }

    @Test
    void whatASilentSourceWouldHaveToSayIsSkippedWithTheReason() {
        SourceDifferences silent = new SourceDifferences(List.of(), Map.of("cloud", "no answer within 5 s"));

        assertThat(List.of("address-leaked", "address-lost", "eni-lost")).allSatisfy(id -> {
            Outcome outcome = check(id).look(healthy().with(silent));
            assertThat(outcome.severity()).isEqualTo(Severity.SKIPPED);
            assertThat(outcome.summary()).contains("no answer within 5 s");
        });
    }

    private static EngineState leaving() {
        FactoryView cidr = new FactoryView("cidr", FactoryView.Role.LEAVING, 4, 3);
        return engine(Phase.READY, minutesAgo(90), pool(2, 3, 10, 0), minutesAgo(1), minutesAgo(1), List.of(cidr));
    }

    private static EngineState recovering(Duration ago) {
        return engine(Phase.RECOVERING, ago(ago), pool(0, 0, 0, 0), minutesAgo(1), minutesAgo(1), List.of());
    }

    private static EngineState unknownPods() {
        EngineState known = engine(pool(2, 3, 10, 0));
        return new EngineState(known.status(), known.pool(), known.config(), known.agenda(), known.factories(), false);
    }

    /** A node of three whole ENIs, with the usual upper watermark of five. */
    private static EngineState minimum(int idle) {
        EngineState known = engine(pool(1, 0, 3, 0));
        return new EngineState(
                known.status(),
                known.pool(),
                Patient.config(idle, Math.max(5, idle), Duration.ZERO),
                known.agenda(),
                known.factories(),
                known.podsKnown());
    }

    private static KnownEnis enis(String state, Instant since, int queued) {
        return new KnownEnis(List.of(eni(state, since, queued)));
    }

    private static Observations waiting(Duration ago) {
        return new Observations(List.of(), Optional.of(ago(ago)), Optional.empty());
    }

    private static Observations below(Duration ago) {
        return new Observations(List.of(), Optional.empty(), Optional.of(ago(ago)));
    }

    private static PoolOverride drained() {
        return new PoolOverride(CapacityOverride.drained(minutesAgo(20)), "shell, uid 0");
    }

    private static PoolOverride warm() {
        return new PoolOverride(CapacityOverride.warm(20, minutesAgo(1), NOW.plusSeconds(60)), "shell, uid 0");
    }

    @Test
    void aPoolThatIsDrainedHasNoStockOnPurpose() {
        Patient drained = healthy().with(below(Duration.ofMinutes(20))).with(drained());

        assertThat(check("stock-low").look(drained).severity()).isEqualTo(Severity.OK);
        assertThat(check("pool-drained").look(drained).summary()).startsWith("drained for 20m");
        assertThat(check("pool-drained").fix()).isEqualTo("pool drain --undo");
    }

    private static Observations jump(int minutesAgo) {
        return new Observations(
                List.of(new Observations.Jump(minutesAgo(minutesAgo), Duration.ofHours(1))),
                Optional.empty(),
                Optional.empty());
    }

    private static UnfinishedWork pending(int minutes) {
        return new UnfinishedWork(
                List.of(new Intent("eni-9/10.0.0.9", Intent.Action.DISPOSE, minutesAgo(minutes), "eni-ip")),
                List.of(CloudJournal.Entry.of(new CloudOperation.Delete("eni-9"), minutesAgo(minutes), 1)));
    }

    /** So many failed calls of the last minutes, and with {@code since} one that worked after them. */
    private static Record failing(String code, int count, boolean since) {
        var failed = IntStream.rangeClosed(1, count).mapToObj(i -> call(count + 1L - i, 3, code));
        return calls(
                Optional.empty(),
                List.of(),
                Stream.concat(since ? Stream.of(call(count + 1L, 1, "")) : Stream.of(), failed)
                        .toList());
    }

    private static Record budgets(int limit, int allowed, int used, Optional<Instant> inhibited, long throttles) {
        return calls(Optional.empty(), List.of(budget(limit, allowed, used, inhibited, throttles)), List.of());
    }

    private static VSwitches vswitches(VSwitchRoom... rooms) {
        return new VSwitches(List.of(rooms));
    }

    private static CloudKeys keys(Instant expires) {
        return new CloudKeys("the RAM role", Optional.of(expires), Optional.empty());
    }

    private static MetadataReply metadata(String instance, Optional<String> trouble) {
        return new MetadataReply(instance, Patient.INSTANCE, trouble);
    }

    private static Verification damaged() {
        return new Verification(
                9,
                List.of(),
                List.of(new Verification.Problem("journal", "journal-1", OptionalLong.of(64), "checksum differs")));
    }

    private static RecordFiles events(long dropped, String trouble) {
        Optional<String> told = Optional.of(trouble).filter(text -> !text.isEmpty());
        return new RecordFiles(Map.of("events", new RecordLog.State(7, 500, Optional.empty(), dropped, told)));
    }

    private static DiskSpace disk(long total, long usable, long inodesFree) {
        return new DiskSpace(Path.of("/db"), total, usable, Optional.of(new DiskSpace.Inodes(1000, inodesFree)));
    }

    private static Starts starts(int count) {
        return new Starts(
                IntStream.rangeClosed(1, count)
                        .mapToObj(i -> minutesAgo(count + 1 - i))
                        .toList(),
                Optional.empty());
    }

    private static ProcessState process(long files, long heap, List<String> deadlocked, long cgroup) {
        return new ProcessState(files, 1000, heap, 100, deadlocked, Optional.of(new ProcessState.Cgroup(cgroup, 100)));
    }

    private static KeptEvents events(Instant oldest) {
        return new KeptEvents(
                List.of(new Event(1, oldest, Event.Severity.WARNING, "AddressLost", "x", "gone", Map.of())), 1);
    }

    private static Conntrack conntrack(Duration timeWait, long entries) {
        return new Conntrack(
                Map.of("nf_conntrack_tcp_timeout_time_wait", timeWait),
                Optional.of(new Conntrack.Entries(entries, 1000)));
    }

    private static ExtensionState extensions() {
        ClaimId claim = new ClaimId("net/a/eth0");
        PendingEffect effect = new PendingEffect("write", "10.0.0.2/24", 1, 0, "", PendingEffect.Cause.of(claim));
        return new ExtensionState(
                List.of(
                        new EffectView("net", "vlan", "vlan/a/1", effect, 3, "down", Optional.empty()),
                        new EffectView("net", "vlan", "vlan/b/1", effect, 2, "down", Optional.empty())),
                List.of(new Drift.Difference("net", "vlan", Grant.of(claim, Prefix.of("10.0.0.2/24")), true)),
                ExtensionState.Unserved.of(
                        List.of(
                                granted("files", "files/lan/a/eth0"),
                                granted("files", "files/lan/b/eth0"),
                                granted("net", "vlan/lan/c/eth0"),
                                new TableRow("files", "taken", "files/x", 1, 1, "")),
                        Set.of("vlan")),
                List.of(new ControllerView(
                        "net",
                        "blocks",
                        ControllerView.State.LOST,
                        "source nodes is lost: the watch ended",
                        new ControllerView.Load(11, 0, 0, 3, 1, 10),
                        new ControllerView.Counts(0, 0, 0, Duration.ZERO),
                        List.of(
                                failing("often", 3, Optional.of(Instant.MAX)),
                                failing("once", 1, Optional.of(Instant.MAX)),
                                failing("left", 1, Optional.empty())))),
                List.of(ballot(claim, 6, "MISSING"), ballot(claim, 6, "YES"), ballot(claim, 4, "MISSING")),
                List.of(
                        endpoint(Endpoints.State.FAILED, "the port is taken", 0),
                        endpoint(Endpoints.State.LISTENING, "", 64),
                        endpoint(Endpoints.State.LISTENING, "", 63)));
    }

    private static EndpointView endpoint(Endpoints.State state, String cause, int open) {
        return new EndpointView(
                "net", "vlan", "127.0.0.1:7", state, minutesAgo(1), cause, new Counts(64, open, 70, 3, 70));
    }

    private static BallotView ballot(ClaimId claim, int minutes, String vote) {
        return new BallotView(
                "net",
                "vlan",
                "tasks",
                claim,
                "WAITING",
                minutesAgo(minutes),
                List.of(new VoteView("licence", vote, "it is FAILED")));
    }

    private static FailingKey failing(String key, int failures, Optional<Instant> nextTry) {
        return new FailingKey(key, failures, ErrorKind.UNAVAILABLE, "no route", minutesAgo(3), nextTry);
    }

    private static TableRow granted(String plugin, String key) {
        return new TableRow(plugin, Ledger.GRANTS_TABLE, key, 1, 1, "{}");
    }

    private static PluginState plugins(
            PluginReport.State state, String selected, String inForce, String factoryTrouble) {
        PluginReport warm = new PluginReport(
                new PluginManifest("warm", "1", ""),
                "warm.jar",
                new PluginReport.Status(state, minutesAgo(3), "it throws"),
                PluginReport.Parts.NONE,
                List.of(),
                List.of(),
                PluginReport.Counts.NONE);
        return new PluginState(
                List.of(warm),
                selected,
                inForce,
                factoryTrouble.isEmpty() ? Optional.empty() : Optional.of(factoryTrouble),
                state == PluginReport.State.LOADED ? List.of("warm") : List.of(),
                Optional.empty());
    }

    private static PluginState flapping() {
        return new PluginState(
                List.of(),
                "warm",
                "warm",
                Optional.empty(),
                List.of(),
                Optional.of("policy warm changes its target up and down"));
    }
}
