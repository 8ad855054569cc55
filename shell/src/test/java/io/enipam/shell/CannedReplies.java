package io.enipam.shell;

import com.google.protobuf.Timestamp;
import com.google.protobuf.util.Durations;
import io.enipam.v1.CloudApiBudget;
import io.enipam.v1.CloudCall;
import io.enipam.v1.CloudErrorCount;
import io.enipam.v1.ClusterStatus;
import io.enipam.v1.ConfigEntry;
import io.enipam.v1.DbRecord;
import io.enipam.v1.Eni;
import io.enipam.v1.EniAddress;
import io.enipam.v1.Event;
import io.enipam.v1.GcCollected;
import io.enipam.v1.GcReport;
import io.enipam.v1.GetStatusReply;
import io.enipam.v1.LatencyBucket;
import io.enipam.v1.Lease;
import io.enipam.v1.Owner;
import io.enipam.v1.PluginGrant;
import io.enipam.v1.PodInfo;
import io.enipam.v1.Pool;
import io.enipam.v1.PoolCounts;
import io.enipam.v1.PoolEntry;
import io.enipam.v1.Resource;
import io.enipam.v1.StartupStep;
import io.enipam.v1.SweepReport;
import io.enipam.v1.SweptEni;
import io.enipam.v1.SyncFinding;
import io.enipam.v1.SyncReport;
import io.enipam.v1.Trouble;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

/** What the fake daemon answers with, as of {@link #NOW}. */
public final class CannedReplies {
    public static final Instant NOW = Instant.parse("2026-11-21T08:00:00Z");

    private CannedReplies() {}

    /** A time before {@link #NOW}, or after it if negative. */
    public static Timestamp ago(long seconds) {
        return Timestamp.newBuilder().setSeconds(NOW.getEpochSecond() - seconds).build();
    }

    public static Resource resource(int host) {
        return Resource.newBuilder()
                .setId("eni-1:10.0.1." + host)
                .setKind("eni-ip")
                .addAddresses("10.0.1." + host + "/24")
                .setParent("eni-1")
                .putAttributes("mac", "00:16:3e:00:00:01")
                .putAttributes("gateway", "10.0.1.253")
                .build();
    }

    public static Lease lease(String pod, int host, long age) {
        return Lease.newBuilder()
                .setPod(pod)
                .setPodUid("uid-" + host)
                .setOwner(Owner.newBuilder()
                        .setNetwork("enipam")
                        .setContainer("sim-" + host)
                        .setIfname("eth0"))
                .setResource(resource(host))
                .setSince(ago(age))
                .build();
    }

    public static Pool pool() {
        return Pool.newBuilder()
                .setKind("eni-ip")
                .setPolicy("watermark")
                .setCapacity(14)
                .setMinIdle(2)
                .setMaxIdle(5)
                .setCounts(PoolCounts.newBuilder()
                        .setInUse(2)
                        .setIdle(3)
                        .setCooling(1)
                        .build())
                .setWaiting(1)
                .build();
    }

    public static PluginGrant grant(String owner, String address, String state) {
        return PluginGrant.newBuilder()
                .setClaim("files/c" + address.replaceAll(".*\\.|/.*", "") + "/eth0")
                .setPlugin("files")
                .setExtension("files")
                .setKind("POD")
                .setOwner(owner)
                .setSince(ago(720))
                .setState(state)
                .addAddresses(address)
                .setEffects(state.equals("EFFECTS") ? 1 : 0)
                .build();
    }

    public static GcReport gc(boolean dryRun) {
        return GcReport.newBuilder()
                .setStartedAt(ago(200))
                .setTook(Durations.fromMillis(34))
                .setDryRun(dryRun)
                .setExamined(2)
                .addCollected(GcCollected.newBuilder()
                        .setLease(lease("default/web-1", 3, 90))
                        .setReason("the pod is gone"))
                .addProblems("pod default/web-7 cannot be looked up: connection refused")
                .build();
    }

    public static SyncReport sync() {
        return SyncReport.newBuilder()
                .setStartedAt(ago(20))
                .setTook(Durations.fromMillis(210))
                .setListed(14)
                .addFindings(SyncFinding.newBuilder()
                        .setKind("LOST")
                        .setResource(resource(14))
                        .setPod("default/web-9")
                        .setDetail("gone from the cloud: the pod has no network; delete it"))
                .addFindings(SyncFinding.newBuilder()
                        .setKind("ADOPTED")
                        .setResource(resource(15))
                        .setDetail("in the cloud and in no book: it joined the pool"))
                .addProblems("factory lab could not be compared with the pool, which stays as it is: no route to host")
                .build();
    }

    public static ClusterStatus cluster() {
        return ClusterStatus.newBuilder()
                .setServer("https://10.0.0.1:6443")
                .setNode("cn-hangzhou.10.0.0.1")
                .setCredentials("the service account in /var/run/secrets")
                .setWatching(true)
                .setSince(ago(3600))
                .setLastHeard(ago(4))
                .setChanges(12)
                .setPods(3)
                .setRequestsLastMinute(7)
                .setRequestsPerSecond(20)
                .setThrottled(2)
                .setTrustsCalls(true)
                .setLeasesOnTrust(1)
                .build();
    }

    public static GetStatusReply status() {
        return GetStatusReply.newBuilder()
                .setCluster(cluster())
                .setPhase("READY")
                .setPhaseSince(ago(3700))
                .setNode("cn-hangzhou.10.0.0.1")
                .setRole("node")
                .setVersion("0.1.0")
                .setPid(4242)
                .setUptime(Durations.fromSeconds(3702))
                .setPool(pool())
                .setEnis(2)
                .setLastGc(gc(false))
                .setLastSync(sync())
                .addTroubles(trouble())
                .setRoot("/var/lib/enipam")
                .setCloud("aliyun")
                .addAllStartup(List.of(
                        step("OPEN", "open the database", "DONE", 12, ""),
                        step("CLOUD", "list the cloud", "DONE", 1300, "14 addresses"),
                        step("SERVE", "serve", "DONE", 1, "")))
                .build();
    }

    static Trouble trouble() {
        return Trouble.newBuilder()
                .setCause("ADDRESS_LOST")
                .setSeverity("CRITICAL")
                .setText("the cloud took 10.0.1.14 off ENI eni-1: 1 pod without network (default/web-9)")
                .setSince(ago(120))
                .addPods("default/web-9")
                .addEnis("eni-1")
                .setAdvice("explain eni-1; pool sync; ecs calls --failed")
                .build();
    }

    static StartupStep step(String name, String words, String state, long millis, String detail) {
        return StartupStep.newBuilder()
                .setName(name)
                .setWords(words)
                .setState(state)
                .setSince(ago(3700))
                .setTook(Durations.fromMillis(millis))
                .setDetail(detail)
                .build();
    }

    public static ConfigEntry config(String key, String value, String source, String doc) {
        return ConfigEntry.newBuilder()
                .setKey(key)
                .setValue(value)
                .setSource(source)
                .setDoc(doc)
                .build();
    }

    public static PoolEntry entry(int host, String state, long since) {
        return PoolEntry.newBuilder()
                .setResource(resource(host))
                .setState(state)
                .setSince(ago(since))
                .build();
    }

    public static Eni eni(String id) {
        return Eni.newBuilder()
                .setId(id)
                .setMac("00:16:3e:00:00:01")
                .setState("InUse")
                .setPrimaryIp("10.0.1.2")
                .setVswitch("vsw-a")
                .setAddressLimit(10)
                .addAddresses(EniAddress.newBuilder().setAddress("10.0.1.2").setPrimary(true))
                .addAddresses(EniAddress.newBuilder()
                        .setAddress("10.0.1.3")
                        .setState("IN_USE")
                        .setPod("default/web-0"))
                .setQueued(1)
                .setSince(ago(7300))
                .build();
    }

    public static SweepReport sweep(boolean dryRun) {
        return SweepReport.newBuilder()
                .setStartedAt(ago(0))
                .setTook(Durations.fromMillis(84))
                .setDryRun(dryRun)
                .setExamined(4)
                .addCandidates(SweptEni.newBuilder()
                        .setId("eni-7")
                        .setState("Available")
                        .setVswitch("vsw-a")
                        .addAddresses("10.0.1.9")
                        .addAddresses("10.0.1.10")
                        .setCreatedAt(ago(2040))
                        .setAge(Durations.fromSeconds(2040))
                        .setTaken(true)
                        .setReason("nobody knows it"))
                .addCandidates(SweptEni.newBuilder()
                        .setId("eni-8")
                        .setState("Available")
                        .setVswitch("vsw-b")
                        .addAddresses("10.0.2.4")
                        .setCreatedAt(ago(200))
                        .setAge(Durations.fromSeconds(200))
                        .setReason("it is younger than 10m"))
                .build();
    }

    public static PodInfo pod(String name, boolean known, boolean finished, Lease... leases) {
        return PodInfo.newBuilder()
                .setPod(name)
                .setUid("uid-of-" + name)
                .setKnown(known)
                .setFinished(finished)
                .addAllLeases(Stream.of(leases)
                        .map(lease -> lease.toBuilder().setState("IN_USE").build())
                        .toList())
                .build();
    }

    public static Event event(long sequence, String severity, String message) {
        return Event.newBuilder()
                .setSequence(sequence)
                .setAt(ago(60 - sequence))
                .setSeverity(severity)
                .setType("LEASE_GRANTED")
                .setSubject("default/web-" + sequence)
                .setMessage(message)
                .putAttributes("eni", "eni-1")
                .build();
    }

    public static DbRecord record(String bucket, String key, String value) {
        return DbRecord.newBuilder()
                .setBucket(bucket)
                .setKey(key)
                .setValue(value)
                .build();
    }

    public static CloudCall call(long sequence, String api, String target, long millis, String code) {
        return CloudCall.newBuilder()
                .setSequence(sequence)
                .setAt(ago(100 - sequence))
                .setApi(api)
                .setTarget(target)
                .setTook(Durations.fromMillis(millis))
                .setCode(code)
                .setRequestId("5B8F1D2C-" + sequence)
                .setAttempts(code.isEmpty() ? 1 : 2)
                .build();
    }

    public static CloudApiBudget throttledApi() {
        return CloudApiBudget.newBuilder()
                .setApi("CreateNetworkInterface")
                .setLimit(500)
                .setAllowed(12)
                .setUsed(24)
                .setMinuteEnds(ago(-41))
                .setInhibitedUntil(ago(-42))
                .setCalls(118)
                .setThrottles(2)
                .addErrors(
                        CloudErrorCount.newBuilder().setCode("Throttling.User").setCount(2))
                .addErrors(CloudErrorCount.newBuilder()
                        .setCode("InvalidVSwitchId.IpNotEnough")
                        .setCount(1))
                .setP50(Durations.fromMillis(40))
                .setP99(Durations.fromMillis(2100))
                .setMax(Durations.fromMillis(2400))
                .addLatencies(LatencyBucket.newBuilder()
                        .setMost(Durations.fromMillis(5000))
                        .setCount(118))
                .addLatencies(LatencyBucket.newBuilder().setCount(0))
                .build();
    }

    public static CloudApiBudget untouchedApi() {
        return CloudApiBudget.newBuilder()
                .setApi("DescribeVSwitches")
                .setLimit(300)
                .setAllowed(300)
                .setLeft(300)
                .setMinuteEnds(ago(-41))
                .build();
    }
}
