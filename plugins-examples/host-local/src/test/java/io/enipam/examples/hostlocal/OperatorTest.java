package io.enipam.examples.hostlocal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.enipam.sdk.Answer;
import io.enipam.sdk.Call;
import io.enipam.sdk.Check;
import io.enipam.sdk.CheckRequest;
import io.enipam.sdk.CniService.CniAnswer;
import io.enipam.sdk.Command;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Finding;
import io.enipam.sdk.Grant;
import io.enipam.sdk.PluginEvent;
import io.enipam.sdk.ledger.HeldGrant;
import io.enipam.sdk.ledger.Ledger;
import io.enipam.sdk.testkit.InMemoryJournal;
import io.enipam.sdk.testkit.TestContext;
import io.enipam.sdk.testkit.TestSignals;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Clock;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What an operator sees and does: commands, checks and their repairs. */
class OperatorTest {
    @TempDir
    Path data;

    private final InMemoryJournal journal = new InMemoryJournal();
    private final Ledger ledger = new Ledger(journal, "host-local", Clock.systemUTC());
    private Optional<HostLocalPart> opened = Optional.empty();
    private TestSignals signals = new TestSignals();

    private HostLocalPart part(String store) {
        close();
        HostLocalPlugin plugin = new HostLocalPlugin();
        TestContext context = TestContext.builder()
                .settings(plugin.settings())
                .value("store", store)
                .value("data_dir", data.resolve("nets").toString())
                .value("results_dir", data.resolve("results").toString())
                .journal(ledger.journal())
                .build();
        signals = context.signals();
        HostLocalPart part = (HostLocalPart) plugin.extensions().get(0).open(context);
        opened = Optional.of(part);
        return part;
    }

    @AfterEach
    void close() {
        opened.ifPresent(HostLocalPart::close);
        opened = Optional.empty();
    }

    private CniAnswer call(String command, String container) {
        return call(command, container, "");
    }

    private CniAnswer call(String command, String container, String args) {
        String conf = "{\"cniVersion\":\"1.0.0\",\"name\":\"lan\",\"ipam\":{\"type\":\"enipam-ipam\",\"ranges\":"
                + "[[{\"subnet\":\"10.1.2.0/28\"}],[{\"subnet\":\"fd00::/64\"}]]}}";
        Map<String, String> environment = Map.of(
                "CNI_COMMAND",
                command,
                "CNI_CONTAINERID",
                container,
                "CNI_NETNS",
                "/var/run/netns/x",
                "CNI_IFNAME",
                "eth0",
                "CNI_ARGS",
                args,
                "CNI_PATH",
                "/usr/lib/cni");
        return opened.orElseThrow().serve(new Callers.Call(environment, conf));
    }

    private Answer run(String words, boolean dryRun, String... parameters) {
        Command command = opened.orElseThrow().commands().stream()
                .filter(each -> String.join(" ", each.spec().path()).equals(words))
                .findFirst()
                .orElseThrow();
        Map<String, List<String>> typed = new HashMap<>();
        for (String parameter : parameters) {
            String[] parts = parameter.split("=", 2);
            typed.put(parts[0], List.of(parts[1]));
        }
        return command.run(Call.of(command.spec(), typed, dryRun));
    }

    private String said(String words, String... parameters) {
        return ((Answer.Prose) run(words, false, parameters)).text();
    }

    private List<List<String>> rows(String words, String... parameters) {
        return ((Answer.Rows) run(words, false, parameters)).table().rows();
    }

    private List<Finding> findings(String id) {
        Check check = opened.orElseThrow().checks().stream()
                .filter(each -> each.id().equals(id))
                .findFirst()
                .orElseThrow();
        record Request(Instant at) implements CheckRequest {}
        return check.run(new Request(Instant.now()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"files", "journal"})
    void rangesAndLeasesShowWhatIsTaken(String store) {
        part(store);
        assertThat(rows("hostlocal ranges")).isEmpty();
        for (int i = 0; i < 4; i++) {
            assertThat(call("ADD", "c" + i).status()).isZero();
        }
        assertThat(rows("hostlocal ranges").get(0))
                .containsExactly(
                        "lan", "0", "10.1.2.1-10.1.2.14", "10.1.2.1", "13", "4", "9", "######.............. 30%");
        assertThat(rows("hostlocal ranges", "above=10")).hasSize(1);
        assertThat(rows("hostlocal leases", "network=lan"))
                .hasSize(8)
                .contains(List.of("lan", "10.1.2.2", "c0", "eth0"), List.of("lan", "fd00::5", "c3", "eth0"));
        assertThatThrownBy(() -> rows("hostlocal leases", "network=wan"))
                .isInstanceOf(FactoryException.class)
                .hasMessage("no address of a network wan was given here; there are [lan]");
        part(store);
        assertThat(rows("hostlocal leases")).as("after a restart").hasSize(8);
    }

    @ParameterizedTest
    @ValueSource(strings = {"files", "journal"})
    void aReservedAddressIsNoContainersUntilItIsReleased(String store) {
        part(store);
        call("ADD", "c1");
        assertThat(((Answer.Prose) run("hostlocal reserve", true, "address=10.1.2.3")).text())
                .isEqualTo("10.1.2.3 of network lan would be reserved");
        assertThat(said("hostlocal reserve", "address=10.1.2.4")).isEqualTo("10.1.2.4 of network lan is reserved");
        assertThat(run("hostlocal reserve", false, "address=10.1.2.2"))
                .isInstanceOfSatisfying(
                        Answer.Refusal.class,
                        refusal -> assertThat(refusal.why()).isEqualTo("10.1.2.2 of network lan is taken by c1/eth0"));
        for (int i = 2; i < 12; i++) {
            assertThat(call("ADD", "c" + i).stdout()).doesNotContain("10.1.2.4/");
        }
        assertThat(call("ADD", "c13").stdout()).contains("10.1.2.3/28");
        assertThat(call("ADD", "c14").stdout()).contains("no IP addresses available");
        assertThat(((Answer.Prose) run("hostlocal release", true, "address=10.1.2.4")).text())
                .isEqualTo("10.1.2.4 of network lan would be taken from enipam:reserved/operator");
        assertThat(said("hostlocal release", "address=10.1.2.4", "owner=c1/eth0"))
                .isEqualTo("10.1.2.4 of network lan is not c1/eth0's any more: enipam:reserved/operator has it");
        assertThat(said("hostlocal release", "address=10.1.2.4"))
                .isEqualTo("10.1.2.4 of network lan is free; enipam:reserved/operator had it");
        assertThat(said("hostlocal release", "address=10.1.2.4")).isEqualTo("10.1.2.4 of network lan is free");
        assertThat(call("ADD", "c14").stdout()).contains("10.1.2.4/28");
        assertThatThrownBy(() -> said("hostlocal release", "address=10.9.9.9"))
                .hasMessage("10.9.9.9 is in no range; 'hostlocal ranges' shows those there are");
    }

    @ParameterizedTest
    @ValueSource(strings = {"files", "journal"})
    void aReservedGatewayIsNoneOfTheAddressesThatARangeGives(String store) {
        part(store);
        call("ADD", "c1");
        assertThat(said("hostlocal reserve", "address=10.1.2.1")).isEqualTo("10.1.2.1 of network lan is reserved");
        assertThat(rows("hostlocal ranges").get(0).subList(4, 7)).containsExactly("13", "1", "12");
    }

    @Test
    void aNetworkWhoseRowCouldNotBeWrittenIsWrittenByTheNextCall() {
        part("files");
        journal.failing(true);
        assertThat(call("ADD", "c1").status()).isZero();
        journal.failing(false);
        assertThat(call("ADD", "c2").status()).isZero();
        part("files");
        assertThat(rows("hostlocal leases")).as("after a restart").hasSize(4);
    }

    @ParameterizedTest
    @ValueSource(strings = {"files", "journal"})
    void metricsAndEventsTellHowFullARangeIsAndWhatCallersGot(String store) {
        part(store);
        for (int i = 0; i < 13; i++) {
            assertThat(signals.count("grants", "lan")).isEqualTo(i);
            assertThat(call("ADD", "c" + i).status()).isZero();
            assertThat(signals.value("range_used_ratio", "lan", "0")).isEqualTo((i + 1) / 13.0);
        }
        assertThat(signals.value("range_used_ratio", "lan", "1")).isBetween(0.0, 0.001);
        assertThat(signals.events()).isEmpty();
        assertThat(findings("full"))
                .containsExactly(new Finding(
                        Finding.Severity.WARN,
                        "lan/10.1.2.1-10.1.2.14",
                        "all 13 addresses are taken: an ADD gets none",
                        "hostlocal leases --network lan"));

        call("ADD", "c13");
        call("ADD", "c13");
        assertThat(signals.count("failures", "ADD", "999")).isEqualTo(2);
        assertThat(signals.events())
                .as("once, however often it is asked")
                .containsExactly(PluginEvent.warning(
                        "RangeFull",
                        "lan",
                        "failed to allocate for range 0: no IP addresses available in range set:"
                                + " 10.1.2.1-10.1.2.14"));
        call("DEL", "c0");
        assertThat(findings("full")).isEmpty();
        assertThat(call("ADD", "c13").status()).isZero();
        assertThat(signals.events()).extracting(PluginEvent::type).containsExactly("RangeFull", "RangeHasRoom");

        part(store);
        assertThat(signals.value("range_used_ratio", "lan", "0"))
                .as("after a restart")
                .isEqualTo(1);
    }

    @Test
    void theHostListsWhatIsInTheJournalAsItListsGrantsAndGivesItBackWhenThePodIsGone() {
        HostLocalPart part = part("journal");
        call("ADD", "c1", "IgnoreUnknown=1;K8S_POD_NAMESPACE=shop;K8S_POD_NAME=web-0;K8S_POD_UID=u-1");
        call("ADD", "c2");
        assertThat(ledger.grants())
                .extracting(
                        held -> held.claim().text(),
                        HeldGrant::owner,
                        HeldGrant::uid,
                        held -> texts(held.grant().orElseThrow()))
                .containsExactly(
                        tuple("lan/c1/eth0", "shop/web-0", "u-1", List.of("10.1.2.2/28", "fd00::2/64")),
                        tuple("lan/c2/eth0", "c2", "", List.of("10.1.2.3/28", "fd00::3/64")));

        Grant before = ledger.grants().get(0).grant().orElseThrow();
        said("hostlocal release", "address=10.1.2.2");
        assertThat(ledger.grants().get(0).owner()).isEqualTo("shop/web-0");
        Grant now = ledger.grants().get(0).grant().orElseThrow();
        assertThat(texts(now)).containsExactly("fd00::2/64");
        assertThat(part.release(before)).as("it has something else by now").isFalse();
        assertThat(part.release(now)).isTrue();
        assertThat(part.release(now)).isFalse();
        call("DEL", "c2");
        assertThat(ledger.grants()).isEmpty();
        assertThat(rows("hostlocal leases")).isEmpty();
    }

    private static List<String> texts(Grant grant) {
        return grant.prefixes().stream()
                .map(prefix -> prefix.address().toString())
                .toList();
    }

    @Test
    void whatIsInFilesIsNotListed() {
        part("files");
        call("ADD", "c1");
        assertThat(ledger.grants()).isEmpty();
    }

    @Test
    void namesAndAddressesAreCompleted() {
        HostLocalPart part = part("files");
        call("ADD", "c1");
        Command release = part.commands().get(3);
        assertThat(release.complete(release.spec().operands().get(0), "10.")).containsExactly("10.1.2.2");
        assertThat(release.complete(release.spec().options().get(0), "")).containsExactly("lan");
    }

    @Test
    void aDirectoryOfTheGoPluginIsTakenOverIntoTheJournal() throws IOException {
        Path lan = Files.createDirectories(data.resolve("nets/lan"));
        Files.writeString(lan.resolve("10.1.2.5"), "old\r\neth0");
        Files.writeString(lan.resolve("10.1.2.6"), "older");
        Files.writeString(lan.resolve("10.1.2.7"), "");
        Files.writeString(lan.resolve("last_reserved_ip.0"), "10.1.2.6");
        part("files");
        assertThat(run("hostlocal import", false, "directory=" + lan)).isInstanceOf(Answer.Refusal.class);
        part("journal");
        assertThat(((Answer.Rows) run("hostlocal import", true, "directory=" + lan))
                        .table()
                        .rows())
                .containsExactly(
                        List.of("10.1.2.5", "old", "eth0", "would be imported"),
                        List.of("10.1.2.6", "older", "-", "would be imported"),
                        List.of("10.1.2.7", "-", "-", "left out: the file is empty"));
        assertThat(rows("hostlocal import", "directory=" + lan))
                .extracting(row -> row.get(3))
                .containsExactly("imported", "imported", "left out: the file is empty");
        assertThat(rows("hostlocal import", "directory=" + lan))
                .extracting(row -> row.get(3))
                .startsWith("there already", "there already");
        assertThat(rows("hostlocal leases"))
                .as("also before the first ADD, which tells the ranges")
                .containsExactly(List.of("lan", "10.1.2.5", "old", "eth0"), List.of("lan", "10.1.2.6", "older", "-"));
        assertThat(rows("hostlocal ranges")).isEmpty();
        assertThat(call("ADD", "new").stdout()).contains("10.1.2.7/28");
        assertThat(call("ADD", "older").stdout()).contains("10.1.2.6 has been allocated to older");
        assertThat(call("DEL", "old").status()).isZero();
        assertThat(rows("hostlocal leases")).extracting(row -> row.get(1)).doesNotContain("10.1.2.5");
    }

    @Test
    void e6AContainerIsThereForAsLongAsTheRuntimeKeepsItsResult() throws IOException {
        part("files");
        call("ADD", "c1");
        for (String address : List.of("10.1.2.2", "fd00::2")) {
            Files.setLastModifiedTime(
                    data.resolve("nets/lan").resolve(address),
                    FileTime.from(Instant.now().minusSeconds(3600)));
        }
        // as libcni names and writes it at the ADD, and removes it at the DEL
        Path kept = Files.writeString(
                Files.createDirectories(data.resolve("results")).resolve("lan-c1-eth0"),
                "{\"kind\":\"cniCacheV1\",\"containerId\":\"c1\",\"ifName\":\"eth0\",\"networkName\":\"lan\"}");
        assertThat(findings("stale")).isEmpty();
        Files.delete(kept);
        assertThat(findings("stale")).extracting(Finding::subject).containsExactly("lan/10.1.2.2", "lan/fd00::2");
    }

    @Test
    void theDoctorFindsEmptyForeignDuplicateAndStaleFilesAndReleasesThemOnDemand() throws IOException {
        part("files");
        call("ADD", "alive");
        call("ADD", "young");
        Path lan = data.resolve("nets/lan");
        Path results = Files.createDirectories(data.resolve("results"));
        Files.writeString(results.resolve("lan-alive-eth0"), "{}");
        for (String id : List.of("empty", "foreign", "duplicate", "stale")) {
            assertThat(findings(id)).as(id).isEmpty();
        }
        Files.writeString(lan.resolve("10.1.2.9"), "");
        Files.writeString(lan.resolve("10.7.7.7"), "other\r\neth0");
        Files.writeString(lan.resolve("notes.txt"), "");
        Files.writeString(lan.resolve("10.1.2.10"), "alive\r\neth0");
        Files.writeString(lan.resolve("10.1.2.11"), "gone\r\neth0");
        Files.writeString(lan.resolve("10.1.2.12"), "no\0name\r\neth0");
        Files.setLastModifiedTime(
                lan.resolve("10.1.2.11"), FileTime.from(Instant.now().minusSeconds(3600)));

        assertThat(findings("empty")).extracting(Finding::subject).containsExactly("lan/10.1.2.9");
        assertThat(findings("foreign")).extracting(Finding::subject).containsExactly("lan/10.7.7.7", "lan/notes.txt");
        assertThat(findings("duplicate")).extracting(Finding::subject).containsExactly("lan/10.1.2.10");
        assertThat(findings("stale")).extracting(Finding::subject).containsExactly("lan/10.1.2.11");

        List<String> commands = opened.orElseThrow().commands().stream()
                .map(command -> String.join(" ", command.spec().path()) + " ")
                .toList();
        for (String id : List.of("empty", "foreign", "duplicate", "stale")) {
            assertThat(findings(id))
                    .extracting(Finding::fix)
                    .as("what the shell takes")
                    .allMatch(fix -> fix.isEmpty() || commands.stream().anyMatch(fix::startsWith));
        }

        for (String id : List.of("empty", "stale")) {
            Finding.Repair repair = findings(id).get(0).repair().orElseThrow();
            String[] arguments = repair.arguments().entrySet().stream()
                    .map(argument -> argument.getKey() + "=" + argument.getValue())
                    .toArray(String[]::new);
            assertThat(said(String.join(" ", repair.path()), arguments)).contains("is free");
            assertThat(findings(id)).as(id).isEmpty();
        }
        assertThat(Files.list(lan).map(file -> file.getFileName().toString()))
                .doesNotContain("10.1.2.9", "10.1.2.11")
                .contains("10.1.2.2", "10.1.2.3", "10.1.2.10", "10.7.7.7", "notes.txt");
    }
}
