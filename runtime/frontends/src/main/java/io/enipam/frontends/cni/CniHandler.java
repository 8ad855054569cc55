package io.enipam.frontends.cni;

import io.enipam.diagnostics.readiness.AddReadiness;

import io.enipam.cni.CniResponse;
import io.enipam.cni.CniRequest;
import io.enipam.frontends.cni.spec.CniErrorCode;
import io.enipam.frontends.cni.spec.CniException;
import io.enipam.frontends.cni.spec.CniCommand;
import io.enipam.frontends.cni.spec.NetConf;
import io.enipam.frontends.cni.spec.ResultWriter;
import io.enipam.frontends.cni.spec.SpecVersion;
import io.enipam.frontends.cni.spec.CniVariables;
import io.enipam.engine.model.Event;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.port.EventSink;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Serves the calls of container runtimes, each on its own thread: an answer takes as long as the engine does. Thread-safe. */
public final class CniHandler {
    /** Who asks, in the story of each call. */
    static final String BY = "cni";

    private static final Logger LOG = LoggerFactory.getLogger(CniHandler.class);
    private static final byte[] NOTHING = new byte[0];

    private final CniContext parts;
    private final EventSink events;
    private final BiConsumer<String, Integer> count;

    /**
     * @param count told of each call that is answered: its command, {@code OTHER} for one that there is not, and the code of the
     *     answer, 0 for success
     */
    public CniHandler(CniContext parts, EventSink events, BiConsumer<String, Integer> count) {
        this.parts = parts;
        this.events = events;
        this.count = count;
    }

    /** Answers a call; never throws. */
    public CniResponse handle(CniRequest request) {
        String command = request.environment().getOrDefault("CNI_COMMAND", "");
        if (command.isEmpty()) {
            return about();
        }
        try {
            byte[] stdout = serve(request);
            count.accept(command, CniErrorCode.NONE);
            return new CniResponse(0, stdout, NOTHING);
        } catch (CniException e) {
            return refused(request, command, e);
        } catch (IpamException e) {
            return refused(request, command, CniException.of(e));
        } catch (RuntimeException e) {
            LOG.error("a call of the CNI failed in a way nobody foresaw", e);
            return refused(
                    request, command, new CniException(CniErrorCode.INTERNAL, command + " failed: " + e, "this is a bug"));
        }
    }

    private byte[] serve(CniRequest request) {
        CniVariables variables = CniVariables.read(request.environment());
        if (variables.command() == CniCommand.VERSION) {
            return ResultWriter.versions(version(request));
        }
        NetConf conf = NetConf.read(request.stdin(), variables.command());
        return switch (variables.command()) {
            case ADD -> new AddHandler(parts).run(variables, conf);
            case DEL -> silent(() -> new DelHandler(parts).run(variables, conf));
            case CHECK -> silent(() -> new CheckHandler(parts).run(variables, conf));
            case GC -> silent(() -> new GcHandler(parts, events).run(conf));
            case STATUS -> silent(this::status);
            case VERSION -> throw new IllegalStateException("answered before");
        };
    }

    private static byte[] silent(Runnable command) {
        command.run();
        return NOTHING;
    }

    private void status() {
        AddReadiness.Result verdict = parts.readiness().evaluateForRuntime();
        if (verdict.code() != CniErrorCode.NONE) {
            throw new CniException(
                    verdict.code(),
                    String.join("; ", verdict.reasons()),
                    "'enipam status' and 'enipam doctor' tell more");
        }
    }

    private static SpecVersion version(CniRequest request) {
        return NetConf.versionIn(request.stdin()).orElse(SpecVersion.LATEST);
    }

    private CniResponse refused(CniRequest request, String command, CniException refusal) {
        String known = known(command);
        count.accept(known, refusal.code());
        // the engine has told of an ADD that it refused, and a STATUS is asked every few seconds
        boolean told = known.equals("STATUS") || known.equals("ADD") && refusal.getCause() instanceof IpamException;
        if (!told) {
            events.publish(
                    Event.Severity.WARNING,
                    "CniCallFailed",
                    "cni",
                    known + " answered with code " + refusal.code() + ": " + refusal.getMessage(),
                    Map.of("command", known, "code", Integer.toString(refusal.code())));
        }
        return new CniResponse(
                1,
                ResultWriter.error(version(request), refusal),
                ("enipam-cni: " + refusal.getMessage() + "\n").getBytes(StandardCharsets.UTF_8));
    }

    private static String known(String command) {
        for (CniCommand each : CniCommand.values()) {
            if (each.name().equals(command)) {
                return command;
            }
        }
        return "OTHER";
    }

    /** What the reference library does where a person calls a plugin: it is told to whoever looks, and is no error. */
    private static CniResponse about() {
        String text = "enipam-cni: connects pods to the VPC by ENI addresses; called by a container runtime\n"
                + "CNI protocol versions supported: " + String.join(", ", SpecVersion.texts()) + "\n";
        return new CniResponse(0, NOTHING, text.getBytes(StandardCharsets.UTF_8));
    }
}
