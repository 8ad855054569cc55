package io.enipam.engine.port;

import java.util.List;
import java.util.function.Consumer;

/**
 * The factories a start finds.
 *
 * @param active makes whatever is made
 * @param leaving make nothing more, and take back what they made as it comes free
 * @param drained told the name of a leaving factory once nothing of its is left; on any thread, once per factory
 */
public record FactorySet(NamedFactory active, List<NamedFactory> leaving, Consumer<String> drained) {
    public FactorySet {
        leaving = List.copyOf(leaving);
    }

    /** One factory that stays. */
    public static FactorySet of(NamedFactory active) {
        return new FactorySet(active, List.of(), name -> {});
    }
}
