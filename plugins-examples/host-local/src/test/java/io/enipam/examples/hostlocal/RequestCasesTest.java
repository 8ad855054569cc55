package io.enipam.examples.hostlocal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Cases of the acceptance table. Addresses that are asked for, and what an ADD that fails undoes. */
class RequestCasesTest extends Cases {
    @ParameterizedTest
    @EnumSource(By.class)
    void c1AndC2AnAddressThatIsAskedForIsGivenOnce(By by) {
        by(by);
        assertThat(ips(plugin.call("ADD", "c1", "eth0", "IP=10.1.2.88", base())))
                .containsExactly("10.1.2.88/24");
        assertThat(refused(plugin.call("ADD", "c2", "eth0", "IP=10.1.2.88", base())))
                .isEqualTo(
                        "999 failed to allocate for range 0: requested IP address 10.1.2.88 is not available in range"
                                + " set 10.1.2.1-10.1.2.254");
        assertThat(ips(plugin.call("ADD", "c1", "eth0", "IP=10.1.2.90", base())))
                .containsExactly("10.1.2.90/24");
    }

    @ParameterizedTest
    @EnumSource(By.class)
    void c4AndC5WhatNoContainerCanHaveIsRefused(By by) {
        by(by);
        assertThat(refused(plugin.call("ADD", "c1", "eth0", "IP=10.1.2.1", base())))
                .isEqualTo("999 failed to allocate for range 0: requested ip 10.1.2.1 is subnet's gateway");
        for (String ip : List.of("10.9.9.9", "10.1.2.255", "10.1.2.0")) {
            assertThat(refused(plugin.call("ADD", "c1", "eth0", "IP=" + ip, base())))
                    .isEqualTo("999 failed to allocate all requested IPs: " + ip);
        }
        assertThat(files()).isEqualTo(Map.of("last_reserved_ip.0", "10.1.2.4"));
    }

    @ParameterizedTest
    @EnumSource(By.class)
    void c7ArgumentsOfTheCall(By by) {
        by(by);
        Map<String, String> wrong = Map.of(
                "FOO=BAR", "ARGS: unknown args [\"FOO=BAR\"]",
                "FOO", "ARGS: invalid pair \"FOO\"",
                "IP=foo", "ARGS: error parsing value of pair \"IP=foo\": invalid IP address foo",
                "ip=10.1.2.9", "ARGS: unknown args [\"ip=10.1.2.9\"]",
                "IP=10.1.2.9;", "ARGS: invalid pair \"\"",
                "IgnoreUnknown=x",
                        "ARGS: error parsing value of pair \"IgnoreUnknown=x\": boolean unmarshal error: invalid input"
                                + " x");
        wrong.forEach((args, why) -> assertThat(refused(plugin.call("ADD", "c1", "eth0", args, base())))
                .isEqualTo("999 " + why));
        assertThat(ips(plugin.call("ADD", "c1", "eth0", "FOO=BAR;IgnoreUnknown=1", base())))
                .containsExactly("10.1.2.2/24");
        assertThat(ips(plugin.call("ADD", "c2", "eth0", "IP=", base()))).containsExactly("10.1.2.3/24");
    }

    @ParameterizedTest
    @EnumSource(By.class)
    void c8AndC10AddressesAskedForInTheConfiguration(By by) {
        by(by);
        assertThat(add("c1", conf("1.0.0", "'subnet':'10.1.2.0/24'", asked("10.1.2.88"))))
                .containsExactly("10.1.2.88/24");
        String dual = "'ranges':[[{'subnet':'172.16.1.0/24'},{'subnet':'10.1.4.0/24'}],[{'subnet':'2001:db8:1::/48'}]]";
        assertThat(add("c2", conf("1.0.0", dual, asked("10.1.4.88", "2001:db8:1::999"))))
                .containsExactly("10.1.4.88/24", "2001:db8:1::999/48");
    }

    @ParameterizedTest
    @EnumSource(By.class)
    void c11AnAddressThatIsLeftOverFailsTheAdd(By by) {
        by(by);
        String conf = conf(
                "1.0.0",
                "'ranges':[[{'subnet':'10.1.2.0/24'},{'subnet':'10.1.3.0/24'}]]",
                asked("10.1.2.88", "10.1.2.77"));
        assertThat(refused(plugin.call("ADD", "c1", conf)))
                .startsWith("999 failed to allocate all requested IPs: 10.1.2.");
        assertThat(files()).containsOnlyKeys("last_reserved_ip.0");
    }

    @ParameterizedTest
    @EnumSource(By.class)
    void c13AndC14AllThreeSourcesCount(By by) {
        by(by);
        String sets = "'ranges':[[{'subnet':'10.1.2.0/24'}],[{'subnet':'10.1.3.0/24'}],[{'subnet':'10.1.4.0/24'}]]";
        String conf = conf("1.0.0", sets, asked("10.1.3.30") + ",'runtimeConfig':{'ips':['10.1.4.40/24']}");
        assertThat(ips(plugin.call("ADD", "c1", "eth0", "IP=10.1.2.20", conf)))
                .containsExactly("10.1.2.20/24", "10.1.3.30/24", "10.1.4.40/24");
        String same =
                conf("1.0.0", "'subnet':'10.1.5.0/24'", asked("10.1.5.5") + ",'runtimeConfig':{'ips':['10.1.5.5']}");
        assertThat(ips(plugin.call("ADD", "c2", "eth0", "IP=10.1.5.5", same))).containsExactly("10.1.5.5/24");
    }

    @ParameterizedTest
    @EnumSource(value = By.class, names = "OURS")
    void c16AnAddThatFailsUndoesWhatItTookAndNothingElse(By by) {
        by(by);
        String sets = "'ranges':[[{'subnet':'10.1.2.0/24'}],[{'subnet':'10.1.3.0/24'}]]";
        add("c1", conf(sets));
        assertThat(refused(plugin.call("ADD", "c1", "eth0", "IP=10.1.2.50", conf(sets))))
                .startsWith("999 failed to allocate for range 1: 10.1.3.2 has been allocated to c1");
        assertThat(files())
                .containsOnlyKeys("10.1.2.2", "10.1.3.2", "last_reserved_ip.0", "last_reserved_ip.1")
                .containsEntry("last_reserved_ip.0", "10.1.2.50");
    }

    @ParameterizedTest
    @EnumSource(By.class)
    void c17AFullSecondSetUndoesTheFirst(By by) {
        by(by);
        String sets = "'ranges':[[{'subnet':'10.1.2.0/24'}],[{'subnet':'10.1.3.0/30'}]]";
        add("c1", conf(sets));
        assertThat(refused(plugin.call("ADD", "c2", conf(sets))))
                .startsWith("999 failed to allocate for range 1: no IP");
        assertThat(files()).containsOnlyKeys("10.1.2.2", "10.1.3.2", "last_reserved_ip.0", "last_reserved_ip.1");
    }
}
