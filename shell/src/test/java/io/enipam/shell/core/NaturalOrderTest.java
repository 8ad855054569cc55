package io.enipam.shell.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.shell.core.TableListing.NaturalOrder;
import java.util.List;
import org.junit.jupiter.api.Test;

class NaturalOrderTest {
    @Test
    void numbersInTextGoByTheirValue() {
        List<String> sorted = List.of(
                "",
                "10.0.0.1/24",
                "10.0.0.9/24",
                "10.0.0.10/24",
                "10.0.1.0/24",
                "eni-2",
                "eni-10",
                "eni-10a",
                "web-99999999999999999999",
                "web-100000000000000000000");

        assertThat(sorted.stream().sorted(NaturalOrder.ORDER.reversed()).sorted(NaturalOrder.ORDER))
                .isEqualTo(sorted);
    }

    @Test
    void equalNumbersAreStillAnOrder() {
        assertThat(NaturalOrder.ORDER.compare("a01", "a1")).isNotZero();
        assertThat(NaturalOrder.ORDER.compare("a1", "a1")).isZero();
    }
}
