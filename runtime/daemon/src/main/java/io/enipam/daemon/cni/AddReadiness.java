package io.enipam.daemon.cni;

import io.enipam.daemon.cni.spec.CniCode;
import io.enipam.engine.EngineStatus;
import io.enipam.engine.EngineStatus.Phase;
import io.enipam.engine.IpamEngine;
import io.enipam.engine.pool.PoolView;
import io.enipam.engine.port.ResourceDb;
import io.enipam.sdk.ResourceState;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * CNI STATUS (specification 1.1.0): whether an ADD could be served now. Changes nothing. Thread-safe.
 *
 * @param trouble why the cloud or the factory cannot be used now; empty if it can
 */
public record AddReadiness(IpamEngine engine, ResourceDb db, Supplier<Optional<String>> trouble) {
    /**
     * What STATUS answers.
     *
     * @param code 0; 50 if no ADD can be served; 51 if, besides, sandboxes that are there may be without their network
     * @param reasons why not, one line for a person each; empty if one can be served
     */
    public record Verdict(int code, List<String> reasons) {
        public Verdict {
            reasons = List.copyOf(reasons);
        }
    }

    /** Looks. */
    public Verdict look() {
        EngineStatus status = engine.status();
        PoolView pool = engine.pool();
        List<String> reasons = new ArrayList<>();
        boolean serves = status.phase() == Phase.READY;
        if (!serves) {
            reasons.add("the daemon is " + status.phase() + (status.detail().isEmpty() ? "" : ": " + status.detail()));
        }
        db.trouble().ifPresent(found -> reasons.add("the database cannot be written: " + found.cause()));
        int free = pool.count(ResourceState.IDLE);
        int room = pool.capacity() - pool.entries().size() - pool.creating();
        if (serves && free == 0 && room <= 0) {
            reasons.add("the pool has no address left: all " + pool.capacity() + " that this node can have are taken");
        } else if (serves && free == 0) {
            trouble.get()
                    .map(why -> "no address is idle, and none can be made: " + why)
                    .or(() -> SupplyTrouble.of(engine.agenda(), pool))
                    .ifPresent(reasons::add);
        }
        boolean lost = pool.count(ResourceState.INVALID) > 0;
        int code = reasons.isEmpty() ? CniCode.NONE : lost ? CniCode.LIMITED : CniCode.NOT_AVAILABLE;
        return new Verdict(code, reasons);
    }
}
