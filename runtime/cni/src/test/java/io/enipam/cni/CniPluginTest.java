package io.enipam.cni;

import static io.enipam.cni.FakeDaemon.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.enipam.cni.BuiltPlugin.Ran;
import io.enipam.cni.FrameCodec.CniRequest;
import io.enipam.cni.FrameCodec.CniResponse;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Both fronts, as a runtime calls them, against what listens where the daemon would. */
@Timeout(300)
class CniPluginTest {
    private static final byte[] CONFIG =
            bytes("{\"cniVersion\": \"0.4.0\", \"name\": \"n\", \"type\": \"enipam-cni\"}");
    private static final CniResponse DONE = new CniResponse(0, bytes("{\"ips\":[]}\n"), new byte[0]);
    private static final String VERSIONS =
            "\"supportedVersions\":[\"0.1.0\",\"0.2.0\",\"0.3.0\",\"0.3.1\",\"0.4.0\",\"1.0.0\",\"1.1.0\"]}\n";

    private static final List<BuiltPlugin> FRONTS = new ArrayList<>();
    private static Optional<BuiltPlugin> inC = Optional.empty();

    @TempDir
    Path directory;

    private Path socket;
    private Optional<FakeDaemon> daemon = Optional.empty();

    @BeforeAll
    static void both() throws Exception {
        FRONTS.clear();
        inC = BuiltPlugin.inC("C", Map.of());
        inC.ifPresent(FRONTS::add);
        FRONTS.add(BuiltPlugin.inJava(BuiltPlugin.MODULE.resolve("target/fronts/java")));
    }

    static List<BuiltPlugin> fronts() {
        return FRONTS;
    }

    @BeforeEach
    void aPlace() {
        socket = directory.resolve("cni.sock");
    }

    @AfterEach
    void noDaemon() throws Exception {
        if (daemon.isPresent()) {
            daemon.get().close();
        }
    }

    private FakeDaemon listens(FakeDaemon one) {
        daemon = Optional.of(one);
        return one;
    }

    private static void fails(Ran ran, String json) {
        assertThat(ran.out()).isEqualTo(json + "\n");
        assertThat(ran.err()).isEmpty();
        assertThat(ran.status()).isEqualTo(1);
    }

    @Test
    void theCFrontIsTestedHereToo() {
        assumeTrue(inC.isPresent(), "there is no C compiler that links statically, so the Java front alone is tested");
        assertThat(FRONTS).hasSize(2);
    }

    @ParameterizedTest
    @MethodSource("fronts")
    void aCallIsOneFrameWithTheVariablesOfCniAndAllOfStandardInput(BuiltPlugin front) throws Exception {
        FakeDaemon listening = listens(FakeDaemon.answering(socket, DONE));

        Ran ran = front.call(socket, "ADD", CONFIG, "CNI_CONTAINERID=c1", "CNI_ARGS=A=1;B=2", "CNIX=no", "XCNI_A=no");

        assertThat(ran.status()).isZero();
        assertThat(ran.out()).isEqualTo("{\"ips\":[]}\n");
        assertThat(ran.err()).isEmpty();
        CniRequest request = listening.request();
        assertThat(request.environment())
                .containsOnlyKeys("CNI_COMMAND", "CNI_CONTAINERID", "CNI_ARGS")
                .containsEntry("CNI_COMMAND", "ADD")
                .containsEntry("CNI_ARGS", "A=1;B=2");
        assertThat(request.stdin()).isEqualTo(CONFIG);
    }

    @ParameterizedTest
    @MethodSource("fronts")
    void sixteenMegabytesOfStandardInputAreTakenAndAsMuchComesBack(BuiltPlugin front) throws Exception {
        byte[] large = new byte[16 << 20];
        new Random(8).nextBytes(large);
        FakeDaemon listening = listens(FakeDaemon.answering(socket, new CniResponse(0, large, new byte[0])));

        Ran ran = front.call(socket, "ADD", large);

        assertThat(ran.status()).as(ran.err()).isZero();
        assertThat(Arrays.equals(listening.request().stdin(), large)).isTrue();
        assertThat(Arrays.equals(ran.stdout(), large)).isTrue();
    }

    @ParameterizedTest
    @MethodSource("fronts")
    void aByteMoreIsRefusedWithTheLimit(BuiltPlugin front) throws Exception {
        fails(
                front.call(socket, "ADD", new byte[(16 << 20) + 1]),
                "{\"cniVersion\":\"1.1.0\",\"code\":6,\"msg\":\"standard input is longer than 16777216 bytes\","
                        + "\"details\":\"a configuration of that size is not taken\"}");
    }

    @ParameterizedTest
    @MethodSource("fronts")
    void variablesThatAreNoTextPassByteByByte(BuiltPlugin front) throws Exception {
        FakeDaemon listening = listens(FakeDaemon.answering(socket, DONE));

        Ran ran =
                front.by("CNI_ARGS=$(printf 'K=\\377\\376\\001\\n\\200'); export CNI_ARGS; exec \"$0\"", socket, "DEL");

        assertThat(ran.status()).as(ran.out()).isZero();
        byte[] call = listening.call();
        String variables =
                new String(call, 5, ByteBuffer.wrap(call, 1, 4).getInt(), java.nio.charset.StandardCharsets.ISO_8859_1);
        assertThat(variables)
                .contains("CNI_ARGS=K=\u00ff\u00fe\u0001\n\u0080\0")
                .contains("CNI_COMMAND=DEL\0");
    }

    @ParameterizedTest
    @MethodSource("fronts")
    void tooManyVariablesAreRefusedWithTheLimit(BuiltPlugin front) throws Exception {
        String[] many = new String[12];
        for (int i = 0; i < many.length; i++) {
            many[i] = "CNI_" + i + "=" + "x".repeat(100_000);
        }

        Ran ran = front.call(socket, "ADD", CONFIG, many);

        assertThat(ran.status()).isEqualTo(1);
        assertThat(ran.out()).contains("\"code\":4,").contains("1048571 are taken");
    }

    @ParameterizedTest
    @MethodSource("fronts")
    void aDaemonThatIsNotThereIsAFailureToBeTriedAgain(BuiltPlugin front) throws Exception {
        fails(
                front.call(socket, "ADD", CONFIG),
                "{\"cniVersion\":\"0.4.0\",\"code\":11,\"msg\":\"enipamd cannot be reached at " + socket
                        + ": No such file or directory\",\"details\":\"look whether it runs on this node; the call may"
                        + " be repeated\"}");
    }

    @ParameterizedTest
    @MethodSource("fronts")
    void aSocketOnWhichNobodyListensAnyMoreIsTheSame(BuiltPlugin front) throws Exception {
        // no thread is in accept(): one that is keeps the kernel's socket alive for a moment after close(), and a call
        // that connects
        // then is reset, not refused
        try (ServerSocketChannel gone = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            gone.bind(UnixDomainSocketAddress.of(socket));
        }

        Ran ran = front.call(socket, "DEL", CONFIG);

        assertThat(ran.status()).isEqualTo(1);
        assertThat(ran.out()).contains("\"code\":11,").contains(socket + ": Connection refused\"");
    }

    @ParameterizedTest
    @MethodSource("fronts")
    void aConnectionThatIsResetBeforeTheCallWasReadIsTheSame(BuiltPlugin front) throws Exception {
        // what closes with bytes unread resets the connection
        listens(FakeDaemon.with(socket, (caller, one) -> caller.read(ByteBuffer.allocate(1))));

        Ran ran = front.call(socket, "DEL", CONFIG);

        fails(
                ran,
                "{\"cniVersion\":\"0.4.0\",\"code\":11,\"msg\":\"enipamd at " + socket
                        + " closed the connection before its answer was complete\",\"details\":\"it may have been"
                        + " stopped; the call may be repeated\"}");
    }

    @ParameterizedTest
    @MethodSource("fronts")
    void aDaemonThatHangsEndsTheCallAtItsDeadline(BuiltPlugin front) throws Exception {
        listens(FakeDaemon.with(socket, (caller, one) -> {
            one.take(caller);
            one.hang();
        }));

        Ran ran = front.call(socket, "ADD", CONFIG, "ENIPAM_CNI_TIMEOUT_MS=" + front.patience());

        assertThat(ran.status()).isEqualTo(1);
        assertThat(ran.out())
                .startsWith("{\"cniVersion\":\"0.4.0\",\"code\":11,\"msg\":\"enipamd did not answer at " + socket
                        + " within " + front.patience() + " ms\",")
                .endsWith("the call may be repeated\"}\n");
    }

    @ParameterizedTest
    @MethodSource("fronts")
    void oneThatTakesNoByteOfALargeCallDoesToo(BuiltPlugin front) throws Exception {
        listens(FakeDaemon.with(socket, (caller, one) -> one.hang()));

        Ran ran = front.call(socket, "ADD", new byte[4 << 20], "ENIPAM_CNI_TIMEOUT_MS=" + front.patience());

        assertThat(ran.status()).isEqualTo(1);
        assertThat(ran.out()).contains("\"code\":11,").contains("did not answer");
    }

    @ParameterizedTest
    @MethodSource("fronts")
    void oneAtWhichTooManyWaitDoesToo(BuiltPlugin front) throws Exception {
        listens(FakeDaemon.full(socket));

        Ran ran = front.call(socket, "ADD", CONFIG, "ENIPAM_CNI_TIMEOUT_MS=" + front.patience());

        assertThat(ran.status()).isEqualTo(1);
        assertThat(ran.out()).contains("\"code\":11,").contains("did not answer");
    }

    @ParameterizedTest
    @MethodSource("fronts")
    void anAnswerThatIsCutAnywhereIsNotPrintedInPart(BuiltPlugin front) throws Exception {
        byte[] whole = FakeDaemon.frame(new CniResponse(0, bytes("{\"ips\":[]}"), bytes("said")));
        for (int length : List.of(0, 9, whole.length - 1)) {
            try (FakeDaemon cutting = FakeDaemon.saying(socket, Arrays.copyOf(whole, length))) {
                fails(
                        front.call(socket, "ADD", CONFIG),
                        "{\"cniVersion\":\"0.4.0\",\"code\":11,\"msg\":\"enipamd at " + socket
                                + " closed the connection before its answer was complete\",\"details\":\"it may have"
                                + " been stopped; the call may be repeated\"}");
                assertThat(cutting.call()).isNotEmpty();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("fronts")
    void whatIsNoAnswerIsToldAndNotPrinted(BuiltPlugin front) throws Exception {
        List<byte[]> garbage = List.of(
                bytes("HTTP/1.1 400 Bad Request\r\n\r\n"),
                new byte[64],
                bytes("\377\377\377\377"),
                bytes("\0\0\0\005\1\0\0\0\0"),
                // of version 2; and with more messages than bytes
                bytes("\0\0\0\006\2\0\0\0\0\0"),
                bytes("\0\0\0\010\1\0\0\0\0\3xx"),
                bytes("\0\0\0\010\1\0\377\377\377\377xx"));
        for (byte[] answer : garbage) {
            try (FakeDaemon talking = FakeDaemon.saying(socket, answer)) {
                Ran ran = front.call(socket, "ADD", CONFIG);

                assertThat(talking.call()).isNotEmpty();
                assertThat(ran.status()).isEqualTo(1);
                assertThat(ran.err()).isEmpty();
                assertThat(ran.out())
                        .startsWith("{\"cniVersion\":\"0.4.0\",\"code\":11,\"msg\":\"what came from " + socket
                                + " is no answer of enipamd: ")
                        .endsWith("enipam-cni-install updates the front\"}\n")
                        .hasLineCount(1);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("fronts")
    void whatTheDaemonSaysAndItsStatusComeOutAsTheyAre(BuiltPlugin front) throws Exception {
        byte[] out = bytes("\0{\"code\":7}\377");
        listens(FakeDaemon.answering(socket, new CniResponse(7, out, bytes("for people\n"))));

        Ran ran = front.call(socket, "CHECK", CONFIG);

        assertThat(ran.status()).isEqualTo(7);
        assertThat(ran.stdout()).isEqualTo(out);
        assertThat(ran.err()).isEqualTo("for people\n");
    }

    @ParameterizedTest
    @MethodSource("fronts")
    void anAnswerThatComesBeforeTheCallWasTakenCounts(BuiltPlugin front) throws Exception {
        byte[] refusal = FakeDaemon.frame(new CniResponse(1, bytes("{\"code\":6}"), new byte[0]));
        listens(FakeDaemon.with(socket, (caller, one) -> one.say(caller, refusal)));

        Ran ran = front.call(socket, "ADD", new byte[8 << 20]);

        assertThat(ran.out()).isEqualTo("{\"code\":6}");
        assertThat(ran.status()).isEqualTo(1);
    }

    @ParameterizedTest
    @MethodSource("fronts")
    void withoutACommandItSaysWhatItIsAndReadsNothing(BuiltPlugin front) throws Exception {
        Path pipe = directory.resolve("pipe");

        Ran ran = front.by("mkfifo " + pipe + " && unset CNI_COMMAND && exec \"$0\" <>" + pipe, socket, "");

        assertThat(ran.status()).isZero();
        assertThat(ran.out()).isEmpty();
        assertThat(ran.err())
                .isEqualTo("enipam-cni 0.1.0: passes CNI calls to enipamd\n"
                        + "CNI protocol versions supported: 0.1.0 0.2.0 0.3.0 0.3.1 0.4.0 1.0.0 1.1.0\n");
        assertThat(front.call(socket, "", CONFIG).status()).isZero();
    }

    @ParameterizedTest
    @MethodSource("fronts")
    void versionIsAnsweredBeforeTheDaemonIsUp(BuiltPlugin front) throws Exception {
        Ran ran = front.call(socket, "VERSION", bytes("{\"cniVersion\" :\n \"1.0.0\"}"));

        assertThat(ran.out()).isEqualTo("{\"cniVersion\":\"1.0.0\"," + VERSIONS);
        assertThat(ran.status()).isZero();
        assertThat(ran.err()).isEmpty();
        for (String stdin : List.of("", "{\"cniVersion\":1}", "{\"cniVersion\":\"", "{\"cniVersion\":\"1.0\\\"0\"}")) {
            assertThat(front.call(socket, "VERSION", bytes(stdin)).out())
                    .isEqualTo("{\"cniVersion\":\"1.1.0\"," + VERSIONS);
        }
    }

    @ParameterizedTest
    @MethodSource("fronts")
    void versionIsAnsweredByTheDaemonWhenItIsUpAndWithoutItWhenItHangs(BuiltPlugin front) throws Exception {
        byte[] answer = bytes("{\"cniVersion\":\"1.0.0\",\"supportedVersions\":[\"1.0.0\"]}");
        try (FakeDaemon up = FakeDaemon.answering(socket, new CniResponse(0, answer, new byte[0]))) {
            assertThat(front.call(socket, "VERSION", CONFIG).stdout()).isEqualTo(answer);
            assertThat(up.request().environment()).containsEntry("CNI_COMMAND", "VERSION");
        }
        listens(FakeDaemon.with(socket, (caller, one) -> one.hang()));
        Ran ran = front.call(socket, "VERSION", CONFIG, "ENIPAM_CNI_TIMEOUT_MS=" + front.patience());
        assertThat(ran.out()).isEqualTo("{\"cniVersion\":\"0.4.0\"," + VERSIONS);
        assertThat(ran.status()).isZero();
    }

    @ParameterizedTest
    @MethodSource("fronts")
    void versionNeedsNoStandardInputAndDoesNotWaitForOneForEver(BuiltPlugin front) throws Exception {
        String expected = "{\"cniVersion\":\"1.1.0\"," + VERSIONS;

        assertThat(front.by("exec \"$0\" <&-", socket, "VERSION").out()).isEqualTo(expected);
        assertThat(front.by("exec \"$0\" </", socket, "VERSION").out()).isEqualTo(expected);
        Path pipe = directory.resolve("pipe");
        assertThat(front.by("mkfifo " + pipe + " && exec \"$0\" <>" + pipe, socket, "VERSION")
                        .out())
                .isEqualTo(expected);
    }

    @ParameterizedTest
    @MethodSource("fronts")
    void standardInputThatCannotBeReadOrDoesNotEndIsAnIoFailure(BuiltPlugin front) throws Exception {
        String closed = "{\"cniVersion\":\"1.1.0\",\"code\":5,\"msg\":\"standard input cannot be read: %s\","
                + "\"details\":\"the runtime has to write the configuration to it\"}";
        fails(front.by("exec \"$0\" <&-", socket, "ADD"), closed.formatted("Bad file descriptor"));
        fails(front.by("exec \"$0\" </", socket, "ADD"), closed.formatted("Is a directory"));
        Path pipe = directory.resolve("pipe");
        Ran endless =
                front.by("mkfifo " + pipe + " && exec \"$0\" <>" + pipe, socket, "ADD", "ENIPAM_CNI_TIMEOUT_MS=300");
        fails(
                endless,
                "{\"cniVersion\":\"1.1.0\",\"code\":5,\"msg\":\"standard input did not end within 300 ms\","
                        + "\"details\":\"the runtime has to close it behind the configuration\"}");
    }

    @ParameterizedTest
    @MethodSource("fronts")
    void aResultThatNobodyCanReadIsNoSuccess(BuiltPlugin front) throws Exception {
        listens(FakeDaemon.answering(socket, DONE));

        Ran full = front.by("exec \"$0\" >/dev/full", socket, "ADD");

        assertThat(full.status()).isEqualTo(1);
        assertThat(full.err()).isEqualTo("enipam-cni: the answer could not be written to standard output\n");
        Ran gone = front.by("{ \"$0\"; echo $? >&2; } | :", socket, "ADD");
        assertThat(gone.err().lines().reduce((a, b) -> b))
                .hasValueSatisfying(status -> assertThat(status).isIn("0", "1"));
    }

    @ParameterizedTest
    @MethodSource("fronts")
    void theFileBesideTheExecutableNamesASocketAndTheEnvironmentAnother(BuiltPlugin front) throws Exception {
        for (Path file : List.of(front.executable(), Path.of(front.executable() + ".jar"))) {
            if (Files.exists(file)) {
                // by a process of its own: a file that this JVM writes stays open in what another thread starts
                // meanwhile,
                // and the kernel refuses to execute it (ETXTBSY)
                assertThat(new ProcessBuilder("cp", "-p", file.toString(), directory.toString())
                                .inheritIO()
                                .start()
                                .waitFor())
                        .isZero();
            }
        }
        BuiltPlugin installed = new BuiltPlugin(front.name(), directory.resolve("enipam-cni"), front.patience());
        Files.writeString(directory.resolve("enipam-cni.socket"), socket + "\n");
        listens(FakeDaemon.answering(socket, DONE));

        Ran beside = installed.by("unset ENIPAM_CNI_SOCKET; exec \"$0\"", socket, "ADD");
        assertThat(beside.out()).as(beside.err()).isEqualTo("{\"ips\":[]}\n");
        assertThat(installed.call(directory.resolve("other"), "ADD", CONFIG).out())
                .contains(directory.resolve("other") + ": No such file or directory");
    }

    @ParameterizedTest
    @MethodSource("fronts")
    void calledByItsSecondNameItSaysSo(BuiltPlugin front) throws Exception {
        FakeDaemon one = listens(FakeDaemon.answering(socket, DONE));
        BuiltPlugin second =
                new BuiltPlugin(front.name(), front.executable().resolveSibling("enipam-ipam"), front.patience());

        assertThat(second.call(socket, "ADD", CONFIG).out()).isEqualTo("{\"ips\":[]}\n");
        assertThat(one.request().environment())
                .containsEntry("CNI_ENIPAM_FRONT", "enipam-ipam")
                .containsEntry("CNI_COMMAND", "ADD");
        assertThat(front.call(socket, "ADD", CONFIG).status()).isZero();
        assertThat(one.request().environment()).doesNotContainKey("CNI_ENIPAM_FRONT");
    }

    @ParameterizedTest
    @MethodSource("fronts")
    void aPathTooLongForASocketAndOneWithOddCharactersAreJsonStill(BuiltPlugin front) throws Exception {
        assertThat(front.call(Path.of("/" + "x".repeat(200)), "ADD", CONFIG).out())
                .contains("\"code\":11,")
                .containsPattern("(?i)too long")
                .hasLineCount(1);
        fails(
                front.call(Path.of("/a\"b\\c\te"), "ADD", CONFIG),
                "{\"cniVersion\":\"0.4.0\",\"code\":11,\"msg\":\"enipamd cannot be reached at /a'b?c?e: No such file or"
                        + " directory\",\"details\":\"look whether it runs on this node; the call may be repeated\"}");
    }
}
