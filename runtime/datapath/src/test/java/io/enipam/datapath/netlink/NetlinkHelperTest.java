package io.enipam.datapath.netlink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.enipam.datapath.lab.Lab;
import io.enipam.datapath.lab.RealKernel;
import io.enipam.datapath.lab.Sh;
import io.enipam.datapath.netlink.KernelChange.FixUp;
import io.enipam.datapath.netlink.KernelChange.Message;
import io.enipam.datapath.netlink.KernelChange.Outcome;
import io.enipam.datapath.netlink.KernelChange.SysctlWrite;
import io.enipam.datapath.netlink.KernelChange.TableFlush;
import io.enipam.datapath.netlink.NetlinkHelper.HelperFailedException;
import io.enipam.datapath.netlink.Rtnetlink.VethEnd;
import io.enipam.engine.concurrent.DaemonThreads;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The process itself, on a kernel and on hostile input. */
@RealKernel
@Tag("netlink")
@Timeout(120)
class NetlinkHelperTest {
    private static final String NETNS =
            "enipam-netlink-" + ProcessHandle.current().pid();
    private static final String PATH = Lab.path(NETNS);

    private final ExecutorService callers = Executors.newFixedThreadPool(16, DaemonThreads.named("caller"));
    private NetlinkHelper helper;

    @BeforeEach
    void start() {
        assumeTrue(Lab.NETLINK.isPresent(), "enipam-netlink was not built: there is no C compiler");
        helper = new NetlinkHelper(Lab.NETLINK, 30);
        Sh.run("ip netns add " + NETNS);
    }

    @AfterEach
    void stop() {
        callers.shutdownNow();
        if (helper != null) {
            helper.close();
        }
        Sh.tried("ip netns del " + NETNS + "; for l in $(ip -br link | grep -o '^nlt[^@ ]*'); do ip link del $l; done");
    }

    private List<Outcome> make(String netns, KernelChange... changes) {
        return helper.make(netns, List.of(changes)).orElseThrow();
    }

    private static Message pair(String here, String peer) {
        return Rtnetlink.addVeth(
                new VethEnd(here, "02:00:00:00:77:01"), new VethEnd(peer, "02:00:00:00:77:02"), 1500, PATH);
    }

    @Test
    void allIsDoneInOneRequestWhateverBecomesOfTheRestAndEachFailureHasTheKernelsWords() {
        assertThat(make("", pair("nlt0", "eth0"), Rtnetlink.up("nlt9"), Rtnetlink.up("nlt0")))
                .extracting(Outcome::errno)
                .containsExactly(0, 19, 0);
        List<Outcome> there = make(
                PATH,
                Rtnetlink.up("eth0"),
                Rtnetlink.replaceAddress("10.99.0.1/32", "eth0"),
                new SysctlWrite("net/ipv4/conf/eth0/rp_filter", "2"),
                new SysctlWrite("net/ipv4/conf/none/rp_filter", "2"),
                new SysctlWrite("net/../kernel/hostname", "x"),
                Rtnetlink.mtu("eth0", 1));
        assertThat(there).extracting(Outcome::errno).containsExactly(0, 0, 0, 2, 22, 22);
        assertThat(there.get(3).text()).isEqualTo("No such file or directory");
        assertThat(there.get(5).text())
                .as("the extended acknowledgement")
                .isEqualTo("Invalid argument: mtu less than device minimum");
        assertThat(Sh.run("ip -n " + NETNS + " -br addr show eth0; ip netns exec " + NETNS
                        + " cat /proc/sys/net/ipv4/conf/eth0/rp_filter"))
                .contains("UP", "10.99.0.1/32", "\n2\n");
    }

    @Test
    void aTableIsEmptiedOfOneFamilyAndNoOtherTableIs() {
        Sh.run("ip route add throw 10.98.0.0/16 table 299999999; ip route add throw 10.98.0.0/16 table 299999998;"
                + " ip -6 route add throw fd98::/64 table 299999999");
        try {
            assertThat(make("", new TableFlush(false, 299_999_999))).containsExactly(new Outcome(0, ""));
            assertThat(Sh.run("ip -4 route show table all; ip -6 route show table all"))
                    .doesNotContain("10.98.0.0/16 table 299999999")
                    .contains("throw 10.98.0.0/16 table 299999998", "throw fd98::/64");
            make("", new TableFlush(true, 299_999_999), new TableFlush(false, 299_999_998));
            assertThat(Sh.run("ip route show table all; ip -6 route show table all"))
                    .doesNotContain("29999999");
        } finally {
            Sh.tried("ip route flush table 299999999; ip route flush table 299999998");
        }
    }

    @Test
    void aNamespaceThatVanishedAndAFileThatIsNoneAreToldAndNothingIsDone() {
        for (String path : List.of("/var/run/netns/enipam-gone", "/etc/passwd")) {
            assertThatThrownBy(() -> make(path, Rtnetlink.removeLink("lo")))
                    .isInstanceOf(HelperFailedException.class)
                    .hasMessageStartingWith("the network namespace " + path + " cannot be entered: ");
        }
        Sh.run("ip netns del " + NETNS);
        assertThat(make("", pair("nlt1", "eth0")).get(0).text())
                .isEqualTo("No such file or directory: the network namespace " + PATH + " cannot be opened");
    }

    @Test
    void aProcessThatIsKilledIsStartedAgainAndWhatIsUnderWayFails() throws Exception {
        ProcessHandle first = helper.process().orElseThrow();
        Sh.run("kill -STOP " + first.pid());
        CompletableFuture<List<Outcome>> underWay = new CompletableFuture<>();
        Thread caller = new Thread(() -> underWay.completeAsync(() -> make("", Rtnetlink.up("lo")), Runnable::run));
        caller.start();
        await().atMost(Duration.ofSeconds(60)).until(() -> caller.getState() == Thread.State.WAITING);
        first.destroyForcibly();
        assertThatThrownBy(underWay::join).hasMessageContaining("enipam-netlink ended with status 137");
        assertThat(helper.unusable()).hasValueSatisfying(why -> assertThat(why).contains("status 137"));

        ProcessHandle second = null;
        while (second == null) {
            TimeUnit.MILLISECONDS.sleep(20);
            second = helper.process().orElse(null);
        }
        assertThat(second.pid()).isNotEqualTo(first.pid());
        assertThat(make("", Rtnetlink.up("lo"))).containsExactly(new Outcome(0, ""));
        assertThat(helper.unusable()).isEmpty();
        assertThat(helper.starts()).isEqualTo(2);
    }

    @Test
    void aRequestThatIsTooSlowEndsTheProcess() {
        try (NetlinkHelper hurried = new NetlinkHelper(Lab.NETLINK, 5)) {
            ProcessHandle process = hurried.process().orElseThrow();
            Sh.run("kill -STOP " + process.pid());
            assertThatThrownBy(() -> hurried.make("", List.of(Rtnetlink.up("lo"))))
                    .isInstanceOf(HelperFailedException.class)
                    .hasMessage("enipam-netlink had not answered after 5 seconds and was killed");
            assertThat(process.onExit()).succeedsWithin(Duration.ofSeconds(60));
        }
    }

    @Test
    void withoutAProgramNothingIsDoneAndItIsSaid() {
        try (NetlinkHelper none = new NetlinkHelper(Optional.of(Path.of("/nowhere/enipam-netlink")), 1)) {
            assertThat(none.make("", List.of(Rtnetlink.up("lo")))).isEmpty();
            assertThat(none.unusable()).hasValue("/nowhere/enipam-netlink is not there");
        }
        try (NetlinkHelper odd = new NetlinkHelper(Optional.of(Path.of("/bin/false")), 30)) {
            assertThat(odd.make("", List.of(Rtnetlink.up("lo"))))
                    .as("it is tried before anything is asked of it")
                    .isEmpty();
            assertThat(odd.unusable()).hasValue("enipam-netlink ended with status 1");
        }
    }

    @Test
    void manyThreadsGetTheirOwnAnswers() {
        List<CompletableFuture<List<Outcome>>> asked = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            int link = i;
            asked.add(CompletableFuture.supplyAsync(
                    () -> make(link % 2 == 0 ? "" : PATH, Rtnetlink.up("lo"), Rtnetlink.up("no" + link)), callers));
        }
        for (int i = 0; i < 200; i++) {
            assertThat(asked.get(i).join())
                    .containsExactly(
                            new Outcome(0, ""), new Outcome(19, "No such device: Cannot find device \"no" + i + "\""));
        }
    }

    @Test
    void itEndsWithItsStandardInput() throws Exception {
        Said said = Said.of(new byte[0]);
        assertThat(said).isEqualTo(new Said(0, ""));
        assertThat(Said.of(new byte[] {0, 0})).isEqualTo(new Said(2, "standard input ends in the middle of a request"));
    }

    @Test
    void whatIsNoRequestEndsItWithAMessageAndNothingOfItIsDone() throws Exception {
        byte[] good = Frames.request(
                7, "", List.of(pair("nlt2", "eth0"), Rtnetlink.up("lo"), new SysctlWrite("net/ipv4/ip_forward", "1")));
        for (int length = 1; length < good.length; length++) {
            byte[] cut = Arrays.copyOf(good, length);
            if (length >= 4) {
                // a frame that says that it ends here
                cut[2] = (byte) (length - 4 >> 8);
                cut[3] = (byte) (length - 4);
            }
            Said said = Said.of(cut);
            assertThat(said.status)
                    .as("%s of %s bytes: %s", length, good.length, said.text)
                    .isEqualTo(2);
        }
        assertThat(Sh.run("ip -br link")).doesNotContain("nlt2");

        assertThat(Said.of(new byte[] {0x7f, 0, 0, 0, 1}).text)
                .isEqualTo("a request of 2130706432 bytes is larger than 1048576");
        assertThat(Said.of(one(out -> out.writeByte(9))).text).isEqualTo("an item is of kind 9");
        assertThat(Said.of(one(out -> message(out, 16, new byte[16]))).text).contains("says that it has 0");
        byte[] up = Rtnetlink.up("lo").bytes();
        for (int offset : new int[] {0, 15, up.length - 3, up.length, Integer.MAX_VALUE, -1}) {
            assertThat(Said.of(one(out -> message(out, offset, up))).text)
                    .isEqualTo("a fix-up is at " + Integer.toUnsignedString(offset) + " of " + up.length + " bytes");
        }
    }

    @Test
    void randomBytesInTheMiddleOfARequestNeverHangIt() throws Exception {
        SplittableRandom random = new SplittableRandom(18);
        byte[] good = Frames.request(
                7,
                PATH,
                List.of(Rtnetlink.up("nlt3"), Rtnetlink.removeLink("nlt3"), new SysctlWrite("net/ipv4/x", "1")));
        for (int i = 0; i < 300; i++) {
            byte[] bad = good.clone();
            // not the path: another namespace than the test's own is never entered
            int from = 4 + 4 + 2 + PATH.length();
            for (int n = random.nextInt(1, 4); n > 0; n--) {
                bad[random.nextInt(from, bad.length)] = (byte) random.nextInt();
            }
            assertThat(Said.of(bad).status).isIn(0, 2);
        }
    }

    @Test
    void aLinkIsGoneWhenItsDeletionIsAnsweredAndSoAreItsRoutesAndThePodsEnd() {
        for (int i = 0; i < 20; i++) {
            make("", pair("nlt4", "eth0"), Rtnetlink.up("nlt4"));
            Sh.run("ip route add 10.97.0.1/32 dev nlt4; ip -n " + NETNS + " link set eth0 up");
            assertThat(make("", Rtnetlink.removeLink("nlt4"), Rtnetlink.up("nlt4")))
                    .extracting(Outcome::errno)
                    .containsExactly(0, 19);
            assertThat(Path.of("/sys/class/net/nlt4")).doesNotExist();
            assertThat(Sh.run("ip -br link; ip route show table all; ip -n " + NETNS + " -br link"))
                    .doesNotContain("nlt4", "10.97.0.1", "eth0");
        }
    }

    @Test
    void deletionsRunBesideEachOtherAndOneThatCannotBeDoneDoesNotKeepTheOthers() {
        int links = 150;
        for (int i = 0; i < links; i++) {
            make("", pair("nlt" + (100 + i), "e" + i));
        }
        List<CompletableFuture<List<Outcome>>> asked = new ArrayList<>();
        for (int i = 0; i < links; i++) {
            String link = "nlt" + (100 + i);
            asked.add(CompletableFuture.supplyAsync(
                    () -> make("", Rtnetlink.removeLink("lo"), Rtnetlink.removeLink(link), Rtnetlink.removeLink(link)),
                    callers));
        }
        for (CompletableFuture<List<Outcome>> one : asked) {
            assertThat(one.join()).extracting(Outcome::errno).containsExactly(95, 0, 19);
        }
        assertThat(Sh.run("ip -br link; ip -n " + NETNS + " -br link")).doesNotContain("nlt", "e1");
    }

    private interface Fields {
        void write(DataOutputStream out) throws IOException;
    }

    /** A request of one item. */
    private static byte[] one(Fields item) throws IOException {
        ByteArrayOutputStream rest = new ByteArrayOutputStream();
        DataOutputStream fields = new DataOutputStream(rest);
        fields.writeInt(1);
        fields.writeShort(0);
        fields.writeShort(1);
        item.write(fields);
        ByteArrayOutputStream frame = new ByteArrayOutputStream();
        new DataOutputStream(frame).writeInt(rest.size());
        rest.writeTo(frame);
        return frame.toByteArray();
    }

    /** A message with one fix-up, somewhere. */
    private static void message(DataOutputStream out, int offset, byte[] message) throws IOException {
        out.writeByte(1);
        out.writeByte(1);
        out.writeByte(FixUp.Kind.LINK.ordinal() + 1);
        out.writeInt(offset);
        out.writeShort(2);
        out.writeBytes("lo");
        out.writeInt(message.length);
        out.write(message);
    }

    /** How the process ended that got this as its standard input, and what it said on standard error. */
    private record Said(int status, String text) {
        static Said of(byte[] input) throws Exception {
            Process process = new ProcessBuilder(Lab.NETLINK.orElseThrow().toString(), Frames.PROTOCOL).start();
            try (var out = process.getOutputStream()) {
                out.write(input);
            } catch (IOException e) {
                // it ended before it read all of it
            }
            process.getInputStream().readAllBytes();
            String text = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
            return new Said(process.exitValue(), text.strip().replace("enipam-netlink: ", ""));
        }
    }
}
