package io.enipam.emulator.api;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.enipam.emulator.api.Action.Result;
import io.enipam.emulator.cloud.CloudState;
import io.enipam.emulator.cloud.EmulatedEni;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** The actions on tags. ENIs alone have tags here: {@code Tag.N.Key} and {@code Tag.N.Value}. */
final class TagActions {
    /** Tags of one resource, and in one call. */
    private static final int MOST = 20;

    private static final int MOST_INDEXES = 100;
    private static final int KEY_LENGTH = 128;
    private static final int MOST_RESOURCES = 50;
    private static final int MOST_RESOURCES_LISTED = 1000;
    private static final String TYPE = "eni";
    private static final Page.Bounds BOUNDS = new Page.Bounds(1, 50, 0);

    private TagActions() {}

    /** TagResources: a tag with a key that is there already gets the new value. */
    static Result tag(ActionCall call) {
        Map<String, String> more = given(call.params());
        if (more.isEmpty()) {
            throw ApiError.MISSING_PARAMETER.with("Tag.N");
        }
        if (more.size() > MOST) {
            throw ApiError.TOO_MANY_TAGS.with(MOST);
        }
        return changeEach(call, tags -> {
            tags.putAll(more);
            refuseTooMany(tags);
        });
    }

    /** UntagResources: removes the keys given, or all; a key that is not there does not matter. */
    static Result untag(ActionCall call) {
        List<String> keys = call.params().list("TagKey", MOST);
        boolean all = keys.isEmpty() && call.params().bool("All").orElse(false);
        if (keys.isEmpty() && !all) {
            throw ApiError.MISSING_PARAMETER.with("TagKey.N");
        }
        return changeEach(call, tags -> {
            if (all) {
                tags.clear();
            }
            keys.forEach(tags::remove);
        });
    }

    /** ListTagResources: the tags of the ENIs named, or of those that have all tags given. */
    static Result list(ActionCall call) {
        Params params = call.params();
        requireEnis(params);
        List<String> ids = ids(params);
        Map<String, Optional<String>> wanted = toMatch(params);
        if (ids.isEmpty() && wanted.isEmpty()) {
            throw ApiError.MISSING_PARAMETER.with("ResourceId.N");
        }
        List<EmulatedEni> found = call.state().enis().values().stream()
                .filter(eni -> !eni.attributes().tags().isEmpty())
                .filter(eni -> ids.isEmpty() || ids.contains(eni.id()))
                .filter(eni -> match(eni.attributes().tags(), wanted))
                .toList();
        Page<EmulatedEni> page = Page.cut(params, found, EmulatedEni::sequence, BOUNDS);
        ObjectNode body =
                ActionCall.body().put("NextToken", page.head().path("NextToken").asText());
        ArrayNode items = body.putObject("TagResources").putArray("TagResource");
        page.items()
                .forEach(eni -> eni.attributes()
                        .tags()
                        .forEach((key, value) -> items.addObject()
                                .put("ResourceId", eni.id())
                                .put("ResourceType", TYPE)
                                .put("TagKey", key)
                                .put("TagValue", value)));
        return call.answer(body);
    }

    private static Result changeEach(ActionCall call, Consumer<Map<String, String>> change) {
        Params params = call.params();
        requireEnis(params);
        CloudState after = call.state();
        List<EmulatedEni> enis = new ArrayList<>();
        for (String id : ids(params)) {
            enis.add(after.eni(id).orElseThrow(() -> ApiError.RESOURCE_NOT_FOUND.with(id)));
        }
        if (enis.isEmpty()) {
            throw ApiError.MISSING_PARAMETER.with("ResourceId.N");
        }
        for (EmulatedEni eni : enis) {
            Map<String, String> tags = new LinkedHashMap<>(eni.attributes().tags());
            change.accept(tags);
            after = after.changed(eni.tagged(tags));
        }
        return new Result(after, ActionCall.body());
    }

    private static void requireEnis(Params params) {
        String type = params.require("ResourceType");
        if (!type.equals(TYPE)) {
            throw ApiError.INVALID_RESOURCE_TYPE.with(type);
        }
    }

    private static List<String> ids(Params params) {
        List<String> ids = params.list("ResourceId", MOST_RESOURCES_LISTED);
        if (ids.size() > MOST_RESOURCES) {
            throw ApiError.TOO_MANY_RESOURCES.with(MOST_RESOURCES);
        }
        return ids;
    }

    /** Tags to put on a new ENI: key to value, which is empty if not given. */
    static Map<String, String> toPut(Params params) {
        Map<String, String> tags = given(params);
        refuseTooMany(tags);
        return tags;
    }

    private static Map<String, String> given(Params params) {
        Map<String, String> tags = new LinkedHashMap<>();
        toMatch(params).forEach((key, value) -> tags.put(key, value.orElse("")));
        return tags;
    }

    private static void refuseTooMany(Map<String, String> tags) {
        if (tags.size() > MOST) {
            throw ApiError.TAG_QUOTA.with();
        }
    }

    /** Whether a resource with these tags has all those looked for. */
    static boolean match(Map<String, String> tags, Map<String, Optional<String>> wanted) {
        return wanted.entrySet().stream().allMatch(tag -> {
            String actual = tags.get(tag.getKey());
            return actual != null && tag.getValue().map(actual::equals).orElse(true);
        });
    }

    /** Tags to look for: key to value, or to empty for any value. */
    static Map<String, Optional<String>> toMatch(Params params) {
        Map<Integer, String> values = params.indexed("Tag", ".Value", MOST_INDEXES);
        Map<Integer, String> keys = params.indexed("Tag", ".Key", MOST_INDEXES);
        values.keySet().stream().filter(index -> !keys.containsKey(index)).forEach(index -> {
            throw ApiError.TAG_KEY_MALFORMED.with(index);
        });
        Map<String, Optional<String>> tags = new LinkedHashMap<>();
        keys.forEach((index, key) -> {
            if (key.length() > KEY_LENGTH) {
                throw ApiError.TAG_KEY_MALFORMED.with(index);
            }
            if (tags.putIfAbsent(key, Optional.ofNullable(values.get(index))) != null) {
                throw ApiError.TAG_KEY_DUPLICATED.with(key);
            }
        });
        return tags;
    }
}
