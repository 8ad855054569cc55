package io.enipam.emulator.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.enipam.emulator.api.Action.Result;
import io.enipam.emulator.cloud.CloudState.CachedResponse;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Idempotence by ClientToken: the same token with the same parameters gets the first answer again and nothing is done;
 * with other parameters it is an error. Refused calls are not remembered. A token is valid for 24 hours, and only the newest
 * thousand are kept.
 */
public final class ClientTokens {
    private static final Duration LIFETIME = Duration.ofHours(24);
    private static final int MOST = 1000;
    private static final int LENGTH = 64;

    private ClientTokens() {}

    /**
     * Does the action, unless its answer is remembered. Throws ApiException if the token is malformed or was used with
     * other parameters, or the action refuses.
     */
    public static Result apply(Action action, ActionCall call) {
        Optional<String> token = call.params().get("ClientToken");
        if (token.isEmpty() || !action.takesClientToken()) {
            return action.work().apply(call);
        }
        if (token.get().length() > LENGTH || !token.get().chars().allMatch(c -> c > ' ' && c <= '~')) {
            throw ApiError.INVALID_CLIENT_TOKEN.with();
        }
        String key = action.name() + ' ' + token.get();
        String fingerprint = call.params().fingerprint(Set.of());
        CachedResponse answered = call.state().answers().get(key);
        if (answered == null || expired(answered, call)) {
            Result outcome = action.work().apply(call);
            CachedResponse fresh =
                    new CachedResponse(fingerprint, outcome.body().deepCopy(), call.now());
            return new Result(
                    outcome.state().remembering(with(call.state().answers(), key, fresh, call)), outcome.body());
        }
        if (!answered.fingerprint().equals(fingerprint)) {
            throw ApiError.IDEMPOTENT_MISMATCH.with();
        }
        return new Result(call.state(), answered.body().<ObjectNode>deepCopy());
    }

    private static Map<String, CachedResponse> with(
            Map<String, CachedResponse> old, String key, CachedResponse fresh, ActionCall call) {
        Map<String, CachedResponse> answers = new LinkedHashMap<>(old);
        answers.remove(key);
        answers.put(key, fresh);
        Iterator<CachedResponse> oldest = answers.values().iterator();
        while (oldest.hasNext() && (expired(oldest.next(), call) || answers.size() > MOST)) {
            oldest.remove();
        }
        return answers;
    }

    private static boolean expired(CachedResponse answered, ActionCall call) {
        return answered.at().plus(LIFETIME).isBefore(call.now());
    }
}
