package io.enipam.engine.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.pool.Slot.SlotCopy;
import io.enipam.sdk.Address;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceKind;
import io.enipam.sdk.ResourceState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Copies of an inventory that changes while they are made. */
class InventoryCopyTest {
    private static final PodRef POD = new PodRef("default", "web");

    private final FactoryStates factories = new FactoryStates("test", ResourceKind.ENI_IP);
    private final Inventory inventory = new Inventory(factories, any -> true);
    private final List<Slot> slots = new ArrayList<>();
    private int made;
    private long now;

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 31, 32, 33, 500})
    void aCopyShowsTheMomentAtWhichItBeganWhateverChangesMeanwhile(int size) {
        SplittableRandom random = new SplittableRandom(size);
        for (int i = 0; i < size; i++) {
            add();
        }
        for (int round = 0; round < 200; round++) {
            List<SlotCopy> moment = inventory.slots().stream().map(Slot::copy).toList();
            InventoryCopy copy = inventory.beginCopy();
            // one in five is given up, and another one begins
            boolean givenUp = random.nextInt(5) == 0;
            boolean complete = false;
            while (!complete && !(givenUp && random.nextInt(8) == 0)) {
                for (int i = random.nextInt(40); i > 0; i--) {
                    change(random);
                }
                complete = inventory.copyMore(copy);
            }
            if (complete) {
                change(random);
                assertThat(copy.copies()).containsExactlyInAnyOrderElementsOf(moment);
            }
        }
    }

    private void add() {
        made++;
        String address = "10." + (made >> 16) + "." + ((made >> 8) & 255) + "." + (made & 255);
        slots.add(inventory.add(
                new Resource(
                        new ResourceId("eni/" + address),
                        ResourceKind.ENI_IP,
                        List.of(Address.parse(address + "/8")),
                        "eni",
                        Map.of()),
                now++));
    }

    /** Any change that the pool makes of any slot. */
    private void change(SplittableRandom random) {
        int which = random.nextInt(12);
        if (slots.isEmpty() || which == 0) {
            add();
            return;
        }
        Slot slot = slots.get(random.nextInt(slots.size()));
        if (which == 1) {
            if (slot.owner != null) {
                inventory.giveBack(slot.owner);
            }
            inventory.remove(slot);
            slots.remove(slot);
            return;
        }
        if (which == 2) {
            String other = factories.active.equals("test") ? "next" : "test";
            inventory.reassign(factories.active, other);
            factories.activate(other, ResourceKind.ENI_IP, 0);
            return;
        }
        now++;
        switch (slot.state) {
            case IDLE, RESERVED -> inventory.lend(slot, new OwnerKey("enipam", "c" + now, "eth0"), POD, now);
            case IN_USE -> {
                OwnerKey owner = slot.owner;
                if (which < 5) {
                    inventory.passOn(owner, new OwnerKey("enipam", "c" + now, "eth0"), POD);
                } else if (which < 7) {
                    inventory.move(slot, ResourceState.INVALID, now);
                } else {
                    inventory.giveBack(owner);
                    if (which < 10) {
                        inventory.move(slot, ResourceState.IDLE, now);
                    } else {
                        PodRef pod = new PodRef("default", "web-" + now);
                        ResourceState to = which == 10 ? ResourceState.COOLING : ResourceState.RESERVED;
                        inventory.hold(slot, to, pod, now + 100, now);
                    }
                }
            }
            case COOLING -> inventory.move(slot, ResourceState.IDLE, now);
            case INVALID ->
                inventory.move(slot, slot.owner == null ? ResourceState.DISPOSING : ResourceState.IN_USE, now);
            case DISPOSING, CREATING -> inventory.move(slot, ResourceState.IDLE, now);
        }
    }
}
