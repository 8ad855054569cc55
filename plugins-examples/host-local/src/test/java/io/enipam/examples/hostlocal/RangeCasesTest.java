package io.enipam.examples.hostlocal;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Cases of the acceptance table. Which ranges there may be, and whose turn it is in them. */
class RangeCasesTest extends Cases {
    @ParameterizedTest
    @EnumSource(By.class)
    void b1DualStackWithRoutesAndResolvConf(By by) throws IOException {
        by(by);
        Path resolv = Files.writeString(data.resolve("resolv.conf"), "nameserver 192.0.2.3\n");
        String conf =
                conf("'resolvConf':'" + resolv + "','ranges':[[{'subnet':'10.1.2.0/24'},{'subnet':'10.2.2.0/24'}],"
                        + "[{'subnet':'2001:db8:1::0/64'}]],'routes':[{'dst':'0.0.0.0/0'},{'dst':'::/0'},"
                        + "{'dst':'192.168.0.0/16','gw':'1.1.1.1'},{'dst':'2001:DB8:2::0/64','gw':'2001:db8:3::1'}]");
        JsonNode result = Callers.json(plugin.call("ADD", "c1", conf));
        assertThat(result.toString().replace('"', '\''))
                .isEqualTo("{'cniVersion':'1.0.0','ips':[{'address':'10.1.2.2/24','gateway':'10.1.2.1'},"
                        + "{'address':'2001:db8:1::2/64','gateway':'2001:db8:1::1'}],'routes':[{'dst':'0.0.0.0/0'},"
                        + "{'dst':'::/0'},{'dst':'192.168.0.0/16','gw':'1.1.1.1'},"
                        + "{'dst':'2001:db8:2::/64','gw':'2001:db8:3::1'}],'dns':{'nameservers':['192.0.2.3']}}");
        assertThat(files())
                .isEqualTo(Map.of(
                        "10.1.2.2", "c1\r\neth0",
                        "2001:db8:1::2", "c1\r\neth0",
                        "last_reserved_ip.0", "10.1.2.2",
                        "last_reserved_ip.1", "2001:db8:1::2"));
        silent(plugin.call("DEL", "c1", conf));
        assertThat(files()).containsOnlyKeys("last_reserved_ip.0", "last_reserved_ip.1");
    }

    @ParameterizedTest
    @EnumSource(By.class)
    void b2AndB5ARangeIsUsedUpInTurnFromTheLastAddressOn(By by) throws IOException {
        by(by);
        lastReserved("192.168.1.3");
        String conf = conf("'subnet':'192.168.1.0/29'");
        for (String end : "4 5 6 2 3".split(" ")) {
            assertThat(add("c" + end, conf)).containsExactly("192.168.1." + end + "/29");
        }
        assertThat(refused(plugin.call("ADD", "c9", conf)))
                .isEqualTo("999 failed to allocate for range 0: no IP addresses available in range set:"
                        + " 192.168.1.1-192.168.1.6");
    }

    @ParameterizedTest
    @EnumSource(By.class)
    void b4AndB8TheRangesOfASetFollowEachOther(By by) {
        by(by);
        String conf = conf("'ranges':[[{'subnet':'10.0.0.0/30'},{'subnet':'10.0.1.0/30'}]]");
        assertThat(add("c1", conf)).containsExactly("10.0.0.2/30");
        assertThat(add("c2", conf)).containsExactly("10.0.1.2/30");
        assertThat(refused(plugin.call("ADD", "c3", conf)))
                .endsWith("no IP addresses available in range set: 10.0.0.1-10.0.0.2,10.0.1.1-10.0.1.2");
    }

    @ParameterizedTest
    @EnumSource(By.class)
    void b7AndB10TheGatewayIsNoContainers(By by) {
        by(by);
        String conf =
                conf("'subnet':'10.1.2.0/24','rangeStart':'10.1.2.9','rangeEnd':'10.1.2.11','gateway':'10.1.2.10'");
        assertThat(add("c1", conf)).containsExactly("10.1.2.9/24");
        assertThat(add("c2", conf)).containsExactly("10.1.2.11/24");
        assertThat(refused(plugin.call("ADD", "c3", conf))).contains("no IP addresses available");
        assertThat(add("c4", conf("'subnet':'10.0.0.0/30'"))).containsExactly("10.0.0.2/30");
        assertThat(refused(plugin.call("ADD", "c5", conf("'subnet':'10.0.0.0/30'"))))
                .endsWith("no IP addresses available in range set: 10.0.0.1-10.0.0.2");
    }

    @ParameterizedTest
    @EnumSource(By.class)
    void b11AGatewayMayBeOutsideOfItsSubnet(By by) {
        by(by);
        assertThat(add("c1", conf("'subnet':'10.1.2.0/24','gateway':'192.168.0.1'")))
                .containsExactly("10.1.2.1/24");
    }

    @ParameterizedTest
    @EnumSource(By.class)
    void b13ALastAddressThatIsNoneOrTheRangesLastBeginsAnew(By by) throws IOException {
        by(by);
        for (String last : List.of("10.1.2.254", "garbage", "10.1.2.7\n")) {
            lastReserved(last);
            assertThat(add("c1", base())).as(last).containsExactly("10.1.2.2/24");
            silent(plugin.call("DEL", "c1", base()));
        }
    }

    @ParameterizedTest
    @EnumSource(By.class)
    void b14TheLastAddressItselfIsTriedLast(By by) throws IOException {
        by(by);
        lastReserved("10.0.0.3");
        for (String end : "2 4 5 6".split(" ")) {
            Files.writeString(data.resolve("mynet/10.0.0." + end), "other\r\neth0");
        }
        assertThat(add("c1", conf("'subnet':'10.0.0.0/29'"))).containsExactly("10.0.0.3/29");
    }

    @ParameterizedTest
    @EnumSource(By.class)
    void b16AFileHasTheCanonicalNameOfItsAddress(By by) {
        by(by);
        add("c1", conf("'subnet':'2001:0db8:0000:0000::/64','rangeStart':'2001:0DB8::00AB'"));
        assertThat(files()).containsKeys("2001:db8::ab");
    }

    @ParameterizedTest
    @EnumSource(By.class)
    void b17OneSubnetMayBeSplit(By by) {
        by(by);
        assertThat(add(
                        "c1",
                        conf("'ranges':[[{'subnet':'10.0.0.0/24','rangeEnd':'10.0.0.127'}],"
                                + "[{'subnet':'10.0.0.0/24','rangeStart':'10.0.0.128'}]]")))
                .containsExactly("10.0.0.2/24", "10.0.0.128/24");
    }

    @ParameterizedTest
    @EnumSource(By.class)
    void b19RangesOfTheRuntimeComeFirstThenTheOldStyleThenTheSets(By by) {
        by(by);
        String ipam = "'subnet':'10.1.2.0/24','ranges':[[{'subnet':'11.1.2.0/24'}]]";
        assertThat(add("c1", conf(ipam))).containsExactly("10.1.2.2/24", "11.1.2.2/24");
        assertThat(add("c2", conf("1.0.0", ipam, ",'runtimeConfig':{'ipRanges':[[{'subnet':'12.1.3.0/24'}]]}"))
                        .get(0))
                .isEqualTo("12.1.3.2/24");
    }

    @ParameterizedTest
    @EnumSource(By.class)
    void b25AndB26SetsThatCannotBeAreRefused(By by) {
        by(by);
        Map<String, String> wrong = Map.of(
                "[[{'subnet':'10.1.2.0/24'}],[{'subnet':'10.1.2.0/24'}]]", "range set 0 overlaps with 1",
                "[[{'subnet':'10.1.0.0/22'},{'subnet':'10.1.2.0/24'}]]",
                        "invalid range set 0: subnets 10.1.0.1-10.1.3.254 and 10.1.2.1-10.1.2.254 overlap",
                "[[{'subnet':'10.1.0.0/22'},{'subnet':'fd00::/64'}]]", "invalid range set 0: mixed address families",
                "[[]]", "invalid range set 0: empty range set",
                "[[{'rangeStart':'10.1.2.3'}]]", "invalid range set 0: IP <nil> not v4 nor v6",
                "[[{'subnet':'10.1.2.0/31'}]]", "invalid range set 0: Network 10.1.2.0/31 too small to allocate from",
                "[[{'subnet':'10.1.2.7/24'}]]",
                        "invalid range set 0: Network has host bits set. For a subnet mask of length 24 the network"
                                + " address is 10.1.2.0",
                "[[{'subnet':'10.1.2.0/24','rangeStart':'10.1.3.1'}]]",
                        "invalid range set 0: RangeStart 10.1.3.1 not in network 10.1.2.0/24",
                "[[{'subnet':'10.1.2.0/24','rangeEnd':'10.1.3.1'}]]",
                        "invalid range set 0: RangeEnd 10.1.3.1 not in network 10.1.2.0/24");
        wrong.forEach((ranges, why) -> assertThat(refused(plugin.call("ADD", "c1", conf("'ranges':" + ranges))))
                .isEqualTo("999 " + why));
        assertThat(refused(plugin.call(
                        "ADD",
                        "c1",
                        conf("0.2.0", "'ranges':[[{'subnet':'10.1.2.0/24'}],[{'subnet':'10.1.3.0/24'}]]", ""))))
                .isEqualTo("999 CNI version 0.2.0 does not support more than 1 address per family");
    }
}
