package io.enipam.sdk.ledger;

import io.enipam.sdk.Address;
import io.enipam.sdk.Claim;
import io.enipam.sdk.ClaimId;
import io.enipam.sdk.Codec;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Family;
import io.enipam.sdk.Subject;
import io.enipam.sdk.Vote;
import io.enipam.sdk.Wishes;
import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The rows of claims on ballots, and of votes, as JSON. */
final class BallotCodecs {
    private BallotCodecs() {}

    static final class OfCasts implements Codec<CastClaim> {
        private record Owner(
                Kind kind, String name, String uid, Map<String, String> labels, Map<String, String> annotations)
                implements Subject {}

        private record Asked(Set<Family> families, List<InetAddress> addresses, Map<String, String> parameters)
                implements Wishes {}

        private record Kept(ClaimId id, Subject subject, Wishes wishes, Instant deadline) implements Claim {}

        /** The claim as it is read again: immutable, and without what its row does not have. */
        static Claim kept(Claim claim) {
            Subject owner = claim.subject();
            Wishes wishes = claim.wishes();
            return new Kept(
                    claim.id(),
                    new Owner(
                            owner.kind(),
                            owner.name(),
                            owner.uid(),
                            Map.copyOf(owner.labels()),
                            Map.copyOf(owner.annotations())),
                    new Asked(
                            Set.copyOf(wishes.families()),
                            List.copyOf(wishes.addresses()),
                            Map.copyOf(wishes.parameters())),
                    claim.deadline());
        }

        @Override
        public boolean keepsValues() {
            return true;
        }

        @Override
        public String write(CastClaim cast) {
            Claim claim = cast.claim();
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("ballot", cast.ballot());
            json.put("claim", claim.id().text());
            json.put("since", cast.since().toString());
            if (cast.decided()) {
                json.put("round", cast.round());
                Map<String, Object> votes = new LinkedHashMap<>();
                new TreeMap<>(cast.votes()).forEach((voter, vote) -> votes.put(voter, json(vote)));
                json.put("votes", votes);
            }
            json.put("kind", claim.subject().kind().name());
            json.put("owner", claim.subject().name());
            if (!claim.subject().uid().isEmpty()) {
                json.put("uid", claim.subject().uid());
            }
            json.put("labels", new TreeMap<>(claim.subject().labels()));
            json.put("annotations", new TreeMap<>(claim.subject().annotations()));
            json.put(
                    "families",
                    claim.wishes().families().stream()
                            .map(Family::name)
                            .sorted()
                            .toList());
            json.put(
                    "addresses",
                    claim.wishes().addresses().stream()
                            .map(ip -> new Address(ip, 0).host())
                            .toList());
            json.put("parameters", new TreeMap<>(claim.wishes().parameters()));
            json.put("deadline", claim.deadline().toString());
            return Json.write(json);
        }

        @Override
        public CastClaim read(int version, String text) {
            Map<String, Object> json = Json.object(Json.read(text));
            Owner owner = new Owner(
                    Subject.Kind.valueOf(Json.text(json, "kind")),
                    Json.text(json, "owner"),
                    Json.optional(json, "uid").orElse(""),
                    Json.map(json, "labels"),
                    Json.map(json, "annotations"));
            Asked wishes = new Asked(
                    Json.texts(json, "families").stream().map(Family::valueOf).collect(Collectors.toUnmodifiableSet()),
                    Json.texts(json, "addresses").stream().map(Address::literal).toList(),
                    Json.map(json, "parameters"));
            Claim claim = new Kept(
                    new ClaimId(Json.text(json, "claim")), owner, wishes, Instant.parse(Json.text(json, "deadline")));
            boolean decided = json.containsKey("round");
            Map<String, Vote> votes = new TreeMap<>();
            Json.object(json.getOrDefault("votes", Map.of()))
                    .forEach((voter, vote) -> votes.put(voter, vote(Json.object(vote))));
            return new CastClaim(
                    Json.text(json, "ballot"),
                    claim,
                    Instant.parse(Json.text(json, "since")),
                    decided ? Json.number(json, "round") : 0,
                    decided,
                    votes);
        }
    }

    static final class OfVotes implements Codec<HeldVote> {
        @Override
        public boolean keepsValues() {
            return true;
        }

        @Override
        public String write(HeldVote held) {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("coordinator", held.coordinator());
            json.put("ballot", held.ballot());
            json.put("claim", held.claim().text());
            json.put("round", held.round());
            json.put("since", held.since().toString());
            json.putAll(json(held.vote()));
            return Json.write(json);
        }

        @Override
        public HeldVote read(int version, String text) {
            Map<String, Object> json = Json.object(Json.read(text));
            return new HeldVote(
                    Json.text(json, "coordinator"),
                    Json.text(json, "ballot"),
                    new ClaimId(Json.text(json, "claim")),
                    Json.number(json, "round"),
                    Instant.parse(Json.text(json, "since")),
                    vote(json));
        }
    }

    private static Map<String, Object> json(Vote vote) {
        Map<String, Object> json = new LinkedHashMap<>();
        if (vote instanceof Vote.Yes) {
            json.put("vote", "YES");
        } else if (vote instanceof Vote.No no) {
            json.put("vote", "NO");
            json.put("kind", no.kind().name());
            json.put("why", no.why());
        } else if (vote instanceof Vote.Later later) {
            json.put("vote", "LATER");
            json.put("after", later.after().toString());
            json.put("why", later.why());
        }
        return json;
    }

    private static Vote vote(Map<String, Object> json) {
        String said = Json.text(json, "vote");
        return switch (said) {
            case "YES" -> Vote.yes();
            case "NO" -> Vote.no(ErrorKind.valueOf(Json.text(json, "kind")), Json.text(json, "why"));
            case "LATER" -> Vote.later(Duration.parse(Json.text(json, "after")), Json.text(json, "why"));
            default -> throw new IllegalArgumentException("no vote is called " + said);
        };
    }
}
