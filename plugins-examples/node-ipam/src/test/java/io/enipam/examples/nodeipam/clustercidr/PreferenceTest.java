package io.enipam.examples.nodeipam.clustercidr;

import static io.enipam.examples.nodeipam.clustercidr.Given.cluster;
import static io.enipam.examples.nodeipam.clustercidr.Given.node;
import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.examples.nodeipam.clustercidr.Preference.Match;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Cases of the acceptance table, part D: which ClusterCIDR comes first. */
class PreferenceTest {
    private static Match match(String name, String cidr, String foo, int requirements, int bits) {
        return new Match(cluster(name, bits, cidr, "", Map.of(foo, "bar", "name", "test" + name)), requirements);
    }

    @Test
    void d16OfSeveralTheFirstIsChosenByOneRuleAfterTheOther() {
        List<Match> all = List.of(
                match("1", "192.168.0.0/16", "foo", 1, 8),
                match("2", "10.1.0.0/24", "foo", 2, 8),
                match("3", "172.16.0.0/16", "foo", 2, 8),
                match("4", "10.1.1.0/26", "abc", 2, 6),
                match("5", "10.1.2.0/26", "foo", 2, 6),
                // the same selector as that of 4
                new Match(cluster("6", 6, "10.1.3.0/26", "", Map.of("abc", "bar", "name", "test4")), 2));
        List<List<Integer>> queues = List.of(
                List.of(1),
                List.of(1, 2),
                List.of(1, 2, 3),
                List.of(1, 2, 4),
                List.of(1, 2, 4, 5),
                List.of(1, 2, 4, 5, 6));

        List<String> first = queues.stream()
                .map(queue -> queue.stream()
                        .map(number -> all.get(number - 1))
                        .min(Preference.ORDER)
                        .orElseThrow())
                .map(match -> match.of().name())
                .toList();

        assertThat(first).containsExactly("1", "2", "2", "4", "4", "4");
    }

    @ParameterizedTest(name = "{0} {1} {2} {3} before {4} {5} {6} {7}: {8}")
    @CsvSource({
        "192.168.0.0/16,foo,2,8,10.1.0.0/24,foo,1,8,true",
        "192.168.0.0/16,foo,1,8,10.1.0.0/24,foo,2,8,false",
        "10.1.0.0/24,foo,2,8,172.16.0.0/16,foo,2,8,true",
        "10.1.0.0/16,foo,2,8,172.16.0.0/24,foo,2,8,false",
        "10.1.0.0/26,foo,2,6,10.1.1.0/24,abc,2,8,true",
        "10.1.0.0/24,foo,2,8,10.1.1.0/26,abc,2,6,false",
        "10.1.1.0/26,abc,2,6,10.1.2.0/26,foo,2,6,true",
        "10.1.1.0/26,xyz,2,6,10.1.2.0/26,foo,2,6,false",
        "10.1.1.0/26,abc,2,6,10.1.3.0/26,abc,2,6,true",
        "10.1.1.0/26,xyz,2,6,10.0.3.0/26,abc,2,6,false"
    })
    void d17EachRuleDecidesBothWays(
            String cidr,
            String label,
            int requirements,
            int bits,
            String cidr2,
            String label2,
            int requirements2,
            int bits2,
            boolean before) {
        Match one = match("same", cidr, label, requirements, bits);
        Match other = match("same", cidr2, label2, requirements2, bits2);

        assertThat(Preference.ORDER.compare(one, other) < 0).isEqualTo(before);
        assertThat(Preference.ORDER.compare(other, one) < 0).isEqualTo(!before);
    }

    @Test
    void thoseForAllNodesComeLastInTheOrderInWhichTheyCame() {
        Map<String, String> a = Map.of("pool", "a");
        List<ClusterCidr> all = List.of(
                cluster("large", 8, "10.0.0.0/8", "", Map.of()),
                cluster("small", 8, "10.0.0.0/24", "", Map.of()),
                cluster("of-a", 8, "11.0.0.0/8", "", a),
                cluster("of-b", 8, "11.0.0.0/8", "", Map.of("pool", "b")));

        assertThat(Preference.of(node("n", a), all))
                .extracting(ClusterCidr::name)
                .containsExactly("of-a", "large", "small");
        assertThat(Preference.of(node("n", Map.of()), all))
                .extracting(ClusterCidr::name)
                .containsExactly("large", "small");
    }

    @Test
    void equalOnesAreOrderedByTheirNamesWhateverTheOrderInWhichTheyCame() {
        Map<String, String> a = Map.of("pool", "a");
        List<ClusterCidr> all = new ArrayList<>(List.of(
                cluster("b", 8, "10.0.0.0/8", "", a),
                cluster("a", 8, "10.0.0.0/8", "", a),
                cluster("c", 8, "10.0.0.0/8", "", a)));
        Collections.rotate(all, 1);

        assertThat(Preference.of(node("n", a), all))
                .extracting(ClusterCidr::name)
                .containsExactly("a", "b", "c");
    }
}
