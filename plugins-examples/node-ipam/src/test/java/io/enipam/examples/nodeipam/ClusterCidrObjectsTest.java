package io.enipam.examples.nodeipam;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.enipam.sdk.Answer;
import io.enipam.sdk.Call;
import io.enipam.sdk.Command;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.cluster.ClusterEvent;
import io.enipam.sdk.cluster.ClusterObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Cases of the acceptance table, part D: what becomes of the ClusterCIDR objects themselves. */
class ClusterCidrObjectsTest extends MultiCidrCluster {
    @ParameterizedTest
    @CsvSource({
        "ipv4-ccc,10.2.0.0/16,'',''",
        "ipv4-ccc-label,10.3.0.0/16,'',bar",
        "ipv4-ccc-overlap,10.2.0.0/24,'',bar",
        "ipv6-ccc,'',fd00:1::/112,''",
        "ipv6-ccc-label,'',fd00:2::/112,bar",
        "ipv6-ccc-overlap,'',fd00:1:1::/112,bar",
        "dual-ccc,10.2.0.0/16,fd00:1::/112,''",
        "dual-ccc-label,10.3.0.0/16,fd00:2::/112,bar",
        "dual-ccc-overlap,10.2.0.0/16,fd00:1:1::/112,bar"
    })
    void d13AValidObjectGetsTheFinalizer(String name, String ipv4, String ipv6, String foo) {
        clusterCidr("there-already", 8, "10.2.0.0/16", "fd00:1::/112", Map.of());
        started();

        clusterCidr(name, 8, ipv4, ipv6, foo.isEmpty() ? Map.of() : Map.of("foo", foo));
        leader.drain();

        assertThat(clusterCidr(name).finalizers()).containsExactly(FINALIZER);
        assertThat(condition(name, "Valid").path("status").asText()).isEqualTo("True");
        assertThat(condition(name, "Allocating").path("reason").asText()).isEqualTo("Serving");
        assertThat(events(name)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "0,'',''",
        "8,1000.2.0.0/16,''",
        "8,'',aaaaa:1:1::/112",
        "8,10.2.0.0/16,aaaaa:1:1::/112",
        "8,'',fd00:10::/56"
    })
    void d13AnInvalidObjectGetsAWarningAndKeepsNothingFromRunning(int bits, String ipv4, String ipv6) {
        clusterCidr("invalid", bits, ipv4, ipv6, Map.of());
        clusterCidr("valid", 8, "10.9.0.0/16", "", Map.of());
        started();
        node("n1", Map.of());
        leader.drain();

        assertThat(clusterCidr("invalid").finalizers()).isEmpty();
        assertThat(events("invalid")).singleElement().satisfies(event -> {
            assertThat(event.warning()).isTrue();
            assertThat(event.reason()).isEqualTo("InvalidClusterCIDR");
            assertThat(event.source()).isEqualTo("multiCIDRRangeAllocator");
            assertThat(event.message())
                    .isEqualTo(condition("invalid", "Valid").path("message").asText())
                    .isNotBlank();
        });
        assertThat(condition("invalid", "Allocating").path("reason").asText()).isEqualTo("Invalid");
        assertThat(cidrs("n1")).containsExactly("10.9.0.0/24");
    }

    @Test
    void d13AnInvalidObjectThatIsRepairedServesAtOnce() {
        clusterCidr("a", 2, "10.1.0.0/16", "", Map.of());
        started();
        node("n1", Map.of());
        leader.drain();
        assertThat(cidrs("n1")).isEmpty();

        clusterCidr("a", 8, "10.1.0.0/16", "", Map.of());
        leader.drain();

        assertThat(cidrs("n1")).containsExactly("10.1.0.0/24");
        assertThat(clusterCidr("a").finalizers()).containsExactly(FINALIZER);
        assertThat(condition("a", "Valid").path("status").asText()).isEqualTo("True");
    }

    @Test
    void d13TheObjectOfTheSettingIsCreatedWhereThereIsNone() {
        started("cluster_cidr=192.168.0.0/16");

        ClusterObject usual = clusterCidr("default-cluster-cidr");
        assertThat(usual.body().get("spec")).isEqualTo(Map.of("perNodeHostBits", 8, "ipv4", "192.168.0.0/16"));
        assertThat(usual.finalizers()).containsExactly(FINALIZER);
    }

    @Test
    void theObjectOfTheSettingServesBeforeItIsCreated() {
        node("n1", Map.of());
        started("cluster_cidr=192.168.0.0/16", replica -> cluster.failNext(1, ErrorKind.UNAVAILABLE, false));

        assertThat(cidrs("n1")).containsExactly("192.168.0.0/24");
        assertThat(cluster.events(nodeRef("n1"))).isEmpty();
        assertThat(clusterCidr("default-cluster-cidr").finalizers()).containsExactly(FINALIZER);
    }

    @Test
    void anObjectThatHasTheNameOfTheSettingsOneStaysAsItIs() {
        clusterCidr("default-cluster-cidr", 6, "10.1.0.0/16", "", Map.of());
        started("cluster_cidr=192.168.0.0/16");
        node("n1", Map.of());
        leader.drain();

        assertThat(cidrs("n1")).containsExactly("10.1.0.0/26");
        assertThat(cluster.requests()).noneMatch(request -> request.startsWith("POST ClusterCIDR"));
    }

    @Test
    void theObjectOfTheSettingIsCreatedAgainWhenItIsDeleted() {
        started("cluster_cidr=192.168.0.0/16");
        String uid = clusterCidr("default-cluster-cidr").uid();

        cluster.remove(clusterCidrRef("default-cluster-cidr"));
        leader.drain();

        assertThat(clusterCidr("default-cluster-cidr").uid()).isNotEqualTo(uid);
        node("n1", Map.of());
        leader.drain();
        assertThat(cidrs("n1")).containsExactly("192.168.0.0/24");
    }

    @Test
    void aSettingOfWhichThereCannotBeAnObjectIsRefusedWhenThePluginIsOpened() {
        assertThatThrownBy(() -> started("cluster_cidr=10.0.0.0/16,fd00:10::/56"))
                .isInstanceOf(FactoryException.class)
                .hasMessageContaining("is too big for CIDR Mask 56");
    }

    @Test
    void d14ADeletedObjectGoesWhereNoNodeHasABlockOfIt() {
        clusterCidr("testing-1", 8, "10.1.0.0/16", "", Map.of("foo", "bar"));
        started();

        cluster.remove(clusterCidrRef("testing-1"));
        leader.drain();

        assertThat(cluster.find(clusterCidrRef("testing-1"))).isEmpty();
        assertThat(rows()).isEmpty();
    }

    @Test
    void d14ADeletedObjectStaysUntilTheLastNodeThatHasABlockOfItIsGone() {
        clusterCidr(
                "dualstack-cc-del", 8, "192.168.0.0/23", "fd00:30:100::/119", Map.of("ipv4", "true", "ipv6", "true"));
        clusterCidr("few-label-match-cc-del", 8, "10.1.0.0/23", "fd12:30:100::/119", Map.of("ipv4", "true"));
        started();
        Map<String, String> dual = Map.of("ipv4", "true", "ipv6", "true");
        node("dualstack-node", dual);
        leader.drain();
        assertThat(cidrs("dualstack-node")).containsExactly("192.168.0.0/24", "fd00:30:100::/120");

        cluster.remove(clusterCidrRef("dualstack-cc-del"));
        node("dualstack-node-2", dual);
        leader.drain();

        String refused =
                "ClusterCIDRSet dualstack-cc-del marked as terminating, won't be deleted until all associated nodes are"
                        + " deleted";
        assertThat(clusterCidr("dualstack-cc-del").deletion()).isPresent();
        assertThat(events("dualstack-cc-del")).extracting(ClusterEvent::message).containsExactly(refused);
        assertThat(condition("dualstack-cc-del", "Allocating").path("message").asText())
                .isEqualTo(refused + ": 1 (dualstack-node)");
        assertThat(cidrs("dualstack-node-2")).as("of the next one").containsExactly("10.1.0.0/24", "fd12:30:100::/120");

        cluster.remove(nodeRef("dualstack-node"));
        leader.drain();

        assertThat(cluster.find(clusterCidrRef("dualstack-cc-del"))).isEmpty();
        assertThat(clusterCidr("few-label-match-cc-del").deletion()).isEmpty();
    }

    /** One block more or less makes no other report there. */
    @Test
    void d14OfALargeRangeTheObjectGoesWithItsLastNodeAsWell() {
        clusterCidr("a", 8, "10.0.0.0/8", "", Map.of());
        started();
        node("n1", Map.of());
        node("n2", Map.of());
        leader.drain();
        cluster.remove(clusterCidrRef("a"));
        leader.drain();

        cluster.remove(nodeRef("n1"));
        leader.drain();
        assertThat(clusterCidr("a").deletion()).isPresent();
        cluster.remove(nodeRef("n2"));
        leader.drain();
        assertThat(cluster.find(clusterCidrRef("a"))).isEmpty();
    }

    @Test
    void aDeletedObjectStaysThroughARestartAndGoesAfterIt() {
        clusterCidr("a", 8, "10.1.0.0/16", "", Map.of());
        started();
        node("n1", Map.of());
        leader.drain();
        cluster.remove(clusterCidrRef("a"));

        leader.crash();
        leader.lead();
        leader.drain();
        assertThat(clusterCidr("a").deletion()).isPresent();

        leader.crash();
        cluster.remove(nodeRef("n1"));
        leader.lead();
        leader.drain();
        assertThat(cluster.find(clusterCidrRef("a"))).isEmpty();
    }

    @Test
    void aBlockThatIsAboutToBeWrittenKeepsItsObject() {
        clusterCidr("a", 8, "10.1.0.0/16", "", Map.of());
        started();
        node("n1", Map.of());
        leader.reconcile("n1"); // the patch of the node waits
        cluster.remove(clusterCidrRef("a"));
        leader.reconcile("clustercidr/a");

        assertThat(clusterCidr("a").deletion()).isPresent();
        leader.drain();
        assertThat(cidrs("n1")).containsExactly("10.1.0.0/24");
        assertThat(clusterCidr("a").finalizers()).contains(FINALIZER);
    }

    @Test
    void theFinalizersOfOthersStay() {
        cluster.put(written("a", 8, "10.1.0.0/16", "", Map.of()).withFinalizers(List.of("example.com/mine")));
        started();
        assertThat(clusterCidr("a").finalizers()).containsExactly("example.com/mine", FINALIZER);

        cluster.remove(clusterCidrRef("a"));
        leader.drain();

        assertThat(clusterCidr("a").finalizers()).containsExactly("example.com/mine");
        assertThat(leader.idle()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "CONFLICT,false",
        "UNAVAILABLE,false",
        "THROTTLED,false",
        "DEADLINE_EXCEEDED,false",
        "DEADLINE_EXCEEDED,true"
    })
    void aRequestThatFailsIsMadeAgain(ErrorKind kind, boolean done) {
        clusterCidr("a", 8, "10.1.0.0/16", "", Map.of());
        started("", replica -> cluster.failNext(3, kind, done));
        assertThat(clusterCidr("a").finalizers()).containsExactly(FINALIZER);

        cluster.failNext(3, kind, done);
        cluster.remove(clusterCidrRef("a"));
        leader.drain();

        assertThat(cluster.find(clusterCidrRef("a"))).isEmpty();
    }

    @Test
    void aSpecThatIsChangedIsNotFollowedAndThatIsSaid() {
        clusterCidr("a", 8, "10.1.0.0/16", "", Map.of());
        started();

        clusterCidr("a", 8, "10.2.0.0/16", "fd00::/112", Map.of());
        node("n1", Map.of());
        leader.drain();

        assertThat(cidrs("n1")).containsExactly("10.1.0.0/24");
        String why =
                "IPv4 cannot be changed. IPv6 cannot be changed. In force is still: 10.1.0.0/16 with 8 host bits for all"
                        + " nodes";
        assertThat(condition("a", "Valid").path("message").asText()).isEqualTo(why);
        assertThat(events("a")).extracting(ClusterEvent::reason).containsExactly("SpecChangedClusterCIDR");
        assertThat(events("a")).extracting(ClusterEvent::message).containsExactly(why);

        leader.crash();
        leader.lead();
        node("n2", Map.of());
        leader.drain();
        assertThat(cidrs("n2")).as("after a restart").containsExactly("10.1.1.0/24");
        assertThat(events("a")).as("not told again").hasSize(1);

        clusterCidr("a", 8, "10.1.0.0/16", "", Map.of());
        leader.drain();
        assertThat(condition("a", "Valid").path("status").asText()).isEqualTo("True");
    }

    @Test
    void aSpecThatIsMadeInvalidStaysInForceAsItWas() {
        clusterCidr("a", 8, "10.1.0.0/16", "", Map.of());
        started();

        clusterCidr("a", 8, "nonsense", "", Map.of());
        node("n1", Map.of());
        leader.drain();

        assertThat(cidrs("n1")).containsExactly("10.1.0.0/24");
        assertThat(condition("a", "Valid").path("message").asText())
                .startsWith("spec.ipv4: 'nonsense': IPv4 must be a valid IPv4 CIDR.")
                .contains("In force is still: 10.1.0.0/16");
        cluster.remove(clusterCidrRef("a"));
        cluster.remove(nodeRef("n1"));
        leader.drain();
        assertThat(cluster.find(clusterCidrRef("a"))).isEmpty();
    }

    @Test
    void anObjectThatIsDeletedAndMadeAnewIsAnotherOne() {
        clusterCidr("a", 8, "10.1.0.0/16", "", Map.of());
        started();
        node("n1", Map.of());
        leader.drain();

        cluster.put(clusterCidr("a").withFinalizers(List.of()));
        cluster.remove(clusterCidrRef("a"));
        clusterCidr("a", 6, "10.2.0.0/16", "", Map.of());
        node("n2", Map.of());
        leader.drain();

        assertThat(cidrs("n2")).containsExactly("10.2.0.0/26");
        assertThat(condition("a", "Valid").path("status").asText()).isEqualTo("True");
    }

    @Test
    void theReportSaysHowFullARangeIsAndSinceWhen() {
        clusterCidr("a", 8, "10.1.0.0/23", "", Map.of());
        started();
        JsonNode before = report("a");
        clock.move(Duration.ofHours(1));

        node("n1", Map.of());
        node("n2", Map.of());
        leader.drain();

        JsonNode after = report("a");
        assertThat(before.path("ranges").toString())
                .isEqualTo("[{\"blockLength\":24,\"blocks\":2,\"cidr\":\"10.1.0.0/23\",\"taken\":0}]");
        assertThat(after.path("ranges").path(0).path("taken").asInt()).isEqualTo(2);
        assertThat(after.path("at").asText()).isEqualTo("2026-01-02T04:04:05Z");
        assertThat(condition("a", "Valid").path("lastTransitionTime").asText()).isEqualTo("2026-01-02T03:04:05Z");
        assertThat(condition("a", "Allocating").path("reason").asText()).isEqualTo("Full");
        assertThat(condition("a", "Allocating").path("lastTransitionTime").asText())
                .isEqualTo("2026-01-02T04:04:05Z");
    }

    @Test
    void aReportIsWrittenTwentyTimesWhileARangeIsFilledHoweverManyNodesThereAre() {
        clusterCidr("a", 4, "10.1.0.0/20", "", Map.of());
        started();
        int before = patches("a");

        List<String> names = new ArrayList<>();
        for (int i = 0; i < 256; i++) {
            names.add("n" + i);
            node("n" + i, Map.of());
            leader.drain();
        }
        assertThat(patches("a") - before).isBetween(15, 21);
        assertThat(report("a").path("ranges").path(0).path("taken").asInt()).isEqualTo(256);

        before = patches("a");
        names.forEach(
                name -> cluster.put(cluster.find(nodeRef(name)).orElseThrow().withLabels(Map.of("heart", "beat"))));
        leader.drain();
        assertThat(patches("a")).as("nodes that change and keep their blocks").isEqualTo(before);
    }

    @Test
    void whatOthersWriteIntoTheAnnotationDoesNoHarm() {
        cluster.put(written("a", 8, "10.1.0.0/16", "", Map.of())
                .withAnnotations(Map.of("enipam.io/report", "{\"conditions\":[[],{\"type\":1},", "other", "stays")));
        cluster.put(written("b", 8, "10.2.0.0/16", "", Map.of())
                .withAnnotations(Map.of("enipam.io/report", "{\"conditions\":[[],{\"type\":1}],\"at\":{}}")));
        started();

        assertThat(condition("a", "Valid").path("status").asText()).isEqualTo("True");
        assertThat(condition("b", "Valid").path("status").asText()).isEqualTo("True");
        assertThat(clusterCidr("a").annotations()).containsEntry("other", "stays");
    }

    @Test
    void aRestartWritesNothing() {
        clusterCidr("a", 8, "10.1.0.0/16", "", Map.of());
        clusterCidr("b", 8, "nonsense", "", Map.of());
        started();
        int before = cluster.requests().size();

        leader.crash();
        leader.lead();
        leader.drain();

        assertThat(cluster.requests()).hasSize(before);
    }

    @Test
    void aReplicaThatDoesNotLeadShowsTheRangesOfClusterCidrsAndWhatNodesHave() {
        clusterCidr("a", 8, "10.1.0.0/22", "", Map.of());
        Replica follower = following();
        started();
        node("n1", Map.of());
        leader.drain();

        assertThat(shown(follower)).isEqualTo(shown(leader)).contains("a 10.1.0.0/22 all 1", "a 10.1.0.0/22 nodes 1");

        clusterCidr("a", 8, "10.9.0.0/22", "", Map.of());
        leader.drain();
        assertThat(shown(follower))
                .as("what the CRD forbids is not followed")
                .isEqualTo(shown(leader))
                .contains("a 10.1.0.0/22 all 1");
    }

    private static List<String> shown(Replica replica) {
        Command show = replica.part.commands().stream()
                .filter(command -> command.spec().path().equals(List.of("nodeipam", "show")))
                .findFirst()
                .orElseThrow();
        return ((Answer.Rows) show.run(Call.of(show.spec(), Map.of(), false)))
                .table().rows().stream()
                        .map(row -> row.get(0) + " " + row.get(1) + " " + row.get(4) + " " + row.get(5))
                        .toList();
    }
}
