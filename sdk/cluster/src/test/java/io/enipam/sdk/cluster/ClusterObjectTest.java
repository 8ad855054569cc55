package io.enipam.sdk.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClusterObjectTest {
    private static final ObjectRef NODE = ObjectRef.node("node-1");

    @Test
    void whatItWasMadeOfMayChangeAndItDoesNot() {
        List<Object> cidrs = new ArrayList<>(List.of("10.0.0.0/24"));
        Map<String, Object> spec = new HashMap<>(Map.of("podCIDRs", cidrs));
        ClusterObject node = ClusterObject.of(NODE, Map.of("spec", spec));
        cidrs.add("10.0.1.0/24");
        spec.clear();

        assertThat(node.texts("spec", "podCIDRs")).containsExactly("10.0.0.0/24");
        assertThatThrownBy(() -> ((Map<?, ?>) node.at("spec").orElseThrow()).clear())
                .isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void aPathLeadsToWhatIsThereAndToNothingElsewhere() {
        Map<String, Object> spec = new HashMap<>();
        spec.put("cidr", "10.0.0.0/24");
        spec.put("none", null);
        spec.put("mixed", List.of("a", 1, "b"));
        ClusterObject node = ClusterObject.of(NODE, Map.of("spec", spec));

        assertThat(node.text("spec", "cidr")).isEqualTo("10.0.0.0/24");
        assertThat(node.text("spec", "cidr", "deeper")).isEmpty();
        assertThat(node.at("spec", "none")).isEmpty();
        assertThat(node.at("status", "conditions")).isEmpty();
        assertThat(node.texts("spec", "mixed")).containsExactly("a", "b");
        assertThat(node.texts("spec", "cidr")).isEmpty();
    }

    @Test
    void theTimeOfCreationIsKnownOfWhatTheServerMade() {
        Instant at = Instant.parse("2026-01-02T03:04:05Z");
        ClusterObject node = ClusterObject.of(NODE, Map.of("spec", Map.of("podCIDR", "10.0.0.0/24")));

        assertThat(node.creation()).isEmpty();
        assertThat(node.withCreation(at).creation()).contains(at);
        assertThat(node.withCreation(at).withLabels(Map.of("a", "b")).creation())
                .contains(at);
        assertThat(node.withCreation(at).text("spec", "podCIDR")).isEqualTo("10.0.0.0/24");
        assertThat(ClusterObject.of(NODE, Map.of("metadata", Map.of("creationTimestamp", "yesterday")))
                        .creation())
                .isEmpty();
    }

    @Test
    void whatJsonDoesNotHaveIsRefused() {
        Map<String, Object> endless = new HashMap<>();
        endless.put("itself", endless);
        for (Map<String, ?> body : List.of(
                Map.of("spec", new Object()),
                Map.of("spec", Map.of(1, "a")),
                Map.of("metadata", Map.of()),
                Map.of("metadata", Map.of("creationTimestamp", "2026-01-01T00:00:00Z", "name", "other")),
                Map.of("kind", Map.of("creationTimestamp", "2026-01-01T00:00:00Z")),
                Map.of("kind", "Node"),
                endless)) {
            assertThatThrownBy(() -> ClusterObject.of(NODE, body)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ".", "..", "a/b", "a%2fb", "a?b", "a b", "a\nb", "ä"})
    void aNameThatCouldLeadToAnotherPathIsRefused(String name) {
        assertThatThrownBy(() -> ObjectRef.node(name)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> ObjectKind.ofCluster("example.com", "v1", "Block", name))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void anObjectIsInANamespaceIfItsKindIs() {
        ObjectKind claim = ObjectKind.ofNamespaces("example.com", "v1", "Claim", "claims");
        assertThat(new ObjectRef(claim, "default", "one").key()).isEqualTo("default/one");
        assertThatThrownBy(() -> ObjectRef.of(claim, "one")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new ObjectRef(ObjectKind.NODE, "default", "node-1"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aPatchCarriesWhatMustBeTrueOfTheObject() {
        ClusterObject known =
                new ClusterObject(NODE, "u-1", "7", Map.of(), Map.of(), List.of("a/b"), Optional.empty(), Map.of());

        assertThat(Patch.finalizers(known, List.of()).body())
                .isEqualTo(Map.of("metadata", Map.of("finalizers", List.of(), "uid", "u-1", "resourceVersion", "7")));
        assertThat(Patch.merge(Map.of("spec", Map.of())).body()).isEqualTo(Map.of("spec", Map.of()));
    }
}
