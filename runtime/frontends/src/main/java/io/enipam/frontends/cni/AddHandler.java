package io.enipam.frontends.cni;

import io.enipam.engine.EngineStatus.Phase;
import io.enipam.engine.lease.AddCommand;
import io.enipam.engine.lease.AddProcedure.AddOutcome;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.LinkRequest;
import io.enipam.engine.model.OwnerKey;
import io.enipam.frontends.cni.spec.CniArgs;
import io.enipam.frontends.cni.spec.CniErrorCode;
import io.enipam.frontends.cni.spec.CniException;
import io.enipam.frontends.cni.spec.CniResult;
import io.enipam.frontends.cni.spec.CniVariables;
import io.enipam.frontends.cni.spec.NetConf;
import io.enipam.frontends.cni.spec.ResultWriter;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/**
 * ADD. All that can be wrong with the call is found before anything is done, so that nothing has to be undone for it; the engine
 * undoes what it began. Thread-safe.
 */
final class AddHandler {
    /** The front gives up after 120 s, and shall hear the reason before. */
    static final Duration LONGEST = Duration.ofSeconds(110);

    private final CniContext parts;

    AddHandler(CniContext parts) {
        this.parts = parts;
    }

    byte[] run(CniVariables variables, NetConf conf) {
        LinkRequest link = link(variables, conf);
        CniArgs pod = CniArgs.read(variables.args(), conf);
        Optional<CniResult> previous = conf.previous();
        CniResult.Dns dns = conf.dns();
        OwnerKey owner = new OwnerKey(conf.name(), variables.containerId(), variables.ifName());
        Duration patience = parts.patience().get();
        Deadline deadline = Deadline.in(patience.compareTo(LONGEST) < 0 ? patience : LONGEST);

        deadline.awaitPhase(parts.engine(), Set.of(Phase.READY));
        NetnsGuard.requireSame(parts.connected(owner), variables.netns(), owner.containerId());
        String uid = parts.engine()
                .lease(owner)
                .map(Lease::podUid)
                .filter(known -> !known.isEmpty())
                .orElse(pod.uid());
        parts.pods().admit(pod.pod(), uid);
        AddOutcome outcome = deadline.outcome(
                parts.engine().add(new AddCommand(owner, pod.pod(), pod.uid(), link, deadline.left(), CniHandler.BY)),
                "the ADD");
        CniResult ours = CniResult.of(outcome.lease(), outcome.wiring(), dns);
        return ResultWriter.result(previous.map(ours::after).orElse(ours), conf.version());
    }

    private LinkRequest link(CniVariables variables, NetConf conf) {
        LinkRequest link = conf.link(variables.netns());
        NetnsGuard.check(variables.netns(), variables.anyNetns());
        parts.obstacle().ifPresent(why -> {
            throw new CniException(
                    CniErrorCode.KERNEL,
                    why,
                    "'enipam doctor' says what to do; datapath.use says whether it connects any");
        });
        return parts.kernel().real().isPresent() ? link : LinkRequest.simulated();
    }
}
