package io.enipam.frontends.rpc;

import io.enipam.pluginhost.PluginServices;
import io.enipam.engine.port.TimeSource;
import io.enipam.v1.GetPluginReply;
import io.enipam.v1.GetPluginRequest;
import io.enipam.v1.ListPluginsReply;
import io.enipam.v1.RunDiagnosticReply;
import io.enipam.v1.RunDiagnosticRequest;
import io.grpc.stub.StreamObserver;
import java.time.Duration;

/** Calls about the plugins. Thread-safe. */
final class PluginHandler {
    private final PluginServices plugins;
    private final TimeSource time;

    PluginHandler(PluginServices plugins, TimeSource time) {
        this.plugins = plugins;
        this.time = time;
    }

    ListPluginsReply all() {
        return ListPluginsReply.newBuilder()
                .addAllPlugins(
                        plugins.reports().all().stream().map(PluginMapper::plugin).toList())
                .build();
    }

    GetPluginReply one(GetPluginRequest request) {
        return GetPluginReply.newBuilder()
                .setPlugin(PluginMapper.plugin(plugins.reports().one(request.getId())))
                .build();
    }

    void diagnose(RunDiagnosticRequest request, StreamObserver<RunDiagnosticReply> observer) {
        long begun = time.nanoTime();
        UnaryReplies.async(
                observer,
                () -> plugins.diagnostics().run(request.getPlugin(), request.getName(), request.getArgumentsMap()),
                answer -> PluginMapper.answer(answer, Duration.ofNanos(time.nanoTime() - begun)));
    }
}
