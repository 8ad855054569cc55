package io.enipam.sdk.ledger;

import io.enipam.sdk.Address;
import io.enipam.sdk.ClaimId;
import io.enipam.sdk.Codec;
import io.enipam.sdk.Dns;
import io.enipam.sdk.Grant;
import io.enipam.sdk.Prefix;
import io.enipam.sdk.Route;
import io.enipam.sdk.Subject;
import io.enipam.sdk.ledger.PendingEffect.Cause;
import java.net.InetAddress;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The rows of the host's tables as JSON. */
final class LedgerCodecs {
    private LedgerCodecs() {}

    static final class OfEffects implements Codec<PendingEffect> {
        @Override
        public String write(PendingEffect effect) {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("handler", effect.handler());
            json.put("token", effect.token());
            json.put("number", effect.number());
            json.put("index", effect.index());
            json.put("arguments", effect.arguments());
            effect.cause().claim().ifPresent(claim -> json.put("claim", claim.text()));
            effect.cause().key().ifPresent(key -> json.put("key", key));
            return Json.write(json);
        }

        @Override
        public PendingEffect read(int version, String text) {
            Map<String, Object> json = Json.object(Json.read(text));
            return new PendingEffect(
                    Json.text(json, "handler"),
                    Json.text(json, "token"),
                    Json.number(json, "number"),
                    Json.number(json, "index"),
                    Json.text(json, "arguments"),
                    new Cause(Json.optional(json, "claim").map(ClaimId::new), Json.optional(json, "key")));
        }
    }

    static final class OfGrants implements Codec<HeldGrant> {
        @Override
        public String write(HeldGrant held) {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("claim", held.claim().text());
            json.put("kind", held.kind().name());
            json.put("owner", held.owner());
            if (!held.uid().isEmpty()) {
                json.put("uid", held.uid());
            }
            json.put("since", held.since().toString());
            held.grant().ifPresent(grant -> {
                json.put(
                        "prefixes",
                        grant.prefixes().stream().map(OfGrants::json).toList());
                json.put("routes", grant.routes().stream().map(OfGrants::json).toList());
                grant.dns().ifPresent(dns -> json.put("dns", json(dns)));
                json.put("attributes", new TreeMap<>(grant.attributes()));
            });
            return Json.write(json);
        }

        private static Map<String, Object> json(Prefix prefix) {
            return withGateway("address", prefix.address(), prefix.gateway());
        }

        private static Map<String, Object> json(Route route) {
            return withGateway("destination", route.destination(), route.gateway());
        }

        private static Map<String, Object> withGateway(String key, Address address, Optional<InetAddress> gateway) {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put(key, address.toString());
            gateway.ifPresent(ip -> json.put("gateway", host(ip)));
            return json;
        }

        private static String host(InetAddress ip) {
            return new Address(ip, 0).host();
        }

        private static Map<String, Object> json(Dns dns) {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("nameservers", dns.nameservers());
            json.put("domain", dns.domain());
            json.put("search", dns.search());
            json.put("options", dns.options());
            return json;
        }

        @Override
        public HeldGrant read(int version, String text) {
            Map<String, Object> json = Json.object(Json.read(text));
            ClaimId claim = new ClaimId(Json.text(json, "claim"));
            return new HeldGrant(
                    claim,
                    Subject.Kind.valueOf(Json.text(json, "kind")),
                    Json.text(json, "owner"),
                    Json.optional(json, "uid").orElse(""),
                    Instant.parse(Json.text(json, "since")),
                    json.containsKey("prefixes") ? Optional.of(grant(claim, json)) : Optional.empty());
        }

        private static Grant grant(ClaimId claim, Map<String, Object> json) {
            List<Prefix> prefixes = Json.list(json, "prefixes").stream()
                    .map(Json::object)
                    .map(each -> new Prefix(Address.parse(Json.text(each, "address")), gateway(each)))
                    .toList();
            List<Route> routes = Json.list(json, "routes").stream()
                    .map(Json::object)
                    .map(each -> new Route(Address.parse(Json.text(each, "destination")), gateway(each)))
                    .toList();
            Optional<Dns> dns = json.containsKey("dns")
                    ? Optional.of(dns(Json.object(json.getOrDefault("dns", Map.of()))))
                    : Optional.empty();
            return new Grant(claim, prefixes, routes, dns, Json.map(json, "attributes"));
        }

        private static Optional<InetAddress> gateway(Map<String, Object> json) {
            return Json.optional(json, "gateway").map(Address::literal);
        }

        private static Dns dns(Map<String, Object> json) {
            return new Dns(
                    Json.texts(json, "nameservers"),
                    Json.text(json, "domain"),
                    Json.texts(json, "search"),
                    Json.texts(json, "options"));
        }
    }
}
