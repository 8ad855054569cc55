package io.enipam.pluginhost.operator;

import io.enipam.engine.model.IpamException;
import io.enipam.pluginhost.guard.PluginText;
import io.enipam.pluginhost.operator.OperatorParts.OfferedService;
import io.enipam.sdk.CommandSpec.Impact;
import io.enipam.sdk.RpcCall;
import io.enipam.sdk.RpcException;
import io.enipam.sdk.RpcException.Code;
import io.enipam.sdk.RpcMethod;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Calls the methods of services that parts of plugins bring, each within its deadline on a thread of its plugin. Thread-safe; nothing
 * blocks.
 */
public record PluginRpc(PluginCommands commands) {
    private static final Duration READ = Duration.ofSeconds(5);
    private static final Duration CHANGE = Duration.ofSeconds(30);

    /** What a method answers in place of a reply, with what the plugin says of it in one line. Keeps nothing of the plugin. */
    public static final class Status extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final Code code;

        /** On the plugin's thread. */
        Status(RpcException said) {
            super(PluginText.line(said.getMessage()), null, false, false);
            this.code = Objects.requireNonNullElse(said.code(), Code.INTERNAL);
        }

        public Code code() {
            return code;
        }
    }

    /** Whether a part may still say that it serves what is not served now. */
    public boolean unsettled() {
        return commands.unsettled();
    }

    /** The service of this name, if a part that runs brings it. */
    public Optional<OfferedService> service(String name) {
        return commands.parts().service(name);
    }

    /** Those of all parts. */
    public List<OfferedService> services() {
        return commands.parts().services();
    }

    /** @return fails with {@link Status} or {@link IpamException} */
    public CompletableFuture<byte[]> unary(OfferedService service, RpcMethod.Unary method, RpcCall call) {
        record Said(Optional<byte[]> reply, Optional<Status> status) {}
        String what = service.service().name() + "/" + method.name();
        return service.calls()
                .call(what, method.impact() == Impact.READ ? READ : CHANGE, () -> {
                    try {
                        return new Said(Optional.of(method.answer().apply(call)), Optional.empty());
                    } catch (RpcException e) {
                        // an answer like any other, as far as the breaker goes
                        return new Said(Optional.empty(), Optional.of(new Status(e)));
                    }
                })
                .handle((said, failure) -> {
                    if (failure != null) {
                        throw PluginCommands.told(failure);
                    }
                    return said.reply().orElseThrow(said.status()::get);
                });
    }

    /**
     * Has a caller read a stream. What ends it is a {@link Status} or an {@link IpamException}.
     *
     * @throws IpamException if there are too many streams
     */
    public FeedReader<byte[]> stream(
            OfferedService service, RpcMethod.Streaming method, RpcCall call, FeedReader.Reader<byte[]> caller) {
        return commands.parts()
                .follow(
                        service.part(),
                        service.service().name() + "/" + method.name(),
                        service.calls(),
                        more -> {
                            try {
                                return method.open().apply(call, more);
                            } catch (RpcException e) {
                                return most -> {
                                    throw e;
                                };
                            }
                        },
                        caller);
    }
}
