package io.enipam.frontends.rpc;

import io.enipam.pluginhost.DiagnosticRunner;
import io.enipam.pluginhost.FactorySwap;
import io.enipam.pluginhost.PluginCounts;
import io.enipam.pluginhost.PluginReport;
import io.enipam.pluginhost.PolicySwap;
import io.enipam.sdk.Diagnostic;
import io.enipam.sdk.Setting;
import io.enipam.v1.DiagnosticRow;
import io.enipam.v1.Plugin;
import io.enipam.v1.PluginCalls;
import io.enipam.v1.PluginDiagnostic;
import io.enipam.v1.PluginPart;
import io.enipam.v1.PluginSetting;
import io.enipam.v1.RunDiagnosticReply;
import io.enipam.v1.SwapFactoryReply;
import io.enipam.v1.SwapPolicyReply;
import java.time.Duration;

/** Plugins as messages. */
final class PluginMapper {
    private PluginMapper() {}

    static Plugin plugin(PluginReport report) {
        return Plugin.newBuilder()
                .setId(report.id())
                .setVersion(report.version())
                .setSdk(report.sdk())
                .setState(report.state().name())
                .setStateSince(ProtoTime.timestamp(report.since()))
                .setCause(report.cause())
                .setSource(report.source())
                .addAllPolicies(report.policies().stream().map(PluginMapper::part).toList())
                .addAllFactories(
                        report.factories().stream().map(PluginMapper::part).toList())
                .addAllSettings(
                        report.settings().stream().map(PluginMapper::setting).toList())
                .addAllDiagnostics(report.diagnostics().stream()
                        .map(PluginMapper::diagnostic)
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

    private static PluginCalls calls(PluginCounts counts) {
        return PluginCalls.newBuilder()
                .setMade(counts.made())
                .setFailed(counts.failed())
                .setRejected(counts.rejected())
                .setLate(counts.late())
                .setSkipped(counts.skipped())
                .setOverdue(counts.overdue())
                .setBreaker(counts.breaker())
                .setLeakedThreads(counts.leakedThreads())
                .setExitsStopped(counts.exitsStopped())
                .build();
    }

    static RunDiagnosticReply answer(DiagnosticRunner.Result answer, Duration took) {
        return RunDiagnosticReply.newBuilder()
                .addAllColumns(answer.table().columns())
                .addAllRows(answer.table().rows().stream()
                        .map(row -> DiagnosticRow.newBuilder().addAllCells(row).build())
                        .toList())
                .setTruncated(answer.truncated())
                .setTook(ProtoTime.duration(took))
                .build();
    }

    static SwapPolicyReply swap(PolicySwap swap, Duration took) {
        return SwapPolicyReply.newBuilder()
                .setFrom(swap.from())
                .setTo(swap.to())
                .setTook(ProtoTime.duration(took))
                .build();
    }

    static SwapFactoryReply swap(FactorySwap swap, Duration took) {
        return SwapFactoryReply.newBuilder()
                .setFrom(swap.from())
                .setTo(swap.to())
                .setLeavingResources(swap.leavingResources())
                .setLeavingLeases(swap.leavingLeases())
                .setTook(ProtoTime.duration(took))
                .build();
    }
}
