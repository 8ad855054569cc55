package io.enipam.emulator.action;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.enipam.emulator.api.Action;
import io.enipam.emulator.api.ApiError;
import io.enipam.emulator.api.ApiException;
import io.enipam.emulator.api.ActionCall;
import io.enipam.emulator.api.ActionResult;
import io.enipam.emulator.api.Params;
import io.enipam.emulator.cloud.CloudState;
import io.enipam.emulator.cloud.EmulatedEni;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Lists the tags of ENIs, of those named or of those that have all tags given. */
final class ListTagResources implements Action {
    private static final Page.Bounds BOUNDS = new Page.Bounds(1, 50, 0);

    @Override
    public String name() {
        return "ListTagResources";
    }

    @Override
    public ActionResult apply(ActionCall call, CloudState state) {
        Params params = call.params();
        TaggedEnis.requireEnis(params);
        List<String> ids = TaggedEnis.ids(params);
        Map<String, Optional<String>> tags = Tags.toMatch(params);
        if (ids.isEmpty() && tags.isEmpty()) {
            throw new ApiException(ApiError.MISSING_PARAMETER, "ResourceId.N");
        }
        List<EmulatedEni> found = state.enis().values().stream()
                .filter(eni -> !eni.tags().isEmpty())
                .filter(eni -> ids.isEmpty() || ids.contains(eni.id()))
                .filter(eni -> Tags.match(eni.tags(), tags))
                .toList();
        Page<EmulatedEni> page = Page.cut(params, found, EmulatedEni::sequence, BOUNDS);
        ObjectNode body = EniJson.body();
        body.put("NextToken", page.head().path("NextToken").asText());
        ArrayNode items = body.putObject("TagResources").putArray("TagResource");
        page.items()
                .forEach(eni -> eni.tags()
                        .forEach((key, value) -> items.addObject()
                                .put("ResourceId", eni.id())
                                .put("ResourceType", "eni")
                                .put("TagKey", key)
                                .put("TagValue", value)));
        return new ActionResult(state, body);
    }
}
