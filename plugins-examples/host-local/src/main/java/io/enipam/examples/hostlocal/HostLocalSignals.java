package io.enipam.examples.hostlocal;

import io.enipam.examples.hostlocal.Networks.Known;
import io.enipam.sdk.Meter;
import io.enipam.sdk.PluginEvent;
import io.enipam.sdk.Signals;
import io.enipam.sdk.ranges.RangeSet;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What the extension tells by itself: how full ranges are, what callers got, and when a network begins and ceases to have no address.
 * Labels are names of the node's networks, never of containers. Thread-safe.
 */
final class HostLocalSignals implements CniCalls.Listener {
    private static final Meter USED = Meter.of(
            "range_used_ratio", "The share of a range set's addresses that is taken, 0 to 1.", "network", "set");
    private static final Meter GRANTS = Meter.of("grants", "ADDs that got their addresses.", "network");
    private static final Meter FAILURES =
            Meter.of("failures", "Calls that were answered with an error.", "command", "code");
    private static final List<String> COMMANDS = List.of("ADD", "DEL", "CHECK", "GC", "STATUS", "VERSION");

    private final Signals signals;
    private final Store store;
    private final Networks networks;
    private final Set<String> full = ConcurrentHashMap.newKeySet();

    HostLocalSignals(Signals signals, Store store, Networks networks) {
        this.signals = signals;
        this.store = store;
        this.networks = networks;
        networks.all().forEach(this::show);
    }

    private void show(Known known) {
        String name = known.network().name();
        for (int set = 0; set < known.sets().size(); set++) {
            int number = set;
            signals.gauge(USED, () -> ratio(name, number), name, Integer.toString(number));
        }
    }

    /** A set that the network has no more is not shown. */
    private double ratio(String name, int number) {
        Optional<Known> known =
                networks.named(name).filter(now -> number < now.sets().size());
        if (known.isEmpty()) {
            return Double.NaN;
        }
        RangeSet set = known.get().sets().get(number);
        try {
            return store.in(known.get().network(), session -> Networks.taken(set, session.used()))
                            .doubleValue()
                    / Networks.size(set).doubleValue();
        } catch (IOException | Refused e) {
            // what cannot be read is not shown; each call of the network fails, and says why
            return Double.NaN;
        }
    }

    @Override
    public void granted(NetConf conf) {
        String network = conf.network().name();
        signals.counter(GRANTS, network).add(1);
        if (networks.served(conf)) {
            networks.named(network).ifPresent(this::show);
        }
        if (full.remove(network)) {
            signals.event(PluginEvent.info("RangeHasRoom", network, "an ADD got an address again"));
        }
    }

    @Override
    public void failed(String command, Refused why) {
        String known = COMMANDS.contains(command) ? command : Signals.OTHER;
        signals.counter(FAILURES, known, Integer.toString(why.code())).add(1);
    }

    @Override
    public void full(NetConf conf, Refused why) {
        String network = conf.network().name();
        if (full.add(network)) {
            signals.event(PluginEvent.warning("RangeFull", network, why.text()));
        }
    }
}
