package io.enipam.shell.repl;

import io.enipam.shell.attach.DaemonConnection;
import io.enipam.shell.core.CompletionKind;
import io.enipam.v1.DoctorCheck;
import io.enipam.v1.DumpDbReply;
import io.enipam.v1.DumpDbRequest;
import io.enipam.v1.Eni;
import io.enipam.v1.GetCloudBudgetRequest;
import io.enipam.v1.GetCloudRequest;
import io.enipam.v1.GetTraceReply;
import io.enipam.v1.GetTraceRequest;
import io.enipam.v1.Lease;
import io.enipam.v1.ListCloudNamesReply;
import io.enipam.v1.ListCloudNamesRequest;
import io.enipam.v1.ListDoctorChecksRequest;
import io.enipam.v1.ListEnisRequest;
import io.enipam.v1.ListIdleReply;
import io.enipam.v1.ListIdleRequest;
import io.enipam.v1.ListInUseReply;
import io.enipam.v1.ListInUseRequest;
import io.enipam.v1.ListPluginsRequest;
import io.enipam.v1.ListPodsReply;
import io.enipam.v1.ListPodsRequest;
import io.enipam.v1.Plugin;
import io.enipam.v1.PluginDiagnostic;
import io.enipam.v1.PluginPart;
import io.enipam.v1.Resource;
import io.enipam.v1.TraceStory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Live values from the daemon; throws {@link io.enipam.shell.attach.ShellException} if it does not answer. */
final class DaemonCompletionValues implements CompletionValues {
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final Supplier<DaemonConnection> daemon;

    DaemonCompletionValues(Supplier<DaemonConnection> daemon) {
        this.daemon = daemon;
    }

    @Override
    public List<Value> of(CompletionKind kind, List<String> before) {
        return switch (kind) {
            case PODS -> pods();
            case CONTAINERS ->
                leases().stream()
                        .map(lease -> new Value(lease.getOwner().getContainer(), lease.getPod()))
                        .toList();
            case ADDRESSES -> poolAddresses();
            case ENIS -> enis();
            case ENI_IPS -> addresses();
            case ANYTHING -> anything();
            case ECS_APIS -> ecsApis();
            case CLOUD_APIS -> apis();
            case CLOUD_CODES -> texts(names().getCodesList().stream());
            case CLOUD_FAULTS -> faults();
            case CLOUD_LATENCIES -> texts(Stream.of("none", "real"));
            case CLOUD_LIMITS -> texts(Stream.of("off", "default"));
            case DB_KEYS -> records(r -> new Value(r.getBucket() + "/" + r.getKey(), ""));
            case DB_BUCKETS ->
                texts(Stream.of("leases", "reservations", "quarantine", "intents", "operations", "pods", "meta"));
            case PLUGINS ->
                plugins().map(p -> new Value(p.getId(), p.getState())).toList();
            case POLICIES -> parts(Plugin::getPoliciesList);
            case FACTORIES -> parts(Plugin::getFactoriesList);
            case DIAGNOSTICS ->
                diagnostics(before)
                        .map(d -> new Value(d.getName(), d.getSummary()))
                        .toList();
            case DIAGNOSTIC_PARAMETERS -> parameters(before);
            case DOCTOR_CHECKS -> checks(check -> true);
            case DOCTOR_REPAIRS -> checks(check -> !check.getRepair().isEmpty());
            case TRACED -> TraceCompletionValues.of(daemon.get(), PATIENCE);
            case FILES, RUNBOOKS, RUNBOOK_PARAMETERS, COMMANDS, COLUMNS -> List.of();
        };
    }

    private List<Value> pods() {
        Iterator<ListPodsReply> parts =
                daemon.get().stream(PATIENCE, stub -> stub.listPods(ListPodsRequest.getDefaultInstance()));
        return collected(
                parts,
                ListPodsReply::getPodsList,
                pod -> new Value(
                        pod.getPod(),
                        String.join(
                                ", ",
                                pod.getLeasesList().stream()
                                        .map(Lease::getResource)
                                        .flatMap(resource -> resource.getAddressesList().stream())
                                        .toList())));
    }

    private List<Lease> leases() {
        Iterator<ListInUseReply> parts =
                daemon.get().stream(PATIENCE, stub -> stub.listInUse(ListInUseRequest.getDefaultInstance()));
        return collected(parts, ListInUseReply::getLeasesList, lease -> lease);
    }

    /** All addresses of the pool, without their prefix lengths, those that pods have first. */
    private List<Value> poolAddresses() {
        Stream<Value> lent = leases().stream().flatMap(lease -> addresses(lease.getResource(), lease.getPod()));
        Iterator<ListIdleReply> parts =
                daemon.get().stream(PATIENCE, stub -> stub.listIdle(ListIdleRequest.getDefaultInstance()));
        Stream<Value> others = collected(parts, ListIdleReply::getEntriesList, entry -> entry).stream()
                .flatMap(entry -> addresses(entry.getResource(), entry.getState()));
        return Stream.concat(lent, others).toList();
    }

    private static Stream<Value> addresses(Resource resource, String description) {
        return resource.getAddressesList().stream()
                .map(address -> new Value(address.replaceFirst("/.*", ""), description));
    }

    private List<Value> enis() {
        return daemon
                .get()
                .inspect(PATIENCE, stub -> stub.listEnis(ListEnisRequest.getDefaultInstance()))
                .getEnisList()
                .stream()
                .map(eni -> new Value(eni.getId(), eni.getState() + " " + eni.getPrimaryIp()))
                .toList();
    }

    /** Whatever has a name: pods, ENIs with their addresses, and the containers that have one. */
    private List<Value> anything() {
        List<Value> all = new ArrayList<>(pods());
        List<Eni> enis = daemon.get()
                .inspect(PATIENCE, stub -> stub.listEnis(ListEnisRequest.getDefaultInstance()))
                .getEnisList();
        enis.forEach(eni -> {
            all.add(new Value(eni.getId(), eni.getState() + " " + eni.getPrimaryIp()));
            Stream.concat(eni.getAddressesList().stream(), eni.getIpv6AddressesList().stream())
                    .forEach(address -> all.add(new Value(
                            address.getAddress().replaceFirst("/.*", ""),
                            (address.getState() + " " + address.getPod()).strip())));
        });
        Iterator<ListInUseReply> leases =
                daemon.get().stream(PATIENCE, stub -> stub.listInUse(ListInUseRequest.getDefaultInstance()));
        all.addAll(collected(
                leases,
                ListInUseReply::getLeasesList,
                lease -> new Value(lease.getOwner().getContainer(), lease.getPod())));
        return all;
    }

    /** The addresses that may be taken, without their prefix lengths. */
    private List<Value> addresses() {
        return daemon
                .get()
                .inspect(PATIENCE, stub -> stub.listEnis(ListEnisRequest.getDefaultInstance()))
                .getEnisList()
                .stream()
                .flatMap(eni -> eni.getAddressesList().stream()
                        .filter(address -> !address.getPrimary())
                        .map(address -> new Value(
                                address.getAddress().replaceFirst("/.*", ""), eni.getId() + " " + address.getPod())))
                .toList();
    }

    private ListCloudNamesReply names() {
        return daemon.get().inspect(PATIENCE, stub -> stub.listCloudNames(ListCloudNamesRequest.getDefaultInstance()));
    }

    private List<Value> apis() {
        return Stream.concat(
                        Stream.of(new Value("*", "all actions"), new Value("metadata", "the metadata service")),
                        texts(names().getApisList().stream()).stream())
                .toList();
    }

    private List<Value> faults() {
        Stream<Value> faults = daemon
                .get()
                .inspect(PATIENCE, stub -> stub.getCloud(GetCloudRequest.getDefaultInstance()))
                .getFaultsList()
                .stream()
                .map(fault -> new Value(Integer.toString(fault.getId()), fault.getApi()));
        return Stream.concat(faults, Stream.of(new Value("all", "every fault"))).toList();
    }

    private List<Value> checks(Predicate<DoctorCheck> wanted) {
        return daemon
                .get()
                .inspect(PATIENCE, stub -> stub.listDoctorChecks(ListDoctorChecksRequest.getDefaultInstance()))
                .getChecksList()
                .stream()
                .filter(wanted)
                .map(check -> new Value(check.getId(), check.getTitle()))
                .toList();
    }

    private static List<Value> texts(Stream<String> texts) {
        return texts.map(text -> new Value(text, "")).toList();
    }

    private List<Value> ecsApis() {
        return daemon
                .get()
                .inspect(PATIENCE, stub -> stub.getCloudBudget(GetCloudBudgetRequest.getDefaultInstance()))
                .getApisList()
                .stream()
                .map(api -> new Value(api.getApi(), api.getCalls() + " calls"))
                .toList();
    }

    private List<Value> records(Function<io.enipam.v1.DbRecord, Value> value) {
        Iterator<DumpDbReply> parts =
                daemon.get().stream(PATIENCE, stub -> stub.dumpDb(DumpDbRequest.getDefaultInstance()));
        return collected(parts, DumpDbReply::getRecordsList, value);
    }

    private Stream<Plugin> plugins() {
        return daemon
                .get()
                .inspect(PATIENCE, stub -> stub.listPlugins(ListPluginsRequest.getDefaultInstance()))
                .getPluginsList()
                .stream();
    }

    private List<Value> parts(Function<Plugin, List<PluginPart>> of) {
        return plugins()
                .flatMap(plugin -> of.apply(plugin).stream()
                        .map(part -> new Value(part.getName(), plugin.getId() + " " + part.getState())))
                .toList();
    }

    /** The diagnostics of the plugin that stands before. */
    private Stream<PluginDiagnostic> diagnostics(List<String> before) {
        return before.isEmpty()
                ? Stream.empty()
                : plugins()
                        .filter(plugin -> plugin.getId().equals(before.get(0)))
                        .flatMap(plugin -> plugin.getDiagnosticsList().stream());
    }

    /** The parameters not given yet: with each value that may be chosen, or else up to the value. */
    private List<Value> parameters(List<String> before) {
        return diagnostics(before)
                .filter(diagnostic -> before.size() > 1 && diagnostic.getName().equals(before.get(1)))
                .flatMap(diagnostic -> diagnostic.getParametersList().stream())
                .filter(parameter ->
                        before.stream().skip(2).noneMatch(word -> word.startsWith(parameter.getName() + "=")))
                .flatMap(parameter -> parameter.getChoicesCount() == 0
                        ? Stream.of(new Value(parameter.getName() + "=", parameter.getAllowed()))
                        : parameter.getChoicesList().stream()
                                .map(choice -> new Value(parameter.getName() + "=" + choice, parameter.getDoc())))
                .toList();
    }

    private static <R, I, V> List<V> collected(Iterator<R> parts, Function<R, List<I>> items, Function<I, V> value) {
        List<V> values = new ArrayList<>();
        while (parts.hasNext()) {
            items.apply(parts.next()).stream().map(value).forEach(values::add);
        }
        return values;
    }

    /** What {@code trace} can tell of: what the daemon remembers, the latest first, whether it is still there or not. */
    private static final class TraceCompletionValues {
        /** Enough to choose from. */
        private static final int MOST = 500;

        private TraceCompletionValues() {}

        static List<CompletionValues.Value> of(DaemonConnection daemon, Duration patience) {
            GetTraceRequest request =
                    GetTraceRequest.newBuilder().setBrief(true).setLimit(MOST).build();
            Iterator<GetTraceReply> parts = daemon.stream(patience, stub -> stub.getTrace(request));
            List<TraceStory> latestFirst = new ArrayList<>();
            while (parts.hasNext()) {
                latestFirst.addAll(parts.next().getStoriesList());
            }
            Collections.reverse(latestFirst);
            Map<String, String> values = new LinkedHashMap<>();
            for (TraceStory story : latestFirst) {
                String what = story.getOperation() + " " + story.getOutcome();
                put(values, story.getPod(), "pod, " + what);
                put(values, story.getOwner().getContainer(), "container of " + story.getPod());
                for (String address : story.getResource().getAddressesList()) {
                    put(values, address.replaceFirst("/.*", ""), "address of " + story.getPod());
                }
                put(values, story.getResource().getParent(), "ENI");
            }
            return values.entrySet().stream()
                    .map(value -> new CompletionValues.Value(value.getKey(), value.getValue()))
                    .toList();
        }

        private static void put(Map<String, String> values, String name, String what) {
            if (!name.isEmpty()) {
                values.putIfAbsent(name, what);
            }
        }
    }
}
