package io.enipam.frontends.cni;

import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.port.Trace;
import io.enipam.engine.port.TraceSink;
import io.enipam.frontends.cni.CniHandler.ClaimContext;
import io.enipam.frontends.cni.CniHandler.CniContext;
import io.enipam.frontends.cni.spec.CniArgs;
import io.enipam.frontends.cni.spec.CniResult;
import io.enipam.frontends.cni.spec.ResultJson;
import io.enipam.observability.history.CallMeter;
import io.enipam.sdk.CniService.CniAnswer;
import io.enipam.sdk.CniService.CniCall;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

/**
 * Passes calls on to an extension that answers them by itself, as they came. Its ADDs and DELs are traced, and counted among those of the
 * pool, as those of allocators are. Thread-safe.
 *
 * @param extension its name
 * @param network the name of the call's network; empty if it has none
 */
record ServiceHandler(CniContext context, String extension, Optional<String> network) {
    /** How much of an answer is reported elsewhere. */
    private static final int LONGEST_TOLD = 300;

    private record Passed(Map<String, String> environment, String configuration) implements CniCall {}

    /**
     * @param environment the variables that it gets
     * @param configuration standard input
     * @return completes with its answer, which may be an error, or fails as {@code Claims.serve}
     */
    CompletableFuture<CniAnswer> serve(Map<String, String> environment, byte[] configuration) {
        Optional<CniArgs> pod = CniArgs.in(environment.getOrDefault("CNI_ARGS", ""));
        return switch (environment.getOrDefault("CNI_COMMAND", "")) {
            case "ADD" -> {
                // in a sandbox there is the pod from now on
                pod.ifPresent(known -> context.pods().admit(known.pod(), known.uid()));
                yield followed(
                        served(environment, configuration),
                        claims().meters().add(),
                        begun(Trace.Operation.ADD, environment, pod));
            }
            case "DEL" ->
                followed(
                        served(environment, configuration),
                        claims().meters().del(),
                        begun(Trace.Operation.DEL, environment, pod));
            default -> served(environment, configuration);
        };
    }

    private CompletableFuture<CniAnswer> served(Map<String, String> environment, byte[] configuration) {
        Passed call = new Passed(Map.copyOf(environment), new String(configuration, StandardCharsets.UTF_8));
        return claims().claims().serve(extension, call);
    }

    private ClaimContext claims() {
        return context.claims();
    }

    private Trace begun(Trace.Operation operation, Map<String, String> environment, Optional<CniArgs> pod) {
        Optional<OwnerKey> owner = network.flatMap(name -> owner(name, environment));
        Trace trace =
                claims().traces().begin(operation, new TraceSink.Subject(owner, pod.map(CniArgs::pod), "", List.of()));
        trace.with("by", CniHandler.BY).with("extension", extension);
        return trace;
    }

    private static Optional<OwnerKey> owner(String network, Map<String, String> environment) {
        try {
            return Optional.of(new OwnerKey(
                    network,
                    environment.getOrDefault("CNI_CONTAINERID", ""),
                    environment.getOrDefault("CNI_IFNAME", "")));
        } catch (IllegalArgumentException e) {
            // the extension says what is wrong with it
            return Optional.empty();
        }
    }

    private static CompletableFuture<CniAnswer> followed(
            CompletableFuture<CniAnswer> answer, CallMeter meter, Trace trace) {
        CompletableFuture<CniAnswer> judged = meter.measured(() -> answer.thenApply(said -> {
            if (said.status() != 0) {
                throw new IpamException(ErrorCode.REFUSED, oneLine(said.stdout()), "");
            }
            if (trace.isRecording() && !said.stdout().isEmpty()) {
                ResultJson.read(said.stdout().getBytes(StandardCharsets.UTF_8))
                        .ifPresent(result -> trace.with("granted", granted(result)));
            }
            return said;
        }));
        Stages.traced(trace, judged);
        return answer;
    }

    private static String granted(CniResult result) {
        return result.addresses().stream().map(CniResult.Ip::address).collect(Collectors.joining(", "));
    }

    /** A text of JSON, for people. */
    static String oneLine(String json) {
        String line = json.lines().map(String::strip).collect(Collectors.joining(" "));
        return line.length() <= LONGEST_TOLD ? line : line.substring(0, LONGEST_TOLD) + "...";
    }
}
