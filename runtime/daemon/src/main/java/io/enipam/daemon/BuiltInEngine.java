package io.enipam.daemon;

/** The engine and policy that the daemon runs unless a plugin brings others. The one place that names both. */
final class BuiltInEngine {
    private BuiltInEngine() {}

    static EngineAssembly assembly() {
        return new EngineAssembly(
                (config, ports) -> {
                    throw new StartupException("this build has no engine for " + config + " on " + ports.db());
                },
                () -> {
                    throw new StartupException("this build has no policy");
                });
    }
}
