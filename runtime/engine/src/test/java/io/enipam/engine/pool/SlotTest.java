package io.enipam.engine.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.sdk.ResourceState;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SlotTest {
    @ParameterizedTest
    @CsvSource({
        "CREATING, IDLE",
        "IDLE, IN_USE",
        "IN_USE, IDLE",
        "IN_USE, COOLING",
        "IN_USE, RESERVED",
        "COOLING, IDLE",
        "RESERVED, IDLE",
        "RESERVED, IN_USE",
        "IDLE, DISPOSING",
        "DISPOSING, IDLE",
        "IN_USE, INVALID",
        "INVALID, DISPOSING",
        "INVALID, IN_USE"
    })
    void aResourceMayGo(ResourceState from, ResourceState to) {
        assertThat(Slot.mayFollow(from, to)).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "COOLING, IN_USE",
        "IN_USE, DISPOSING",
        "DISPOSING, IN_USE",
        "INVALID, IDLE",
        "INVALID, COOLING",
        "IDLE, CREATING",
        "IDLE, IDLE"
    })
    void aResourceMayNotGo(ResourceState from, ResourceState to) {
        assertThat(Slot.mayFollow(from, to)).isFalse();
    }
}
