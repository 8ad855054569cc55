package io.enipam.examples.hostlocal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import com.fasterxml.jackson.databind.JsonNode;
import io.enipam.examples.hostlocal.Callers.Caller;
import io.enipam.sdk.CniService.CniAnswer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Cases of the acceptance table. What is in the files, who gives it back, and the calls of 1.1.0. */
class FileCasesTest extends Cases {
    @ParameterizedTest
    @EnumSource(By.class)
    void d2NetworksKnowNothingOfEachOther(By by) {
        by(by);
        add("c1", base());
        add("c1", base().replace("mynet", "other"));
        silent(plugin.call("DEL", "c1", base()));
        assertThat(Callers.files(data.resolve("other"))).containsKey("10.1.2.2");
    }

    @ParameterizedTest
    @EnumSource(By.class)
    void d3ADelFreesWhateverTheRangesAre(By by) {
        by(by);
        add("c1", base());
        silent(plugin.call("DEL", "c1", conf("'subnet':'10.7.0.0/24'")));
        assertThat(files()).containsOnlyKeys("last_reserved_ip.0");
    }

    @ParameterizedTest
    @EnumSource(By.class)
    void filesOfHostLocalBeforeInterfacesWereInThemAreCheckedAndReleased(By by) throws IOException {
        by(by);
        lastReserved("10.1.2.7");
        Files.writeString(data.resolve("mynet/10.1.2.7"), "c1");
        silent(plugin.call("CHECK", "c1", base()));
        assertThat(refused(plugin.call("ADD", "c1", base()))).contains("10.1.2.7 has been allocated to c1");
        silent(plugin.call("DEL", "c1", "eth1", "", base()));
        assertThat(files()).containsOnlyKeys("last_reserved_ip.0");
    }

    @ParameterizedTest
    @EnumSource(By.class)
    void aDelOfSeveralSetsReleasesWhatItsContainerHasWithoutAnInterfaceToo(By by) throws IOException {
        by(by);
        String two = conf("'ranges':[[{'subnet':'10.1.2.0/24'}],[{'subnet':'10.1.3.0/24'}]]");
        Files.createDirectories(data.resolve("mynet"));
        for (String conf : new String[] {base(), two}) {
            add("c1", conf);
            Files.writeString(data.resolve("mynet/10.1.9.9"), "c1");
            silent(plugin.call("DEL", "c1", conf));
            assertThat(files().containsKey("10.1.9.9")).isEqualTo(conf.equals(base()));
            assertThat(files().values()).doesNotContain("c1\r\neth0");
        }
    }

    @ParameterizedTest
    @EnumSource(By.class)
    void d6AndD8SixtyCallersAtOnceGetSixtyAddresses(By by) throws Exception {
        assumeFalse(by != By.OURS && Callers.debiansIsMissing(), Callers.MISSING);
        Caller ours = Callers.ours(store);
        Caller debians = Callers.debians();
        ExecutorService threads = Executors.newFixedThreadPool(12);
        try {
            for (String command : List.of("ADD", "DEL")) {
                List<Callable<CniAnswer>> work = new ArrayList<>();
                for (int i = 0; i < 60; i++) {
                    Caller caller = by == By.OURS || by == By.BOTH && i % 2 == 0 ? ours : debians;
                    String container = "c" + (command.equals("ADD") ? i : 59 - i);
                    work.add(() -> caller.call(command, container, base()));
                }
                List<String> given = new ArrayList<>();
                for (Future<CniAnswer> done : threads.invokeAll(work)) {
                    assertThat(done.get().status()).as(done.get().stdout()).isZero();
                    if (command.equals("ADD")) {
                        given.addAll(ips(done.get()));
                    }
                }
                assertThat(given).doesNotHaveDuplicates().hasSize(command.equals("ADD") ? 60 : 0);
                assertThat(files()).hasSize(given.size() + 1).containsEntry("last_reserved_ip.0", "10.1.2.61");
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @ParameterizedTest
    @EnumSource(By.class)
    void d9EachChecksAndReleasesWhatTheOtherGave(By by) {
        by(by);
        for (int i = 0; i < 2; i++) {
            add("c1", base());
            silent(plugin.call("CHECK", "c1", base()));
            silent(plugin.call("CHECK", "c1", base()));
            silent(plugin.call("DEL", "c1", base()));
            silent(plugin.call("DEL", "other", base()));
            assertThat(files()).containsOnlyKeys("last_reserved_ip.0");
        }
    }

    @ParameterizedTest
    @EnumSource(By.class)
    void d11AndD12ResolvConfIsRead(By by) throws IOException {
        by(by);
        Map<String, String> files = Map.of(
                "nameserver 192.0.2.0\nnameserver 192.0.2.1\n",
                "{'nameservers':['192.0.2.0','192.0.2.1']}",
                "nameserver 192.0.2.0\n;nameserver 192.0.2.1\n",
                "{'nameservers':['192.0.2.0']}",
                "nameserver 192.0.2.0\nnameserver 192.0.2.2\ndomain example.com\nsearch example.net example.org\n"
                        + "search example.gov\noptions one two\noptions three four\nnothing\n",
                "{'nameservers':['192.0.2.0','192.0.2.2'],'domain':'example.com','search':['example.net',"
                        + "'example.org','example.gov'],'options':['one','two','three','four']}");
        Path resolv = data.resolve("resolv.conf");
        int number = 0;
        for (Map.Entry<String, String> file : files.entrySet()) {
            Files.writeString(resolv, file.getKey());
            JsonNode dns = Callers.json(plugin.call(
                            "ADD", "c" + number++, conf("'subnet':'10.1.2.0/24','resolvConf':'" + resolv + "'")))
                    .get("dns");
            assertThat(dns).hasToString(file.getValue().replace('\'', '"'));
        }
        assertThat(refused(plugin.call("ADD", "c9", conf("'subnet':'10.1.2.0/24','resolvConf':'/nonexistent'"))))
                .isEqualTo("999 open /nonexistent: no such file or directory");
    }

    @ParameterizedTest
    @EnumSource(value = By.class, names = "OURS")
    void e2AndE3GcAndStatusCameWith110(By by) {
        by(by);
        for (String command : List.of("GC", "STATUS")) {
            assertThat(refused(plugin.call(command, "", base())))
                    .isEqualTo("1 config version does not allow " + command);
        }
        String conf = conf("1.1.0", "'subnet':'10.0.0.0/30'", "");
        silent(plugin.call("STATUS", "", conf));
        add("c1", conf);
        assertThat(refused(plugin.call("STATUS", "", conf)))
                .isEqualTo("50 no IP addresses available in range set: 10.0.0.1-10.0.0.2");
        assertThat(refused(plugin.call("STATUS", "", conf("1.1.0", "", "")))).isEqualTo("50 no IP ranges specified");
    }

    @ParameterizedTest
    @EnumSource(value = By.class, names = "OURS")
    void gcEndsWhatIsNotValidAndNothingWithoutAList(By by) throws IOException {
        by(by);
        String conf = conf("1.1.0", "'subnet':'10.1.2.0/24'", "");
        for (String container : List.of("c1", "c2", "c3")) {
            add(container, conf);
        }
        Files.writeString(data.resolve("mynet/10.1.2.9"), "c1");
        Files.writeString(data.resolve("mynet/10.1.2.10"), "old");
        Files.writeString(data.resolve("mynet/10.1.2.11"), Owner.reserved().text());
        silent(plugin.call("GC", "", conf));
        assertThat(files()).hasSize(7);
        String valid = ",'cni.dev/valid-attachments':[{'containerID':'c1','ifname':'eth0'}],"
                + "'cni.dev/attachments':[{'containerID':'c3','ifname':'eth0'}]";
        assertThat(refused(
                        plugin.call("GC", "", conf("1.1.0", "'subnet':'10.1.2.0/24'", valid.replace("'c3'", "'-'")))))
                .startsWith("4 invalid characters in containerID");
        silent(plugin.call("GC", "", conf("1.1.0", "'subnet':'10.1.2.0/24'", valid)));
        assertThat(files()).containsOnlyKeys("10.1.2.2", "10.1.2.4", "10.1.2.9", "10.1.2.11", "last_reserved_ip.0");
        silent(plugin.call("GC", "", conf("1.1.0", "'subnet':'10.1.2.0/24'", ",'cni.dev/valid-attachments':[]")));
        assertThat(files()).containsOnlyKeys("10.1.2.11", "last_reserved_ip.0");
    }

    @ParameterizedTest
    @EnumSource(value = By.class, names = "OURS")
    void anEmptyFileOfACrashedWriterTakesNoAddress(By by) throws IOException {
        by(by);
        lastReserved("10.1.2.254");
        Files.createFile(data.resolve("mynet/10.1.2.2"));
        assertThat(add("c1", base())).containsExactly("10.1.2.2/24");
        assertThat(files()).containsEntry("10.1.2.2", "c1\r\neth0");
    }

    @ParameterizedTest
    @EnumSource(value = By.class, names = "OURS")
    void e5AfterAnAddThatFailedADelLeavesNothing(By by) throws IOException {
        by(by);
        add("c1", base());
        silent(plugin.call("DEL", "c1", base()));
        try (Stream<Path> all = Files.list(data.resolve("mynet"))) {
            assertThat(all.map(path -> path.getFileName().toString()))
                    .containsExactlyInAnyOrder("lock", "last_reserved_ip.0");
        }
    }
}
