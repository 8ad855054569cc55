package io.enipam.engine.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.sdk.Address;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceKind;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ReleaseRulesTest {
    private final Inventory inventory = new Inventory(new FactoryStates("test", ResourceKind.ENI_IP), any -> true);
    private long now;

    @Test
    void aPrimaryAddressAtTheQueuesHeadDoesNotStopTheShrinking() {
        add("eni-1", 1, true);
        add("eni-1", 2, false);
        add("eni-1", 3, false);

        assertThat(chosen(2)).containsExactly("eni-1/10.0.0.2", "eni-1/10.0.0.3");
    }

    @Test
    void aPrimaryAddressGoesWhenItIsTheLastOfItsInterface() {
        add("eni-1", 1, true);
        add("eni-2", 2, false);

        assertThat(chosen(5)).containsExactly("eni-1/10.0.0.1", "eni-2/10.0.0.2");
    }

    @Test
    void aPrimaryAddressStaysWhileASiblingIsGoing() {
        add("eni-1", 1, true);
        add("eni-1", 2, false);

        assertThat(chosen(2)).containsExactly("eni-1/10.0.0.2");
    }

    @Test
    void whatThePolicyNamesGoesFirst() {
        add("eni-1", 1, false);
        add("eni-1", 2, false);
        add("eni-1", 3, false);

        assertThat(ReleaseRules.choose(inventory, 2, List.of(new ResourceId("eni-1/10.0.0.3"))))
                .extracting(slot -> slot.resource.id().value())
                .containsExactly("eni-1/10.0.0.3", "eni-1/10.0.0.1");
    }

    @Test
    void nothingGoesWhenNothingIsTooMuch() {
        add("eni-1", 1, false);

        assertThat(chosen(0)).isEmpty();
        assertThat(chosen(-3)).isEmpty();
    }

    private List<String> chosen(int surplus) {
        return ReleaseRules.choose(inventory, surplus, List.of()).stream()
                .map(slot -> slot.resource.id().value())
                .toList();
    }

    private void add(String parent, int host, boolean primary) {
        String address = "10.0.0." + host;
        inventory.add(
                new Resource(
                        new ResourceId(parent + "/" + address),
                        ResourceKind.ENI_IP,
                        List.of(Address.parse(address + "/24")),
                        parent,
                        Map.of(Resource.PRIMARY, Boolean.toString(primary))),
                now++);
    }
}
