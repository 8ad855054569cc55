package io.enipam.frontends.rpc;

import io.enipam.engine.port.GrantDirectory.ServedClaim;
import io.enipam.frontends.grpc.GrpcFailures;
import io.enipam.pluginhost.PluginReloader.PluginReload;
import io.enipam.pluginhost.PluginReport;
import io.enipam.pluginhost.PluginServices;
import io.enipam.pluginhost.PluginSwapper.FactorySwap;
import io.enipam.pluginhost.PluginSwapper.PolicySwap;
import io.enipam.pluginhost.extension.EffectQueue.EffectView;
import io.enipam.pluginhost.guard.RecentFailures.PluginFailure;
import io.enipam.pluginhost.operator.AnswerBounds.Bounded;
import io.enipam.pluginhost.operator.OperatorParts.OfferedCommand;
import io.enipam.pluginhost.operator.PluginCommands;
import io.enipam.sdk.Answer;
import io.enipam.sdk.Diagnostic;
import io.enipam.sdk.Line;
import io.enipam.sdk.Setting;
import io.enipam.v1.CancelSwapReply;
import io.enipam.v1.CommandArgument;
import io.enipam.v1.CommandLine;
import io.enipam.v1.CompleteCommandReply;
import io.enipam.v1.CompleteCommandRequest;
import io.enipam.v1.DropPluginEffectRequest;
import io.enipam.v1.FollowCommandReply;
import io.enipam.v1.FollowCommandRequest;
import io.enipam.v1.GetPluginRequest;
import io.enipam.v1.ListPluginBallotsRequest;
import io.enipam.v1.ListPluginEffectsRequest;
import io.enipam.v1.ListPluginGrantsRequest;
import io.enipam.v1.Plugin;
import io.enipam.v1.PluginBallot;
import io.enipam.v1.PluginCommand;
import io.enipam.v1.PluginDiagnostic;
import io.enipam.v1.PluginEffect;
import io.enipam.v1.PluginGrant;
import io.enipam.v1.PluginParameter;
import io.enipam.v1.PluginSetting;
import io.enipam.v1.ReloadPluginRequest;
import io.enipam.v1.RetryPluginEffectsRequest;
import io.enipam.v1.RunCommandReply;
import io.enipam.v1.RunCommandRequest;
import io.enipam.v1.RunDiagnosticReply;
import io.enipam.v1.RunDiagnosticRequest;
import io.enipam.v1.SwapFactoryRequest;
import io.enipam.v1.SwapPolicyRequest;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ServerCallStreamObserver;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** The plugins: reports, diagnostics, commands and swaps. Thread-safe. */
record PluginHandler(PluginServices plugins) {
    private static final int LARGE_REPLY = 1 << 20;

    List<Plugin> all() {
        return Proto.all(plugins.reports().settled().all(), PluginHandler::plugin);
    }

    Plugin one(GetPluginRequest request) {
        PluginReport report = plugins.reports().settled().one(request.getId());
        Plugin.Builder plugin = plugin(report).toBuilder();
        for (PluginFailure failure : report.counts().last()) {
            plugin.addFailuresBuilder()
                    .setAt(Proto.timestamp(failure.at()))
                    .setCause(failure.cause())
                    .addAllStack(request.getStacks() ? failure.stack() : List.of());
        }
        return plugin.build();
    }

    List<PluginEffect> effects(ListPluginEffectsRequest request) {
        plugins.reports().one(request.getPlugin());
        return Proto.all(
                plugins.effects().all().stream()
                        .filter(view -> view.plugin().equals(request.getPlugin()))
                        .toList(),
                PluginHandler::effect);
    }

    List<PluginBallot> ballots(ListPluginBallotsRequest request) {
        return plugins.voting().all().stream()
                .filter(view ->
                        request.getBallot().isEmpty() || request.getBallot().equals(view.ballot()))
                .map(view -> Proto.fill(PluginBallot.newBuilder(), view).build())
                .toList();
    }

    List<PluginGrant> grants(ListPluginGrantsRequest request) {
        String extension = request.getExtension();
        List<ServedClaim> claims =
                extension.isEmpty() ? plugins.claims().all() : plugins.claims().of(extension);
        return Proto.all(claims, new GrantMapper(plugins.effects())::grant);
    }

    int retryEffects(RetryPluginEffectsRequest request) {
        plugins.reports().one(request.getPlugin());
        return plugins.effects()
                .retry(request.getPlugin(), Optional.of(request.getEffect()).filter(id -> !id.isEmpty()));
    }

    CompletionStage<PluginEffect> dropEffect(DropPluginEffectRequest request) {
        return plugins.effects().drop(request.getPlugin(), request.getEffect()).thenApply(PluginHandler::effect);
    }

    private static PluginEffect effect(EffectView view) {
        return Proto.fill(PluginEffect.newBuilder(), view, view.effect()).build();
    }

    CompletionStage<RunDiagnosticReply> diagnose(RunDiagnosticRequest request) {
        return plugins.diagnostics()
                .run(request.getPlugin(), request.getName(), request.getArgumentsMap())
                .thenApply(result -> {
                    RunDiagnosticReply.Builder reply = RunDiagnosticReply.newBuilder()
                            .addAllColumns(result.answer().table().columns())
                            .setTruncated(result.truncated());
                    result.answer()
                            .table()
                            .rows()
                            .forEach(row -> reply.addRowsBuilder().addAllCells(row));
                    return reply.build();
                });
    }

    CompletionStage<List<PluginCommand>> commands() {
        return plugins.commands().settled().thenApply(all -> Proto.all(all, PluginHandler::command));
    }

    /** A command that changes nothing. */
    CompletionStage<RunCommandReply> read(RunCommandRequest request) {
        return plugins.commands()
                .read(request.getPathList(), arguments(request))
                .thenApply(PluginHandler::answered);
    }

    /** A command that goes on until the caller leaves. */
    void follow(
            FollowCommandRequest request,
            ServerCallStreamObserver<FollowCommandReply> observer,
            Function<Throwable, StatusRuntimeException> failures) {
        RunCommandRequest command = request.getCommand();
        Map<String, List<String>> arguments = arguments(command);
        new FeedStream<Line, FollowCommandReply>(
                        observer, PluginHandler::lines, why -> failures.apply(PluginCommands.told(why)))
                .begin(caller ->
                        plugins.commands().follow(command.getPathList(), arguments, request.getAfter(), caller));
    }

    /** In replies of little more than a mebibyte. */
    private static List<FollowCommandReply> lines(List<Line> lines) {
        List<FollowCommandReply> replies = new ArrayList<>();
        FollowCommandReply.Builder reply = FollowCommandReply.newBuilder();
        int bytes = 0;
        for (Line line : lines) {
            CommandLine wire = CommandLine.newBuilder()
                    .setText(line.text())
                    .setJson(line.json())
                    .setPlace(line.place())
                    .build();
            reply.addLines(wire);
            bytes += wire.getSerializedSize();
            if (bytes > LARGE_REPLY) {
                replies.add(reply.build());
                reply.clear();
                bytes = 0;
            }
        }
        if (bytes > 0) {
            replies.add(reply.build());
        }
        return replies;
    }

    /** A command, whatever it changes. */
    CompletionStage<RunCommandReply> change(RunCommandRequest request) {
        return plugins.commands()
                .change(request.getPathList(), arguments(request), request.getDryRun())
                .thenApply(PluginHandler::answered);
    }

    CompletionStage<CompleteCommandReply> complete(CompleteCommandRequest request) {
        return plugins.commands()
                .complete(request.getPathList(), request.getParameter(), request.getTyped())
                .thenApply(values ->
                        CompleteCommandReply.newBuilder().addAllValues(values).build());
    }

    private static Map<String, List<String>> arguments(RunCommandRequest request) {
        Map<String, List<String>> arguments = new LinkedHashMap<>();
        for (CommandArgument argument : request.getArgumentsList()) {
            if (arguments.put(argument.getName(), argument.getValuesList()) != null) {
                throw GrpcFailures.invalid("'" + argument.getName() + "' is given twice", "leave one of them out");
            }
        }
        return arguments;
    }

    static RunCommandReply answered(Bounded<?> bounded) {
        RunCommandReply.Builder reply = RunCommandReply.newBuilder().setTruncated(bounded.truncated());
        if (bounded.answer() instanceof Answer.Rows rows) {
            reply.addAllColumns(rows.table().columns());
            rows.table().rows().forEach(row -> reply.addRowsBuilder().addAllCells(row));
        } else if (bounded.answer() instanceof Answer.Prose prose) {
            reply.setText(prose.text());
        }
        return reply.build();
    }

    private static PluginCommand command(OfferedCommand command) {
        PluginCommand.Builder wire = PluginCommand.newBuilder()
                .setPlugin(command.plugin())
                .addAllPath(command.spec().path())
                .setSummary(command.spec().summary())
                .setImpact(command.spec().impact().name())
                .setExplains(command.explains())
                .setFile(command.file().orElse(""))
                .setFollow(command.follows().orElse(""));
        command.spec().operands().forEach(each -> wire.addOperands(parameter(each)));
        command.spec().options().forEach(each -> wire.addOptions(parameter(each)));
        return wire.build();
    }

    private static <T> PluginParameter parameter(Setting<T> parameter) {
        return PluginParameter.newBuilder()
                .setSetting(described(PluginSetting.newBuilder(), parameter))
                .setList(parameter.list())
                .build();
    }

    CompletionStage<PolicySwap> swapPolicy(SwapPolicyRequest request) {
        return plugins.swaps().policy(request.getName(), request.getDryRun());
    }

    CompletionStage<FactorySwap> swapFactory(SwapFactoryRequest request) {
        return plugins.swaps().factory(request.getName(), request.getDryRun());
    }

    CompletionStage<PluginReload> reload(ReloadPluginRequest request) {
        return plugins.swaps().reload(request.getId());
    }

    CancelSwapReply cancelSwap() {
        return CancelSwapReply.newBuilder()
                .setCancelled(plugins.swaps().cancel().orElse(""))
                .build();
    }

    private static Plugin plugin(PluginReport report) {
        Plugin.Builder plugin = Plugin.newBuilder()
                .setSdk(report.manifest().sdkRange())
                .setStateSince(Proto.timestamp(report.since()))
                .addAllDiagnostics(Proto.all(report.diagnostics(), PluginHandler::diagnostic));
        report.settings()
                .forEach(inForce -> described(plugin.addSettingsBuilder(), inForce.setting())
                        .setValue(inForce.value())
                        .setSource(inForce.source()));
        Proto.fill(plugin.getCallsBuilder(), report.counts(), report.counts().calls());
        return Proto.fill(plugin, report, report.parts(), report.manifest()).build();
    }

    private static <T> PluginSetting.Builder described(PluginSetting.Builder wire, Setting<T> setting) {
        return Proto.fill(wire, setting).setUsual(setting.show(setting.usual())).setSecret(setting.isSecret());
    }

    private static PluginDiagnostic diagnostic(Diagnostic diagnostic) {
        PluginDiagnostic.Builder wire =
                PluginDiagnostic.newBuilder().setName(diagnostic.name()).setSummary(diagnostic.summary());
        diagnostic.parameters().forEach(parameter -> described(wire.addParametersBuilder(), parameter));
        return wire.build();
    }
}
