package io.enipam.pluginhost.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.enipam.daemon.testing.LivingDaemon;
import io.enipam.daemon.testing.SocketClient;
import io.enipam.pluginhost.testing.PluginJar;
import io.enipam.v1.CommandArgument;
import io.enipam.v1.CompleteCommandRequest;
import io.enipam.v1.DoctorFinding;
import io.enipam.v1.Event;
import io.enipam.v1.ExplainRequest;
import io.enipam.v1.FollowCommandReply;
import io.enipam.v1.FollowCommandRequest;
import io.enipam.v1.GetPoolRequest;
import io.enipam.v1.InspectGrpc;
import io.enipam.v1.ListCommandsRequest;
import io.enipam.v1.ListDoctorChecksRequest;
import io.enipam.v1.ListPluginsRequest;
import io.enipam.v1.PluginCommand;
import io.enipam.v1.RepairFindingReply;
import io.enipam.v1.RepairFindingRequest;
import io.enipam.v1.RunCommandReply;
import io.enipam.v1.RunCommandRequest;
import io.enipam.v1.RunDoctorRequest;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.stub.ClientCalls;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an extension brings for operators, in a daemon. */
class OperatorPartsTest {
    private static final String PLUGIN = """
            static final Setting<Integer> ROWS = Setting.wholeNumber("rows", 0, 20_000, 1).doc("How many.");
            static final Setting<String> IP = Setting.text("ip", "an address", "[0-9.]+", "");
            static final Setting<List<String>> WORDS = Setting.texts("words", "words", "[a-z]+", 3, List.of());
            static final Set<String> given = ConcurrentHashMap.newKeySet();

            public List<Extension> extensions() {
                return List.of(new Extension() {
                    public String name() { return "talk"; }
                    public Part open(Host host) { return new Talk(host); }
                });
            }

            static final Setting<Boolean> ON = Setting.flag("on", false).doc("Go on.");
            static final java.util.concurrent.atomic.AtomicInteger open = new java.util.concurrent.atomic.AtomicInteger();
            static final java.util.concurrent.atomic.AtomicInteger taken = new java.util.concurrent.atomic.AtomicInteger();

            /** Counts to a number and ends, or without end; after the first ten it pauses, and leaves one out. */
            static class Count implements Feed<Line> {
                final java.util.concurrent.atomic.AtomicBoolean closed = new java.util.concurrent.atomic.AtomicBoolean();
                int at;
                final int last;
                final Runnable more;
                Count(int at, int last, Runnable more) { this.at = at; this.last = last; this.more = more; open.incrementAndGet(); }
                public List<Line> take(int most) {
                    List<Line> lines = new ArrayList<>();
                    if (at == 10) {
                        at++;
                        new Thread(more).start();
                        return lines;
                    }
                    while (lines.size() < most && at != last && (at < 10 || lines.isEmpty())) {
                        at++;
                        lines.add(new Line("line " + at, "{\\"at\\": " + at + "}", "" + at));
                        taken.incrementAndGet();
                        if (at == 10) { break; }
                    }
                    return lines;
                }
                public boolean ended() { return at == last; }
                public void close() { if (closed.compareAndSet(false, true)) { open.decrementAndGet(); } }
            }

            static class Talk implements Part {
                final Host host;
                Talk(Host host) {
                    this.host = host;
                    given.add("10.0.0.5");
                    Meter free = Meter.of("free", "Addresses that are free.");
                    host.signals().gauge(free, () -> 42);
                    host.signals().gauge(Meter.of("open", "Feeds that are open."), open::get);
                    host.signals().gauge(Meter.of("broken", "It throws."), () -> { throw new IllegalStateException(); });
                    Meter grants = Meter.of("grants", "Addresses that were granted.", "range");
                    for (int i = 0; i < 60; i++) {
                        host.signals().counter(grants, "range-" + i).add(2);
                    }
                    for (int i = 0; i < 100; i++) {
                        host.signals().event(PluginEvent.warning("RangeFull", "10.0.0.0/24", "It is full \\033[2J."));
                    }
                }

                public List<Command> commands() {
                    return List.of(
                            new Command() {
                                public CommandSpec spec() {
                                    return CommandSpec.read("Says what it was asked.", "talk", "echo").option(ROWS).option(WORDS);
                                }
                                public Answer run(Call call) {
                                    List<List<String>> rows = new ArrayList<>();
                                    for (int i = 0; i < call.arguments().get(ROWS); i++) {
                                        rows.add(List.of(String.join("+", call.arguments().get(WORDS)), "x".repeat(2_000)));
                                    }
                                    return Answer.table(new DiagnosticTable(List.of("WORDS", "LONG"), rows));
                                }
                                public List<String> complete(Setting<?> parameter, String typed) {
                                    return List.of("12", "13", "2", "1\\n4");
                                }
                            },
                            Command.of(CommandSpec.read("Hangs.", "talk", "hang"), call -> {
                                try { new CountDownLatch(1).await(); } catch (InterruptedException e) { }
                                return Answer.text("late");
                            }),
                            Command.of(CommandSpec.destroy("Gives back an address.", "talk", "release").operand(IP), call -> {
                                String ip = call.arguments().get(IP);
                                if (ip.equals("10.0.0.255")) {
                                    throw new io.enipam.sdk.FactoryException(ErrorKind.CONFLICT, "10.0.0.255 is nobody's");
                                }
                                if (!given.contains(ip)) {
                                    return Answer.refuse(ErrorKind.NOT_FOUND, "nothing has " + ip);
                                }
                                if (call.dryRun()) {
                                    return Answer.text("would give back " + ip);
                                }
                                given.remove(ip);
                                return Answer.text("gave back " + ip);
                            }),
                            new Command() {
                                public CommandSpec spec() {
                                    return CommandSpec.read("Who has an address.", "talk", "who").operand(IP);
                                }
                                public Answer run(Call call) {
                                    String ip = call.arguments().get(IP);
                                    if (ip.equals("192.0.2.9")) {
                                        throw new IllegalStateException("no eyes");
                                    }
                                    return given.contains(ip)
                                            ? Answer.text("it was given")
                                            : Answer.refuse(ErrorKind.NOT_FOUND, "nothing has " + ip);
                                }
                                public boolean explains() { return true; }
                            },
                            new Command() {
                                public CommandSpec spec() {
                                    return CommandSpec.read("Counts.", "talk", "count").option(ON).option(ROWS);
                                }
                                public Answer run(Call call) { return Answer.text(open + " " + taken); }
                                public Optional<Setting<Boolean>> follows() { return Optional.of(ON); }
                                public Feed<Line> follow(Call call, String after, Runnable more) {
                                    return new Count(after.isEmpty() ? 0 : Integer.parseInt(after), call.arguments().get(ROWS), more);
                                }
                            },
                            Command.of(CommandSpec.read("Answers nothing.", "talk", "nothing"), call -> null));
                }

                public List<RpcService> services() {
                    return List.of(new RpcService("enipam.talk_er.v1.Talk", new byte[0], List.of(
                            new RpcMethod.Unary("Echo", CommandSpec.Impact.READ, RpcCall::request),
                            new RpcMethod.Unary("Forget", CommandSpec.Impact.CHANGE, call -> {
                                throw new RpcException(RpcException.Code.ABORTED, "somebody was faster");
                            }),
                            new RpcMethod.Unary("Break", CommandSpec.Impact.READ, call -> { throw new IllegalStateException("no eyes"); }),
                            new RpcMethod.Streaming("Refuse", (call, more) -> {
                                throw new RpcException(RpcException.Code.OUT_OF_RANGE, "too old");
                            }),
                            new RpcMethod.Streaming("Count", (call, more) -> {
                                Count count = new Count(0, -1, more);
                                return new Feed<byte[]>() {
                                    public List<byte[]> take(int most) {
                                        return count.take(most).stream().map(line -> new byte[10_000]).toList();
                                    }
                                    public void close() { count.close(); }
                                };
                            }))));
                }

                public List<Check> checks() {
                    return List.of(
                            Check.of("stale", "an address is stale", request -> given.stream()
                                    .map(ip -> new Finding(Finding.Severity.CRITICAL, ip, "nothing has it", "talk release " + ip)
                                            .repairedBy(List.of("talk", "release"), Map.of("ip", ip)))
                                    .toList()),
                            Check.of("throws", "it cannot look", request -> { throw new IllegalStateException("no eyes"); }));
                }
            }
            """;

    private static final String OTHER = """
            public List<Extension> extensions() {
                return List.of(new Extension() {
                    public String name() { return "poolish"; }
                    public Part open(Host host) {
                        return new Part() {
                            public List<Command> commands() {
                                return List.of(Command.of(CommandSpec.read("Takes a word.", "pool", "mine"), call -> Answer.text("")));
                            }
                        };
                    }
                });
            }
            """;

    @TempDir
    Path root;

    @AutoClose
    private LivingDaemon daemon;

    @BeforeEach
    void start() throws IOException {
        Path plugins = Files.createDirectories(root.resolve("lib/plugins"));
        PluginJar.of("talk-er").plugin(PLUGIN).write(plugins);
        PluginJar.of("other").plugin(OTHER).write(plugins);
        Files.writeString(
                Files.createDirectories(root.resolve("etc/enipam")).resolve("enipam.yaml"),
                "{extensions: [talk, poolish], metrics: {listen: '127.0.0.1:0'}}");
        daemon = LivingDaemon.start(root);
        await().atMost(Duration.ofSeconds(60)).until(() -> !commands().isEmpty());
    }

    private List<PluginCommand> commands() {
        return daemon.client()
                .inspect()
                .listCommands(ListCommandsRequest.getDefaultInstance())
                .getCommandsList();
    }

    private static RunCommandRequest request(String line, String... values) {
        RunCommandRequest.Builder request = RunCommandRequest.newBuilder().addAllPath(List.of(line.split(" ")));
        if (values.length > 0) {
            request.addArgumentsBuilder()
                    .setName(values[0])
                    .addAllValues(List.of(values).subList(1, values.length));
        }
        return request.build();
    }

    private RunCommandReply run(String line, String... values) {
        return daemon.client().inspect().runCommand(request(line, values));
    }

    @Test
    void aTableIsReadByTheSchemaOfItsParametersAndBounded() {
        assertThat(commands())
                .extracting(command -> String.join(" ", command.getPathList()) + " " + command.getImpact())
                .containsExactly(
                        "talk count READ",
                        "talk echo READ",
                        "talk hang READ",
                        "talk nothing READ",
                        "talk release DESTROY",
                        "talk who READ");

        RunCommandReply reply = run("talk echo", "words", "a", "bc");
        assertThat(reply.getRows(0).getCells(0)).isEqualTo("a+bc");
        assertThat(reply.getRows(0).getCells(1)).hasSize(1_000).endsWith("...");
        assertThat(run("talk echo", "rows", "10001").getTruncated()).isTrue();
        assertThatThrownBy(() -> run("talk echo", "rows", "many"))
                .hasMessageContaining("INVALID_ARGUMENT")
                .hasMessageContaining("allowed is a whole number, 0 to 20000");
        assertThatThrownBy(() -> run("talk ecko")).hasMessageContaining("did you mean talk echo?");
        assertThatThrownBy(() -> run("talk nothing")).hasMessageContaining("FAILED_PRECONDITION");
    }

    private static FollowCommandRequest followed(String after, String rows) {
        return FollowCommandRequest.newBuilder()
                .setCommand(request("talk count", "on", "true").toBuilder()
                        .addArguments(
                                CommandArgument.newBuilder().setName("rows").addValues(rows)))
                .setAfter(after)
                .build();
    }

    private List<String> follow(String after, String rows) {
        List<String> lines = new ArrayList<>();
        daemon.client()
                .inspect()
                .followCommand(followed(after, rows))
                .forEachRemaining(reply -> reply.getLinesList()
                        .forEach(line -> lines.add(line.getText() + " " + line.getJson() + " " + line.getPlace())));
        return lines;
    }

    @Test
    void aCommandIsFollowedToItsEndFromWhereItsCallerIs() {
        assertThat(commands())
                .filteredOn(command -> command.getPathList().equals(List.of("talk", "count")))
                .singleElement()
                .extracting(PluginCommand::getFollow)
                .isEqualTo("on");
        assertThat(follow("", "25")).hasSize(24).endsWith("line 25 {\"at\": 25} 25");
        assertThat(follow("23", "25")).containsExactly("line 24 {\"at\": 24} 24", "line 25 {\"at\": 25} 25");
        assertThatThrownBy(() -> run("talk count", "on", "true")).hasMessageContaining("until the caller leaves");
        assertThatThrownBy(() -> follow("", "many")).hasMessageContaining("INVALID_ARGUMENT");
        await().atMost(Duration.ofSeconds(60)).until(() -> openFeeds() == 0);

        Iterator<FollowCommandReply> endless = daemon.client().inspect().followCommand(followed("25", "20"));
        assertThat(endless.next().getLines(0).getText()).isEqualTo("line 26");
        assertThat(openFeeds()).isEqualTo(1);
    }

    private long openFeeds() {
        return Long.parseLong(run("talk count").getText().replaceFirst(" .*", ""));
    }

    private long taken() {
        return Long.parseLong(run("talk count").getText().replaceFirst(".* ", ""));
    }

    private static MethodDescriptor<byte[], byte[]> method(String name, MethodDescriptor.MethodType type) {
        MethodDescriptor.Marshaller<byte[]> bytes = new MethodDescriptor.Marshaller<>() {
            @Override
            public InputStream stream(byte[] value) {
                return new ByteArrayInputStream(value);
            }

            @Override
            public byte[] parse(InputStream stream) {
                try {
                    return stream.readAllBytes();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        };
        return MethodDescriptor.newBuilder(bytes, bytes)
                .setFullMethodName("enipam.talk_er.v1.Talk/" + name)
                .setType(type)
                .build();
    }

    private byte[] called(String name, String request) {
        return ClientCalls.blockingUnaryCall(
                daemon.client().channel(),
                method(name, MethodDescriptor.MethodType.UNARY),
                CallOptions.DEFAULT.withDeadlineAfter(30, TimeUnit.SECONDS),
                request.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void aServiceOfAPluginIsServedOnTheDaemonsSocketAndItsStatusesAreThePlugins() throws IOException {
        assertThat(called("Echo", "hello")).asString(StandardCharsets.UTF_8).isEqualTo("hello");
        assertThatThrownBy(() -> called("Forget", "")).hasMessage("ABORTED: somebody was faster");
        assertThatThrownBy(() -> called("Break", ""))
                .hasMessageStartingWith("UNKNOWN: ")
                .hasMessageContaining("no eyes");
        assertThatThrownBy(() -> called("Nosuch", "")).hasMessageStartingWith("UNIMPLEMENTED: ");
        assertThatThrownBy(() -> called("Echo", "x".repeat(1 << 20 | 1)))
                .hasMessageStartingWith("RESOURCE_EXHAUSTED: ");
        Iterator<byte[]> refused = ClientCalls.blockingServerStreamingCall(
                daemon.client().channel(),
                method("Refuse", MethodDescriptor.MethodType.SERVER_STREAMING),
                CallOptions.DEFAULT,
                new byte[0]);
        assertThatThrownBy(refused::next).hasMessage("OUT_OF_RANGE: too old");
        Path audit;
        try (var files = Files.walk(root)) {
            audit = files.filter(file -> file.endsWith("audit.log")).findFirst().orElseThrow();
        }
        await().atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(audit)
                        .content()
                        .contains("enipam.talk_er.v1.Talk/Forget", "ABORTED")
                        .doesNotContain("Talk/Echo"));
    }

    @Test
    void ofAStreamIsTakenWhatItsCallerReadsAndItEndsWhenTheCallerLeavesOrTheDaemonEnds() throws Exception {
        BlockingQueue<Object> told = new LinkedBlockingQueue<>();
        ClientCall<byte[], byte[]> slow = daemon.client()
                .channel()
                .newCall(method("Count", MethodDescriptor.MethodType.SERVER_STREAMING), CallOptions.DEFAULT);
        slow.start(
                new ClientCall.Listener<>() {
                    @Override
                    public void onMessage(byte[] message) {
                        told.add(message);
                    }

                    @Override
                    public void onClose(Status status, Metadata trailers) {
                        told.add(status);
                    }
                },
                new Metadata());
        slow.request(12);
        slow.sendMessage(new byte[0]);
        slow.halfClose();
        for (int i = 0; i < 12; i++) {
            assertThat(told.poll(60, TimeUnit.SECONDS)).isInstanceOf(byte[].class);
        }
        for (int i = 0; i < 300; i++) {
            called("Echo", "time passes");
        }
        assertThat(taken())
                .as("a caller that reads no more has no more taken for it")
                .isLessThan(250);
        assertThat(told).isEmpty();
        assertThat(openFeeds()).isEqualTo(1);
        slow.cancel("enough", null);
        await().atMost(Duration.ofSeconds(60)).until(() -> openFeeds() == 0);

        // a connection of its own, which the daemon's end does not close on this side
        SocketClient other = new SocketClient(root.resolve("run/enipam.sock"));
        Iterator<FollowCommandReply> cut =
                InspectGrpc.newBlockingStub(other.channel()).followCommand(followed("25", "20"));
        assertThat(cut.next().getLines(0).getText()).isEqualTo("line 26");
        CompletableFuture<Throwable> end = new CompletableFuture<>();
        Thread reader = new Thread(() -> end.complete(catchThrowable(() -> cut.forEachRemaining(reply -> {}))));
        reader.setDaemon(true);
        reader.start();
        daemon.close();
        assertThat(end.get(60, TimeUnit.SECONDS)).hasMessageContaining("UNAVAILABLE");
        other.close();
    }

    @Test
    void whatMayBeTypedIsAskedOfThePlugin() {
        // one that takes longer than 300 ms offers nothing
        await().atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(daemon.client()
                                .inspect()
                                .completeCommand(CompleteCommandRequest.newBuilder()
                                        .addPath("talk")
                                        .addPath("echo")
                                        .setParameter("rows")
                                        .setTyped("1")
                                        .build())
                                .getValuesList())
                        .containsExactly("12", "13"));
    }

    private List<String> explained(String what) {
        return daemon
                .client()
                .inspect()
                .explain(ExplainRequest.newBuilder().setWhat(what).build())
                .getPluginsList()
                .stream()
                .map(said -> said.getPlugin() + ": " + said.getCommand() + ": "
                        + said.getAnswer().getText())
                .toList();
    }

    @Test
    void explainShowsWhatACommandKnowsOfAThing() {
        assertThat(explained("10.0.0.5")).containsExactly("talk-er: talk who 10.0.0.5: it was given");
        assertThat(explained("192.0.2.1")).isEmpty();
        assertThat(explained("a-pod")).as("no word for its operand").isEmpty();
        assertThat(explained("192.0.2.9")).singleElement().asString().contains("no answer: ", "no eyes");
    }

    @Test
    void aCommandThatHangsIsAnErrorForItsCallerAlone() {
        assertThatThrownBy(() -> run("talk hang")).hasMessageContaining("did not answer within 5000 ms");
        assertThat(run("talk echo").getRowsCount()).isEqualTo(1);
        assertThat(daemon.client()
                        .inspect()
                        .getPool(GetPoolRequest.getDefaultInstance())
                        .hasPool())
                .isTrue();
    }

    @Test
    void aChangeGoesByTheServiceControlAloneAndIsAudited() throws IOException {
        assertThatThrownBy(() -> run("talk release", "ip", "10.0.0.5")).hasMessageContaining("changes something");
        RunCommandRequest release = request("talk release", "ip", "10.0.0.5");

        assertThat(daemon.client()
                        .control()
                        .changeByCommand(release.toBuilder().setDryRun(true).build())
                        .getText())
                .isEqualTo("would give back 10.0.0.5");
        assertThat(daemon.client().control().changeByCommand(release).getText()).isEqualTo("gave back 10.0.0.5");
        assertThatThrownBy(() -> daemon.client().control().changeByCommand(release))
                .hasMessageContaining("NOT_FOUND")
                .hasMessageContaining("nothing has 10.0.0.5");
        try (var files = Files.walk(root)) {
            Path audit =
                    files.filter(file -> file.endsWith("audit.log")).findFirst().orElseThrow();
            assertThat(Files.readString(audit)).contains("ChangeByCommand").contains("10.0.0.5");
        }
    }

    @Test
    void aCommandThatThrowsWhatItRefusesForHasNotFailed() {
        RunCommandRequest release = request("talk release", "ip", "10.0.0.255");

        for (int i = 0; i < 20; i++) {
            assertThatThrownBy(() -> daemon.client().control().changeByCommand(release))
                    .hasMessage("FAILED_PRECONDITION: 10.0.0.255 is nobody's");
        }
        assertThat(daemon.client()
                        .inspect()
                        .listPlugins(ListPluginsRequest.getDefaultInstance())
                        .getPluginsList())
                .filteredOn(plugin -> plugin.getId().equals("talk-er"))
                .singleElement()
                .satisfies(plugin -> assertThat(plugin.getCalls().getFailed()).isZero());
    }

    @Test
    void aNounOfTheShellsOwnIsRefusedWithTheReason() {
        await().atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(finding("plugin-output-limited"))
                        .satisfies(found -> assertThat(found.getEvidenceList()).anySatisfy(evidence -> {
                            assertThat(evidence.getSubject()).isEqualTo("poolish");
                            assertThat(evidence.getSeen()).contains("'pool' is a word of the shell's own");
                        })));
    }

    private List<Event> events() {
        return daemon.client().events();
    }

    private String metrics() throws IOException, InterruptedException {
        await().atMost(Duration.ofSeconds(60))
                .until(() -> events().stream().anyMatch(event -> event.getType().equals("MetricsServed")));
        URI address = URI.create(events().stream()
                .filter(event -> event.getType().equals("MetricsServed"))
                .map(event -> event.getMessage().replaceFirst(".* on (http://\\S+)$", "$1"))
                .findFirst()
                .orElseThrow());
        return HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(address.resolve("/metrics")).build(), BodyHandlers.ofString())
                .body();
    }

    private DoctorFinding finding(String check) {
        return daemon.client()
                .inspect()
                .runDoctor(RunDoctorRequest.newBuilder().addChecks(check).build())
                .getFindings(0);
    }

    @Test
    void aCheckIsOneOfTheDoctorsAndItsCommandRepairs() {
        assertThat(daemon.client()
                        .inspect()
                        .listDoctorChecks(ListDoctorChecksRequest.getDefaultInstance())
                        .getChecksList())
                .extracting(check -> check.getId() + ": " + check.getTitle())
                .contains("talk-er/stale: an address is stale");
        DoctorFinding stale = finding("talk-er/stale");
        assertThat(stale.getSeverity()).isEqualTo("CRITICAL");
        assertThat(stale.getSummary()).isEqualTo("10.0.0.5: nothing has it");
        assertThat(stale.getFix()).isEqualTo("talk release 10.0.0.5");
        assertThat(stale.getRepairable()).isTrue();
        assertThat(finding("talk-er/throws").getSummary())
                .contains("could not be made")
                .contains("no eyes");

        RepairFindingReply dry = repair(true);
        assertThat(dry.getStepsList()).containsExactly("would run talk release ip=10.0.0.5: would give back 10.0.0.5");
        RepairFindingReply done = repair(false);
        assertThat(done.getStepsList()).containsExactly("ran talk release ip=10.0.0.5: gave back 10.0.0.5");
        assertThat(done.getAfter().getSeverity()).isEqualTo("OK");
    }

    private RepairFindingReply repair(boolean dryRun) {
        return daemon.client()
                .control()
                .repairFinding(RepairFindingRequest.newBuilder()
                        .setName("talk-er/stale")
                        .setDryRun(dryRun)
                        .build());
    }

    @Test
    void metersAreScrapedWithinTheirBounds() throws IOException, InterruptedException {
        await().atMost(Duration.ofSeconds(60))
                .untilAsserted(
                        () -> assertThat(metrics()).contains("enipam_plugin_talk_er_free{plugin=\"talk-er\"} 42.0"));
        String page = metrics();
        assertThat(page)
                .contains("# TYPE enipam_plugin_talk_er_grants_total counter")
                .contains("enipam_plugin_talk_er_grants_total{plugin=\"talk-er\",range=\"range-7\"} 2.0")
                .contains("enipam_plugin_talk_er_grants_total{plugin=\"talk-er\",range=\"other\"} 20.0")
                .doesNotContain("enipam_plugin_talk_er_broken");
        assertThat(finding("plugin-output-limited").getEvidenceList())
                .extracting(evidence -> evidence.getSubject())
                .contains("enipam_plugin_talk_er_grants");
    }

    @Test
    void eventsNameThePluginAndAreLimited() {
        List<Event> events = events();
        List<Event> full = events.stream()
                .filter(event -> event.getType().equals("talk-er/RangeFull"))
                .toList();
        assertThat(full).hasSizeBetween(60, 70);
        assertThat(full.get(0).getSubject()).isEqualTo("10.0.0.0/24");
        assertThat(full.get(0).getMessage()).doesNotContain("\u001b");
        assertThat(full.get(0).getAttributesMap()).containsEntry("plugin", "talk-er");
        assertThat(events).extracting(Event::getType).contains("PluginEventsDropped");
    }
}
