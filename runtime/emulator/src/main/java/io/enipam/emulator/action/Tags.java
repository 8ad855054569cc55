package io.enipam.emulator.action;

import io.enipam.emulator.api.ApiError;
import io.enipam.emulator.api.ApiException;
import io.enipam.emulator.api.Params;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** {@code Tag.N.Key} and {@code Tag.N.Value}. */
final class Tags {
    private static final int MOST = 20;
    private static final int MOST_INDEXES = 100;
    private static final int KEY_LENGTH = 128;

    private Tags() {}

    /** Tags to put on something: key to value, which is empty if not given. */
    static Map<String, String> toPut(Params params) {
        Map<String, String> tags = new LinkedHashMap<>();
        toMatch(params).forEach((key, value) -> tags.put(key, value.orElse("")));
        if (tags.size() > MOST) {
            throw new ApiException(ApiError.TAG_QUOTA);
        }
        return tags;
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
