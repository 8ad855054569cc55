package io.enipam.frontends.rpc;

import io.enipam.engine.port.TimeSource;
import io.enipam.pluginhost.PluginReport;
import io.enipam.pluginhost.PluginReport.Counts;
import io.enipam.pluginhost.PluginServices;
import io.enipam.pluginhost.guard.PluginCallCounts;
import io.enipam.sdk.Diagnostic;
import io.enipam.sdk.Setting;
import io.enipam.v1.DiagnosticRow;
import io.enipam.v1.GetPluginReply;
import io.enipam.v1.GetPluginRequest;
import io.enipam.v1.ListPluginsReply;
import io.enipam.v1.Plugin;
import io.enipam.v1.PluginCalls;
import io.enipam.v1.PluginDiagnostic;
import io.enipam.v1.PluginPart;
import io.enipam.v1.PluginSetting;
import io.enipam.v1.RunDiagnosticReply;
import io.enipam.v1.RunDiagnosticRequest;
import io.enipam.v1.SwapFactoryReply;
import io.enipam.v1.SwapFactoryRequest;
import io.enipam.v1.SwapPolicyReply;
import io.enipam.v1.SwapPolicyRequest;
import java.util.concurrent.CompletionStage;

/** The plugins: reports, diagnostics and swaps. Thread-safe. */
final class PluginHandler {
    private final PluginServices plugins;
    private final TimeSource time;

    PluginHandler(PluginServices plugins, TimeSource time) {
        this.plugins = plugins;
        this.time = time;
    }

    ListPluginsReply all() {
        return ListPluginsReply.newBuilder()
                .addAllPlugins(plugins.reports().all().stream()
                        .map(PluginHandler::plugin)
                        .toList())
                .build();
    }

    GetPluginReply one(GetPluginRequest request) {
        return GetPluginReply.newBuilder()
                .setPlugin(plugin(plugins.reports().one(request.getId())))
                .build();
    }

    CompletionStage<RunDiagnosticReply> diagnose(RunDiagnosticRequest request) {
        long begun = time.nanoTime();
        return plugins.diagnostics()
                .run(request.getPlugin(), request.getName(), request.getArgumentsMap())
                .thenApply(result -> RunDiagnosticReply.newBuilder()
                        .addAllColumns(result.table().columns())
                        .addAllRows(result.table().rows().stream()
                                .map(row -> DiagnosticRow.newBuilder()
                                        .addAllCells(row)
                                        .build())
                                .toList())
                        .setTruncated(result.truncated())
                        .setTook(ProtoTime.since(time, begun))
                        .build());
    }

    CompletionStage<SwapPolicyReply> swapPolicy(SwapPolicyRequest request) {
        long begun = time.nanoTime();
        return plugins.swaps()
                .policy(request.getName(), request.getDryRun())
                .thenApply(swap -> SwapPolicyReply.newBuilder()
                        .setFrom(swap.from())
                        .setTo(swap.to())
                        .setTook(ProtoTime.since(time, begun))
                        .build());
    }

    CompletionStage<SwapFactoryReply> swapFactory(SwapFactoryRequest request) {
        long begun = time.nanoTime();
        return plugins.swaps()
                .factory(request.getName(), request.getDryRun())
                .thenApply(swap -> SwapFactoryReply.newBuilder()
                        .setFrom(swap.from())
                        .setTo(swap.to())
                        .setLeavingResources(swap.leavingResources())
                        .setLeavingLeases(swap.leavingLeases())
                        .setTook(ProtoTime.since(time, begun))
                        .build());
    }

    static Plugin plugin(PluginReport report) {
        return Plugin.newBuilder()
                .setId(report.id())
                .setVersion(report.manifest().version())
                .setSdk(report.manifest().sdkRange())
                .setState(report.state().name())
                .setStateSince(ProtoTime.timestamp(report.since()))
                .setCause(report.cause())
                .setSource(report.source())
                .addAllPolicies(
                        report.policies().stream().map(PluginHandler::part).toList())
                .addAllFactories(
                        report.factories().stream().map(PluginHandler::part).toList())
                .addAllSettings(
                        report.settings().stream().map(PluginHandler::setting).toList())
                .addAllDiagnostics(report.diagnostics().stream()
                        .map(PluginHandler::diagnostic)
                        .toList())
                .setCalls(calls(report.counts()))
                .build();
    }

    private static PluginPart part(PluginReport.Part part) {
        return PluginPart.newBuilder()
                .setName(part.name())
                .setState(part.state())
                .setResources(part.resources())
                .setLeases(part.leases())
                .build();
    }

    private static PluginSetting setting(PluginReport.SettingInForce inForce) {
        return described(inForce.setting())
                .setValue(inForce.value())
                .setSource(inForce.source())
                .build();
    }

    private static <T> PluginSetting.Builder described(Setting<T> setting) {
        return PluginSetting.newBuilder()
                .setName(setting.name())
                .setUsual(setting.show(setting.usual()))
                .setAllowed(setting.allowed())
                .addAllChoices(setting.choices())
                .setUnit(setting.unit())
                .setDoc(setting.doc())
                .setSecret(setting.isSecret());
    }

    private static PluginDiagnostic diagnostic(Diagnostic diagnostic) {
        PluginDiagnostic.Builder message =
                PluginDiagnostic.newBuilder().setName(diagnostic.name()).setSummary(diagnostic.summary());
        diagnostic.parameters().forEach(parameter -> message.addParameters(described(parameter)));
        return message.build();
    }

    private static PluginCalls calls(Counts counts) {
        PluginCallCounts calls = counts.calls();
        return PluginCalls.newBuilder()
                .setMade(calls.made())
                .setFailed(calls.failed())
                .setRejected(calls.rejected())
                .setLate(calls.late())
                .setSkipped(calls.skipped())
                .setOverdue(calls.overdue())
                .setBreaker(calls.breaker().name())
                .setLeakedThreads(counts.leakedThreads())
                .setExitsStopped(counts.exitsStopped())
                .build();
    }
}
