package io.enipam.shell.repl;

import io.enipam.shell.attach.DaemonConnection;
import io.enipam.shell.core.CompletionKind;
import io.enipam.shell.core.Table;
import io.enipam.shell.status.NodeCommands;
import io.enipam.v1.CompleteCommandRequest;
import io.enipam.v1.DoctorCheck;
import io.enipam.v1.DumpDbReply;
import io.enipam.v1.DumpDbRequest;
import io.enipam.v1.Eni;
import io.enipam.v1.GetCloudBudgetRequest;
import io.enipam.v1.GetCloudRequest;
import io.enipam.v1.GetStatusReply;
import io.enipam.v1.GetStatusRequest;
import io.enipam.v1.GetTraceReply;
import io.enipam.v1.GetTraceRequest;
import io.enipam.v1.InspectGrpc.InspectBlockingStub;
import io.enipam.v1.Lease;
import io.enipam.v1.ListCloudNamesReply;
import io.enipam.v1.ListCloudNamesRequest;
import io.enipam.v1.ListCommandsRequest;
import io.enipam.v1.ListDoctorChecksRequest;
import io.enipam.v1.ListEnisRequest;
import io.enipam.v1.ListIdleReply;
import io.enipam.v1.ListIdleRequest;
import io.enipam.v1.ListInUseReply;
import io.enipam.v1.ListInUseRequest;
import io.enipam.v1.ListPluginBallotsReply;
import io.enipam.v1.ListPluginBallotsRequest;
import io.enipam.v1.ListPluginEffectsRequest;
import io.enipam.v1.ListPluginGrantsReply;
import io.enipam.v1.ListPluginGrantsRequest;
import io.enipam.v1.ListPluginsRequest;
import io.enipam.v1.ListPodsReply;
import io.enipam.v1.ListPodsRequest;
import io.enipam.v1.Plugin;
import io.enipam.v1.PluginBallot;
import io.enipam.v1.PluginCommand;
import io.enipam.v1.PluginDiagnostic;
import io.enipam.v1.PluginGrant;
import io.enipam.v1.PluginPart;
import io.enipam.v1.Resource;
import io.enipam.v1.TraceStory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Live values from the daemon; throws {@link io.enipam.shell.attach.ShellException} if it does not answer. */
record DaemonCompletionValues(Supplier<DaemonConnection> daemon) implements CompletionValues {
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final int MOST_TRACES = 500;

    @Override
    public List<Value> of(CompletionKind kind, List<String> before) {
        return values(kind, before).toList();
    }

    private Stream<Value> values(CompletionKind kind, List<String> before) {
        return switch (kind) {
            case PODS -> pods();
            case CONTAINERS -> containers(grants());
            case ADDRESSES -> poolAddresses();
            case ENIS -> enis().map(DaemonCompletionValues::eni);
            case ENI_IPS -> enis().flatMap(DaemonCompletionValues::secondaryAddresses);
            case ANYTHING -> anything(before.get(0));
            case ECS_APIS ->
                ask(stub -> stub.getCloudBudget(GetCloudBudgetRequest.getDefaultInstance())).getApisList().stream()
                        .map(api -> new Value(api.getApi(), Table.counted(api.getCalls(), "call")));
            case CLOUD_APIS ->
                Stream.concat(
                        Stream.of(new Value("*", "all actions"), new Value("metadata", "the metadata service")),
                        texts(cloudNames().getApisList()));
            case CLOUD_CODES -> texts(cloudNames().getCodesList());
            case CLOUD_FAULTS ->
                Stream.concat(
                        ask(stub -> stub.getCloud(GetCloudRequest.getDefaultInstance())).getFaultsList().stream()
                                .map(fault -> new Value(Integer.toString(fault.getId()), fault.getApi())),
                        Stream.of(new Value("all", "every fault")));
            case CLOUD_LATENCIES -> texts(List.of("none", "real"));
            case CLOUD_LIMITS -> texts(List.of("off", "default"));
            case DB_KEYS ->
                each(stub -> stub.dumpDb(DumpDbRequest.getDefaultInstance()), DumpDbReply::getRecordsList)
                        .map(record -> new Value(record.getBucket() + "/" + record.getKey(), ""));
            case DB_BUCKETS ->
                texts(List.of(
                        "leases", "reservations", "quarantine", "intents", "operations", "pods", "tables", "meta"));
            case PLUGINS -> plugins().map(plugin -> new Value(plugin.getId(), plugin.getState()));
            case POLICIES -> parts(Plugin::getPoliciesList);
            case FACTORIES -> parts(Plugin::getFactoriesList);
            case ALLOCATORS ->
                plugins()
                        .flatMap(plugin -> plugin.getExtensionsList().stream()
                                .map(one -> new Value(one.getName(), plugin.getId() + " " + one.getState())));
            case BALLOTS -> ballots();
            case EFFECTS -> before.isEmpty() ? Stream.empty() : effects(before.get(0));
            case DIAGNOSTICS -> diagnostics(before).map(known -> new Value(known.getName(), known.getSummary()));
            case DIAGNOSTIC_PARAMETERS -> parameters(before);
            case COMMAND_VALUES -> commandValues(before);
            case DOCTOR_CHECKS -> checks(check -> true);
            case DOCTOR_REPAIRS -> checks(check -> !check.getRepair().isEmpty());
            case TRACED -> traced();
            case FILES, RUNBOOKS, RUNBOOK_PARAMETERS, COMMANDS, COLUMNS, EVENT_TYPES -> Stream.empty();
        };
    }

    private <T> T ask(Function<InspectBlockingStub, T> call) {
        return daemon.get().inspect(PATIENCE, call);
    }

    private <R, I> Stream<I> each(Function<InspectBlockingStub, Iterator<R>> call, Function<R, List<I>> items) {
        List<I> all = new ArrayList<>();
        daemon.get().stream(PATIENCE, call).forEachRemaining(part -> all.addAll(items.apply(part)));
        return all.stream();
    }

    private Stream<Value> commandValues(List<String> question) {
        return values(List.of(question.get(0).split(" ")), question.get(1), question.get(2))
                .map(text -> new Value(text, ""));
    }

    private Stream<String> values(List<String> command, String parameter, String typed) {
        CompleteCommandRequest request = CompleteCommandRequest.newBuilder()
                .addAllPath(command)
                .setParameter(parameter)
                .setTyped(typed)
                .build();
        return ask(stub -> stub.completeCommand(request)).getValuesList().stream();
    }

    private List<PluginCommand> commands() {
        return ask(stub -> stub.listCommands(ListCommandsRequest.getDefaultInstance()))
                .getCommandsList();
    }

    private static Stream<Value> texts(List<String> texts) {
        return texts.stream().map(text -> new Value(text, ""));
    }

    private Stream<Value> pods() {
        return each(stub -> stub.listPods(ListPodsRequest.getDefaultInstance()), ListPodsReply::getPodsList)
                .map(pod -> new Value(
                        pod.getPod(),
                        Stream.concat(
                                        pod.getLeasesList().stream()
                                                .flatMap(lease -> lease.getResource().getAddressesList().stream()),
                                        pod.getGrantsList().stream()
                                                .flatMap(grant -> grant.getAddressesList().stream()))
                                .collect(Collectors.joining(", "))));
    }

    private Stream<Lease> leases() {
        return each(stub -> stub.listInUse(ListInUseRequest.getDefaultInstance()), ListInUseReply::getLeasesList);
    }

    private Stream<Value> anything(String typed) {
        Stream<Value> byPlugins = commands().stream()
                .filter(PluginCommand::getExplains)
                .flatMap(command -> {
                    String operand = command.getOperands(0).getSetting().getName();
                    return values(command.getPathList(), operand, typed).map(text -> new Value(text, operand));
                });
        GetStatusReply status = ask(stub -> stub.getStatus(GetStatusRequest.getDefaultInstance()));
        return NodeCommands.isOfNode(status) ? Stream.concat(onNode(grants()), byPlugins) : byPlugins;
    }

    private Stream<Value> onNode(List<PluginGrant> grants) {
        Stream<Value> granted = grants.stream()
                .flatMap(grant -> grant.getAddressesList().stream()
                        .map(address -> new Value(Table.host(address), grant.getOwner())));
        return Stream.of(pods(), enis().flatMap(DaemonCompletionValues::withAddresses), granted, containers(grants))
                .flatMap(each -> each);
    }

    private Stream<Value> containers(List<PluginGrant> grants) {
        return Stream.concat(
                leases().map(lease -> new Value(lease.getOwner().getContainer(), lease.getPod())),
                grants.stream()
                        .filter(grant -> grant.getKind().equals("POD"))
                        .map(grant -> new Value(container(grant.getClaim()), grant.getOwner())));
    }

    private List<PluginGrant> grants() {
        return each(
                        stub -> stub.listPluginGrants(ListPluginGrantsRequest.getDefaultInstance()),
                        ListPluginGrantsReply::getGrantsList)
                .toList();
    }

    /** @param claim {@code NETWORK/CONTAINER/IFNAME} */
    private static String container(String claim) {
        String[] parts = claim.split("/", -1);
        return parts.length == 3 ? parts[1] : claim;
    }

    /** All addresses of the pool, those that pods have first. */
    private Stream<Value> poolAddresses() {
        Stream<Value> inUse = leases().flatMap(lease -> addresses(lease.getResource(), lease.getPod()));
        Stream<Value> others = each(
                        stub -> stub.listIdle(ListIdleRequest.getDefaultInstance()), ListIdleReply::getEntriesList)
                .flatMap(entry -> addresses(entry.getResource(), entry.getState()));
        return Stream.concat(inUse, others);
    }

    private static Stream<Value> addresses(Resource resource, String description) {
        return resource.getAddressesList().stream().map(address -> new Value(Table.host(address), description));
    }

    private Stream<Eni> enis() {
        return ask(stub -> stub.listEnis(ListEnisRequest.getDefaultInstance())).getEnisList().stream();
    }

    private static Value eni(Eni eni) {
        return new Value(eni.getId(), eni.getState() + " " + eni.getPrimaryIp());
    }

    private static Stream<Value> withAddresses(Eni eni) {
        Stream<Value> addresses = Stream.concat(eni.getAddressesList().stream(), eni.getIpv6AddressesList().stream())
                .map(address -> new Value(
                        Table.host(address.getAddress()), (address.getState() + " " + address.getPod()).strip()));
        return Stream.concat(Stream.of(eni(eni)), addresses);
    }

    private static Stream<Value> secondaryAddresses(Eni eni) {
        return eni.getAddressesList().stream()
                .filter(address -> !address.getPrimary())
                .map(address -> new Value(Table.host(address.getAddress()), eni.getId() + " " + address.getPod()));
    }

    private ListCloudNamesReply cloudNames() {
        return ask(stub -> stub.listCloudNames(ListCloudNamesRequest.getDefaultInstance()));
    }

    private Stream<Value> checks(Predicate<DoctorCheck> wanted) {
        return ask(stub -> stub.listDoctorChecks(ListDoctorChecksRequest.getDefaultInstance())).getChecksList().stream()
                .filter(wanted)
                .map(check -> new Value(check.getId(), check.getTitle()));
    }

    private Stream<Plugin> plugins() {
        return ask(stub -> stub.listPlugins(ListPluginsRequest.getDefaultInstance())).getPluginsList().stream();
    }

    private Stream<Value> parts(Function<Plugin, List<PluginPart>> of) {
        return plugins()
                .flatMap(plugin -> of.apply(plugin).stream()
                        .map(part -> new Value(part.getName(), plugin.getId() + " " + part.getState())));
    }

    private Stream<Value> ballots() {
        Map<String, Long> claims = each(
                        stub -> stub.listPluginBallots(ListPluginBallotsRequest.getDefaultInstance()),
                        ListPluginBallotsReply::getClaimsList)
                .collect(Collectors.groupingBy(PluginBallot::getBallot, TreeMap::new, Collectors.counting()));
        return claims.entrySet().stream().map(ballot -> new Value(ballot.getKey(), ballot.getValue() + " claims"));
    }

    private Stream<Value> effects(String plugin) {
        ListPluginEffectsRequest request =
                ListPluginEffectsRequest.newBuilder().setPlugin(plugin).build();
        return ask(stub -> stub.listPluginEffects(request)).getEffectsList().stream()
                .map(effect -> new Value(effect.getId(), effect.getHandler() + " " + effect.getToken()));
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
    private Stream<Value> parameters(List<String> before) {
        return diagnostics(before)
                .filter(diagnostic -> before.size() > 1 && diagnostic.getName().equals(before.get(1)))
                .flatMap(diagnostic -> diagnostic.getParametersList().stream())
                .filter(parameter ->
                        before.stream().skip(2).noneMatch(word -> word.startsWith(parameter.getName() + "=")))
                .flatMap(parameter -> parameter.getChoicesCount() == 0
                        ? Stream.of(new Value(parameter.getName() + "=", parameter.getAllowed()))
                        : parameter.getChoicesList().stream()
                                .map(choice -> new Value(parameter.getName() + "=" + choice, parameter.getDoc())));
    }

    /** What {@code trace} knows of, the latest first, whether it is still there or not. */
    private Stream<Value> traced() {
        GetTraceRequest.Builder request =
                GetTraceRequest.newBuilder().setBrief(true).setLimit(MOST_TRACES);
        List<TraceStory> latestFirst = new ArrayList<>();
        each(stub -> stub.getTrace(request.build()), GetTraceReply::getStoriesList)
                .forEach(story -> latestFirst.add(0, story));
        Map<String, String> values = new LinkedHashMap<>();
        for (TraceStory story : latestFirst) {
            values.putIfAbsent(story.getPod(), "pod, " + story.getOperation() + " " + story.getOutcome());
            values.putIfAbsent(story.getOwner().getContainer(), "container of " + story.getPod());
            for (String address : story.getResource().getAddressesList()) {
                values.putIfAbsent(Table.host(address), "address of " + story.getPod());
            }
            for (String address : story.getAttributesOrDefault("granted", "").split(", ")) {
                values.putIfAbsent(Table.host(address), "address of " + story.getPod());
            }
            values.putIfAbsent(story.getResource().getParent(), "ENI");
            if (story.getOperation().equals("RECONCILE")) {
                values.putIfAbsent(
                        story.getAttributesOrDefault("name", ""), "key of a controller, " + story.getOutcome());
            }
        }
        values.remove("");
        return values.entrySet().stream().map(value -> new Value(value.getKey(), value.getValue()));
    }
}
