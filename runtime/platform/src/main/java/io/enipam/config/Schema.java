package io.enipam.config;

import static io.enipam.config.Setting.ours;
import static io.enipam.config.Setting.terways;
import static io.enipam.config.ValueTypes.choice;
import static io.enipam.config.ValueTypes.decimal;
import static io.enipam.config.ValueTypes.duration;
import static io.enipam.config.ValueTypes.flag;
import static io.enipam.config.ValueTypes.httpAddress;
import static io.enipam.config.ValueTypes.integer;
import static io.enipam.config.ValueTypes.latency;
import static io.enipam.config.ValueTypes.listenAddress;
import static io.enipam.config.ValueTypes.names;
import static io.enipam.config.ValueTypes.seed;
import static io.enipam.config.ValueTypes.serviceSubnets;
import static io.enipam.config.ValueTypes.subnetByName;
import static io.enipam.config.ValueTypes.text;
import static io.enipam.config.ValueTypes.textOrOff;

import io.enipam.engine.EngineConfig.IdleReclaim;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Every setting there is: the one table behind parsing, validation, {@code config show} and the reference. Defaults of
 * terway's keys are terway's own; the cool-down is the one AWS ipamd settled on.
 */
final class Schema {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration DAY = Duration.ofHours(24);
    private static final String NAME = "[A-Za-z0-9][A-Za-z0-9_.-]{0,252}";
    private static final String PART_NAME = "[a-z][a-z0-9-]{0,62}";
    private static final int MANY = 10_000;

    static final Setting<Integer> MIN_IDLE = ours(
                    "pool.min_idle",
                    integer(0, MANY),
                    0,
                    "addresses",
                    "Lower watermark: addresses are made when fewer are idle.")
            .inSandbox(2);
    static final Setting<Integer> MAX_IDLE = ours(
                    "pool.max_idle",
                    integer(0, MANY),
                    5,
                    "addresses",
                    "Upper watermark: addresses are given back to the cloud when more are idle.")
            .inSandbox(5);
    static final Setting<Integer> CAPACITY = ours(
            "pool.capacity",
            integer(0, MANY),
            0,
            "addresses",
            "Upper bound on the pool below what the instance type allows; 0 for none.");
    static final Setting<Duration> COOL_DOWN = ours(
                    "pool.cool_down",
                    duration(Duration.ZERO, Duration.ofHours(1)),
                    Duration.ofSeconds(30),
                    "",
                    "How long an address given back is lent to nobody.")
            .inSandbox(Duration.ofSeconds(3));
    static final Setting<Duration> CHECK_INTERVAL = ours(
            "pool.check_interval",
            duration(SECOND, DAY),
            Duration.ofMinutes(2),
            "",
            "Time between two looks at the watermarks.");
    static final Setting<Duration> SYNC_INTERVAL = ours(
            "pool.sync_interval",
            duration(SECOND, DAY),
            Duration.ofMinutes(2),
            "",
            "Time between two comparisons of the pool with the cloud, give or take a tenth.");
    static final Setting<String> POLICY = ours(
            "pool.policy",
            text("a policy's name, [a-z][a-z0-9-]*", PART_NAME),
            "watermark",
            "",
            "The policy that decides what is lent and how many are kept; 'plugin list' shows which there are.");
    static final Setting<String> MODE = ours(
            "daemon.mode",
            choice(DaemonMode.names()),
            DaemonMode.ENI_MULTI_IP.label(),
            "",
            "Terway's name of what a pod gets: an address of an ENI it shares (ENIMultiIP), an ENI of its own"
                    + " (ENIOnly), or an address of the node's own CIDR (VPC). It decides pool.factory where that is not set.");
    static final Setting<String> FACTORY = ours(
            "pool.factory",
            text("a factory's name, [a-z][a-z0-9-]*", PART_NAME),
            DaemonMode.ENI_MULTI_IP.factory(),
            "",
            "The factory that makes what pods get: 'eni-ip', 'eni' or 'node-cidr' by daemon.mode, or a plugin's; 'plugin list' shows"
                    + " which there are.");
    static final Setting<Duration> ALLOCATION_TIMEOUT = ours(
                    "allocation.timeout",
                    duration(Duration.ofMillis(100), Duration.ofMinutes(10)),
                    Duration.ofSeconds(60),
                    "",
                    "How long an ADD waits for an address unless the caller says otherwise.")
            .inSandbox(Duration.ofSeconds(5));
    static final Setting<Duration> GC_INTERVAL = ours(
            "gc.interval",
            duration(SECOND, DAY),
            Duration.ofMinutes(5),
            "",
            "Time between two collections of leases whose pod is gone.");
    static final Setting<String> NETWORK = ours(
            "network.name",
            text("a CNI network name, [A-Za-z0-9][A-Za-z0-9_.-]*", NAME),
            "enipam",
            "",
            "The network of a call that names none.");
    static final Setting<Optional<URI>> ENDPOINT = ours(
            "cloud.endpoint",
            httpAddress(),
            Optional.<URI>empty(),
            "",
            "Where ECS and VPC answer, for a private cloud or an emulator; empty for the region's own endpoints.");
    static final Setting<Optional<URI>> METADATA = ours(
            "cloud.metadata",
            httpAddress(),
            Optional.of(URI.create("http://100.100.100.200")),
            "",
            "Where the metadata service answers.");
    static final Setting<String> LOST_ENI = ours(
            "cloud.lost_eni",
            choice("reattach", "release"),
            "reattach",
            "",
            "What becomes of an ENI that another actor detaches under pods: attached again, or left off until they are gone.");
    static final Setting<String> CLUSTER_ID = ours(
            "cluster.id",
            text("a cluster's id, [A-Za-z0-9][A-Za-z0-9_.-]*, or empty text", "|[A-Za-z0-9][A-Za-z0-9_.-]{0,127}"),
            "",
            "",
            "The cluster this node belongs to: the value of the tag 'cluster' on every ENI; empty for no such tag.");
    static final Setting<String> NODE_NAME = ours(
            "node.name",
            text("a host name, or empty text", "|" + NAME),
            "",
            "",
            "The node's name, as the API server has it; empty for that of NODE_NAME, or else the host's own.");
    static final Setting<String> CLUSTER_USE = ours(
                    "kubernetes.use",
                    choice("auto", "on", "off"),
                    "auto",
                    "",
                    "Whether the API server is asked for pods and told of events: auto where there is a kubeconfig or a"
                            + " service account.")
            .inSandbox("off");
    static final Setting<String> KUBECONFIG = ours(
            "kubernetes.kubeconfig",
            text("an absolute path, or empty text for none", "|/.{0,4095}"),
            "",
            "",
            "File with the way to the API server; empty for that of KUBECONFIG, or else the pod's service account.");
    static final Setting<Integer> CLUSTER_RATE = ours(
            "kubernetes.requests_per_second",
            integer(1, 1_000),
            20,
            "requests",
            "How many requests a second the API server gets at most; the watch on pods does not count.");
    static final Setting<Duration> STICK_TIME = ours(
            "kubernetes.stick_time",
            duration(Duration.ZERO, Duration.ofDays(7)),
            Duration.ofMinutes(5),
            "",
            "How long the address of a StatefulSet's pod is kept for its successor; a pod may say otherwise by its"
                    + " annotation enipam.io/stick-time.");
    static final Setting<Boolean> TRUST_CALLS = ours(
            "kubernetes.trust_calls",
            flag(),
            true,
            "",
            "Whether an ADD goes on by what it says itself when the API server does not answer and the pod was never seen"
                    + " before.");
    static final Setting<String> CONFIG_NAMESPACE = ours(
            "kubernetes.config_namespace",
            text("a namespace, or empty text", "|[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?"),
            "",
            "",
            "Namespace of the ConfigMap that the node's label terway-config names; empty for the daemon's own, or else"
                    + " kube-system.");
    static final Setting<Duration> CONFIG_INTERVAL = ours(
            "kubernetes.config_interval",
            duration(SECOND, DAY),
            Duration.ofMinutes(1),
            "",
            "Time between two looks at that label and that ConfigMap, give or take a fifth.");
    static final Setting<List<String>> SERVICE_CIDR = terways(
            "service_cidr",
            serviceSubnets(),
            List.<String>of(),
            "",
            "The addresses of the cluster's services; empty for those that kubeadm has written down.");
    static final Setting<String> IP_STACK = terways(
            "ip_stack",
            choice(IpStack.IPV4, IpStack.IPV6, IpStack.DUAL),
            IpStack.IPV4,
            "",
            "Address families of a pod: 'ipv4', or 'dual' for an IPv6 address beside it, which takes a vSwitch with an IPv6 block;"
                    + " 'ipv6' alone is refused.");
    static final Setting<Integer> WARM_UP = terways(
            "ip_warm_up_size",
            integer(0, MANY),
            0,
            "addresses",
            "So many are made idle by the first start on a node, and kept for half an hour; 0 for none.");
    static final Setting<List<String>> STATEFUL_KINDS = terways(
            "custom_stateful_workload_kinds",
            names(100),
            List.<String>of(),
            "",
            "Kinds of owners whose pods are treated like those of a StatefulSet.");
    static final Setting<String> DEVICE_PLUGINS = ours(
                    "kubelet.device_plugins",
                    textOrOff("auto, off, or an absolute path of at most 90 characters", "auto|off|/.{0,89}"),
                    "auto",
                    "",
                    "Directory of the kubelet's device plugins, where a node whose pods get whole ENIs offers the resource"
                            + " aliyun/eni; auto for /var/lib/kubelet/device-plugins where there is one.")
            .inSandbox("off");
    static final Setting<String> LOG_FORMAT =
            ours("log.format", choice("line", "json"), "line", "", "How a log record is written to standard error.");
    static final Setting<String> LOG_LEVEL = ours(
            "log.level",
            choice("trace", "debug", "info", "warn", "error"),
            "info",
            "",
            "The least severe of enipam's own records that is written.");
    static final Setting<String> CONTROL_SOCKET = ours(
            "sockets.control",
            text("an absolute path, or empty text for enipam.sock in the run directory", "|/.{0,106}"),
            "",
            "",
            "The unix socket of Inspect and Control.");
    static final Setting<String> CNI_SOCKET = ours(
            "sockets.cni",
            textOrOff("an absolute path, off, or empty text for cni.sock in the run directory", "|off|/.{0,106}"),
            "",
            "",
            "The unix socket on which the CNI front calls the daemon; for root alone.");
    static final Setting<String> TERWAY_SOCKET = ours(
                    "sockets.terway",
                    textOrOff("an absolute path, off, or empty text for /var/run/eni/eni.socket", "|off|/.{0,106}"),
                    "",
                    "",
                    "The unix socket on which terway's own CNI plugin calls the daemon; for root alone.")
            .inSandbox("off");
    static final Setting<String> TERWAY_VETH_PREFIX = ours(
            "terway.veth_prefix",
            text("1 to 4 letters, digits, - or _, a letter first", "[a-zA-Z][a-zA-Z0-9_-]{0,3}"),
            "cali",
            "",
            "How the names of the node's ends begin by which terway's own CNI plugin connects pods.");
    static final Setting<String> DATAPATH_USE = ours(
                    "datapath.use",
                    choice("auto", "on", "off"),
                    "auto",
                    "",
                    "Whether pods are connected in the kernel: where that cannot be done, auto starts, is not ready and waits"
                            + " for it (an emulated node goes on without), and on refuses to start; off for none.")
            .inSandbox("off");
    static final Setting<String> ADDRESS_DIR = ours(
            "vpc.address_dir",
            text("an absolute path, or empty text for /var/lib/cni/networks", "|/.{0,4095}"),
            "",
            "",
            "Directory of one file for each address of the node's own CIDR that is taken, shared with CNI's host-local"
                    + " plugin: its dataDir, and in it the name of its network.");
    static final Setting<Optional<ListenAddress>> METRICS_LISTEN = ours(
                    "metrics.listen",
                    listenAddress(),
                    Optional.of(new ListenAddress("127.0.0.1", 9498)),
                    "",
                    "Where /metrics, /livez and /readyz are served over HTTP, to whoever can connect; port 0 for any that"
                            + " is free.")
            .inSandbox(Optional.empty());
    static final Setting<Integer> TRACE_STORIES = ours(
            "trace.stories",
            integer(0, 100_000),
            2_000,
            "operations",
            "How many ADDs, DELs and collections are remembered step by step for 'trace', and as many calls of the cloud;"
                    + " 0 for none.");
    static final Setting<Integer> TRACE_MEMORY = ours(
            "trace.memory", integer(1, 1_024), 8, "MiB", "How much memory they may take, about; the oldest give way.");
    static final Setting<Integer> AUDIT_SIZE = ours(
            "audit.size",
            integer(1, 10_240),
            64,
            "MiB",
            "How much the audit log may take with its three older files; the oldest gives way.");
    static final Setting<String> EMULATED_TYPE = ours(
            "emulator.instance_type",
            text("an ECS instance type such as ecs.g7.xlarge", "ecs\\.[a-z0-9.-]{2,60}"),
            "ecs.g7.xlarge",
            "",
            "The instance type of the emulated node.");
    static final Setting<Map<String, String>> EMULATED_VSWITCHES = ours(
            "emulator.vswitches",
            subnetByName(),
            Map.of("vsw-sandbox", "10.0.0.0/24"),
            "",
            "The emulated vSwitches, the node's own first.");
    static final Setting<String> EMULATED_LATENCY =
            ours("emulator.latency", latency(), "none", "", "How long the emulated cloud takes for things.");
    static final Setting<Long> EMULATOR_SEED =
            ours("emulator.seed", seed(), 1L, "", "Where the emulator's random numbers start.");

    static final Setting<Duration> RECLAIM_AFTER = terways(
            "idle_ip_reclaim_after",
            duration(Duration.ZERO, DAY),
            Duration.ZERO,
            "",
            "How long an address has to be idle before it goes back although the upper watermark would keep it, down to the"
                    + " lower one; 0 for never.");
    static final Setting<Duration> RECLAIM_INTERVAL = terways(
            "idle_ip_reclaim_interval",
            duration(SECOND, DAY),
            IdleReclaim.none().interval(),
            "",
            "Time between two rounds of that.");
    static final Setting<Integer> RECLAIM_BATCH = terways(
            "idle_ip_reclaim_batch_size",
            integer(1, MANY),
            IdleReclaim.none().batch(),
            "addresses",
            "How many go back in one round at most.");
    static final Setting<Double> RECLAIM_JITTER = terways(
            "idle_ip_reclaim_jitter_factor",
            decimal(0, 1),
            IdleReclaim.none().jitter(),
            "",
            "By what part the time between two rounds is longer or shorter, at random.");

    static final Setting<Boolean> PATCH_POD_IPS = terways(
            "enable_patch_pod_ips",
            flag(),
            false,
            "",
            "Whether the addresses of a pod are written to it, as its annotation k8s.aliyun.com/pod-ips.");

    /** All settings, ours first, in the order in which they are shown. */
    static final List<Setting<?>> ALL = List.of(
            MIN_IDLE,
            MAX_IDLE,
            CAPACITY,
            COOL_DOWN,
            CHECK_INTERVAL,
            SYNC_INTERVAL,
            POLICY,
            MODE,
            FACTORY,
            ALLOCATION_TIMEOUT,
            GC_INTERVAL,
            NETWORK,
            ENDPOINT,
            LOST_ENI,
            METADATA,
            CLUSTER_ID,
            NODE_NAME,
            CLUSTER_USE,
            KUBECONFIG,
            CLUSTER_RATE,
            STICK_TIME,
            TRUST_CALLS,
            CONFIG_NAMESPACE,
            CONFIG_INTERVAL,
            DEVICE_PLUGINS,
            LOG_FORMAT,
            LOG_LEVEL,
            CONTROL_SOCKET,
            CNI_SOCKET,
            TERWAY_SOCKET,
            TERWAY_VETH_PREFIX,
            DATAPATH_USE,
            ADDRESS_DIR,
            METRICS_LISTEN,
            TRACE_STORIES,
            TRACE_MEMORY,
            AUDIT_SIZE,
            EMULATED_TYPE,
            EMULATED_VSWITCHES,
            EMULATED_LATENCY,
            EMULATOR_SEED,
            terways("version", text("text", ".{0,32}"), "1", "", "Version of the file's format.")
                    .notObeyedYet(),
            CloudSettings.ACCESS_KEY,
            CloudSettings.ACCESS_SECRET,
            CloudSettings.CREDENTIAL_PATH,
            SERVICE_CIDR,
            CloudSettings.VSWITCHES,
            CloudSettings.VSWITCH_POLICY,
            CloudSettings.SECURITY_GROUP,
            CloudSettings.SECURITY_GROUPS,
            terways("min_pool_size", integer(0, MANY), 0, "addresses", "Lower watermark.")
                    .standsFor(MIN_IDLE),
            terways("max_pool_size", integer(0, MANY), 5, "addresses", "Upper watermark.")
                    .standsFor(MAX_IDLE),
            CloudSettings.MIN_ENI,
            CloudSettings.MAX_ENI,
            CloudSettings.ENI_CAP_RATIO,
            CloudSettings.ENI_CAP_SHIFT,
            later("hot_plug", choice("", "true", "false"), "", "Whether ENIs are attached while the node runs."),
            later("prefix", text("text", ".{0,128}"), "", "Prefix of what terway names."),
            CloudSettings.ENI_TAGS,
            IP_STACK,
            CloudSettings.RATE_LIMIT,
            CloudSettings.BACKOFF_OVERRIDE,
            terways("ip_pool_sync_period", duration(SECOND, DAY), Duration.ofMinutes(2), "", "Time between two syncs.")
                    .standsFor(SYNC_INTERVAL),
            RECLAIM_AFTER,
            RECLAIM_INTERVAL,
            RECLAIM_BATCH,
            RECLAIM_JITTER,
            WARM_UP,
            PATCH_POD_IPS,
            STATEFUL_KINDS);

    /** What terway's keys that nothing acts on may say all the same, since it is what is done. */
    private static final Map<String, Set<String>> DONE = Map.of("version", Set.of("1"), "hot_plug", Set.of("", "true"));

    private Schema() {}

    /** Whether a setting that nothing acts on says what is done anyway. */
    static boolean asItIsDone(Setting<?> setting, SettingValues values) {
        return DONE.getOrDefault(setting.key(), Set.of()).contains(values.show(setting));
    }

    private static <T> Setting<T> later(String key, ValueType<T> type, T usual, String doc) {
        return terways(key, type, usual, "", doc).notObeyedYet();
    }
}
