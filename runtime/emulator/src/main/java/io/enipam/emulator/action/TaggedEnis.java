package io.enipam.emulator.action;

import io.enipam.emulator.api.ApiError;
import io.enipam.emulator.api.ApiException;
import io.enipam.emulator.api.Params;
import io.enipam.emulator.cloud.CloudState;
import io.enipam.emulator.cloud.EmulatedEni;
import java.util.ArrayList;
import java.util.List;

/** The resources that the tag actions name. ENIs alone have tags here. */
final class TaggedEnis {
    private static final int MOST = 50;
    private static final int MOST_LISTED = 1000;
    private static final String TYPE = "eni";

    private TaggedEnis() {}

    /** Fails if the resources are no ENIs. */
    static void requireEnis(Params params) {
        String type = params.require("ResourceType");
        if (!type.equals(TYPE)) {
            throw new ApiException(ApiError.INVALID_RESOURCE_TYPE, type);
        }
    }

    /** The ids given, which may be none. */
    static List<String> ids(Params params) {
        List<String> ids = params.list("ResourceId", MOST_LISTED);
        if (ids.size() > MOST) {
            throw new ApiException(ApiError.TOO_MANY_RESOURCES, MOST);
        }
        return ids;
    }

    /** The ENIs given: at least one, and all there. */
    static List<EmulatedEni> named(Params params, CloudState state) {
        requireEnis(params);
        List<EmulatedEni> enis = new ArrayList<>();
        for (String id : ids(params)) {
            enis.add(state.eni(id).orElseThrow(() -> new ApiException(ApiError.RESOURCE_NOT_FOUND, id)));
        }
        if (enis.isEmpty()) {
            throw new ApiException(ApiError.MISSING_PARAMETER, "ResourceId.N");
        }
        return enis;
    }
}
