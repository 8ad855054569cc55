package io.enipam.daemon;

import io.enipam.engine.NodeIpam;
import io.enipam.engine.policy.WatermarkPolicy;

/** The engine and the policy that the daemon ships with: the one place where their classes are named. */
final class BuiltInEngine {
    private BuiltInEngine() {}

    static EngineAssembly assembly() {
        return new EngineAssembly(NodeIpam::new, WatermarkPolicy::new);
    }
}
