package io.enipam.examples.hostlocal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.enipam.examples.hostlocal.NetConf.Network;
import io.enipam.sdk.Codec;
import io.enipam.sdk.Journal;
import io.enipam.sdk.Row;
import io.enipam.sdk.Table;
import io.enipam.sdk.ranges.Ip;
import io.enipam.sdk.ranges.IpIntervals;
import io.enipam.sdk.ranges.IpRange;
import io.enipam.sdk.ranges.RangeSet;
import io.enipam.sdk.ranges.Subnet;
import java.math.BigInteger;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The networks that an address was given of, with their ranges, for commands and checks: a call brings its configuration along, an
 * operator does not. Kept in the journal, written when a configuration is new or has changed. Thread-safe.
 */
final class Networks {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Table<Known> TABLE = new Table<>("networks", 1, new KnownCodec());

    private final Journal journal;
    private final Map<String, Known> known = new ConcurrentSkipListMap<>();

    /** A network and its range sets. */
    record Known(Network network, List<RangeSet> sets) {
        Known {
            sets = List.copyOf(sets);
        }
    }

    Networks(Journal journal) {
        this.journal = journal;
        journal.open(TABLE);
        known.putAll(journal.read(tx -> {
            try (Stream<Row<Known>> all = tx.scan(TABLE, "")) {
                return all.collect(Collectors.toMap(Row::key, Row::value));
            }
        }));
    }

    /**
     * An address was given of this network.
     *
     * @return whether it is new, or has other ranges than before
     */
    boolean served(NetConf conf) {
        return keep(new Known(conf.network(), conf.sets()));
    }

    /** Addresses of this network were taken over, whose ranges the first ADD will tell. */
    void takenOver(Network network) {
        keep(named(network.name()).orElseGet(() -> new Known(network, List.of())));
    }

    /** The row is written beside the call; if it cannot be, the next call tries it again. */
    private boolean keep(Known now) {
        String name = now.network().name();
        Known before = known.put(name, now);
        if (!now.equals(before)) {
            journal.update(tx -> tx.put(TABLE, name, now)).whenComplete((done, failure) -> {
                if (failure != null) {
                    known.computeIfPresent(name, (key, shown) -> shown.equals(now) ? before : shown);
                }
            });
        }
        return !now.equals(before);
    }

    /** By name. */
    List<Known> all() {
        return List.copyOf(known.values());
    }

    Optional<Known> named(String name) {
        return Optional.ofNullable(known.get(name));
    }

    /** How many addresses a set can give. */
    static BigInteger size(RangeSet set) {
        return set.ranges().stream().map(IpRange::size).reduce(BigInteger.ZERO, BigInteger::add);
    }

    /** How many are taken of those. */
    static BigInteger taken(RangeSet set, IpIntervals used) {
        return set.ranges().stream().map(range -> taken(range, used)).reduce(BigInteger.ZERO, BigInteger::add);
    }

    /** How many are taken of those that {@link IpRange#size} counts. */
    static BigInteger taken(IpRange range, IpIntervals used) {
        BigInteger all = used.size(range.start(), range.end());
        return range.contains(range.gateway()) && used.contains(range.gateway()) ? all.subtract(BigInteger.ONE) : all;
    }

    private static final class KnownCodec implements Codec<Known> {
        @Override
        public String write(Known value) {
            ObjectNode row = JSON.createObjectNode();
            row.put("name", value.network().name());
            row.put("directory", value.network().directory().toString());
            ArrayNode sets = row.putArray("sets");
            for (RangeSet set : value.sets()) {
                ArrayNode ranges = sets.addArray();
                for (IpRange range : set.ranges()) {
                    ranges.addObject()
                            .put("subnet", range.subnet().toString())
                            .put("start", range.start().toString())
                            .put("end", range.end().toString())
                            .put("gateway", range.gateway().toString());
                }
            }
            return row.toString();
        }

        @Override
        public Known read(int version, String text) {
            try {
                JsonNode row = JSON.readTree(text);
                List<RangeSet> sets = new ArrayList<>();
                for (JsonNode set : row.get("sets")) {
                    List<IpRange> ranges = new ArrayList<>();
                    for (JsonNode range : set) {
                        ranges.add(new IpRange(
                                Subnet.parse(range.get("subnet").asText()),
                                Ip.parse(range.get("start").asText()),
                                Ip.parse(range.get("end").asText()),
                                Ip.parse(range.get("gateway").asText())));
                    }
                    sets.add(new RangeSet(ranges));
                }
                return new Known(
                        new Network(
                                row.get("name").asText(),
                                Path.of(row.get("directory").asText())),
                        sets);
            } catch (JsonProcessingException e) {
                throw new IllegalArgumentException("it is no JSON", e);
            }
        }
    }
}
