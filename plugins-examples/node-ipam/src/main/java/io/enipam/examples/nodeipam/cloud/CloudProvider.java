package io.enipam.examples.nodeipam.cloud;

import io.enipam.sdk.RequestToken;
import io.enipam.sdk.cloud.Outcome;
import io.enipam.sdk.ranges.Subnet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * A cloud that leads blocks of addresses to instances. Thread-safe; no method blocks, and no stage completes exceptionally: failures
 * are values, as {@link io.enipam.sdk.cloud.Cloud} says.
 */
public interface CloudProvider {
    /**
     * A block that the cloud leads to an instance.
     *
     * @param block without host bits
     */
    record Alias(String instance, Subnet block) {}

    /**
     * The instance that a node is.
     *
     * @param providerId {@code spec.providerID} of the node
     * @return empty if it is not one of this cloud
     */
    Optional<String> instance(String providerId);

    /** All of them, in the cloud's order, by as few calls as the cloud allows. */
    CompletionStage<Outcome<List<Alias>>> aliases();

    /** Leads a block to an instance; done when it does. One that it leads there already is done. */
    CompletionStage<Outcome<Boolean>> add(Alias alias, RequestToken token);

    /** Leads it there no more; done if it does not. */
    CompletionStage<Outcome<Boolean>> remove(Alias alias);
}
