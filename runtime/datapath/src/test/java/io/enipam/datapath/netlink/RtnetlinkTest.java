package io.enipam.datapath.netlink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.enipam.datapath.netlink.KernelChange.FixUp;
import io.enipam.datapath.netlink.KernelChange.Message;
import io.enipam.datapath.netlink.KernelChange.SysctlWrite;
import io.enipam.datapath.netlink.Rtnetlink.Route;
import io.enipam.datapath.netlink.Rtnetlink.VethEnd;
import java.nio.ByteOrder;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The bytes of messages, as strace shows those of iproute2. */
class RtnetlinkTest {
    @BeforeEach
    void theBytesBelowAreOfSuchAMachine() {
        assumeTrue(ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN);
    }

    private static String hex(Message message) {
        return HexFormat.of().formatHex(message.bytes());
    }

    @Test
    void aLinkIsNamedByAnIndexThatIsPutInLater() {
        Message up = Rtnetlink.up("eth0");
        assertThat(hex(up))
                .isEqualTo("20000000" + "1000" + "0500" + "00000000" + "00000000" // length, type, flags, sequence, port
                        + "0000" + "0000" + "00000000" + "01000000"
                        + "01000000"); // family, type, index, flags, changed
        assertThat(up.fixUps()).containsExactly(new FixUp(FixUp.Kind.LINK, 20, "eth0"));
    }

    @Test
    void attributesBeginAtMultiplesOfFourAndSayTheirOwnLength() {
        assertThat(hex(Rtnetlink.rename("eth0", "eth12")))
                .startsWith("2c000000")
                .endsWith("0a00" + "0300" + "657468313200" + "0000");
        assertThat(hex(Rtnetlink.alias("eth0", "abc"))).endsWith("0700" + "1400" + "616263" + "00");
    }

    @Test
    void thePeerOfAPairBringsItsNamespaceInsideOfItsOwnPart() {
        Message pair = Rtnetlink.addVeth(
                new VethEnd("cali1", "02:00:00:00:00:01"),
                new VethEnd("eth0", "02:00:00:00:00:02"),
                1500,
                "/run/netns/a");
        String peer = "0a000100" + "020000000002" + "0000" // its hardware address
                + "09000300" + "6574683000" + "000000" // its name
                + "08000400" + "dc050000" // its MTU
                + "08001c00" + "00000000"; // its namespace
        assertThat(hex(pair))
                .endsWith("50001200" + "09000100" + "7665746800" + "000000" // a link of kind veth
                        + "40000200" + "3c000100" + "00".repeat(16) + peer);
        assertThat(pair.fixUps()).containsExactly(new FixUp(FixUp.Kind.NETNS, pair.bytes().length - 4, "/run/netns/a"));
    }

    @Test
    void aTableOfALargeNumberIsInAnAttributeAlone() {
        Message route = Rtnetlink.replaceRoute(new Route("172.16.0.0/16", "", "", "", 300_000_001, 69));
        assertThat(hex(route))
                .isEqualTo("2c000000" + "1800" + "0505" + "00000000" + "00000000"
                        + "02100000" + "00450009"
                        + "00000000" // family and lengths; table, protocol, scope, throw; flags
                        + "08000100" + "ac100000" + "08000f00" + "01a3e111");
    }

    @Test
    void whatNoKernelCouldTakeIsRefused() {
        for (String name : List.of("", "a-name-of-16-byt", "a\0b")) {
            assertThatThrownBy(() -> Rtnetlink.removeLink(name)).as(name).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> Rtnetlink.mtu(name, 1500)).as(name).isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> new SysctlWrite("net/ipv4/ip_forward", "1".repeat(256)))
                .isInstanceOf(IllegalArgumentException.class);
        for (String address : List.of("nowhere", "10.0.0.1/33", "10.0.0", "")) {
            assertThatThrownBy(() -> Rtnetlink.replaceAddress(address, "eth0"))
                    .as(address)
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }
}
