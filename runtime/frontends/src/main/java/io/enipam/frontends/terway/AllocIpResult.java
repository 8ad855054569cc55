package io.enipam.frontends.terway;

import io.enipam.terway.rpc.AllocIPReply;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * What an allocation came to.
 *
 * @param reply for the plugin
 * @param undo gives back what this call was given, and nothing of a call before
 */
record AllocIpResult(AllocIPReply reply, Supplier<CompletionStage<?>> undo) {
    CompletionStage<?> takeBack() {
        return undo.get();
    }
}
