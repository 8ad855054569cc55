package io.enipam.examples.swarm.docker;

import com.fasterxml.jackson.databind.JsonNode;
import io.enipam.examples.swarm.docker.Tables.Holder;
import io.enipam.examples.swarm.docker.Tables.Kind;
import io.enipam.examples.swarm.docker.Tables.LeaseRow;
import io.enipam.sdk.Check;
import io.enipam.sdk.CheckRequest;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Finding;
import io.enipam.sdk.Finding.Severity;
import io.enipam.sdk.ranges.Ip;
import io.enipam.sdk.ranges.Subnet;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What {@code doctor} looks at for the IPAM driver. */
final class Checks {
    private static final BigInteger HUNDRED = BigInteger.valueOf(100);
    private static final BigInteger NEARLY = BigInteger.valueOf(90);

    /** A container that starts has its address before Docker's API shows it. */
    private static final Duration UNDER_WAY = Duration.ofMinutes(2);

    private final IpamDriver driver;
    private final Processes processes;
    private final Configured configured;

    Checks(IpamDriver driver, Processes processes, Configured configured) {
        this.driver = driver;
        this.processes = processes;
        this.configured = configured;
    }

    List<Check> all() {
        return List.of(
                Check.of("ipam-full", "a pool of Docker's networks is nearly full", request -> full()),
                Check.of("ipam-stale", "an address that no container of Docker's has", this::stale),
                Check.of("ipam-gone", "a dockerd with networks has ended and not come back", this::gone));
    }

    /** How many addresses are taken of those that a pool gives by itself. */
    static long taken(Pool pool, Map<String, LeaseRow> leases) {
        String subnet = pool.subnet() + " ";
        return leases.keySet().stream()
                .filter(key -> key.startsWith(subnet))
                .map(Pool::ip)
                .filter(ip -> pool.first().compareTo(ip) <= 0 && pool.last().compareTo(ip) >= 0)
                .count();
    }

    private List<Finding> full() {
        List<Finding> findings = new ArrayList<>();
        Map<String, LeaseRow> leases = driver.leases();
        driver.pools().forEach((id, row) -> {
            Pool pool = Pool.of(id, row);
            BigInteger taken = BigInteger.valueOf(taken(pool, leases));
            if (taken.multiply(HUNDRED).compareTo(pool.size().multiply(NEARLY)) >= 0) {
                findings.add(new Finding(
                        Severity.WARN,
                        id,
                        taken + " of its " + pool.size() + " addresses are taken: soon a container gets none",
                        "swarm ipam leases --pool " + id));
            }
        });
        return findings;
    }

    /** Without the sockets of Docker's API nothing is known. */
    private List<Finding> stale(CheckRequest request) {
        if (configured.apis().isEmpty()) {
            return List.of();
        }
        // before Docker is asked: what comes in between is not missed
        Map<String, LeaseRow> leases = driver.leases();
        Set<Ip> known = known();
        long begun = request.at().minus(UNDER_WAY).toEpochMilli();
        List<Finding> findings = new ArrayList<>();
        leases.forEach((key, lease) -> {
            Ip ip = Pool.ip(key);
            if (lease.kind() != Kind.GATEWAY && lease.since() < begun && !known.contains(ip)) {
                findings.add(finding(
                                ip,
                                lease.holders().get(0),
                                "it is taken since " + Instant.ofEpochMilli(lease.since())
                                        + (lease.mac().isEmpty() ? "" : " for MAC address " + lease.mac())
                                        + ", and no dockerd has a container or an auxiliary address of it")
                        .repairedBy(
                                Commands.RELEASE,
                                Map.of(
                                        "address",
                                        ip.toString(),
                                        "dockerd",
                                        lease.holders().get(0).client())));
            }
        });
        return findings;
    }

    /** The addresses of all containers that Docker has on networks of this driver, and their auxiliary ones. */
    private Set<Ip> known() {
        Set<Ip> known = new HashSet<>();
        for (Path socket : configured.apis()) {
            DockerApi api = new DockerApi(socket);
            try {
                for (JsonNode network : api.get("/networks")) {
                    if (network.path("IPAM").path("Driver").asText().equals(configured.driver())) {
                        String id = network.path("Id").asText();
                        for (JsonNode subnet : network.path("IPAM").path("Config")) {
                            for (JsonNode auxiliary : subnet.path("AuxiliaryAddresses")) {
                                known.add(Ip.parse(auxiliary.asText()));
                            }
                        }
                        for (JsonNode container : api.get("/networks/" + id).path("Containers")) {
                            add(known, container.path("IPv4Address").asText());
                            add(known, container.path("IPv6Address").asText());
                        }
                    }
                }
            } catch (IOException e) {
                throw new FactoryException(ErrorKind.UNAVAILABLE, String.valueOf(e.getMessage()), e);
            }
        }
        return known;
    }

    private static void add(Set<Ip> known, String address) {
        if (!address.isEmpty()) {
            known.add(Subnet.parse(address).address());
        }
    }

    private List<Finding> gone(CheckRequest request) {
        List<Finding> findings = new ArrayList<>();
        long begun = request.at().minus(UNDER_WAY).toEpochMilli();
        driver.leases().forEach((key, lease) -> {
            for (Holder holder : lease.kind() == Kind.GATEWAY ? lease.holders() : List.<Holder>of()) {
                if (lease.since() < begun && processes.gone(holder.client())) {
                    findings.add(finding(
                            Pool.ip(key),
                            holder,
                            "it is the gateway of a network of dockerd " + holder.client()
                                    + ", which has ended; one that starts takes its networks over"));
                } else if (holder.client().endsWith(Processes.UNSEEN)) {
                    findings.add(new Finding(
                            Severity.WARN,
                            Pool.ip(key).toString(),
                            "this daemon does not see the process of dockerd, so a restart of dockerd counts as another network"
                                    + " of the pool: give it the host's processes (ProtectProc=default, hostPID)",
                            "swarm ipam pools"));
                }
            }
        });
        return findings;
    }

    private static Finding finding(Ip ip, Holder holder, String why) {
        return new Finding(
                Severity.WARN, ip.toString(), why, "swarm ipam release " + ip + " --dockerd " + holder.client());
    }
}
