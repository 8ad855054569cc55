package io.enipam.sdk.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.sdk.Address;
import io.enipam.sdk.Claim;
import io.enipam.sdk.ClaimId;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Family;
import io.enipam.sdk.Subject;
import io.enipam.sdk.Vote;
import io.enipam.sdk.Wishes;
import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class BallotCodecsTest {
    private static final Instant NOON = Instant.parse("2026-11-01T12:00:00Z");

    private record Pod(Kind kind, String name, String uid, Map<String, String> labels, Map<String, String> annotations)
            implements Subject {}

    private record Asked(Set<Family> families, List<InetAddress> addresses, Map<String, String> parameters)
            implements Wishes {}

    private record Made(ClaimId id, Subject subject, Wishes wishes, Instant deadline) implements Claim {}

    @Test
    void aClaimIsReadAsItWasCast() {
        Pod pod = new Pod(
                Subject.Kind.POD, "default/web-0", "uid-1", Map.of("app", "web"), Map.of("example.com/team", "\"a\""));
        Asked wishes = new Asked(
                Set.of(Family.IPV4, Family.IPV6),
                List.of(Address.literal("10.0.0.7"), Address.literal("2001:db8::7")),
                Map.of("pool", "blue"));
        Made claim = new Made(new ClaimId("net/web-0/eth0"), pod, wishes, NOON.plusSeconds(60));

        Claim read =
                reread(new CastClaim("tasks", claim, NOON, 0, false, Map.of())).claim();

        assertThat(read.id()).isEqualTo(claim.id());
        assertThat(read.deadline()).isEqualTo(claim.deadline());
        assertThat(read.subject()).usingRecursiveComparison().isEqualTo(pod);
        assertThat(read.wishes()).usingRecursiveComparison().isEqualTo(wishes);
    }

    @Test
    void anOwnerWithoutAUidHasNoneAfterwards() {
        Pod bare = new Pod(Subject.Kind.TASK, "task-1", "", Map.of(), Map.of());
        Asked nothing = new Asked(Set.of(), List.of(), Map.of());
        CastClaim cast =
                new CastClaim("tasks", new Made(new ClaimId("task-1"), bare, nothing, NOON), NOON, 0, false, Map.of());

        assertThat(new BallotCodecs.OfCasts().write(cast)).doesNotContain("uid");
        assertThat(reread(cast).claim().subject().uid()).isEmpty();
    }

    @Test
    void aDecidedClaimKeepsItsRoundAndTheVotesThatDecidedIt() {
        Pod bare = new Pod(Subject.Kind.TASK, "task-1", "", Map.of(), Map.of());
        Made claim = new Made(new ClaimId("task-1"), bare, new Asked(Set.of(), List.of(), Map.of()), NOON);
        Map<String, Vote> votes = Map.of(
                "licence",
                Vote.no(ErrorKind.QUOTA_EXHAUSTED, "none is left"),
                "ports",
                Vote.yes(),
                "quota",
                Vote.later(Duration.ofSeconds(5), "it is full"));

        CastClaim read = reread(new CastClaim("tasks", claim, NOON, 7, true, votes));

        assertThat(read.decided()).isTrue();
        assertThat(read.round()).isEqualTo(7);
        assertThat(read.votes()).isEqualTo(votes);
    }

    private static CastClaim reread(CastClaim cast) {
        BallotCodecs.OfCasts codec = new BallotCodecs.OfCasts();
        return codec.read(1, codec.write(cast));
    }
}
