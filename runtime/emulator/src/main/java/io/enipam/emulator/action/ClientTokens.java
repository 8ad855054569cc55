package io.enipam.emulator.action;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.enipam.emulator.api.Action;
import io.enipam.emulator.api.ApiError;
import io.enipam.emulator.api.ApiException;
import io.enipam.emulator.api.ActionCall;
import io.enipam.emulator.api.ActionResult;
import io.enipam.emulator.cloud.CachedResponse;
import io.enipam.emulator.cloud.CloudState;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Idempotence by ClientToken: the same token with the same parameters gets the first answer again and nothing is done;
 * with other parameters it is an error. Refused calls are not remembered. A token is good for 24 hours, and of tokens the
 * newest thousand.
 */
public final class ClientTokens {
    private static final Duration LIFETIME = Duration.ofHours(24);
    private static final int MOST = 1000;
    private static final int LENGTH = 64;

    private ClientTokens() {}

    /**
     * Does the action, unless its answer is remembered.
     *
     * @throws ApiException if the token is malformed or was used with other parameters, or the action refuses
     */
    public static ActionResult apply(Action action, ActionCall call, CloudState state) {
        Optional<String> token = call.params().get("ClientToken");
        if (token.isEmpty() || !action.takesClientToken()) {
            return action.apply(call, state);
        }
        if (token.get().length() > LENGTH || !token.get().chars().allMatch(c -> c > ' ' && c <= '~')) {
            throw new ApiException(ApiError.INVALID_CLIENT_TOKEN);
        }
        String key = action.name() + ' ' + token.get();
        String fingerprint = RequestFingerprint.of(call.params().all(), Set.of());
        CachedResponse answered = state.answers().get(key);
        if (answered == null || expired(answered, call)) {
            ActionResult outcome = action.apply(call, state);
            CachedResponse fresh = new CachedResponse(fingerprint, outcome.body().deepCopy(), call.now());
            return new ActionResult(outcome.state().remembering(with(state.answers(), key, fresh, call)), outcome.body());
        }
        if (!answered.fingerprint().equals(fingerprint)) {
            throw new ApiException(ApiError.IDEMPOTENT_MISMATCH);
        }
        return new ActionResult(state, answered.body().<ObjectNode>deepCopy());
    }

    private static Map<String, CachedResponse> with(Map<String, CachedResponse> old, String key, CachedResponse fresh, ActionCall call) {
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
