package io.enipam.frontends.cni.spec;

import com.fasterxml.jackson.databind.JsonNode;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.Pod;
import io.enipam.engine.port.GrantDirectory.ServedClaim;
import io.enipam.frontends.cni.spec.CniException.CniErrorCode;
import io.enipam.frontends.cni.spec.NetConfReader.Value;
import io.enipam.sdk.Address;
import io.enipam.sdk.Claim;
import io.enipam.sdk.ClaimId;
import io.enipam.sdk.Family;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.Subject;
import io.enipam.sdk.Wishes;
import java.net.InetAddress;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** A call of the CNI as a claim on an allocator. Immutable. */
public record CniClaim(ClaimId id, CniSubject subject, CniWishes wishes, Instant deadline) implements Claim {
    /** Of the reference library's arguments: the addresses that the caller asks for, with commas. */
    static final String IP = "IP";

    private static final int MOST_ADDRESSES = 64;
    private static final Set<String> OWN = Set.of("type", "allocator");

    /** The owner: a pod, or the container alone. */
    public record CniSubject(
            Kind kind, String name, String uid, Map<String, String> labels, Map<String, String> annotations)
            implements Subject {}

    public record CniWishes(Set<Family> families, List<InetAddress> addresses, Map<String, String> parameters)
            implements Wishes {
        public CniWishes {
            families = Set.copyOf(families);
            addresses = List.copyOf(addresses);
            parameters = Map.copyOf(parameters);
        }
    }

    /**
     * @throws CniException code 4 naming the variable, or code 7 naming key and value
     */
    public static CniClaim read(CniVariables variables, NetConf conf, Instant deadline) {
        Set<String> known = new TreeSet<>(CniArgs.KNOWN);
        known.add(IP);
        Map<String, String> told = CniArgs.told(variables.args(), conf, known);
        boolean pod = told.containsKey(CniArgs.NAMESPACE) || told.containsKey(CniArgs.NAME);
        Optional<CniArgs> named = pod ? Optional.of(CniArgs.of(told)) : Optional.empty();
        CniSubject subject = new CniSubject(
                Subject.Kind.POD,
                named.map(args -> args.pod().toString()).orElse(variables.containerId()),
                named.map(CniArgs::uid).orElse(""),
                Map.of(),
                Map.of());
        Set<InetAddress> addresses = new LinkedHashSet<>();
        for (String text : told.getOrDefault(IP, "").split(",")) {
            if (!text.isEmpty()) {
                try {
                    addresses.add(Address.parse(text).ip());
                } catch (IllegalArgumentException e) {
                    throw CniException.environment("CNI_ARGS: IP is " + CniException.quoted(text)
                            + ", which is no address, nor one with a prefix's length");
                }
            }
        }
        add(conf.value("args").at("cni").at("ips"), addresses);
        add(conf.value("runtimeConfig").at("ips"), addresses);
        if (addresses.size() > MOST_ADDRESSES) {
            throw CniException.config(
                    "the call asks for " + addresses.size() + " addresses, and " + MOST_ADDRESSES + " are the most");
        }
        Map<String, String> parameters = new TreeMap<>();
        parameters(conf.value("ipam"), "", parameters);
        parameters(conf.value("runtimeConfig"), "runtimeConfig.", parameters);
        parameters(conf.value("args").at("cni"), "args.", parameters);
        OWN.forEach(parameters::remove);
        return new CniClaim(
                id(owner(variables, conf)),
                subject,
                new CniWishes(Set.of(), new ArrayList<>(addresses), parameters),
                deadline);
    }

    /** The pod that the call names. */
    public Optional<PodRef> pod() {
        return ServedClaim.podOf(subject.kind(), subject.name());
    }

    /** The same claim, with what is known of its pod. */
    public CniClaim about(Pod known) {
        CniSubject described = new CniSubject(
                subject.kind(),
                subject.name(),
                known.uid().isEmpty() ? subject.uid() : known.uid(),
                known.metadata().labels(),
                known.metadata().annotations());
        return new CniClaim(id, described, wishes, deadline);
    }

    public static OwnerKey owner(CniVariables variables, NetConf conf) {
        return new OwnerKey(conf.name(), variables.containerId(), variables.ifName());
    }

    /** @throws CniException code 4 if the names together are too long */
    public static ClaimId id(OwnerKey owner) {
        try {
            return new ClaimId(owner.toString());
        } catch (IllegalArgumentException e) {
            throw new CniException(
                    CniErrorCode.INVALID_ENVIRONMENT,
                    "the names of network, container and interface have "
                            + owner.toString().length() + " characters, and 400 are the most for an allocator",
                    "choose a shorter name for the network");
        }
    }

    private static void add(Value list, Set<InetAddress> addresses) {
        for (Value element : list.elements()) {
            addresses.add(Address.parse(element.text(Address::parse, "an address, or one with a prefix's length"))
                    .ip());
        }
    }

    private static void parameters(Value object, String before, Map<String, String> parameters) {
        object.object()
                .ifPresent(present -> present.node().properties().forEach(member -> {
                    JsonNode value = member.getValue();
                    parameters.put(before + member.getKey(), value.isTextual() ? value.textValue() : value.toString());
                }));
    }
}
