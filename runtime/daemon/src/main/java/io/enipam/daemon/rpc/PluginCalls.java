package io.enipam.daemon.rpc;

import io.enipam.daemon.plugin.Plugins;
import io.enipam.engine.port.TimeSource;
import io.enipam.v1.GetPluginReply;
import io.enipam.v1.GetPluginRequest;
import io.enipam.v1.ListPluginsReply;
import io.enipam.v1.RunDiagnosticReply;
import io.enipam.v1.RunDiagnosticRequest;
import io.grpc.stub.StreamObserver;
import java.time.Duration;

/** Calls about the plugins. Thread-safe. */
final class PluginCalls {
    private final Plugins plugins;
    private final TimeSource time;

    PluginCalls(Plugins plugins, TimeSource time) {
        this.plugins = plugins;
        this.time = time;
    }

    ListPluginsReply all() {
        return ListPluginsReply.newBuilder()
                .addAllPlugins(
                        plugins.reports().all().stream().map(PluginWire::plugin).toList())
                .build();
    }

    GetPluginReply one(GetPluginRequest request) {
        return GetPluginReply.newBuilder()
                .setPlugin(PluginWire.plugin(plugins.reports().one(request.getId())))
                .build();
    }

    void diagnose(RunDiagnosticRequest request, StreamObserver<RunDiagnosticReply> observer) {
        long begun = time.nanoTime();
        Answers.later(
                observer,
                () -> plugins.diagnostics().run(request.getPlugin(), request.getName(), request.getArgumentsMap()),
                answer -> PluginWire.answer(answer, Duration.ofNanos(time.nanoTime() - begun)));
    }
}
