package io.enipam.emulator.action;

import io.enipam.emulator.api.Action;
import io.enipam.emulator.api.ApiError;
import io.enipam.emulator.api.ApiException;
import io.enipam.emulator.api.ActionCall;
import io.enipam.emulator.api.ActionResult;
import io.enipam.emulator.cloud.CloudState;
import io.enipam.emulator.cloud.EmulatedEni;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Takes tags off ENIs: those of the keys given, or all if that is asked for; a key that is not there does not matter. */
final class UntagResources implements Action {
    @Override
    public String name() {
        return "UntagResources";
    }

    @Override
    public ActionResult apply(ActionCall call, CloudState state) {
        List<String> keys = call.params().list("TagKey", Tags.MOST);
        boolean all = keys.isEmpty() && call.params().bool("All").orElse(false);
        if (keys.isEmpty() && !all) {
            throw new ApiException(ApiError.MISSING_PARAMETER, "TagKey.N");
        }
        CloudState after = state;
        for (EmulatedEni eni : TaggedEnis.named(call.params(), state)) {
            Map<String, String> tags = new LinkedHashMap<>(all ? Map.of() : eni.tags());
            keys.forEach(tags::remove);
            after = after.changed(eni.tagged(tags));
        }
        return new ActionResult(after, EniJson.body());
    }
}
