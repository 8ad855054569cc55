package io.enipam.frontends.cni;

import io.enipam.frontends.cni.spec.NetConf;
import io.enipam.frontends.cni.spec.CniVariables;
import io.enipam.engine.EngineStatus.Phase;
import io.enipam.engine.model.OwnerKey;
import java.util.Set;

/**
 * DEL: whatever the owner has is taken back. Neither its network namespace nor its pod is asked about, and what a previous result
 * says is not needed: the daemon knows what it has connected. Thread-safe.
 */
final class DelHandler {
    /** An engine that recovers takes addresses back already. */
    private static final Set<Phase> SERVING = Set.of(Phase.RECOVERING, Phase.READY, Phase.STOPPING);

    private final CniContext parts;

    DelHandler(CniContext parts) {
        this.parts = parts;
    }

    void run(CniVariables variables, NetConf conf) {
        Deadline deadline = Deadline.in(AddHandler.LONGEST);
        deadline.awaitPhase(parts.engine(), SERVING);
        OwnerKey owner = new OwnerKey(conf.name(), variables.containerId(), variables.ifName());
        deadline.outcome(parts.engine().del(owner, CniHandler.BY), "the DEL");
    }
}
