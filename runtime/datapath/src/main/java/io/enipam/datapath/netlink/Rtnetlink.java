package io.enipam.datapath.netlink;

import io.enipam.datapath.netlink.KernelChange.Message;
import io.enipam.sdk.Address;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.function.UnaryOperator;

/**
 * The messages of rtnetlink that the datapath needs, each as iproute2 writes it. Names and numbers are those of linux/rtnetlink.h,
 * if_link.h, if_addr.h, neighbour.h, fib_rules.h and pkt_sched.h. All throw IllegalArgumentException for a text that is no address.
 */
public final class Rtnetlink {
    private static final int RTM_NEWLINK = 16;
    private static final int RTM_DELLINK = 17;
    private static final int RTM_NEWADDR = 20;
    private static final int RTM_DELADDR = 21;
    private static final int RTM_NEWROUTE = 24;
    private static final int RTM_DELROUTE = 25;
    private static final int RTM_NEWNEIGH = 28;
    private static final int RTM_NEWRULE = 32;
    private static final int RTM_DELRULE = 33;
    private static final int RTM_NEWQDISC = 36;

    private static final int REPLACE = 0x100;
    private static final int EXCL = 0x200;
    private static final int CREATE = 0x400;

    private static final int AF_INET = 2;
    private static final int AF_INET6 = 10;

    private static final int IFLA_ADDRESS = 1;
    private static final int IFLA_IFNAME = 3;
    private static final int IFLA_MTU = 4;
    private static final int IFLA_LINKINFO = 18;
    private static final int IFLA_IFALIAS = 20;
    private static final int IFLA_AF_SPEC = 26;
    private static final int IFLA_NET_NS_FD = 28;
    private static final int IFLA_INFO_KIND = 1;
    private static final int IFLA_INFO_DATA = 2;
    private static final int VETH_INFO_PEER = 1;
    private static final int IFLA_INET6_ADDR_GEN_MODE = 8;
    private static final int IN6_ADDR_GEN_MODE_NONE = 1;
    private static final int IFF_UP = 1;

    private static final int IFA_ADDRESS = 1;
    private static final int IFA_LOCAL = 2;
    private static final int IFA_F_NODAD = 2;

    private static final int NDA_DST = 1;
    private static final int NDA_LLADDR = 2;
    private static final int NUD_PERMANENT = 0x80;

    private static final int RTA_DST = 1;
    private static final int RTA_OIF = 4;
    private static final int RTA_GATEWAY = 5;
    private static final int RTA_PREFSRC = 7;
    private static final int RTA_TABLE = 15;
    private static final int RT_SCOPE_LINK = 253;
    private static final int RT_SCOPE_NOWHERE = 255;
    private static final int RTN_UNICAST = 1;
    private static final int RTN_THROW = 9;
    private static final int RTNH_F_ONLINK = 4;
    /** The number of the main table. */
    public static final long MAIN = 254;
    /** What a route is marked with that names no program (RTPROT_BOOT). */
    public static final int UNMARKED = 3;

    private static final int FRA_DST = 1;
    private static final int FRA_SRC = 2;
    private static final int FRA_IIFNAME = 3;
    private static final int FRA_PRIORITY = 6;
    private static final int FRA_TABLE = 15;
    private static final int FRA_PROTOCOL = 21;
    private static final int FR_ACT_TO_TBL = 1;

    private static final int TCA_KIND = 1;
    private static final int TCA_OPTIONS = 2;
    private static final int TCA_TBF_PARMS = 1;
    private static final int TCA_TBF_RATE64 = 4;
    private static final int TCA_TBF_BURST = 6;
    private static final long TC_H_ROOT = 0xffffffffL;
    private static final int TC_LINKLAYER_ETHERNET = 1;
    /** Nanoseconds of a tick of the packet scheduler. */
    private static final long TICK = 64;

    private static final long MOST_U32 = 0xffffffffL;

    private Rtnetlink() {}

    /** One end of a veth pair. */
    public record VethEnd(String link, String mac) {}

    /** Makes a pair, whose other end begins its life in another namespace. */
    public static Message addVeth(VethEnd here, VethEnd peer, int mtu, String netns) {
        MessageWriter all = new MessageWriter(RTM_NEWLINK, CREATE | EXCL);
        return end(anyLink(all), here, mtu)
                .attribute(
                        IFLA_LINKINFO,
                        info -> info.text(IFLA_INFO_KIND, "veth")
                                .attribute(
                                        IFLA_INFO_DATA,
                                        data -> data.attribute(
                                                VETH_INFO_PEER,
                                                other -> end(anyLink(other), peer, mtu)
                                                        .attribute(IFLA_NET_NS_FD, file -> file.descriptorOf(netns)))))
                .message();
    }

    private static MessageWriter end(MessageWriter to, VethEnd end, int mtu) {
        return to.attribute(IFLA_ADDRESS, mac(end.mac()))
                .text(IFLA_IFNAME, end.link())
                .number(IFLA_MTU, mtu);
    }

    public static Message up(String link) {
        return link(new MessageWriter(RTM_NEWLINK, 0), link, IFF_UP, IFF_UP).message();
    }

    public static Message down(String link) {
        return link(new MessageWriter(RTM_NEWLINK, 0), link, 0, IFF_UP).message();
    }

    public static Message mtu(String link, int mtu) {
        return set(link, to -> to.number(IFLA_MTU, mtu));
    }

    public static Message alias(String link, String alias) {
        return set(link, to -> to.attribute(IFLA_IFALIAS, alias.getBytes(StandardCharsets.UTF_8)));
    }

    public static Message rename(String link, String name) {
        return set(link, to -> to.text(IFLA_IFNAME, name));
    }

    /** Moves a link to another namespace, where it gets a name. */
    public static Message move(String link, String netns, String name) {
        return set(
                link,
                to -> to.attribute(IFLA_NET_NS_FD, file -> file.descriptorOf(netns))
                        .text(IFLA_IFNAME, name));
    }

    /** Keeps the kernel from giving a link IPv6 addresses of its own. */
    public static Message withoutOwnAddresses(String link) {
        return set(
                link,
                to -> to.attribute(
                        IFLA_AF_SPEC,
                        families -> families.attribute(
                                AF_INET6,
                                ipv6 -> ipv6.attribute(
                                        IFLA_INET6_ADDR_GEN_MODE, mode -> mode.u8(IN6_ADDR_GEN_MODE_NONE)))));
    }

    public static Message removeLink(String link) {
        return link(new MessageWriter(RTM_DELLINK, 0), link, 0, 0).message();
    }

    private static Message set(String link, UnaryOperator<MessageWriter> change) {
        return change.apply(link(new MessageWriter(RTM_NEWLINK, 0), link, 0, 0)).message();
    }

    /** struct ifinfomsg of a link that is there. */
    private static MessageWriter link(MessageWriter to, String link, int flags, int changed) {
        return to.u8(0, 0).u16(0).indexOf(link).u32(flags).u32(changed);
    }

    /** The same of one that attributes describe. */
    private static MessageWriter anyLink(MessageWriter to) {
        return to.u8(0, 0).u16(0).u32(0).u32(0).u32(0);
    }

    /** Gives a link an address in CIDR notation; an IPv6 one is not tried for duplicates. */
    public static Message replaceAddress(String cidr, String link) {
        return address(new MessageWriter(RTM_NEWADDR, CREATE | REPLACE), cidr, link);
    }

    public static Message removeAddress(String cidr, String link) {
        return address(new MessageWriter(RTM_DELADDR, 0), cidr, link);
    }

    private static Message address(MessageWriter to, String cidr, String link) {
        Address address = Address.parse(cidr);
        byte[] bytes = address.ip().getAddress();
        // the fourth is the scope, which is the whole world
        to.u8(family(bytes), address.prefixLength(), bytes.length == 4 ? 0 : IFA_F_NODAD, 0);
        return to.indexOf(link)
                .attribute(IFA_LOCAL, bytes)
                .attribute(IFA_ADDRESS, bytes)
                .message();
    }

    /** Makes a permanent neighbour. */
    public static Message replaceNeighbour(String ip, String mac, String link) {
        byte[] bytes = bytes(ip);
        return new MessageWriter(RTM_NEWNEIGH, CREATE | REPLACE)
                .u8(family(bytes), 0)
                .u16(0)
                .indexOf(link)
                .u16(NUD_PERMANENT)
                .u8(0, 0)
                .attribute(NDA_DST, bytes)
                .attribute(NDA_LLADDR, mac(mac))
                .message();
    }

    /**
     * A route to {@code default} or a CIDR. Without a link it throws packets out of its table. A gateway need not be in a subnet of the
     * link.
     *
     * @param gateway the empty text for none
     * @param link the same
     * @param source the same
     * @param protocol what it is marked with
     */
    public record Route(String destination, String gateway, String link, String source, long table, int protocol) {}

    public static Message replaceRoute(Route route) {
        boolean gateway = !route.gateway().isEmpty();
        boolean thrown = route.link().isEmpty();
        return route(
                new MessageWriter(RTM_NEWROUTE, CREATE | REPLACE),
                route,
                gateway || thrown ? 0 : RT_SCOPE_LINK,
                thrown ? RTN_THROW : RTN_UNICAST);
    }

    /** Removes one that has this destination, link and table, whatever its protocol. */
    public static Message removeRoute(String cidr, String link) {
        return route(new MessageWriter(RTM_DELROUTE, 0), new Route(cidr, "", link, "", MAIN, 0), RT_SCOPE_NOWHERE, 0);
    }

    private static Message route(MessageWriter to, Route route, int scope, int type) {
        boolean everywhere = route.destination().equals("default");
        Address destination = Address.parse(everywhere ? route.gateway() : route.destination());
        byte[] bytes = destination.ip().getAddress();
        // a table of a larger number is in the attribute alone
        int small = route.table() < 256 ? (int) route.table() : 0;
        to.u8(family(bytes), everywhere ? 0 : destination.prefixLength(), 0, 0);
        to.u8(small, route.protocol(), scope, type).u32(route.gateway().isEmpty() ? 0 : RTNH_F_ONLINK);
        if (!everywhere) {
            to.attribute(RTA_DST, bytes);
        }
        if (!route.gateway().isEmpty()) {
            to.attribute(RTA_GATEWAY, bytes(route.gateway()));
        }
        if (!route.link().isEmpty()) {
            to.attribute(RTA_OIF, index -> index.indexOf(route.link()));
        }
        if (!route.source().isEmpty()) {
            to.attribute(RTA_PREFSRC, bytes(route.source()));
        }
        return to.number(RTA_TABLE, route.table()).message();
    }

    /**
     * A rule that leads to a table.
     *
     * @param from an address or a CIDR; the empty text for all
     * @param to the same
     * @param link by which packets come in; the empty text for any
     */
    public record Rule(boolean ipv6, long priority, String from, String to, String link, long table, int protocol) {}

    public static Message addRule(Rule rule) {
        return rule(new MessageWriter(RTM_NEWRULE, CREATE | EXCL), rule, FR_ACT_TO_TBL);
    }

    /** Removes the first that has all its fields. */
    public static Message removeRule(Rule rule) {
        return rule(new MessageWriter(RTM_DELRULE, 0), rule, 0);
    }

    private static Message rule(MessageWriter out, Rule rule, int action) {
        int small = rule.table() < 256 ? (int) rule.table() : 0;
        out.u8(family(rule.ipv6()), length(rule.to()), length(rule.from()), 0);
        out.u8(small, 0, 0, action).u32(0).number(FRA_PRIORITY, rule.priority());
        if (!rule.from().isEmpty()) {
            out.attribute(FRA_SRC, Address.parse(rule.from()).ip().getAddress());
        }
        if (!rule.to().isEmpty()) {
            out.attribute(FRA_DST, Address.parse(rule.to()).ip().getAddress());
        }
        if (!rule.link().isEmpty()) {
            out.text(FRA_IIFNAME, rule.link());
        }
        return out.number(FRA_TABLE, rule.table())
                .attribute(FRA_PROTOCOL, protocol -> protocol.u8(rule.protocol()))
                .message();
    }

    private static int length(String cidr) {
        return cidr.isEmpty() ? 0 : Address.parse(cidr).prefixLength();
    }

    /**
     * Puts a token bucket filter at the root of a link.
     *
     * @param rate bytes a second
     * @param burst bytes
     * @param limit bytes that may wait
     */
    public static Message replaceTokenBucket(String link, long rate, long burst, long limit) {
        MessageWriter to = new MessageWriter(RTM_NEWQDISC, CREATE | REPLACE)
                .u8(0, 0)
                .u16(0)
                .indexOf(link)
                .u32(0)
                .u32(TC_H_ROOT)
                .u32(0)
                .text(TCA_KIND, "tbf");
        return to.attribute(TCA_OPTIONS, options -> {
                    options.attribute(TCA_TBF_PARMS, all -> bucket(all, rate, burst, limit));
                    options.number(TCA_TBF_BURST, burst);
                    if (rate > MOST_U32) {
                        options.attribute(TCA_TBF_RATE64, wide -> wide.u64(rate));
                    }
                })
                .message();
    }

    /** struct tc_tbf_qopt: the rate, no peak rate, the limit, the burst as the time that it takes, and the MTU of a peak rate. */
    private static MessageWriter bucket(MessageWriter to, long rate, long burst, long limit) {
        long ticks = Math.round(burst * 1e9 / rate / TICK);
        return to.u8(0, TC_LINKLAYER_ETHERNET)
                .u16(0)
                .u16(0)
                .u16(0)
                .u32(Math.min(rate, MOST_U32))
                .u32(0)
                .u32(0)
                .u32(0)
                .u32(Math.min(limit, MOST_U32))
                .u32(Math.min(ticks, MOST_U32))
                .u32(0);
    }

    private static int family(byte[] address) {
        return family(address.length > 4);
    }

    static int family(boolean ipv6) {
        return ipv6 ? AF_INET6 : AF_INET;
    }

    private static byte[] bytes(String ip) {
        InetAddress address = Address.literal(ip);
        return address.getAddress();
    }

    private static byte[] mac(String text) {
        return HexFormat.ofDelimiter(":").parseHex(text);
    }
}
