package io.enipam.recovery;

import io.enipam.engine.model.Hold;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.Pod;
import io.enipam.engine.model.Pod.PodCopy;
import io.enipam.engine.model.ResourceKey;
import io.enipam.engine.port.Change;
import io.enipam.engine.port.CloudJournal;
import io.enipam.engine.port.CloudOperation;
import io.enipam.engine.port.Datapath.Attachment;
import io.enipam.engine.port.ResourceDb.Intent;
import io.enipam.recovery.SourceAnswers.Answer;
import io.enipam.sdk.Address;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceKind;
import io.enipam.store.SalvageResult;
import io.enipam.store.SalvageResult.MissingCommits;
import io.enipam.store.SalvageResult.SalvagedRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** A node whose database is damaged: what is left of it and what each witness says, put together piece by piece. */
final class Node {
    static final Instant NOW = Instant.parse("2026-11-21T12:00:00Z");
    static final Duration COOL_DOWN = Duration.ofSeconds(30);

    private final List<SalvagedRecord<Lease>> leases = new ArrayList<>();
    private final List<SalvagedRecord<Hold>> holds = new ArrayList<>();
    private final List<SalvagedRecord<Intent>> intents = new ArrayList<>();
    private final List<SalvagedRecord<CloudJournal.Entry>> operations = new ArrayList<>();
    private final List<SalvagedRecord<PodCopy>> copies = new ArrayList<>();
    private final List<Attachment> sandboxes = new ArrayList<>();
    private final List<Pod> pods = new ArrayList<>();
    private final List<Resource> listed = new ArrayList<>();
    private boolean kernel = true;
    private boolean apiServer = true;
    private boolean cloud = true;
    private boolean whole;

    static PodRef pod(String name) {
        return new PodRef("default", name);
    }

    static OwnerKey sandbox(String pod) {
        return new OwnerKey("enipam", "box-" + pod, "eth0");
    }

    static Resource address(int n) {
        return new Resource(
                new ResourceId("eni-a/10.0.0." + n),
                ResourceKind.ENI_IP,
                List.of(Address.parse("10.0.0." + n + "/24")),
                "eni-a",
                Map.of());
    }

    static Lease lease(String pod, int n) {
        return new Lease(
                sandbox(pod), pod(pod), "uid-" + pod, address(n), Duration.ZERO, NOW.minus(Duration.ofHours(1)));
    }

    Node certain(String pod, int n, long commit) {
        leases.add(new SalvagedRecord<>(lease(pod, n), commit, true));
        return this;
    }

    Node stale(String pod, int n, long commit) {
        leases.add(new SalvagedRecord<>(lease(pod, n), commit, false));
        return this;
    }

    /** A stale lease of the address from when it was on another ENI. */
    Node elsewhere(String pod, int n, long commit) {
        Resource there = new Resource(
                new ResourceId("eni-gone/10.0.0." + n),
                ResourceKind.ENI_IP,
                address(n).addresses(),
                "eni-gone",
                Map.of());
        Lease lease =
                new Lease(sandbox(pod), pod(pod), "uid-" + pod, there, Duration.ZERO, NOW.minus(Duration.ofHours(1)));
        leases.add(new SalvagedRecord<>(lease, commit, false));
        return this;
    }

    Node hold(String pod, int n, Instant until, boolean certain, long commit) {
        holds.add(new SalvagedRecord<>(
                new Hold(address(n), Hold.Purpose.COOLING, pod(pod), until, Duration.ZERO), commit, certain));
        return this;
    }

    /** A resource of a factory that numbers them, so that another one's may have the same id. */
    static Resource numbered(String factory, String host) {
        ResourceId id = new ResourceId("number/" + host.substring(host.lastIndexOf('.') + 1));
        return new Resource(id, ResourceKind.ENI_IP, List.of(Address.parse(host + "/24")), "", Map.of())
                .madeBy(factory);
    }

    Node has(Resource... resources) {
        listed.addAll(List.of(resources));
        return this;
    }

    Node leased(String pod, Resource resource) {
        leases.add(new SalvagedRecord<>(
                new Lease(sandbox(pod), pod(pod), "uid-" + pod, resource, Duration.ZERO, NOW.minusSeconds(9)),
                7,
                true));
        return this;
    }

    Node held(Resource resource) {
        Hold hold = new Hold(resource, Hold.Purpose.COOLING, pod("old"), NOW.plusSeconds(5), Duration.ZERO);
        holds.add(new SalvagedRecord<>(hold, 7, true));
        return this;
    }

    Node disposing(Resource resource) {
        intents.add(new SalvagedRecord<>(Intent.dispose(ResourceKey.of(resource), NOW.minusSeconds(9)), 7, true));
        return this;
    }

    Node dispose(int n, boolean certain) {
        intents.add(new SalvagedRecord<>(
                new Intent(address(n).id().value(), Intent.Action.DISPOSE, NOW.minusSeconds(9), ""), 7, certain));
        return this;
    }

    Node create(String token) {
        intents.add(new SalvagedRecord<>(new Intent(token, Intent.Action.CREATE, NOW.minusSeconds(9), ""), 7, false));
        return this;
    }

    Node operation(CloudOperation operation, boolean certain) {
        operations.add(new SalvagedRecord<>(CloudJournal.Entry.of(operation, NOW.minusSeconds(9), 1), 7, certain));
        return this;
    }

    Node copy(String pod) {
        copies.add(new SalvagedRecord<>(
                new PodCopy(new Pod(pod(pod), "uid-" + pod, false, Duration.ofMinutes(5)), NOW, Optional.empty()),
                7,
                false));
        return this;
    }

    Node connected(String pod, int n) {
        sandboxes.add(new Attachment(
                sandbox(pod),
                Optional.of(pod(pod)),
                "uid-" + pod,
                Set.of(address(n).addresses().get(0).ip())));
        return this;
    }

    Node connectedNameless(String pod, int n) {
        sandboxes.add(new Attachment(
                sandbox(pod),
                Optional.empty(),
                "",
                Set.of(address(n).addresses().get(0).ip())));
        return this;
    }

    Node runs(String pod) {
        pods.add(new Pod(pod(pod), "uid-" + pod, false, Duration.ZERO));
        return this;
    }

    Node runsWith(String pod, int n) {
        pods.add(new Pod(
                pod(pod),
                "uid-" + pod,
                false,
                Duration.ZERO,
                List.of(address(n).addresses().get(0).ip())));
        return this;
    }

    Node listed(int... numbers) {
        for (int n : numbers) {
            listed.add(address(n));
        }
        return this;
    }

    Node withoutKernel() {
        kernel = false;
        return this;
    }

    Node withoutApiServer() {
        apiServer = false;
        return this;
    }

    Node withoutCloud() {
        cloud = false;
        return this;
    }

    /** No commit is missing. */
    Node whole() {
        whole = true;
        return this;
    }

    RebuildPlan decide() {
        return DatabaseRebuilder.decide(salvaged(), witnesses(), NOW, COOL_DOWN);
    }

    private SalvageResult salvaged() {
        return new SalvageResult(
                SalvageResult.State.DAMAGED,
                Optional.of("damaged"),
                new SalvageResult.Records(leases, holds, intents, operations, copies, List.of(), Optional.empty()),
                new SalvageResult.Commits(100, whole ? List.of() : List.of(new MissingCommits(50, 51)), false),
                List.of());
    }

    private SourceAnswers witnesses() {
        return new SourceAnswers(
                kernel ? Answer.of(sandboxes, "") : Answer.none("down"),
                apiServer ? Answer.of(pods, "") : Answer.none("down"),
                cloud ? Answer.of(listed, "") : Answer.none("down"));
    }

    /** The leases of the new database as {@code pod address}. */
    static List<String> leases(RebuildPlan outcome) {
        return of(outcome, Change.PutLease.class)
                .map(put -> put.lease().pod().name() + " "
                        + put.lease().resource().addresses().get(0).host())
                .sorted()
                .toList();
    }

    /** The holds of the new database as {@code address until}. */
    static List<String> holds(RebuildPlan outcome) {
        return of(outcome, Change.PutHold.class)
                .map(put -> put.hold().resource().addresses().get(0).host() + " "
                        + Duration.between(NOW, put.hold().until()))
                .sorted()
                .toList();
    }

    static <T extends Change> Stream<T> of(RebuildPlan outcome, Class<T> kind) {
        return outcome.changes().stream().filter(kind::isInstance).map(kind::cast);
    }

    /** The decisions as {@code ACTION subject}. */
    static List<String> decisions(RebuildPlan outcome) {
        return outcome.decisions().stream()
                .map(decision -> decision.action() + " " + decision.subject())
                .toList();
    }
}
