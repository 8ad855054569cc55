package io.enipam.emulator.action;

import io.enipam.emulator.api.ApiError;
import io.enipam.emulator.api.ApiException;
import io.enipam.emulator.api.Params;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** {@code Tag.N.Key} and {@code Tag.N.Value}. */
final class Tags {
    /** Of one resource, and in one call. */
    static final int MOST = 20;

    private static final int MOST_INDEXES = 100;
    private static final int KEY_LENGTH = 128;

    private Tags() {}

    /** Tags to put on something new: key to value, which is empty if not given. */
    static Map<String, String> toPut(Params params) {
        Map<String, String> tags = given(params);
        refuseTooMany(tags);
        return tags;
    }

    /** Tags to put on something, however many: key to value, which is empty if not given. */
    static Map<String, String> given(Params params) {
        Map<String, String> tags = new LinkedHashMap<>();
        toMatch(params).forEach((key, value) -> tags.put(key, value.orElse("")));
        return tags;
    }

    /** Fails if a resource cannot have that many. */
    static void refuseTooMany(Map<String, String> tags) {
        if (tags.size() > MOST) {
            throw new ApiException(ApiError.TAG_QUOTA);
        }
    }

    /** Whether something with these tags has all those looked for. */
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
        values.keySet().forEach(index -> {
            if (!keys.containsKey(index)) {
                throw new ApiException(ApiError.TAG_KEY_MALFORMED, index);
            }
        });
        Map<String, Optional<String>> tags = new LinkedHashMap<>();
        keys.forEach((index, key) -> {
            if (key.length() > KEY_LENGTH) {
                throw new ApiException(ApiError.TAG_KEY_MALFORMED, index);
            }
            if (tags.putIfAbsent(key, Optional.ofNullable(values.get(index))) != null) {
                throw new ApiException(ApiError.TAG_KEY_DUPLICATED, key);
            }
        });
        return tags;
    }
}
