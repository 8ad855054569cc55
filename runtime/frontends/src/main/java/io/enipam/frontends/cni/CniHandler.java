package io.enipam.frontends.cni;

import io.enipam.cni.FrameCodec.CniRequest;
import io.enipam.cni.FrameCodec.CniResponse;
import io.enipam.datapath.KernelDatapath.KernelFault;
import io.enipam.diagnostics.readiness.Trouble;
import io.enipam.diagnostics.readiness.Troubles;
import io.enipam.engine.EngineStatus.Phase;
import io.enipam.engine.IpamEngine;
import io.enipam.engine.lease.AddCommand;
import io.enipam.engine.lease.AddProcedure.AddOutcome;
import io.enipam.engine.model.Event;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.LinkRequest;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.TraceSink;
import io.enipam.frontends.cni.CniHandler.CniContext;
import io.enipam.frontends.cni.spec.CniArgs;
import io.enipam.frontends.cni.spec.CniException;
import io.enipam.frontends.cni.spec.CniException.CniErrorCode;
import io.enipam.frontends.cni.spec.CniResult;
import io.enipam.frontends.cni.spec.CniVariables;
import io.enipam.frontends.cni.spec.CniVariables.CniCommand;
import io.enipam.frontends.cni.spec.NetConf;
import io.enipam.frontends.cni.spec.ResultJson;
import io.enipam.frontends.cni.spec.SpecVersion;
import io.enipam.node.kernel.NodeDatapath;
import io.enipam.node.pods.NodePods;
import io.enipam.observability.history.Meters;
import io.enipam.pluginhost.extension.Claims;
import io.enipam.sdk.Address;
import io.enipam.sdk.CniService;
import io.enipam.sdk.ResourceState;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves the calls of container runtimes, each on the caller's thread: an answer takes as long as the engine does.
 * Thread-safe.
 *
 * <p>An ADD is checked in full before anything is done, so that nothing has to be undone for a mistake in it; the
 * engine undoes what it began. A DEL needs neither the network namespace nor the pod nor a previous result: the daemon
 * knows what it has connected.
 *
 * @param count gets the command of each answered call, {@code OTHER} for an unknown one, and the code of the answer, 0 for success
 */
public record CniHandler(CniContext context, EventSink events, BiConsumer<String, Integer> count) {
    /** The plugin gives up after 120 s, and gets the reason before. */
    static final Duration LONGEST = Duration.ofSeconds(110);

    /** The caller, in the trace of each call. */
    static final String BY = "cni";

    /** An engine that recovers takes addresses back already. */
    private static final Set<Phase> TAKES_BACK = Set.of(Phase.RECOVERING, Phase.READY, Phase.STOPPING);

    /** How many pods the event of a GC names. */
    private static final int NAMED = 10;

    /** The variable by which the front says that it was called under its second name. */
    private static final String FRONT = "CNI_ENIPAM_FRONT";

    private static final String IPAM_FRONT = "enipam-ipam";

    /** What answers its calls, where the network names no other extension. */
    private static final String IPAM_EXTENSION = "host-local";

    private static final Logger LOG = LoggerFactory.getLogger(CniHandler.class);
    private static final byte[] NOTHING = new byte[0];

    /** Answers a call; never throws. */
    public CniResponse handle(CniRequest request) {
        String command = request.environment().getOrDefault("CNI_COMMAND", "");
        if (command.isEmpty()) {
            return about();
        }
        try {
            NetConf.Heading heading = NetConf.headingOf(request.stdin());
            Optional<String> service = service(request, heading);
            if (service.isPresent()) {
                return served(new ServiceHandler(context, service.get(), heading.name()), request, command);
            }
            byte[] stdout = serve(request);
            count.accept(command, CniErrorCode.NONE);
            return new CniResponse(0, stdout, NOTHING);
        } catch (CniException e) {
            return refused(request, command, e);
        } catch (IpamException e) {
            return refused(request, command, CniException.of(e));
        } catch (RuntimeException e) {
            LOG.error("a call of the CNI failed unexpectedly; this is a bug of enipam", e);
            return refused(
                    request,
                    command,
                    new CniException(CniErrorCode.INTERNAL, command + " failed: " + e, "this is a bug"));
        }
    }

    /** The extension that answers a call by itself: the one that its network names, or else that of the front's second name. */
    private Optional<String> service(CniRequest request, NetConf.Heading heading) {
        Optional<String> named = heading.allocator();
        return IPAM_FRONT.equals(request.environment().get(FRONT))
                ? Optional.of(named.orElse(IPAM_EXTENSION))
                : named.filter(context.claims().claims()::answersCalls);
    }

    private CniResponse served(ServiceHandler service, CniRequest request, String command) {
        Map<String, String> environment = new TreeMap<>(request.environment());
        environment.remove(FRONT);
        String known = known(command);
        CniService.CniAnswer answer =
                new Deadline(LONGEST).outcome(service.serve(environment, request.stdin()), "the " + known);
        int code = answer.status() == 0 ? CniErrorCode.NONE : CniErrorCode.INTERNAL;
        count.accept(known, code);
        if (code != CniErrorCode.NONE) {
            failed(known, code, "by extension " + service.extension() + ": " + ServiceHandler.oneLine(answer.stdout()));
        }
        return new CniResponse(
                answer.status(),
                answer.stdout().getBytes(StandardCharsets.UTF_8),
                answer.stderr().getBytes(StandardCharsets.UTF_8));
    }

    private static String known(String command) {
        return CniCommand.named(command).isPresent() ? command : "OTHER";
    }

    private byte[] serve(CniRequest request) {
        CniVariables variables = CniVariables.read(request.environment());
        if (variables.command() == CniCommand.VERSION) {
            return ResultJson.versions(version(request));
        }
        NetConf conf = NetConf.read(request.stdin(), variables.command());
        Optional<String> allocator = conf.allocator();
        if (allocator.isPresent()) {
            return new ClaimHandler(context, events, allocator.get()).serve(variables, conf);
        }
        return switch (variables.command()) {
            case ADD -> add(variables, conf);
            case DEL -> silent(() -> del(variables, conf));
            case CHECK -> silent(() -> new CheckHandler(context).run(variables, conf));
            case GC -> silent(() -> gc(conf));
            case STATUS -> silent(this::status);
            case VERSION -> throw new IllegalStateException("answered before");
        };
    }

    private byte[] add(CniVariables variables, NetConf conf) {
        LinkRequest link = link(variables, conf);
        CniArgs pod = CniArgs.read(variables.args(), conf);
        Optional<CniResult> previous = conf.previous();
        CniResult.Dns dns = conf.dns();
        OwnerKey owner = new OwnerKey(conf.name(), variables.containerId(), variables.ifName());
        Deadline deadline = new Deadline(context.longestAdd());

        deadline.awaitPhase(context.engine(), Set.of(Phase.READY));
        NetnsGuard.requireSame(context.connected(owner), variables.netns(), owner.containerId());
        String uid = context.engine()
                .lease(owner)
                .map(Lease::podUid)
                .filter(known -> !known.isEmpty())
                .orElse(pod.uid());
        context.pods().admit(pod.pod(), uid);
        AddOutcome outcome = deadline.outcome(
                context.engine().add(new AddCommand(owner, pod.pod(), pod.uid(), link, deadline.left(), BY)),
                "the ADD");
        CniResult ours = CniResult.of(outcome.lease(), outcome.wiring(), dns);
        return ResultJson.result(previous.map(ours::after).orElse(ours), conf.version());
    }

    private LinkRequest link(CniVariables variables, NetConf conf) {
        LinkRequest link = conf.link(variables.netns());
        NetnsGuard.check(variables.netns(), variables.anyNetns());
        context.troubles().obstacle().ifPresent(why -> {
            throw new CniException(
                    CniErrorCode.KERNEL,
                    why,
                    "'enipam doctor' says what to do; datapath.use says whether it connects any");
        });
        return context.kernel().real().isPresent() ? link : LinkRequest.simulated();
    }

    private void del(CniVariables variables, NetConf conf) {
        Deadline deadline = new Deadline(LONGEST);
        deadline.awaitPhase(context.engine(), TAKES_BACK);
        OwnerKey owner = new OwnerKey(conf.name(), variables.containerId(), variables.ifName());
        deadline.outcome(context.engine().del(owner, BY), "the DEL");
    }

    /**
     * Ends what is not among the valid attachments. Without a list of them nothing is done; an empty list says that
     * none is valid, as after a restart of the node. An event names what ended: if the list was wrong, pods have lost
     * their network.
     */
    private void gc(NetConf conf) {
        Optional<Set<OwnerKey>> valid = conf.attachments();
        if (valid.isEmpty()) {
            return;
        }
        // before anything is waited for: an ADD may be served while this call waits for the engine
        Instant asked = context.engine().pendingWork().at();
        Deadline deadline = new Deadline(LONGEST);
        deadline.awaitPhase(context.engine(), Set.of(Phase.READY));
        StaleAttachmentCleaner.CleanupReport report = deadline.outcome(
                new StaleAttachmentCleaner(context.engine(), context.kernel())
                        .end(conf.name(), valid.get()::contains, asked, false, BY + " gc"),
                "the collection");
        publishEnded(conf.name(), valid.get().size(), report);
        if (!report.problems().isEmpty()) {
            throw new CniException(
                    CniErrorCode.GC_INCOMPLETE,
                    "of network " + conf.name() + ", " + report.ended().size() + " leases ended, and "
                            + report.problems().size() + " could not be ended or cleared away",
                    String.join("; ", report.problems()));
        }
    }

    private void publishEnded(String network, int valid, StaleAttachmentCleaner.CleanupReport report) {
        int ended = report.ended().size();
        int disconnected = report.disconnected().size();
        if (ended + disconnected == 0) {
            return;
        }
        String pods = report.ended().stream()
                .limit(NAMED)
                .map(lease -> lease.pod().toString())
                .collect(Collectors.joining(", "));
        events.publish(
                valid == 0 ? Event.Severity.WARNING : Event.Severity.INFO,
                "CniGcEnded",
                "cni",
                "GC ended " + ended + " of " + report.looked() + " leases of network " + network
                        + (disconnected == 0 ? "" : " and disconnected " + disconnected + " sandboxes without one")
                        + ": the runtime calls " + (valid == 0 ? "no sandbox" : valid + " sandboxes") + " valid"
                        + (ended == 0 ? "" : "; they were of " + pods + (ended > NAMED ? ", ..." : "")),
                Map.of("network", network, "ended", Integer.toString(ended), "valid", Integer.toString(valid)));
    }

    private static byte[] silent(Runnable command) {
        command.run();
        return NOTHING;
    }

    private void status() {
        Troubles.Found found = context.troubles().findForRuntime();
        if (found.code() != CniErrorCode.NONE) {
            throw new CniException(
                    found.code(),
                    found.stoppingAdds().stream().map(Trouble::text).collect(Collectors.joining("; ")),
                    "'enipam status' and 'enipam doctor' tell more");
        }
    }

    private static SpecVersion version(CniRequest request) {
        return NetConf.versionIn(request.stdin()).orElse(SpecVersion.LATEST);
    }

    private CniResponse refused(CniRequest request, String command, CniException refusal) {
        String known = known(command);
        count.accept(known, refusal.code());
        // the engine publishes an event for an ADD that it refuses
        if (!(known.equals("ADD") && refusal.getCause() instanceof IpamException)) {
            failed(known, refusal.code(), "with code " + refusal.code() + ": " + refusal.getMessage());
        }
        return new CniResponse(
                1,
                ResultJson.error(version(request), refusal),
                ("enipam-cni: " + refusal.getMessage() + "\n").getBytes(StandardCharsets.UTF_8));
    }

    /** Publishes it, unless it is a STATUS, for which runtimes ask every few seconds. */
    private void failed(String command, int code, String answered) {
        if (!command.equals("STATUS")) {
            events.publish(
                    Event.Severity.WARNING,
                    "CniCallFailed",
                    "cni",
                    command + " answered " + answered,
                    Map.of("command", command, "code", Integer.toString(code)));
        }
    }

    /** Run without a command, the plugin describes itself, as with the reference library: no error. */
    private static CniResponse about() {
        String text = "enipam-cni: connects pods to the VPC by ENI addresses; called by a container runtime\n"
                + "CNI protocol versions supported: " + String.join(", ", SpecVersion.texts()) + "\n";
        return new CniResponse(0, NOTHING, text.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * @param claims serves the networks that name an extension as their allocator
     * @param patience how long an ADD may wait, as it is configured now
     */
    public record CniContext(
            IpamEngine engine,
            NodePods pods,
            NodeDatapath kernel,
            Troubles troubles,
            ClaimContext claims,
            Supplier<Duration> patience) {
        /** How long an ADD may wait now. */
        Duration longestAdd() {
            Duration configured = patience.get();
            return configured.compareTo(LONGEST) < 0 ? configured : LONGEST;
        }

        /** The network namespace that the kernel has a container connected to; empty if it has not, or that is gone. */
        Optional<String> connected(OwnerKey owner) {
            return kernel.real().flatMap(real -> real.netns(owner));
        }
    }

    /**
     * What serves the networks of allocators.
     *
     * @param traces get the story of each ADD and DEL
     * @param meters count them among those of the pool
     */
    public record ClaimContext(Claims claims, TraceSink traces, Meters meters) {}

    /**
     * CHECK: the lease exists and has the addresses that the ADD returned, the cloud has them, and the kernel is as the ADD left it. What
     * other plugins have added is not examined. Changes nothing. Thread-safe.
     */
    record CheckHandler(CniContext context) {
        /** The kernel may be on its way: an ENI that comes up takes its routes along. */
        private static final int LOOKS = 4;

        private static final long BETWEEN_MILLIS = 250;

        void run(CniVariables variables, NetConf conf) {
            CniResult told = conf.previous()
                    .orElseThrow(() -> new CniException(
                            CniErrorCode.INVALID_CONFIG,
                            "prevResult is missing: CHECK compares with what ADD has told",
                            "a runtime keeps the result of an ADD and passes it on"));
            NetnsGuard.check(variables.netns(), variables.anyNetns());
            Deadline deadline = new Deadline(CniHandler.LONGEST);
            deadline.awaitPhase(context.engine(), Set.of(Phase.READY));
            OwnerKey owner = new OwnerKey(conf.name(), variables.containerId(), variables.ifName());
            Lease lease = context.engine()
                    .lease(owner)
                    .orElseThrow(() -> new CniException(
                            CniErrorCode.UNKNOWN_CONTAINER,
                            "container " + owner.containerId() + " has no address on interface " + owner.ifName()
                                    + " of network " + owner.network(),
                            "'enipam trace " + owner.containerId() + "' tells what became of it"));
            NetnsGuard.requireSame(context.connected(owner), variables.netns(), owner.containerId());
            compare(lease, told);
            kernel(owner, deadline);
        }

        private void compare(Lease lease, CniResult told) {
            Set<InetAddress> theirs = told.addresses().stream()
                    .map(ip -> Address.parse(ip.address()).ip())
                    .collect(Collectors.toSet());
            for (Address address : lease.resource().addresses()) {
                if (!theirs.contains(address.ip())) {
                    throw wrong("address " + address.host() + " of container "
                            + lease.owner().containerId() + " is not among the ips of prevResult");
                }
            }
            boolean lost = context.engine().pool().entries().stream()
                    .filter(entry ->
                            entry.resource().addresses().equals(lease.resource().addresses()))
                    .anyMatch(entry -> entry.state() == ResourceState.INVALID);
            if (lost) {
                throw wrong("the cloud has taken "
                        + lease.resource().addresses().get(0).host() + " from pod " + lease.pod());
            }
        }

        private void kernel(OwnerKey owner, Deadline deadline) {
            if (context.kernel().real().isEmpty()) {
                return;
            }
            context.kernel().unusable().ifPresent(why -> {
                throw new CniException(
                        CniErrorCode.TRY_AGAIN,
                        "container " + owner.containerId() + " cannot be checked: " + why,
                        "nothing is known to be wrong with it");
            });
            List<KernelFault> faults = List.of();
            for (int look = 0; look < LOOKS; look++) {
                if (look > 0) {
                    Deadline.pause(BETWEEN_MILLIS);
                }
                faults = deadline.outcome(
                        context.kernel().real().get().faults(owner).toCompletableFuture(), "the look at the kernel");
                if (faults.isEmpty()) {
                    return;
                }
            }
            throw wrong(faults.stream().map(KernelFault::what).collect(Collectors.joining("; ")));
        }

        private static CniException wrong(String what) {
            return new CniException(
                    CniErrorCode.KERNEL,
                    what,
                    "'enipam doctor' says whether it can be mended; a new sandbox is set up afresh");
        }
    }
}
