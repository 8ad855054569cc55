package io.enipam.datapath.link;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class RouteTablesTest {
    @Test
    void item29NoTableIsOneOfTheKernelsWhateverTheIndexOfTheLink() {
        Set<Long> tables = new HashSet<>();
        for (int i = 0; i < 4_096; i++) {
            String mac = String.format("00:16:3e:00:%02x:%02x", i >> 8, i & 0xff);
            long table = RouteTables.preferred(mac);
            assertThat(RouteTables.ours(table)).isTrue();
            tables.add(table);
        }
        assertThat(tables).hasSizeGreaterThan(4_090);
        assertThat(RouteTables.ours(0) || RouteTables.ours(253) || RouteTables.ours(254) || RouteTables.ours(255))
                .isFalse();
    }

    @Test
    void twoEnisThatLeadToOneNumberGetTwoAndWhoHasOneKeepsIt() {
        String late = "00:16:3e:00:00:01";
        String first = "00:16:3e:00:00:00";
        long wanted = RouteTables.preferred(late);
        Map<String, Long> taken = new HashMap<>(Map.of(first, wanted));
        Map<String, Long> both = RouteTables.assign(taken, late, List.of(first, late));
        assertThat(both).containsEntry(first, wanted).containsEntry(late, wanted + 1);
        assertThat(RouteTables.assign(both, late, List.of())).isEqualTo(both);
    }
}
