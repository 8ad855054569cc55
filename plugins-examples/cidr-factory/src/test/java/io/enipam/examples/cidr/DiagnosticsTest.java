package io.enipam.examples.cidr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.examples.cidr.AddressPlan.CidrSettings;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Settings;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DiagnosticsTest {
    @TempDir
    Path directory;

    @Test
    void rangesTellHowFullTheyAre() {
        try (CidrFactoryFixture bench =
                CidrFactoryFixture.open(directory, "10.64.0.0/29", "fd00::/64", "10.99.0.7-10.99.0.9")) {
            bench.make("t1", CidrFactoryFixture.PAIR);
            bench.make("t2");
            assertThat(Diagnostics.rows(bench, "ranges"))
                    .containsExactly(
                            "10.64.0.0/29 | 10.64.0.1 | 5 | 2 | 3",
                            "fd00::/64 | fd00::1 | 18446744073709551614 | 1 | 18446744073709551613",
                            "10.99.0.7-10.99.0.9 | - | 3 | 0 | 3");
        }
    }

    @Test
    void rangesTellOfAddressesNoRangeHasAnyMore() {
        try (CidrFactoryFixture bench = CidrFactoryFixture.open(directory, "10.64.0.0/29")) {
            bench.make("t1");
        }
        try (CidrFactoryFixture bench = CidrFactoryFixture.open(directory, "10.65.0.0/29")) {
            assertThat(Diagnostics.rows(bench, "ranges"))
                    .containsExactly("10.65.0.0/29 | 10.65.0.1 | 5 | 0 | 5", "(no longer configured) | - | 0 | 1 | 0");
        }
    }

    @Test
    void rangesOfAFactoryThatIsNotOpenAreWhatTheyWouldBe() {
        Settings settings = Settings.of(
                CidrSettings.ALL, Map.of("ranges", List.of("10.64.0.0/24"), "exclude", List.of("10.64.0.128/25")));
        assertThat(Diagnostics.rows(new CidrPlugin(), settings, "ranges"))
                .containsExactly("10.64.0.0/24 | 10.64.0.1 | 126 | - | -");
    }

    @Test
    void addressesAreShownAllOrOfOneRange() {
        try (CidrFactoryFixture bench = CidrFactoryFixture.open(directory, "10.64.0.0/29", "fd00::/64")) {
            bench.make("t1", CidrFactoryFixture.PAIR);
            bench.make("t2");
            assertThat(Diagnostics.rows(bench, "addresses")).hasSize(3);
            assertThat(Diagnostics.rows(bench, "addresses", "range=fd00::/64"))
                    .singleElement()
                    .asString()
                    .startsWith("fd00::2/64 | fd00::/64 | fd00::1 | 2")
                    .endsWith("Z | t1");
            assertThatThrownBy(() -> Diagnostics.rows(bench, "addresses", "range=10.0.0.0/8"))
                    .isInstanceOf(FactoryException.class)
                    .hasMessage("no range 10.0.0.0/8 is configured; there are 10.64.0.0/29, fd00::/64");
        }
    }

    @Test
    void whatNeedsAnOpenFactorySaysHowToOpenIt() {
        CidrFactoryFixture bench = CidrFactoryFixture.open(directory, "10.64.0.0/29");
        bench.close();
        for (String name : List.of("addresses", "damage")) {
            assertThatThrownBy(() -> Diagnostics.rows(bench, name)).hasMessageContaining("plugin swap factory cidr");
        }
    }
}
