package io.enipam.emulator.action;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.enipam.emulator.api.Action;
import io.enipam.emulator.api.ApiError;
import io.enipam.emulator.api.ApiException;
import io.enipam.emulator.api.Call;
import io.enipam.emulator.api.Outcome;
import io.enipam.emulator.cloud.Answered;
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
    public static Outcome apply(Action action, Call call, CloudState state) {
        Optional<String> token = call.params().get("ClientToken");
        if (token.isEmpty() || !action.takesClientToken()) {
            return action.apply(call, state);
        }
        if (token.get().length() > LENGTH || !token.get().chars().allMatch(c -> c > ' ' && c <= '~')) {
            throw new ApiException(ApiError.INVALID_CLIENT_TOKEN);
        }
        String key = action.name() + ' ' + token.get();
        String fingerprint = Fingerprint.of(call.params().all(), Set.of());
        Answered answered = state.answers().get(key);
        if (answered == null || expired(answered, call)) {
            Outcome outcome = action.apply(call, state);
            Answered fresh = new Answered(fingerprint, outcome.body().deepCopy(), call.now());
            return new Outcome(outcome.state().remembering(with(state.answers(), key, fresh, call)), outcome.body());
        }
        if (!answered.fingerprint().equals(fingerprint)) {
            throw new ApiException(ApiError.IDEMPOTENT_MISMATCH);
        }
        return new Outcome(state, answered.body().<ObjectNode>deepCopy());
    }

    private static Map<String, Answered> with(Map<String, Answered> old, String key, Answered fresh, Call call) {
        Map<String, Answered> answers = new LinkedHashMap<>(old);
        answers.remove(key);
        answers.put(key, fresh);
        Iterator<Answered> oldest = answers.values().iterator();
        while (oldest.hasNext() && (expired(oldest.next(), call) || answers.size() > MOST)) {
            oldest.remove();
        }
        return answers;
    }

    private static boolean expired(Answered answered, Call call) {
        return answered.at().plus(LIFETIME).isBefore(call.now());
    }
}
