package io.enipam.frontends.rpc;

import io.enipam.diagnostics.explain.Explainer;
import io.enipam.diagnostics.explain.Explainer.Answer;
import io.enipam.diagnostics.explain.Explanation.Condition;
import io.enipam.diagnostics.explain.Explanation.SourceSummary;
import io.enipam.engine.Poolless;
import io.enipam.engine.port.CloudJournal;
import io.enipam.engine.port.CloudOperation;
import io.enipam.frontends.grpc.GrpcFailures;
import io.enipam.pluginhost.operator.PluginExplanations;
import io.enipam.pluginhost.operator.PluginExplanations.PluginExplanation;
import io.enipam.v1.ExplainReply;
import io.enipam.v1.ExplainRequest;
import io.enipam.v1.Explanation;
import io.enipam.v1.PendingOperation;
import io.enipam.v1.SourceStatement;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * {@code Explain}: the state of one address, pod, ENI or container, and why it is so, and what plugins say of a thing. Thread-safe.
 *
 * @param explainer empty in role CLUSTER
 */
record ExplainHandler(Optional<Explainer> explainer, PluginExplanations plugins) {
    /** Longer is no name of anything here. */
    private static final int LONGEST = 512;

    CompletionStage<ExplainReply> explain(ExplainRequest request) {
        String what = request.getWhat().strip();
        if (what.isEmpty() || what.length() > LONGEST) {
            throw GrpcFailures.invalid(
                    "nothing is named" + (what.isEmpty() ? "" : " so: that is too long"),
                    "name an address, a pod, an ENI or a container");
        }
        CompletionStage<List<PluginExplanation>> said = plugins.of(what);
        return explainer
                .map(node -> node.explain(what, request.getAnew()).thenCombine(said, ExplainHandler::reply))
                .orElseGet(() -> said.thenCompose(
                        all -> all.isEmpty() ? unknown(what) : CompletableFuture.completedStage(reply(what, all))));
    }

    private CompletionStage<ExplainReply> unknown(String what) {
        return plugins.unknown(what)
                .thenCompose(why -> CompletableFuture.failedFuture(why.orElseGet(Poolless::refusal)));
    }

    private static ExplainReply reply(String what, List<PluginExplanation> said) {
        return ExplainReply.newBuilder()
                .setWhat(what)
                .addAllPlugins(Proto.all(said, ExplainHandler::said))
                .build();
    }

    private static ExplainReply reply(Answer answer, List<PluginExplanation> said) {
        return Proto.fill(
                        ExplainReply.newBuilder()
                                .addAllThings(Proto.all(answer.things(), ExplainHandler::thing))
                                .addAllPlugins(Proto.all(said, ExplainHandler::said)),
                        answer)
                .build();
    }

    private static io.enipam.v1.PluginExplanation said(PluginExplanation said) {
        return io.enipam.v1.PluginExplanation.newBuilder()
                .setPlugin(said.plugin())
                .setCommand(said.command())
                .setAnswer(PluginHandler.answered(said.answer()))
                .build();
    }

    private static Explanation thing(io.enipam.diagnostics.explain.Explanation thing) {
        Condition condition = thing.condition();
        Explanation.Builder wire = Explanation.newBuilder()
                .addAllSays(Proto.all(thing.says(), ExplainHandler::statement))
                .addAllOperations(Proto.all(thing.operations(), ExplainHandler::operation));
        return Proto.fill(wire, thing, condition, condition.holder(), condition.location())
                .build();
    }

    private static SourceStatement statement(SourceSummary statement) {
        return Proto.fill(SourceStatement.newBuilder(), statement, statement.reply())
                .build();
    }

    private static PendingOperation operation(CloudJournal.Entry entry) {
        CloudOperation operation = entry.operation();
        String token = "";
        String words = operation.name() + " of " + operation.subject();
        if (operation instanceof CloudOperation.Assign assign) {
            token = assign.clientToken();
            words = "assign "
                    + (assign.ipv6Count() == 0
                            ? assign.count() + " addresses"
                            : assign.count() + " IPv4 and " + assign.ipv6Count() + " IPv6 addresses")
                    + " to " + assign.eni();
        } else if (operation instanceof CloudOperation.Unassign unassign) {
            words = "take " + String.join(", ", unassign.ips()) + " off " + unassign.eni();
        } else if (operation instanceof CloudOperation.Create create) {
            token = create.clientToken();
            words = "create an ENI in " + create.vswitch();
        } else if (operation instanceof CloudOperation.Attach attach) {
            words = "attach " + attach.eni() + " to " + attach.instance();
        } else if (operation instanceof CloudOperation.Detach detach) {
            words = "detach " + detach.eni() + " from " + detach.instance();
        } else if (operation instanceof CloudOperation.Delete delete) {
            words = "delete " + delete.eni();
        }
        return PendingOperation.newBuilder()
                .setName(operation.name())
                .setSince(Proto.timestamp(entry.since()))
                .setWords(words)
                .setClientToken(token)
                .build();
    }
}
