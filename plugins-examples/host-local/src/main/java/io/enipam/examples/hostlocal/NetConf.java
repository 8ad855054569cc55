package io.enipam.examples.hostlocal;

import io.enipam.sdk.Subject;
import io.enipam.sdk.ranges.Ip;
import io.enipam.sdk.ranges.IpRange;
import io.enipam.sdk.ranges.RangeSet;
import io.enipam.sdk.ranges.Subnet;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What a call asks host-local for: the network configuration together with the arguments of the call. Immutable.
 *
 * @param network where the addresses are kept
 * @param sets an address of each is given, in this order
 * @param requested the addresses that are asked for, each once
 * @param routes as they are told the caller
 * @param resolvConf the file with the caller's DNS settings
 * @param pod that the caller names
 */
record NetConf(
        Network network,
        List<RangeSet> sets,
        Set<Ip> requested,
        List<RouteText> routes,
        Optional<String> resolvConf,
        Optional<Pod> pod) {
    /**
     * A network.
     *
     * @param directory of its files
     */
    record Network(String name, Path directory) {}

    /**
     * The owner of what a container has.
     *
     * @param name {@code NAMESPACE/NAME}; the container's id where the caller names no pod
     * @param uid empty text where the caller does not say it
     */
    record Pod(String name, String uid) implements Subject {
        @Override
        public Kind kind() {
            return Kind.POD;
        }

        @Override
        public Map<String, String> labels() {
            return Map.of();
        }

        @Override
        public Map<String, String> annotations() {
            return Map.of();
        }
    }

    /** A route, of which only the texts are checked. */
    record RouteText(Subnet destination, Optional<Ip> gateway) {}

    private static final String IP = "net.IP";
    private static final String TEXT = "string";

    /**
     * Reads and checks all of it.
     *
     * @param args {@code CNI_ARGS}
     * @param dataDir where networks are that do not say it
     * @throws Refused code 999, in the words of the Go plugin
     */
    static NetConf read(GoJson conf, CniVersion version, String name, String args, Path dataDir) throws Refused {
        GoJson ipam = new GoJson(conf.at("ipam").node(), "IPAMConfig.ipam").object("allocator.IPAMConfig");
        if (ipam.isAbsent()) {
            throw Refused.of("IPAM config missing 'ipam' key");
        }
        Optional<String> directory = ipam.at("dataDir").text(TEXT).filter(text -> !text.isEmpty());
        Optional<String> resolvConf = ipam.at("resolvConf").text(TEXT);
        List<RouteText> routes = new ArrayList<>();
        for (GoJson route : ipam.at("routes").elements("[]*types.Route")) {
            routes.add(route(route));
        }
        List<List<Draft>> drafts = drafts(conf, ipam);
        Set<Ip> requested = requested(conf, args);
        List<RangeSet> sets = sets(drafts, version, conf.at("cniVersion").node().asText());
        Path networks = directory.isPresent() ? directory(directory.get()) : dataDir;
        return new NetConf(
                new Network(name, networks.resolve(name)),
                sets,
                requested,
                routes,
                resolvConf.filter(text -> !text.isEmpty()),
                CniArgs.pod(args));
    }

    private static Path directory(String text) throws Refused {
        try {
            return Path.of(text);
        } catch (InvalidPathException e) {
            throw Refused.of("mkdir " + text + ": invalid argument");
        }
    }

    private static Set<Ip> requested(GoJson conf, String args) throws Refused {
        GoJson config = new GoJson(conf.at("args").node(), "IPAMArgs.args");
        List<GoJson> texts = new ArrayList<>(config.at("cni").at("ips").elements("[]*ip.IP"));
        texts.addAll(new GoJson(conf.at("runtimeConfig").node(), "RuntimeConfig.runtimeConfig")
                .at("ips")
                .elements("[]*ip.IP"));
        List<Ip> configured = new ArrayList<>();
        for (GoJson text : texts) {
            Optional<String> written = text.text("*ip.IP");
            if (written.isPresent()) {
                configured.add(CniArgs.withoutLength(written.get()));
            }
        }
        Set<Ip> requested = new LinkedHashSet<>();
        CniArgs.ip(args).ifPresent(requested::add);
        requested.addAll(configured);
        return requested;
    }

    private static RouteText route(GoJson route) throws Refused {
        Optional<String> destination = route.at("dst").text(TEXT);
        Optional<Ip> gateway = ip(route.at("gw"));
        return new RouteText(cidr(destination.orElse("")), gateway);
    }

    private static List<List<Draft>> drafts(GoJson conf, GoJson ipam) throws Refused {
        List<List<GoJson>> written = new ArrayList<>();
        for (GoJson set : conf.at("runtimeConfig").at("ipRanges").elements("[]allocator.RangeSet")) {
            written.add(set.elements("allocator.RangeSet"));
        }
        if (!ipam.at("subnet").isAbsent()) {
            written.add(List.of(ipam));
        }
        for (GoJson set : ipam.at("ranges").elements("[]allocator.RangeSet")) {
            written.add(set.elements("allocator.RangeSet"));
        }
        List<List<Draft>> drafts = new ArrayList<>();
        for (List<GoJson> ranges : written) {
            List<Draft> set = new ArrayList<>();
            for (GoJson range : ranges) {
                set.add(Draft.read(range));
            }
            drafts.add(set);
        }
        return drafts;
    }

    private static List<RangeSet> sets(List<List<Draft>> drafts, CniVersion version, String written) throws Refused {
        if (drafts.isEmpty()) {
            throw Refused.of("no IP ranges specified");
        }
        List<RangeSet> sets = new ArrayList<>();
        for (List<Draft> set : drafts) {
            try {
                sets.add(new RangeSet(set.stream().map(Draft::range).toList()));
            } catch (IllegalArgumentException e) {
                throw Refused.of("invalid range set " + sets.size() + ": " + e.getMessage());
            }
        }
        check(sets, version, written);
        return sets;
    }

    /** A range as it is written: texts are checked before any range is. */
    private record Draft(Optional<Subnet> subnet, Optional<Ip> start, Optional<Ip> end, Optional<Ip> gateway) {
        static Draft read(GoJson range) throws Refused {
            Optional<String> text = range.object("allocator.Range").at("subnet").text(TEXT);
            Optional<Subnet> subnet = text.isEmpty() ? Optional.empty() : Optional.of(cidr(text.get()));
            return new Draft(subnet, ip(range.at("rangeStart")), ip(range.at("rangeEnd")), ip(range.at("gateway")));
        }

        IpRange range() {
            return IpRange.of(subnet, start, end, gateway);
        }
    }

    private static void check(List<RangeSet> sets, CniVersion version, String written) throws Refused {
        boolean several = sets.stream().map(RangeSet::family).distinct().count() < sets.size();
        if (several && !version.hasManyAddresses()) {
            throw Refused.of("CNI version " + written + " does not support more than 1 address per family");
        }
        for (int i = 0; i < sets.size(); i++) {
            for (int j = i + 1; j < sets.size(); j++) {
                if (sets.get(i).overlaps(sets.get(j))) {
                    throw Refused.of("range set " + i + " overlaps with " + j);
                }
            }
        }
    }

    private static Subnet cidr(String text) throws Refused {
        try {
            return Subnet.parse(text);
        } catch (IllegalArgumentException e) {
            throw Refused.of("invalid CIDR address: " + text);
        }
    }

    private static Optional<Ip> ip(GoJson value) throws Refused {
        Optional<String> text = value.text(IP).filter(written -> !written.isEmpty());
        try {
            return text.map(written -> Ip.parse(written).unmapped());
        } catch (IllegalArgumentException e) {
            throw Refused.of("invalid IP address: " + text.orElse(""));
        }
    }
}
