package io.enipam.engine.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OwnerKeyTest {
    @Test
    void readsBackAsWritten() {
        OwnerKey key = new OwnerKey("enipam", "0a1b2c", "eth0");

        assertThat(OwnerKey.parse(key.toString())).isEqualTo(key);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-x", "a/b", "a b", "../../etc", "a\nb"})
    void aContainerIdHasTheCharactersOfTheCniSpecification(String id) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new OwnerKey("enipam", id, "eth0"))
                .withMessageContaining("invalid characters in containerID");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ".", "..", "sixteen-chars-xx", "a/b", "a:b", "a b"})
    void anInterfaceNameIsOneTheKernelTakes(String name) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new OwnerKey("enipam", "c", name))
                .withMessageContaining("invalid interface name");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a", "a/b", "a/b/c/d"})
    void anotherShapeIsRefused(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> OwnerKey.parse(text));
    }

    @Test
    void theOrderOfKeysIsThatOfTheirTexts() {
        List<String> names = List.of("a", "a-", "a.b", "a0", "aa", "a_", "A", "b", "a-0", "0");
        List<OwnerKey> keys = new ArrayList<>();
        for (String network : names) {
            for (String container : names) {
                keys.add(new OwnerKey(network, container, "eth0"));
                keys.add(new OwnerKey(network, container, "eth1"));
            }
        }
        Collections.shuffle(keys, new Random(1));

        assertThat(keys.stream().sorted())
                .containsExactlyElementsOf(keys.stream()
                        .sorted(Comparator.comparing(OwnerKey::toString))
                        .toList());
    }
}
