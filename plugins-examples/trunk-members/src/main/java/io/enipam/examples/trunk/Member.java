package io.enipam.examples.trunk;

import io.enipam.sdk.Codec;
import io.enipam.sdk.ErrorKind;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * What is known of the ENI of one claim: a row of the table.
 *
 * @param stamp of this ENI, and of no other one that the claim had or will have
 * @param groups its security groups
 * @param attributes of the grant, by name; empty until it is attached
 * @param refusal why it cannot be had
 */
record Member(String stamp, List<String> groups, Map<String, String> attributes, Optional<Refusal> refusal) {
    static final String ENI = "eni";
    static final String TRUNK = "trunk";
    /** The VLAN of the ENI's frames on the trunk, 1 to 4,094. */
    static final String VLAN = "vlan";

    static final String MAC = "mac";
    static final String ADDRESS = "address";
    static final String GATEWAY = "gateway";
    static final String GROUPS = "security-groups";

    /** The cloud will not do it, whatever is tried again. */
    record Refusal(ErrorKind kind, String why) {}

    Member {
        groups = List.copyOf(groups);
        attributes = Map.copyOf(attributes);
    }

    static Member wanted(String stamp, List<String> groups) {
        return new Member(stamp, groups, Map.of(), Optional.empty());
    }

    Member ready(Map<String, String> known) {
        return new Member(stamp, groups, known, Optional.empty());
    }

    Member refused(ErrorKind kind, String why) {
        return new Member(stamp, groups, Map.of(), Optional.of(new Refusal(kind, why)));
    }

    boolean isReady() {
        return !attributes.isEmpty();
    }

    /** Lines of {@code name=value}; no value has a line break. */
    static final Codec<Member> CODEC = new Codec<>() {
        @Override
        public String write(Member member) {
            Map<String, String> lines = new TreeMap<>();
            member.attributes.forEach((name, value) -> lines.put("@" + name, value));
            lines.put("stamp", member.stamp);
            lines.put("groups", String.join(",", member.groups));
            member.refusal.ifPresent(refusal -> {
                lines.put("kind", refusal.kind().name());
                lines.put("why", refusal.why().replaceAll("\\s+", " "));
            });
            return lines.entrySet().stream()
                    .map(line -> line.getKey() + "=" + line.getValue())
                    .collect(Collectors.joining("\n"));
        }

        @Override
        public Member read(int version, String text) {
            Map<String, String> lines = new TreeMap<>();
            text.lines().forEach(line -> {
                int equals = line.indexOf('=');
                lines.put(line.substring(0, equals), line.substring(equals + 1));
            });
            Map<String, String> attributes = new TreeMap<>();
            lines.forEach((name, value) -> {
                if (name.startsWith("@")) {
                    attributes.put(name.substring(1), value);
                }
            });
            return new Member(
                    lines.getOrDefault("stamp", ""),
                    List.of(lines.getOrDefault("groups", "").split(",")),
                    attributes,
                    Optional.ofNullable(lines.get("kind"))
                            .map(kind -> new Refusal(ErrorKind.valueOf(kind), lines.getOrDefault("why", ""))));
        }
    };
}
