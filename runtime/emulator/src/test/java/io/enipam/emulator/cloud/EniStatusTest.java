package io.enipam.emulator.cloud;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.emulator.cloud.EniStatus.EniEvent;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class EniStatusTest {
    @Test
    void theseAreAllTheTransitionsThereAre() {
        List<String> found = new ArrayList<>();
        for (EniStatus status : EniStatus.values()) {
            for (EniEvent event : EniEvent.values()) {
                status.after(event).ifPresent(next -> found.add(status + " " + event + " " + next));
            }
        }

        assertThat(found)
                .containsExactlyInAnyOrder(
                        "AVAILABLE ATTACH ATTACHING",
                        "AVAILABLE DELETE DELETING",
                        "ATTACHING ATTACHED IN_USE",
                        "IN_USE DETACH DETACHING",
                        "DETACHING DETACH DETACHING",
                        "DETACHING DETACHED AVAILABLE",
                        "DELETING DELETE DELETING");
    }

    @Test
    void onlyAvailableAndInUseLast() {
        assertThat(EniStatus.values())
                .filteredOn(EniStatus::isSteady)
                .containsExactly(EniStatus.AVAILABLE, EniStatus.IN_USE);
    }
}
