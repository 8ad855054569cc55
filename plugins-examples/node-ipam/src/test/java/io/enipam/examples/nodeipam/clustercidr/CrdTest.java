package io.enipam.examples.nodeipam.clustercidr;

import static io.enipam.examples.nodeipam.clustercidr.Given.expression;
import static io.enipam.examples.nodeipam.clustercidr.Given.selector;
import static io.enipam.examples.nodeipam.clustercidr.Given.written;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import com.fasterxml.jackson.databind.JsonNode;
import io.enipam.sdk.cluster.ClusterObject;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The manifest of the CRD says what the controller says: what one of them refuses, the other does. */
class CrdTest {
    private final CrdSchema crd = new CrdSchema();

    /** As a client sends it: what is not written is not there. */
    private static Map<String, ?> sent(ClusterObject object) {
        if (!(object.body().get("spec") instanceof Map<?, ?> spec)) {
            return object.body();
        }
        Map<Object, Object> there = new HashMap<>(spec);
        there.values().removeIf(value -> value == null || value.equals(""));
        return Map.of("spec", there);
    }

    @Test
    void theKindIsTheOneThatTheControllerReads() {
        JsonNode spec = crd.crd.path("spec");

        assertThat(crd.crd.at("/metadata/name").asText())
                .isEqualTo(ClusterCidr.KIND.plural() + "." + ClusterCidr.KIND.group());
        assertThat(spec.path("group").asText()).isEqualTo(ClusterCidr.KIND.group());
        assertThat(spec.at("/names/kind").asText()).isEqualTo(ClusterCidr.KIND.kind());
        assertThat(spec.at("/names/plural").asText()).isEqualTo(ClusterCidr.KIND.plural());
        assertThat(spec.path("scope").asText()).isEqualTo("Cluster");
        assertThat(spec.path("versions")).singleElement().satisfies(version -> {
            assertThat(version.path("name").asText()).isEqualTo(ClusterCidr.KIND.version());
            assertThat(version.path("served").asBoolean()).isTrue();
            assertThat(version.path("storage").asBoolean()).isTrue();
            assertThat(version.has("subresources")).as("there is no status").isFalse();
        });
    }

    /** A structural schema: each part has its type, and nothing unknown is kept. The API server refuses rules without known costs. */
    @Test
    void theSchemaIsStructuralAndWhatRulesReadIsBounded() {
        assertThat(crd.parts()).allSatisfy(part -> {
            assertThat(part.path("type").asText()).as("%s", part).isNotEmpty();
            assertThat(part.has("x-kubernetes-preserve-unknown-fields")).isFalse();
            if (part.path("type").asText().equals("array")) {
                assertThat(part.has("maxItems")).as("%s", part).isTrue();
                assertThat(part.path("x-kubernetes-list-type").asText()).isEqualTo("atomic");
            }
        });
        assertThat(crd.schema.at("/properties/spec").findParents("type"))
                .filteredOn(part -> part.path("type").asText().equals("string"))
                .allSatisfy(part -> assertThat(part.has("maxLength") || part.has("enum"))
                        .as("%s", part)
                        .isTrue());
    }

    @Test
    void itsRulesHaveTheWordsOfTheOutOfTreeController() {
        assertThat(crd.schema.findValuesAsText("message"))
                .contains(
                        "A CIDR must be specified for ipv4 or ipv6.",
                        "NodeSelector cannot be changed.",
                        "PerNodeHostBits cannot be changed.",
                        "IPv4 cannot be changed.",
                        "IPv4 must be a valid IPv4 CIDR.",
                        "IPv6 cannot be changed.",
                        "IPv6 must be a valid IPv6 CIDR.");
    }

    static Stream<ClusterObject> valid() {
        Map<String, ?> name = Map.of(
                "nodeSelectorTerms",
                List.of(Map.of("matchFields", List.of(expression("metadata.name", "In", "n-1.a")))));
        return Stream.concat(
                ClusterCidrTest.valid(),
                Stream.of(
                        written(8, "10.0.0.0/16", "", name),
                        written(8, "10.0.0.0/16", "", Map.of("nodeSelectorTerms", List.of(Map.of()))),
                        written(
                                8,
                                "10.0.0.0/16",
                                "",
                                selector(
                                        expression("a.b/c", "NotIn", "x", ""),
                                        expression("d", "Exists"),
                                        expression("e", "DoesNotExist"),
                                        expression("f", "Gt", "5"),
                                        expression("g", "Lt", "0")))));
    }

    @ParameterizedTest
    @MethodSource("valid")
    void whatIsValidIsTakenByBoth(ClusterObject object) {
        assertThat(crd.refused(sent(object))).isEmpty();
        assertThatCode(() -> ClusterCidr.read(object)).doesNotThrowAnyException();
    }

    static Stream<ClusterObject> invalid() {
        return Stream.concat(
                ClusterCidrTest.invalid()
                        .map(arguments -> (ClusterObject) arguments.get()[0]),
                ClusterCidrTest.hostile());
    }

    /** Rows D19, and what no client should send. */
    @ParameterizedTest
    @MethodSource("invalid")
    void d19WhatIsInvalidIsRefusedByBoth(ClusterObject object) {
        assertThat(crd.refused(sent(object))).isNotEmpty();
    }

    @ParameterizedTest(name = "{0} {1} {2} {3}: {4}")
    @CsvSource(
            delimiter = '|',
            value = {
                "8|10.1.0.0/16|fd00:1:1::/112|bar|''",
                "12|10.1.0.0/16|fd00:1:1::/112|bar|PerNodeHostBits cannot be changed.",
                "8|10.2.0.0/16|fd00:1:1::/112|bar|IPv4 cannot be changed.",
                "8|''|fd00:1:1::/112|bar|IPv4 cannot be changed.",
                "8|10.1.0.0/16|fd00:2::/112|bar|IPv6 cannot be changed.",
                "8|10.1.0.0/16|''|bar|IPv6 cannot be changed.",
                "8|10.1.0.0/16|fd00:1:1::/112|bar2|NodeSelector cannot be changed.",
                "8|10.1.0.0/16|fd00:1:1::/112|''|NodeSelector cannot be changed."
            })
    void d20NoFieldOfASpecMayChange(int bits, String ipv4, String ipv6, String value, String problem) {
        Object before = sent(written(8, "10.1.0.0/16", "fd00:1:1::/112", selector(expression("foo", "In", "bar"))));
        Object selector = value.isEmpty() ? "" : selector(expression("foo", "In", value));

        List<String> refused = crd.refused(sent(written(bits, ipv4, ipv6, selector)), before);

        assertThat(refused).isEqualTo(problem.isEmpty() ? List.of() : List.of(".spec: " + problem));
        assertThat(crd.refused(before, sent(written(bits, ipv4, ipv6, selector))))
                .as("and back")
                .hasSameSizeAs(refused);
    }
}
