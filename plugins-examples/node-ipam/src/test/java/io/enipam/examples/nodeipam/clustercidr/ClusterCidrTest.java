package io.enipam.examples.nodeipam.clustercidr;

import static io.enipam.examples.nodeipam.clustercidr.Given.expression;
import static io.enipam.examples.nodeipam.clustercidr.Given.selector;
import static io.enipam.examples.nodeipam.clustercidr.Given.written;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.sdk.cluster.ClusterObject;
import io.enipam.sdk.cluster.ObjectRef;
import io.enipam.sdk.ranges.Subnet;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Cases of the acceptance table, part D: what a ClusterCIDR may say. */
class ClusterCidrTest {
    private static final Map<String, ?> BAR = selector(expression("foo", "In", "bar"));

    static Stream<ClusterObject> valid() {
        return Stream.of(
                written(8, "10.1.0.0/16", "", BAR),
                written(16, "10.1.0.0/16", "", BAR),
                written(4, "10.1.0.0/16", "", BAR),
                written(16, "", "fd00:1:1::/112", BAR),
                written(8, "", "fd00:1:1::/104", BAR),
                written(4, "", "fd00:1:1::/108", BAR),
                written(100, "", "fd00:1:1::/16", BAR),
                written(8, "10.1.0.0/16", "fd00:1:1::/112", BAR),
                written(8, "10.1.0.0/16", "fd00:1:1::/112", ""));
    }

    @ParameterizedTest
    @MethodSource("valid")
    void d13WhatIsValidIsRead(ClusterObject object) {
        ClusterCidr read = ClusterCidr.read(object);

        assertThat(read.ranges()).hasSameSizeAs(read.cidrs().toList());
        assertThat(ClusterCidr.read(read.object())).isEqualTo(read);
    }

    static Stream<Arguments> invalid() {
        Map<String, ?> badKey = selector(expression("NoUppercaseOrSpecialCharsLike=Equals", "In", "bar"));
        return Stream.of(
                Arguments.of(written(8, "", "", ""), "spec: A CIDR must be specified for ipv4 or ipv6."),
                Arguments.of(
                        written(8, "10.1.0.0/16", "fd00:1:1::/112", badKey),
                        "spec.nodeSelector.nodeSelectorTerms[0].matchExpressions[0].key:"
                                + " 'NoUppercaseOrSpecialCharsLike=Equals': not a valid label key"),
                Arguments.of(written(8, "test", "", BAR), "spec.ipv4: 'test': IPv4 must be a valid IPv4 CIDR."),
                Arguments.of(
                        written(100, "10.1.0.0/16", "", BAR),
                        "spec.perNodeHostBits: must be less than or equal to 16, for 10.1.0.0/16"),
                Arguments.of(
                        written(2, "10.1.0.0/16", "", BAR), "spec.perNodeHostBits: must be greater than or equal to 4"),
                Arguments.of(written(8, "", "testv6", BAR), "spec.ipv6: 'testv6': IPv6 must be a valid IPv6 CIDR."),
                Arguments.of(
                        written(8, "", "10.2.0.0/16", BAR),
                        "spec.ipv6: '10.2.0.0/16': IPv6 must be a valid IPv6 CIDR."),
                Arguments.of(
                        written(12, "", "fd00::/120", BAR),
                        "spec.perNodeHostBits: must be less than or equal to 8, for fd00::/120"),
                Arguments.of(
                        written(3, "", "fd00::/120", BAR), "spec.perNodeHostBits: must be greater than or equal to 4"),
                Arguments.of(
                        written(8, "10.1.0.0/16", "testv6", BAR),
                        "spec.ipv6: 'testv6': IPv6 must be a valid IPv6 CIDR."),
                Arguments.of(
                        written(8, "testv4", "fd00::/120", BAR),
                        "spec.ipv4: 'testv4': IPv4 must be a valid IPv4 CIDR."),
                Arguments.of(
                        written(24, "10.1.0.0/16", "fd00:1:1::/112", BAR),
                        "spec.perNodeHostBits: must be less than or equal to 16, for 10.1.0.0/16;"
                                + " spec.perNodeHostBits: must be less than or equal to 16, for fd00:1:1::/112"),
                Arguments.of(
                        written(8, "fd00::/120", "fd00:1:1::/112", BAR),
                        "spec.ipv4: 'fd00::/120': IPv4 must be a valid IPv4 CIDR."),
                // of D13
                Arguments.of(
                        written(8, "1000.2.0.0/16", "", ""),
                        "spec.ipv4: '1000.2.0.0/16': IPv4 must be a valid IPv4 CIDR."),
                Arguments.of(
                        written(8, "10.2.0.0/16", "aaaaa:1:1::/112", BAR),
                        "spec.ipv6: 'aaaaa:1:1::/112': IPv6 must be a valid IPv6 CIDR."));
    }

    @ParameterizedTest
    @MethodSource("invalid")
    void d19WhatIsInvalidIsRefusedWithTheReason(ClusterObject object, String why) {
        assertThatThrownBy(() -> ClusterCidr.read(object))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(why);
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
                "8|10.1.0.0/16|fd00:1:1::/112|''|NodeSelector cannot be changed.",
                "9|10.3.0.0/16|fd00:1:1::/112|bar|PerNodeHostBits cannot be changed.,IPv4 cannot be changed."
            })
    void d20NoFieldOfASpecMayChange(int bits, String ipv4, String ipv6, String value, String problems) {
        ClusterCidr before = ClusterCidr.read(written(8, "10.1.0.0/16", "fd00:1:1::/112", BAR));
        Object selector = value.isEmpty() ? "" : selector(expression("foo", "In", value));

        ClusterCidr after = ClusterCidr.read(written(bits, ipv4, ipv6, selector));

        assertThat(String.join(",", after.changedFrom(before))).isEqualTo(problems);
    }

    @ParameterizedTest
    @CsvSource({"127.123.234.0/28,'',4,127.123.234.0/28", "'',beef:1234::/112,16,beef:1234::/112"})
    void d26ARangeOfOneBlock(String ipv4, String ipv6, int bits, String block) {
        assertThat(ClusterCidr.read(written(bits, ipv4, ipv6, "")).ranges())
                .singleElement()
                .satisfies(range -> assertThat(range.size()).isEqualTo(1))
                .satisfies(range -> assertThat(range.block(0)).hasToString(block));
    }

    @Test
    void d26AnIpv6RangeHas65536BlocksAtMost() {
        assertThatThrownBy(() -> ClusterCidr.read(written(79, "", "beef:1234::/32", "")))
                .hasMessage(
                        "Creation of New CIDR Set failed for beef:1234::/32. PerNodeMaskSize 49 is too big for CIDR Mask"
                                + " 32, Maximum difference allowed is 16");
        assertThatThrownBy(() -> ClusterCidr.read(written(4, "0.0.0.0/0", "", "")))
                .hasMessageContaining("take larger blocks");
    }

    static Stream<ClusterObject> hostile() {
        ObjectRef ref = ObjectRef.of(ClusterCidr.KIND, "foo");
        String long1 = "a".repeat(1_000_000);
        String dots = "a.".repeat(500_000);
        return Stream.of(
                ClusterObject.of(ref, Map.of()),
                ClusterObject.of(ref, Map.of("spec", "text")),
                ClusterObject.of(ref, Map.of("spec", List.of())),
                written("8", "10.0.0.0/16", "", ""),
                written(8.5, "10.0.0.0/16", "", ""),
                written(-8, "10.0.0.0/16", "", ""),
                written(4_294_967_304L, "10.0.0.0/16", "", ""),
                written(BigInteger.TEN.pow(1_000), "10.0.0.0/16", "", ""),
                written(Map.of(), "10.0.0.0/16", "", ""),
                written(8, long1, "", ""),
                written(8, "10.0.0.0/16\n", "", ""),
                written(8, "010.0.0.0/16", "", ""),
                written(8, "10.0.0.0/016", "", ""),
                written(8, "10.0.0.0", "", ""),
                written(8, "", "::ffff:10.0.0.0/112", ""),
                written(8, "", "fe80::%eth0/112", ""),
                written(8, "10.0.0.0/16", "", "text"),
                written(8, "10.0.0.0/16", "", Map.of()),
                written(8, "10.0.0.0/16", "", Map.of("nodeSelectorTerms", Map.of())),
                written(8, "10.0.0.0/16", "", Map.of("nodeSelectorTerms", List.of())),
                written(8, "10.0.0.0/16", "", Map.of("nodeSelectorTerms", List.of("text"))),
                written(8, "10.0.0.0/16", "", Map.of("nodeSelectorTerms", Arrays.asList((Object) null))),
                written(
                        8,
                        "10.0.0.0/16",
                        "",
                        Map.of("nodeSelectorTerms", List.of(Map.of("matchExpressions", Map.of("key", "a"))))),
                written(
                        8,
                        "10.0.0.0/16",
                        "",
                        Map.of("nodeSelectorTerms", List.of(Map.of("matchExpressions", List.of(List.of()))))),
                written(8, "10.0.0.0/16", "", selector(Map.of("key", 1, "operator", "In", "values", List.of("a")))),
                written(8, "10.0.0.0/16", "", selector(Map.of("key", "a", "operator", "In", "values", List.of(1)))),
                written(8, "10.0.0.0/16", "", selector(Map.of("key", "a", "operator", "In"))),
                written(8, "10.0.0.0/16", "", selector(expression("a", "in", "b"))),
                written(8, "10.0.0.0/16", "", selector(expression(dots, "Exists"))),
                written(8, "10.0.0.0/16", "", selector(expression(dots + "/a", "Exists"))),
                written(8, "10.0.0.0/16", "", selector(expression("a", "In", long1))));
    }

    @ParameterizedTest
    @MethodSource("hostile")
    void whatNoClientShouldSendIsRefusedInAFewWords(ClusterObject object) {
        assertThatThrownBy(() -> ClusterCidr.read(object))
                .isInstanceOf(IllegalArgumentException.class)
                .satisfies(e -> assertThat(e.getMessage())
                        .isNotBlank()
                        .hasSizeLessThan(1_000)
                        .doesNotContain("\n"));
    }

    @Test
    void aSelectorThatFitsInNoRowIsRefused() {
        String[] values = IntStream.range(0, 10_000).mapToObj(i -> "zone-" + i).toArray(String[]::new);

        assertThatThrownBy(() ->
                        ClusterCidr.read(written(8, "10.0.0.0/16", "", selector(expression("zone", "In", values)))))
                .hasMessage("spec.nodeSelector: must have less than 100000 characters");
    }

    @Test
    void ofAThousandMistakesTenAreNamed() {
        ClusterObject object =
                written(8, "10.0.0.0/16", "", Map.of("nodeSelectorTerms", Collections.nCopies(1_000, "text")));

        assertThatThrownBy(() -> ClusterCidr.read(object)).hasMessageContaining("and 990 more");
    }

    @ParameterizedTest(name = "{0} with {1}: {2}")
    @CsvSource(
            delimiter = '|',
            value = {
                "192.168.0.0/16|24|8",
                "192.168.0.0/16|30|4",
                "fd00::/112|120|8",
                "10.96.0.0/12 fd00:10:96::/112|24 120|8",
                "10.0.0.0/16 fd00::/112|24 116|8",
                "fd00::/112 10.0.0.0/16|120 20|8"
            })
    void theObjectOfTheSettingHasTheSmallerNumberOfHostBits(String cidrs, String lengths, int bits) {
        ClusterObject usual = ClusterCidr.ofSetting(
                Stream.of(cidrs.split(" ")).map(Subnet::parse).toList(),
                Stream.of(lengths.split(" ")).map(Integer::valueOf).toList());

        assertThat(usual.name()).isEqualTo("default-cluster-cidr");
        assertThat(usual.finalizers()).containsExactly("networking.x-k8s.io/cluster-cidr-finalizer");
        ClusterCidr read = ClusterCidr.read(usual);
        assertThat(read.hostBits()).isEqualTo(bits);
        assertThat(read.selector()).isEmpty();
        assertThat(read.cidrs().map(Subnet::toString)).containsExactlyInAnyOrder(cidrs.split(" "));
    }

    @Test
    void aSettingThatCannotBeCutIsRefused() {
        assertThatThrownBy(() -> ClusterCidr.ofSetting(
                        List.of(Subnet.parse("10.0.0.0/16"), Subnet.parse("fd00:10::/56")), List.of(24, 64)))
                .hasMessageContaining("is too big for CIDR Mask 56");
    }
}
