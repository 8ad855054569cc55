package io.enipam.frontends.rpc;

import io.enipam.diagnostics.explain.Explainer.Answer;
import io.enipam.diagnostics.explain.Explanation.Condition;
import io.enipam.diagnostics.explain.Explanation.HeldAddress;
import io.enipam.diagnostics.explain.Explanation.NextStep;
import io.enipam.diagnostics.explain.Explanation.SourceSummary;
import io.enipam.diagnostics.sources.compare.Difference;
import io.enipam.engine.port.CloudJournal;
import io.enipam.engine.port.CloudOperation;
import io.enipam.v1.EniAddress;
import io.enipam.v1.ExplainReply;
import io.enipam.v1.Explanation;
import io.enipam.v1.PendingOperation;
import io.enipam.v1.SourceDifference;
import io.enipam.v1.SourceStatement;
import io.enipam.v1.SourceWord;

/** Explanations on the wire. */
final class ExplanationMapper {
    private ExplanationMapper() {}

    static ExplainReply reply(Answer answer) {
        return ExplainReply.newBuilder()
                .setWhat(answer.what())
                .setAt(ProtoTime.timestamp(answer.at()))
                .setMore(answer.more())
                .addAllThings(
                        answer.things().stream().map(ExplanationMapper::thing).toList())
                .addAllLooked(answer.looked())
                .addAllNearest(answer.nearest())
                .build();
    }

    private static Explanation thing(io.enipam.diagnostics.explain.Explanation thing) {
        Condition condition = thing.condition();
        Explanation.Builder wire = Explanation.newBuilder()
                .setKind(thing.kind())
                .setName(thing.name())
                .setState(condition.state())
                .addAllWhy(condition.why())
                .addAllNext(
                        condition.next().stream().map(ExplanationMapper::next).toList())
                .setEni(condition.location().eni())
                .setAddressLimit(condition.location().addressLimit())
                .addAllAddresses(condition.location().addresses().stream()
                        .map(ExplanationMapper::address)
                        .toList())
                .addAllSays(
                        thing.says().stream().map(ExplanationMapper::statement).toList())
                .addAllDifferences(thing.differences().stream()
                        .map(ExplanationMapper::difference)
                        .toList())
                .addAllOperations(thing.operations().stream()
                        .map(ExplanationMapper::operation)
                        .toList())
                .addAllCalls(thing.calls().stream().map(ApiCallMapper::call).toList())
                .addAllEvents(thing.events().stream().map(EventMapper::event).toList());
        condition.since().ifPresent(at -> wire.setSince(ProtoTime.timestamp(at)));
        condition.until().ifPresent(at -> wire.setUntil(ProtoTime.timestamp(at)));
        condition.holder().pod().ifPresent(pod -> wire.setPod(pod.toString()));
        condition.holder().owner().ifPresent(owner -> wire.setOwner(LeaseMapper.owner(owner)));
        condition.location().resource().ifPresent(resource -> wire.setResource(LeaseMapper.resource(resource)));
        return wire.build();
    }

    private static io.enipam.v1.NextStep next(NextStep step) {
        io.enipam.v1.NextStep.Builder wire = io.enipam.v1.NextStep.newBuilder().setWhat(step.what());
        step.at().ifPresent(at -> wire.setAt(ProtoTime.timestamp(at)));
        return wire.build();
    }

    private static EniAddress address(HeldAddress held) {
        EniAddress.Builder wire = EniAddress.newBuilder()
                .setAddress(held.address())
                .setPrimary(held.primary())
                .setState(held.state());
        held.pod().ifPresent(pod -> wire.setPod(pod.toString()));
        return wire.build();
    }

    private static SourceStatement statement(SourceSummary statement) {
        SourceStatement.Builder wire = SourceStatement.newBuilder()
                .setSource(statement.reply().source())
                .setState(statement.reply().state().name())
                .setAt(ProtoTime.timestamp(statement.reply().at()))
                .setAge(ProtoTime.duration(statement.age()))
                .addAllWords(statement.words())
                .setCode(statement.reply().code())
                .setDiffers(statement.differs());
        statement.since().ifPresent(at -> wire.setSince(ProtoTime.timestamp(at)));
        return wire.build();
    }

    static SourceDifference difference(Difference difference) {
        SourceDifference.Builder wire =
                SourceDifference.newBuilder().setKind(difference.kind().name()).setWhat(difference.what());
        difference
                .says()
                .forEach((source, words) ->
                        wire.addSays(SourceWord.newBuilder().setSource(source).setWords(words)));
        return wire.build();
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
                .setSince(ProtoTime.timestamp(entry.since()))
                .setWords(words)
                .setClientToken(token)
                .build();
    }
}
