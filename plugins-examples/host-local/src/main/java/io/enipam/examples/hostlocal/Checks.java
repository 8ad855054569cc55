package io.enipam.examples.hostlocal;

import io.enipam.examples.hostlocal.Networks.Known;
import io.enipam.sdk.Check;
import io.enipam.sdk.CheckRequest;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Finding;
import io.enipam.sdk.Finding.Severity;
import io.enipam.sdk.ranges.AddressFiles;
import io.enipam.sdk.ranges.Ip;
import io.enipam.sdk.ranges.IpIntervals;
import io.enipam.sdk.ranges.RangeSet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** What {@code doctor} looks at in the networks that addresses were given of. Changes nothing; thread-safe. */
final class Checks {
    /** An ADD is kept by the runtime when all plugins of its network are through. */
    private static final Duration UNDER_WAY = Duration.ofMinutes(10);

    private static final Pattern OWN_NAMES = Pattern.compile("lock|last_reserved_ip\\.[0-9]+|\\.enipam-.*");

    private final Store store;
    private final Networks networks;
    private final boolean inJournal;
    private final Path results;

    /** @param results where the container runtime keeps the results of CNI calls */
    Checks(Store store, Networks networks, boolean inJournal, Path results) {
        this.store = store;
        this.networks = networks;
        this.inJournal = inJournal;
        this.results = results;
    }

    List<Check> all() {
        Check full = check("full", "a range set has no address left", this::full);
        Check duplicates = check("duplicate", "one interface has several addresses of a range set", this::duplicates);
        return inJournal
                ? List.of(full, duplicates)
                : List.of(
                        full,
                        check("empty", "a file of an address names no container", this::empty),
                        check("foreign", "a file is not of this network", this::foreign),
                        duplicates,
                        check("stale", "a container with an address is gone", this::stale));
    }

    private interface Look {
        List<Finding> at(Known known, Map<Ip, Owner> owners, Instant now) throws IOException;
    }

    private Check check(String id, String title, Look look) {
        return Check.of(id, title, request -> run(look, request));
    }

    private List<Finding> run(Look look, CheckRequest request) {
        List<Finding> findings = new ArrayList<>();
        for (Known known : networks.all()) {
            try {
                Map<Ip, Owner> owners = store.in(known.network(), Store.Session::owners);
                findings.addAll(look.at(known, owners, request.at()));
            } catch (IOException e) {
                throw new FactoryException(ErrorKind.UNAVAILABLE, String.valueOf(e.getMessage()), e);
            } catch (Refused e) {
                throw new FactoryException(ErrorKind.UNAVAILABLE, e.text(), e);
            }
        }
        return findings;
    }

    private static String subject(Known known, Object what) {
        return known.network().name() + "/" + what;
    }

    private static String command(Known known, Ip ip) {
        return "hostlocal release " + ip + " --network " + known.network().name();
    }

    private static String leases(Known known) {
        return "hostlocal leases --network " + known.network().name();
    }

    private List<Finding> full(Known known, Map<Ip, Owner> owners, Instant now) {
        IpIntervals used = new IpIntervals();
        owners.forEach((ip, owner) -> {
            if (!owner.container().isEmpty()) {
                used.add(ip);
            }
        });
        return known.sets().stream()
                .filter(set -> Networks.taken(set, used).compareTo(Networks.size(set)) >= 0)
                .map(set -> new Finding(
                        Severity.WARN,
                        subject(known, set),
                        "all " + Networks.size(set) + " addresses are taken: an ADD gets none",
                        leases(known)))
                .toList();
    }

    private List<Finding> empty(Known known, Map<Ip, Owner> owners, Instant now) {
        List<Finding> findings = new ArrayList<>();
        owners.forEach((ip, owner) -> {
            if (owner.container().isEmpty()) {
                findings.add(new Finding(
                                Severity.WARN,
                                subject(known, ip),
                                "its file is empty, as a crash of a writer leaves it: the Go plugin never gives it"
                                        + " again",
                                command(known, ip))
                        .repairedBy(Commands.release(), Commands.releasing(known.network(), ip, owner)));
            }
        });
        return findings;
    }

    private List<Finding> foreign(Known known, Map<Ip, Owner> owners, Instant now) throws IOException {
        List<Finding> findings = new ArrayList<>();
        owners.keySet().stream()
                .filter(ip -> known.sets().stream().noneMatch(set -> set.contains(ip)))
                .forEach(ip -> findings.add(new Finding(
                        Severity.INFO,
                        subject(known, ip),
                        "it is in none of the network's ranges: they were changed, or another program made it",
                        leases(known))));
        names(known.network().directory()).stream()
                .filter(name -> AddressFiles.address(name).isEmpty()
                        && !OWN_NAMES.matcher(name).matches())
                .sorted()
                .forEach(name -> findings.add(new Finding(
                        Severity.INFO,
                        subject(known, name),
                        known.network().directory().resolve(name)
                                + " has no address's name, and host-local did not make it",
                        "")));
        return findings;
    }

    private static List<String> names(Path directory) throws IOException {
        try (Stream<Path> all = Files.list(directory)) {
            return all.map(path -> path.getFileName().toString()).toList();
        }
    }

    private List<Finding> duplicates(Known known, Map<Ip, Owner> owners, Instant now) {
        List<Finding> findings = new ArrayList<>();
        for (RangeSet set : known.sets()) {
            Map<Owner, Ip> first = new HashMap<>();
            owners.forEach((ip, owner) -> {
                if (owner.isContainer() && set.contains(ip)) {
                    Optional.ofNullable(first.putIfAbsent(owner, ip))
                            .ifPresent(other -> findings.add(new Finding(
                                    Severity.WARN,
                                    subject(known, ip),
                                    owner + " has " + other + " of the same ranges, too: release the one that the"
                                            + " container does not have",
                                    command(known, ip))));
                }
            });
        }
        return findings;
    }

    /** A container whose result the runtime does not keep is gone; without a directory of results nothing is known. */
    private List<Finding> stale(Known known, Map<Ip, Owner> owners, Instant now) throws IOException {
        List<Finding> findings = new ArrayList<>();
        if (!Files.isDirectory(results)) {
            return findings;
        }
        Set<String> kept = new HashSet<>(names(results));
        AddressFiles files = new AddressFiles(known.network().directory());
        for (Map.Entry<Ip, Owner> lease : owners.entrySet()) {
            Owner owner = lease.getValue();
            if (!owner.isContainer() || owner.ifName().isEmpty()) {
                continue;
            }
            String result = known.network().name() + "-" + owner.container() + "-" + owner.ifName();
            Optional<Instant> written = files.lastModified(lease.getKey());
            if (!kept.contains(result)
                    && written.filter(at -> at.plus(UNDER_WAY).isBefore(now)).isPresent()) {
                findings.add(new Finding(
                                Severity.WARN,
                                subject(known, lease.getKey()),
                                owner + " has it since " + written.get() + ", and the runtime keeps no result " + result
                                        + ": the container is gone",
                                command(known, lease.getKey()))
                        .repairedBy(Commands.release(), Commands.releasing(known.network(), lease.getKey(), owner)));
            }
        }
        return findings;
    }
}
