package io.enipam.config;

import static io.enipam.config.ValueType.backoffByName;
import static io.enipam.config.ValueType.choice;
import static io.enipam.config.ValueType.decimal;
import static io.enipam.config.ValueType.duration;
import static io.enipam.config.ValueType.flag;
import static io.enipam.config.ValueType.httpAddress;
import static io.enipam.config.ValueType.integer;
import static io.enipam.config.ValueType.latency;
import static io.enipam.config.ValueType.listenAddress;
import static io.enipam.config.ValueType.names;
import static io.enipam.config.ValueType.namesByZone;
import static io.enipam.config.ValueType.numberByName;
import static io.enipam.config.ValueType.path;
import static io.enipam.config.ValueType.serviceSubnets;
import static io.enipam.config.ValueType.subnetByName;
import static io.enipam.config.ValueType.text;
import static io.enipam.config.ValueType.textByName;
import static io.enipam.config.ValueType.textOrOff;
import static io.enipam.config.ValueType.wholeNumber;
import static java.time.Duration.ofDays;
import static java.time.Duration.ofHours;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;

import io.enipam.aliyun.client.RetryingEcsApi.CallConfig.Retries;
import io.enipam.config.ConfigFile.SettingsFile;
import io.enipam.config.ConfigLoader.DaemonMode;
import io.enipam.engine.EngineConfig.IdleReclaim;
import io.enipam.sdk.Role;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * All settings, one row each: key, type with its range, default, unit, meaning, and whether a ConfigMap may set it.
 * Parsing, validation, {@code config show} and the reference use this table, in its order. Defaults of terway's keys
 * are terway's own; the default cool-down is that of AWS ipamd.
 */
public final class Schema {
    static final String IPV6 = "ipv6";
    static final String DUAL = "dual";

    private static final String IPV4 = "ipv4";
    private static final Duration SECOND = ofSeconds(1);
    private static final Duration DAY = ofHours(24);
    private static final String NAME = "[A-Za-z0-9][A-Za-z0-9_.-]{0,252}";
    private static final String PART_NAME = "[a-z][a-z0-9-]{0,62}";
    private static final int MANY = 10_000;
    private static final IdleReclaim NO_RECLAIM = IdleReclaim.none();

    // reasons why a ConfigMap may not set a key
    private static final String CONNECTION = "it decides whom the daemon believes";
    private static final String SECRET = "a ConfigMap is no place for a secret, nor for where it is found";
    private static final String PLACE = "a path is this host's own affair";
    private static final String SANDBOX = "it is of a sandbox";

    private static final List<Setting<?>> ROWS = new ArrayList<>();

    static final Setting<Integer> MIN_IDLE = ours("pool.min_idle", integer(0, MANY), 0, "addresses")
            .inSandbox(2)
            .live("Lower watermark: addresses are made when fewer are idle.");
    static final Setting<Integer> MAX_IDLE = ours("pool.max_idle", integer(0, MANY), 5, "addresses")
            .inSandbox(5)
            .live("Upper watermark: addresses are given back to the cloud when more are idle.");
    static final Setting<Integer> CAPACITY = ours("pool.capacity", integer(0, MANY), 0, "addresses")
            .live("Upper bound on the pool below what the instance type allows; 0 for none.");
    static final Setting<Duration> COOL_DOWN = ours(
                    "pool.cool_down", duration(Duration.ZERO, ofHours(1)), ofSeconds(30))
            .inSandbox(ofSeconds(3))
            .live("How long an address given back is lent to nobody.");
    static final Setting<Duration> CHECK_INTERVAL = ours("pool.check_interval", duration(SECOND, DAY), ofMinutes(2))
            .live("Time between two looks at the watermarks.");
    static final Setting<Duration> SYNC_INTERVAL = ours("pool.sync_interval", duration(SECOND, DAY), ofMinutes(2))
            .live("Time between two comparisons of the pool with the cloud, give or take a tenth.");
    public static final Setting<String> POLICY = ours(
                    "pool.policy", text("a policy's name, [a-z][a-z0-9-]*", PART_NAME), "watermark")
            .means("The policy that decides what is lent and how many are kept; 'plugin list' shows which there are.");
    static final Setting<String> MODE = ours("daemon.mode", choice(DaemonMode.names()), DaemonMode.ENI_MULTI_IP.label())
            .means("Terway's name of what a pod gets: an address of an ENI it shares (ENIMultiIP), an ENI of its own"
                    + " (ENIOnly), or an address of the node's own CIDR (VPC). It decides pool.factory where that"
                    + " is not set.");
    public static final Setting<String> FACTORY = ours(
                    "pool.factory",
                    text("a factory's name, [a-z][a-z0-9-]*", PART_NAME),
                    DaemonMode.ENI_MULTI_IP.factory())
            .means("The factory that makes what pods get: 'eni-ip', 'eni' or 'node-cidr' by daemon.mode, or a plugin's;"
                    + " 'plugin list' shows which there are.");
    public static final Setting<List<String>> EXTENSIONS = ofEachRole("extensions", names(100), List.of())
            .live("The extensions of plugins that run: 'plugin list' shows which there are.");
    public static final Setting<Duration> ALLOCATION_TIMEOUT = ours(
                    "allocation.timeout", duration(ofMillis(100), ofMinutes(10)), ofSeconds(60))
            .inSandbox(ofSeconds(5))
            .live("How long an ADD waits for an address unless the caller says otherwise.");
    public static final Setting<Duration> GC_INTERVAL = ours("gc.interval", duration(SECOND, DAY), ofMinutes(5))
            .live("Time between two collections of leases whose pod is gone.");
    public static final Setting<String> NETWORK = ours(
                    "network.name", text("a CNI network name, [A-Za-z0-9][A-Za-z0-9_.-]*", NAME), "enipam")
            .means("The network of a call that names none.");
    static final Setting<Optional<URI>> ENDPOINT = ofEachRole("cloud.endpoint", httpAddress(), Optional.empty())
            .filesOnly(CONNECTION)
            .means("Where ECS and VPC answer, for a private cloud or an emulator; empty for the region's own"
                    + " endpoints.");
    static final Setting<String> LOST_ENI = ours("cloud.lost_eni", choice("reattach", "release"), "reattach")
            .means("What becomes of an ENI that another actor detaches under pods: attached again, or left off until"
                    + " they are gone.");
    static final Setting<Optional<URI>> METADATA = ofEachRole(
                    "cloud.metadata", httpAddress(), Optional.of(URI.create("http://100.100.100.200")))
            .filesOnly(CONNECTION)
            .means("Where the metadata service answers.");
    static final Setting<String> CLUSTER_ID = ours(
                    "cluster.id",
                    text(
                            "a cluster's id, [A-Za-z0-9][A-Za-z0-9_.-]*, or empty text",
                            "|[A-Za-z0-9][A-Za-z0-9_.-]{0,127}"),
                    "")
            .means("The cluster this node belongs to: the value of the tag 'cluster' on every ENI; empty for no such"
                    + " tag.");
    public static final Setting<String> NODE_NAME = ofEachRole(
                    "node.name", text("a host name, or empty text", "|" + NAME), "")
            .filesOnly(CONNECTION)
            .means("The node's name, as the API server has it; empty for that of NODE_NAME, or else the host's own.");
    static final Setting<String> CLUSTER_USE = ofEachRole("kubernetes.use", choice("auto", "on", "off"), "auto")
            .inSandbox("off")
            .filesOnly(CONNECTION)
            .means("Whether the API server is asked for pods and told of events: auto where there is a kubeconfig or a"
                    + " service account.");
    static final Setting<String> KUBECONFIG = ofEachRole("kubernetes.kubeconfig", path("none", 4095), "")
            .filesOnly(PLACE)
            .means("File with the way to the API server; empty for that of KUBECONFIG, or else the pod's service"
                    + " account.");
    static final Setting<Integer> CLUSTER_RATE = ofEachRole(
                    "kubernetes.requests_per_second", integer(1, 10_000), 20, "requests")
            .inCluster(1_500)
            .filesOnly("it is needed before a ConfigMap can be read")
            .means("How many requests a second the API server gets at most from the daemon itself, and as many from"
                    + " all of its plugins; watches do not count.");
    static final Setting<Duration> STICK_TIME = ours(
                    "kubernetes.stick_time", duration(Duration.ZERO, ofDays(7)), ofMinutes(5))
            .live("How long the address of a StatefulSet's pod is kept for its successor; a pod may say otherwise by"
                    + " its annotation enipam.io/stick-time.");
    static final Setting<Boolean> TRUST_CALLS = ours("kubernetes.trust_calls", flag(), true)
            .means("Whether an ADD goes on by what it says itself when the API server does not answer and the pod was"
                    + " never seen before.");
    public static final Setting<String> CONFIG_NAMESPACE = ours(
                    "kubernetes.config_namespace",
                    text("a namespace, or empty text", "|[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?"),
                    "")
            .filesOnly(CONNECTION)
            .means("Namespace of the ConfigMap that the node's label terway-config names; empty for the daemon's own,"
                    + " or else kube-system.");
    public static final Setting<Duration> CONFIG_INTERVAL = ours(
                    "kubernetes.config_interval", duration(SECOND, DAY), ofMinutes(1))
            .live("Time between two looks at that label and that ConfigMap, give or take a fifth.");
    public static final Setting<String> DEVICE_PLUGINS = ours(
                    "kubelet.device_plugins",
                    textOrOff("auto, off, or an absolute path of at most 90 characters", "auto|off|/.{0,89}"),
                    "auto")
            .inSandbox("off")
            .filesOnly(PLACE)
            .means("Directory of the kubelet's device plugins, where a node whose pods get whole ENIs offers the"
                    + " resource aliyun/eni; auto for /var/lib/kubelet/device-plugins where there is one.");
    static final Setting<String> LOG_FORMAT = ofEachRole("log.format", choice("line", "json"), "line")
            .means("How a log record is written to standard error.");
    public static final Setting<String> LOG_LEVEL = ofEachRole(
                    "log.level", choice("trace", "debug", "info", "warn", "error"), "info")
            .means("The least severe of enipam's own records that is written.");
    static final Setting<String> CONTROL_SOCKET = ofEachRole(
                    "sockets.control", path("enipam.sock in the run directory", 106), "")
            .filesOnly(PLACE)
            .means("The unix socket of Inspect and Control.");
    static final Setting<String> CNI_SOCKET = ours(
                    "sockets.cni",
                    textOrOff(
                            "an absolute path, off, or empty text for cni.sock in the run directory", "|off|/.{0,106}"),
                    "")
            .means("The unix socket on which the CNI front calls the daemon; for root alone.");
    static final Setting<String> TERWAY_SOCKET = ours(
                    "sockets.terway",
                    textOrOff("an absolute path, off, or empty text for /var/run/eni/eni.socket", "|off|/.{0,106}"),
                    "")
            .inSandbox("off")
            .means("The unix socket on which terway's own CNI plugin calls the daemon; for root alone.");
    public static final Setting<String> TERWAY_VETH_PREFIX = ours(
                    "terway.veth_prefix",
                    text("1 to 4 letters, digits, - or _, a letter first", "[a-zA-Z][a-zA-Z0-9_-]{0,3}"),
                    "cali")
            .means("How the names of the node's ends begin by which terway's own CNI plugin connects pods.");
    public static final Setting<String> DATAPATH_USE = ours("datapath.use", choice("auto", "on", "off"), "auto")
            .inSandbox("off")
            .means("Whether pods are connected in the kernel: where that cannot be done, auto starts, is not ready and"
                    + " waits for it (an emulated node goes on without), and on refuses to start; off for none.");
    static final Setting<String> ADDRESS_DIR = ours("vpc.address_dir", path("/var/lib/cni/networks", 4095), "")
            .means("Directory of one file for each address of the node's own CIDR that is taken, shared with CNI's"
                    + " host-local plugin: its dataDir, and in it the name of its network.");
    public static final Setting<Optional<ListenAddress>> METRICS_LISTEN = ofEachRole(
                    "metrics.listen", listenAddress(), Optional.of(new ListenAddress("127.0.0.1", 9498)))
            .inSandbox(Optional.empty())
            .filesOnly(PLACE)
            .means("Where /metrics, /livez and /readyz are served over HTTP, to whoever can connect; port 0 for any"
                    + " that is free.");
    static final Setting<Integer> TRACE_STORIES = ofEachRole("trace.stories", integer(0, 100_000), 2_000, "operations")
            .means("How many ADDs, DELs and collections are remembered step by step for 'trace', and as many calls of"
                    + " the cloud and keys of controllers; 0 for none.");
    static final Setting<Integer> TRACE_MEMORY = ofEachRole("trace.memory", integer(1, 1_024), 8, "MiB")
            .means("How much memory they may take, about; the oldest give way.");
    static final Setting<Integer> AUDIT_SIZE = ofEachRole("audit.size", integer(1, 10_240), 64, "MiB")
            .means("How much the audit log may take with its three older files; the oldest gives way.");
    public static final Setting<Duration> HISTORY_KEEP = ofEachRole(
                    "history.keep", duration(ofHours(1), ofDays(3_650)), ofDays(30))
            .means("How long it is remembered who had an address, for 'who' and 'lease history', and what happened.");
    public static final Setting<Integer> HISTORY_SIZE = ours("history.size", integer(1, 65_536), 256, "MiB")
            .means("How much disk that may take, some 65 bytes a lease; the oldest gives way.");
    public static final Setting<Integer> HISTORY_EVENTS_SIZE = ofEachRole(
                    "history.events_size", integer(4, 65_536), 128, "MiB")
            .means("How much disk events, traces and samples of the pool may take: the traces a half, the others a"
                    + " quarter each; the oldest give way.");
    public static final Setting<Boolean> JIT_WARM_UP = ours("daemon.jit_warm_up", flag(), true)
            .inSandbox(false)
            .means("Whether ADD and DEL run in memory for some seconds after a start, or until the first pod comes, so"
                    + " that their code is compiled when it does.");
    static final Setting<String> EMULATED_TYPE = ofEachRole(
                    "emulator.instance_type",
                    text("an ECS instance type such as ecs.g7.xlarge", "ecs\\.[a-z0-9.-]{2,60}"),
                    "ecs.g7.xlarge")
            .filesOnly(SANDBOX)
            .means("The instance type of the emulated node.");
    static final Setting<Map<String, String>> EMULATED_VSWITCHES = ofEachRole(
                    "emulator.vswitches", subnetByName(), Map.of("vsw-sandbox", "10.0.0.0/24"))
            .filesOnly(SANDBOX)
            .means("The emulated vSwitches, the node's own first.");
    static final Setting<String> EMULATED_LATENCY = ofEachRole("emulator.latency", latency(), "none")
            .filesOnly(SANDBOX)
            .means("How long the emulated cloud takes for things.");
    static final Setting<Long> EMULATOR_SEED = ofEachRole("emulator.seed", wholeNumber(), 1L)
            .filesOnly(SANDBOX)
            .means("Where the emulator's random numbers start.");
    static final Setting<String> ROLE = ofEachRole("daemon.role", choice("node", "cluster"), "node")
            .filesOnly(CONNECTION)
            .means("What the daemon is: that of a node, or one of the cluster, which has no pool and runs extensions of"
                    + " role CLUSTER; set by --role alone.");

    public static final Setting<String> LEADER = ofCluster(
                    "cluster.leader", choice("auto", "none", "etcd", "kubernetes"), "auto")
            .filesOnly(CONNECTION)
            .means("Who says which of several replicas is active: a lease in etcd, a Lease of the API server, or none"
                    + " where there is one replica; auto for etcd where cluster.etcd.endpoints is set, else none.");

    public static final Setting<String> LEASE = ofCluster(
                    "cluster.lease",
                    text("NAMESPACE/NAME", "[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?/[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?"),
                    "kube-system/enipam-cluster")
            .filesOnly(CONNECTION)
            .means("The Lease of the API server by which a replica leads, where cluster.leader is kubernetes.");

    public static final Setting<List<String>> ETCD_ENDPOINTS = ofCluster("cluster.etcd.endpoints", names(16), List.of())
            .filesOnly(CONNECTION)
            .means("The members of the etcd that keeps the tables of plugins, as https://HOST:2379, all https or all"
                    + " http; empty to keep them in the daemon's own database.");

    public static final Setting<String> ETCD_CA = ofCluster("cluster.etcd.ca", path("the JDK's authorities", 4095), "")
            .filesOnly(CONNECTION)
            .means("File in PEM with the authorities that etcd's certificate is checked by.");

    public static final Setting<String> ETCD_CERTIFICATE = ofCluster(
                    "cluster.etcd.certificate", path("no certificate", 4095), "")
            .filesOnly(CONNECTION)
            .means("File in PEM with the client's certificate, and those it was issued by.");

    public static final Setting<String> ETCD_KEY = ofCluster("cluster.etcd.key", path("no certificate", 4095), "")
            .filesOnly(SECRET)
            .means("File in PEM with that certificate's key, PKCS #8 without a passphrase.");

    public static final Setting<String> ETCD_USER = ofCluster(
                    "cluster.etcd.user", text("text of at most 128 characters", ".{0,128}"), "")
            .filesOnly(CONNECTION)
            .means("The user of etcd; empty where it has no authentication, or takes the certificate's name.");

    public static final Setting<String> ETCD_PASSWORD_FILE = ofCluster(
                    "cluster.etcd.password_file", path("no password", 4095), "")
            .filesOnly(SECRET)
            .means("File whose first line is that user's password; read at the start.");

    public static final Setting<String> ETCD_PREFIX = ofCluster(
                    "cluster.etcd.prefix",
                    text(
                            "/ and 1 to 63 letters, digits and . _ - /, no / at the end",
                            "/[A-Za-z0-9._/-]{0,62}[A-Za-z0-9._-]"),
                    "/enipam")
            .filesOnly(CONNECTION)
            .means("What all keys in etcd begin with; the replicas that have the same one share tables and leader.");

    public static final Setting<Duration> ETCD_PATIENCE = ofCluster(
                    "cluster.etcd.patience", duration(SECOND, ofMinutes(5)), ofSeconds(15))
            .filesOnly(CONNECTION)
            .means("How long a call of etcd is repeated before it fails.");

    static final Setting<String> VERSION =
            terways("version", text("text", ".{0,32}"), "1").notObeyed().means("Version of the file's format.");
    static final Setting<String> ACCESS_KEY = terwaysOfEachRole(
                    "access_key", text("text of at most 128 characters", ".{0,128}"), "")
            .secret()
            .filesOnly(SECRET)
            .means("Id of the access key; empty for credential_path, or else the instance's RAM role.");
    static final Setting<String> ACCESS_SECRET = terwaysOfEachRole(
                    "access_secret", text("text of at most 256 characters", ".{0,256}"), "")
            .secret()
            .filesOnly(SECRET)
            .means("Secret of the access key.");
    static final Setting<String> CREDENTIAL_PATH = terwaysOfEachRole("credential_path", path("none", 4095), "")
            .filesOnly(SECRET)
            .means("File with the credentials, in the format of ACK's token files; read again when it changes. Used"
                    + " where no access key is set; without either the instance's RAM role is used.");
    public static final Setting<List<String>> SERVICE_CIDR = terways("service_cidr", serviceSubnets(), List.of())
            .live("The addresses of the cluster's services; empty for those that kubeadm has written down.");
    static final Setting<Map<String, List<String>>> VSWITCHES = terways("vswitches", namesByZone(), Map.of())
            .live("vSwitches by zone, in order of preference; empty for the instance's own.");
    static final Setting<String> VSWITCH_POLICY = terways(
                    "vswitch_selection_policy", choice("ordered", "random", "most"), "ordered")
            .live("Which of its zone's vSwitches the next ENI is made in: the first, any, or the one with most free"
                    + " addresses.");
    static final Setting<String> SECURITY_GROUP = terways(
                    "security_group", text("a security group id", "|[A-Za-z0-9-]{1,64}"), "")
            .means("The security group of every ENI; used beside security_groups.");
    static final Setting<List<String>> SECURITY_GROUPS = terways("security_groups", names(10), List.of())
            .means("The security groups of every ENI; empty for the instance's own.");
    static final Setting<Integer> MIN_POOL_SIZE = terways("min_pool_size", integer(0, MANY), 0, "addresses")
            .standsFor(MIN_IDLE)
            .means("Lower watermark.");
    static final Setting<Integer> MAX_POOL_SIZE = terways("max_pool_size", integer(0, MANY), 5, "addresses")
            .standsFor(MAX_IDLE)
            .means("Upper watermark.");
    static final Setting<Integer> MIN_ENI = terways("min_eni", integer(0, 1000), 0, "ENIs")
            .means("So many secondary ENIs are kept attached, whoever needs them.");
    static final Setting<Integer> MAX_ENI =
            terways("max_eni", integer(0, 1000), 0, "ENIs").means("Upper bound on secondary ENIs; 0 for none.");
    static final Setting<Double> ENI_CAP_RATIO = terways("eni_cap_ratio", decimal(0, 10), 1.0)
            .means("Factor on the ENIs that the instance type allows beside the primary one; 0 stands for 1.");
    static final Setting<Integer> ENI_CAP_SHIFT = terways("eni_cap_shift", integer(-1000, 1000), 0, "ENIs")
            .means("Added to that product; what comes of it is at least 0, and at most what the instance type allows.");
    static final Setting<String> HOT_PLUG = terways("hot_plug", choice("", "true", "false"), "")
            .notObeyed()
            .means("Whether ENIs are attached while the node runs.");
    static final Setting<String> PREFIX =
            terways("prefix", text("text", ".{0,128}"), "").notObeyed().means("Prefix of what terway names.");
    static final Setting<Map<String, String>> ENI_TAGS = terways("eni_tags", textByName(20), Map.of())
            .means("Tags put on every ENI this node makes, beside creator, node and cluster, which win over them.");
    static final Setting<String> IP_STACK = terways("ip_stack", choice(IPV4, IPV6, DUAL), IPV4)
            .means("Address families of a pod: 'ipv4', or 'dual' for an IPv6 address beside it, which takes a vSwitch"
                    + " with an IPv6 block; 'ipv6' alone is refused.");
    static final Setting<Map<String, Integer>> RATE_LIMIT = terways(
                    "rate_limit", numberByName(100_000), Map.of(), "calls a minute")
            .of(Role.NODE, Role.CLUSTER)
            .live("How often each API may be called, by its name; an empty name stands for all others. After throttling"
                    + " it is less for a while.");
    static final Setting<Map<String, Retries>> BACKOFF_OVERRIDE = terwaysOfEachRole(
                    "backoff_override", backoffByName(), Map.of())
            .means("How calls are repeated: eni_create, eni_ops, eni_release, eni_ip_ops, and an empty name for all"
                    + " others. Terway's other names are accepted and say nothing here. All of a call stays within"
                    + " 20s.");
    static final Setting<Duration> IP_POOL_SYNC_PERIOD = terways(
                    "ip_pool_sync_period", duration(SECOND, DAY), ofMinutes(2))
            .standsFor(SYNC_INTERVAL)
            .means("Time between two syncs.");
    static final Setting<Duration> RECLAIM_AFTER = terways(
                    "idle_ip_reclaim_after", duration(Duration.ZERO, DAY), Duration.ZERO)
            .live("How long an address has to be idle before it goes back although the upper watermark would keep it,"
                    + " down to the lower one; 0 for never.");
    static final Setting<Duration> RECLAIM_INTERVAL = terways(
                    "idle_ip_reclaim_interval", duration(SECOND, DAY), NO_RECLAIM.interval())
            .live("Time between two rounds of that.");
    static final Setting<Integer> RECLAIM_BATCH = terways(
                    "idle_ip_reclaim_batch_size", integer(1, MANY), NO_RECLAIM.batch(), "addresses")
            .live("How many go back in one round at most.");
    static final Setting<Double> RECLAIM_JITTER = terways(
                    "idle_ip_reclaim_jitter_factor", decimal(0, 1), NO_RECLAIM.jitter())
            .live("By what part the time between two rounds is longer or shorter, at random.");
    public static final Setting<Integer> WARM_UP = terways("ip_warm_up_size", integer(0, MANY), 0, "addresses")
            .means("So many are made idle by the first start on a node, and kept for half an hour; 0 for none.");
    static final Setting<Boolean> PATCH_POD_IPS = terways("enable_patch_pod_ips", flag(), false)
            .means("Whether the addresses of a pod are written to it, as its annotation k8s.aliyun.com/pod-ips.");
    static final Setting<List<String>> STATEFUL_KINDS = terways("custom_stateful_workload_kinds", names(100), List.of())
            .live("Kinds of owners whose pods are treated like those of a StatefulSet.");

    /** All settings, ours first, in display order. */
    static final List<Setting<?>> ALL = List.copyOf(ROWS);

    /** Values of ignored terway keys that are accepted without a warning, since the daemon behaves so anyway. */
    private static final Map<String, Set<String>> DONE = Map.of("version", Set.of("1"), "hot_plug", Set.of("", "true"));

    private Schema() {}

    private static <T> SettingRow<T> ours(String key, ValueType<T> type, T usual) {
        return ours(key, type, usual, "");
    }

    private static <T> SettingRow<T> ours(String key, ValueType<T> type, T usual, String unit) {
        return new SettingRow<>(ROWS, key, SettingsFile.ENIPAM_YAML, type, usual, unit);
    }

    private static <T> SettingRow<T> ofEachRole(String key, ValueType<T> type, T usual) {
        return ofEachRole(key, type, usual, "");
    }

    private static <T> SettingRow<T> ofEachRole(String key, ValueType<T> type, T usual, String unit) {
        return ours(key, type, usual, unit).of(Role.NODE, Role.CLUSTER);
    }

    private static <T> SettingRow<T> ofCluster(String key, ValueType<T> type, T usual) {
        return ours(key, type, usual).of(Role.CLUSTER);
    }

    private static <T> SettingRow<T> terwaysOfEachRole(String key, ValueType<T> type, T usual) {
        return terways(key, type, usual).of(Role.NODE, Role.CLUSTER);
    }

    private static <T> SettingRow<T> terways(String key, ValueType<T> type, T usual) {
        return terways(key, type, usual, "");
    }

    private static <T> SettingRow<T> terways(String key, ValueType<T> type, T usual, String unit) {
        return new SettingRow<>(ROWS, key, SettingsFile.ENI_JSON, type, usual, unit);
    }

    static Optional<Setting<?>> find(String key) {
        return ALL.stream().filter(setting -> setting.key().equals(key)).findFirst();
    }

    /** Whether the value of an ignored setting describes what the daemon does anyway. */
    static boolean asItIsDone(Setting<?> setting, SettingValues values) {
        return DONE.getOrDefault(setting.key(), Set.of()).contains(values.show(setting));
    }
}
