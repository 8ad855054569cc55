package io.enipam.emulator.action;

import io.enipam.emulator.api.Action;
import io.enipam.emulator.api.ApiError;
import io.enipam.emulator.api.ApiException;
import io.enipam.emulator.api.ActionCall;
import io.enipam.emulator.api.ActionResult;
import io.enipam.emulator.cloud.CloudState;
import io.enipam.emulator.cloud.EmulatedEni;
import java.util.LinkedHashMap;
import java.util.Map;

/** Puts tags on ENIs; a tag with a key that is there already gets the new value. */
final class TagResources implements Action {
    @Override
    public String name() {
        return "TagResources";
    }

    @Override
    public ActionResult apply(ActionCall call, CloudState state) {
        Map<String, String> more = Tags.given(call.params());
        if (more.isEmpty()) {
            throw new ApiException(ApiError.MISSING_PARAMETER, "Tag.N");
        }
        if (more.size() > Tags.MOST) {
            throw new ApiException(ApiError.TOO_MANY_TAGS, Tags.MOST);
        }
        CloudState after = state;
        for (EmulatedEni eni : TaggedEnis.named(call.params(), state)) {
            Map<String, String> tags = new LinkedHashMap<>(eni.tags());
            tags.putAll(more);
            Tags.refuseTooMany(tags);
            after = after.changed(eni.tagged(tags));
        }
        return new ActionResult(after, EniJson.body());
    }
}
