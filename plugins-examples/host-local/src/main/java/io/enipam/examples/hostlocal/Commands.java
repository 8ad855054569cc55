package io.enipam.examples.hostlocal;

import io.enipam.examples.hostlocal.NetConf.Network;
import io.enipam.examples.hostlocal.Networks.Known;
import io.enipam.sdk.Answer;
import io.enipam.sdk.Call;
import io.enipam.sdk.Command;
import io.enipam.sdk.CommandSpec;
import io.enipam.sdk.DiagnosticTable;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Setting;
import io.enipam.sdk.ranges.AddressDirectory;
import io.enipam.sdk.ranges.AddressFiles;
import io.enipam.sdk.ranges.Ip;
import io.enipam.sdk.ranges.IpIntervals;
import io.enipam.sdk.ranges.IpRange;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The shell's commands under the noun {@code hostlocal}. Thread-safe. */
final class Commands {
    private static final List<String> RELEASE = List.of("hostlocal", "release");
    private static final String NAMES = "[A-Za-z0-9][A-Za-z0-9_.-]{0,252}|";
    private static final int BAR = 20;
    private static final int PERCENT = 100;

    /** Far below what a transaction of the journal may write. */
    private static final int IMPORTED_AT_ONCE = 200;

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private static final Setting<String> NETWORK =
            Setting.text("network", "a network's name", NAMES, "").doc("The network; else the one that it can be.");
    private static final Setting<Integer> ABOVE =
            Setting.wholeNumber("above", 0, PERCENT, 0).doc("Show ranges that are at least so full, in per cent.");
    private static final Setting<String> ADDRESS =
            Setting.text("address", "an IP address", "[0-9a-fA-F:.]{2,45}", "").doc("The address.");
    private static final Setting<String> OWNER = Setting.text(
                    "owner", "CONTAINER or CONTAINER/INTERFACE", "[^\\s\\p{Cntrl}]{0,300}", "")
            .doc("Release it of this owner alone.");
    private static final Setting<String> DIRECTORY = Setting.text(
                    "directory", "an absolute path", "/[^\\p{Cntrl}]{1,4000}", "")
            .doc("The directory of one network, such as /var/lib/cni/networks/lan.");

    private final Store store;
    private final Networks networks;
    private final boolean inJournal;

    Commands(Store store, Networks networks, boolean inJournal) {
        this.store = store;
        this.networks = networks;
        this.inJournal = inJournal;
    }

    List<Command> all() {
        return List.of(
                command(
                        CommandSpec.read("How full each range is.", "hostlocal", "ranges")
                                .option(NETWORK)
                                .option(ABOVE),
                        this::ranges),
                command(
                        CommandSpec.read("The addresses that are taken, and by whom.", "hostlocal", "leases")
                                .option(NETWORK),
                        this::leases),
                command(
                        CommandSpec.change("Take an address out: no container gets it.", "hostlocal", "reserve")
                                .operand(ADDRESS)
                                .option(NETWORK),
                        this::reserve),
                command(
                        CommandSpec.destroy("Give an address back, of whatever owner.", RELEASE.toArray(String[]::new))
                                .operand(ADDRESS)
                                .option(NETWORK)
                                .option(OWNER),
                        this::release),
                command(
                        CommandSpec.change("Take the files of host-local over into the journal.", "hostlocal", "import")
                                .operand(DIRECTORY)
                                .option(NETWORK),
                        this::takeOver));
    }

    /** What repairs a finding: the address is released if it is still this owner's. */
    static Map<String, String> releasing(Network network, Ip ip, Owner owner) {
        return owner.container().isEmpty()
                ? Map.of("address", ip.toString(), "network", network.name())
                : Map.of("address", ip.toString(), "network", network.name(), "owner", owner.toString());
    }

    static List<String> release() {
        return RELEASE;
    }

    private interface Run {
        Answer of(Call call) throws IOException, Refused;
    }

    private Command command(CommandSpec spec, Run run) {
        return Command.of(spec, call -> answered(run, call), this::offers);
    }

    private static Answer answered(Run run, Call call) {
        try {
            return run.of(call);
        } catch (IOException e) {
            throw new FactoryException(ErrorKind.UNAVAILABLE, String.valueOf(e.getMessage()), e);
        } catch (Refused e) {
            throw new FactoryException(ErrorKind.CONFLICT, e.text(), e);
        }
    }

    private List<String> offers(Setting<?> parameter, String typed) {
        if (parameter.equals(NETWORK)) {
            return networks.all().stream().map(known -> known.network().name()).toList();
        }
        if (!parameter.equals(ADDRESS)) {
            return List.of();
        }
        List<String> taken = new ArrayList<>();
        for (Known known : networks.all()) {
            try {
                store.in(known.network(), Store.Session::owners).keySet().stream()
                        .map(Ip::toString)
                        .filter(text -> text.startsWith(typed))
                        .forEach(taken::add);
            } catch (IOException | Refused e) {
                // a network that cannot be read offers nothing; its commands say why
                continue;
            }
        }
        return taken;
    }

    private List<Known> chosen(Call call) {
        String name = call.arguments().get(NETWORK);
        return name.isEmpty() ? networks.all() : List.of(named(name));
    }

    private Known named(String name) {
        return networks.named(name)
                .orElseThrow(() -> new FactoryException(
                        ErrorKind.NOT_FOUND,
                        "no address of a network " + name + " was given here; there are "
                                + networks.all().stream()
                                        .map(known -> known.network().name())
                                        .toList()));
    }

    private Answer ranges(Call call) throws IOException, Refused {
        List<List<String>> rows = new ArrayList<>();
        for (Known known : chosen(call)) {
            rows.addAll(store.in(
                    known.network(),
                    session -> rows(known, session.used(), call.arguments().get(ABOVE))));
        }
        return Answer.table(new DiagnosticTable(
                List.of("NETWORK", "SET", "RANGE", "GATEWAY", "SIZE", "USED", "FREE", "FULL"), rows));
    }

    private static List<List<String>> rows(Known known, IpIntervals used, int above) {
        List<List<String>> rows = new ArrayList<>();
        for (int number = 0; number < known.sets().size(); number++) {
            for (IpRange range : known.sets().get(number).ranges()) {
                row(known, number, range, Networks.taken(range, used), above).ifPresent(rows::add);
            }
        }
        return rows;
    }

    private static Optional<List<String>> row(Known known, int set, IpRange range, BigInteger used, int above) {
        BigInteger size = range.size();
        int percent = size.signum() == 0
                ? PERCENT
                : used.multiply(BigInteger.valueOf(PERCENT)).divide(size).intValue();
        int filled = percent * BAR / PERCENT;
        return percent < above
                ? Optional.empty()
                : Optional.of(List.of(
                        known.network().name(),
                        Integer.toString(set),
                        range.toString(),
                        range.gateway().toString(),
                        size.toString(),
                        used.toString(),
                        size.subtract(used).toString(),
                        "#".repeat(filled) + ".".repeat(BAR - filled) + " " + percent + "%"));
    }

    private Answer leases(Call call) throws IOException, Refused {
        List<List<String>> rows = new ArrayList<>();
        for (Known known : chosen(call)) {
            store.in(known.network(), Store.Session::owners)
                    .forEach((ip, owner) -> rows.add(List.of(
                            known.network().name(),
                            ip.toString(),
                            owner.container().isEmpty() ? "(empty file)" : owner.container(),
                            owner.ifName().isEmpty() ? "-" : owner.ifName())));
        }
        return Answer.table(new DiagnosticTable(List.of("NETWORK", "ADDRESS", "CONTAINER", "INTERFACE"), rows));
    }

    /** An address of a network, and the number of its set. */
    private record Place(Known known, int set, Ip ip) {}

    private Place place(Call call) {
        Ip ip = address(call);
        List<Place> places = new ArrayList<>();
        for (Known known : chosen(call)) {
            for (int number = 0; number < known.sets().size(); number++) {
                if (known.sets().get(number).contains(ip)) {
                    places.add(new Place(known, number, ip));
                }
            }
        }
        if (places.size() != 1) {
            throw new FactoryException(
                    places.isEmpty() ? ErrorKind.NOT_FOUND : ErrorKind.CONFLICT,
                    places.isEmpty()
                            ? ip + " is in no range; 'hostlocal ranges' shows those there are"
                            : ip + " is in a range of several networks: name one with --network");
        }
        return places.get(0);
    }

    private static Ip address(Call call) {
        try {
            return Ip.parse(call.arguments().get(ADDRESS)).unmapped();
        } catch (IllegalArgumentException e) {
            throw new FactoryException(ErrorKind.MISCONFIGURED, String.valueOf(e.getMessage()), e);
        }
    }

    private Answer reserve(Call call) throws IOException, Refused {
        Place place = place(call);
        String name = place.ip() + " of network " + place.known().network().name();
        return store.in(place.known().network(), session -> {
            Optional<Owner> owner = Optional.ofNullable(session.owners().get(place.ip()))
                    .filter(taken -> !taken.container().isEmpty());
            if (owner.isPresent()) {
                return Answer.refuse(ErrorKind.CONFLICT, name + " is taken by " + owner.get());
            }
            if (call.dryRun()) {
                return Answer.text(name + " would be reserved");
            }
            return session.take(place.ip(), place.set(), Owner.reserved())
                    ? Answer.text(name + " is reserved")
                    : Answer.refuse(ErrorKind.CONFLICT, name + " was taken meanwhile");
        });
    }

    /** Of an owner that no longer has the address nothing is done: the repair of a finding may be run again. */
    private Answer release(Call call) throws IOException, Refused {
        String network = call.arguments().get(NETWORK);
        Known known = network.isEmpty() ? place(call).known() : named(network);
        Ip ip = address(call);
        String wanted = call.arguments().get(OWNER);
        String name = ip + " of network " + known.network().name();
        return store.in(known.network(), session -> {
            Owner owner = session.owners().get(ip);
            if (owner == null) {
                return Answer.text(name + " is free");
            }
            String had = owner.container().isEmpty() ? "an empty file" : owner.toString();
            if (!wanted.isEmpty() && !wanted.equals(owner.toString())) {
                return Answer.text(name + " is not " + wanted + "'s any more: " + had + " has it");
            }
            if (call.dryRun()) {
                return Answer.text(name + " would be taken from " + had);
            }
            session.about(known.sets(), Optional.empty());
            session.remove(ip);
            return Answer.text(name + " is free; " + had + " had it");
        });
    }

    private Answer takeOver(Call call) throws IOException, Refused {
        if (!inJournal) {
            return Answer.refuse(
                    ErrorKind.CONFLICT,
                    "the files are in use as they are; import is for plugins.host-local.store: journal");
        }
        Path directory = Path.of(call.arguments().get(DIRECTORY));
        if (!Files.isDirectory(directory)) {
            return Answer.refuse(ErrorKind.NOT_FOUND, directory + " is no directory");
        }
        String named = call.arguments().get(NETWORK);
        String name = named.isEmpty() ? String.valueOf(directory.getFileName()) : named;
        Network network = new Network(name, directory);
        List<List<String>> rows = new ArrayList<>();
        try (AddressDirectory files = new AddressDirectory(directory);
                AddressDirectory.Session held = files.open(PATIENCE)) {
            List<Map.Entry<Ip, String>> all = List.copyOf(held.contents().entrySet());
            for (int from = 0; from < all.size(); from += IMPORTED_AT_ONCE) {
                List<Map.Entry<Ip, String>> some = all.subList(from, Math.min(from + IMPORTED_AT_ONCE, all.size()));
                rows.addAll(store.in(network, session -> {
                    networks.named(name).ifPresent(known -> session.about(known.sets(), Optional.empty()));
                    return takeOver(session, some, call.dryRun());
                }));
            }
            if (!call.dryRun()) {
                takeOverLast(network, files.files());
                networks.takenOver(network);
            }
        }
        return Answer.table(new DiagnosticTable(List.of("ADDRESS", "CONTAINER", "INTERFACE", "RESULT"), rows));
    }

    private static List<List<String>> takeOver(Store.Session session, List<Map.Entry<Ip, String>> some, boolean dryRun)
            throws IOException {
        Map<Ip, Owner> there = session.owners();
        List<List<String>> rows = new ArrayList<>();
        for (Map.Entry<Ip, String> file : some) {
            Owner owner = Owner.parse(file.getValue());
            Owner before = there.get(file.getKey());
            String result = "imported";
            if (owner.container().isEmpty()) {
                result = "left out: the file is empty";
            } else if (before != null) {
                result = before.equals(owner) ? "there already" : "left out: " + before + " has it";
            } else if (dryRun) {
                result = "would be imported";
            } else {
                session.take(file.getKey(), 0, owner);
            }
            rows.add(List.of(
                    file.getKey().toString(),
                    owner.container().isEmpty() ? "-" : owner.container(),
                    owner.ifName().isEmpty() ? "-" : owner.ifName(),
                    result));
        }
        return rows;
    }

    private void takeOverLast(Network network, AddressFiles files) throws IOException, Refused {
        List<Optional<Ip>> last = new ArrayList<>();
        for (int number = 0; number == 0 || last.get(number - 1).isPresent(); number++) {
            last.add(files.last(number));
        }
        store.in(network, session -> {
            for (int number = 0; number < last.size(); number++) {
                if (last.get(number).isPresent()) {
                    session.setLast(number, last.get(number).get());
                }
            }
            return last;
        });
    }
}
