package io.enipam.engine.trace;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A few texts by name, as small as they can be kept. Guarded by the recording's lock. */
final class SpanAttributes {
    /** Longer texts are cut. */
    static final int LONGEST = 500;

    private static final int MOST = 16;

    /** Key, value, key, value. */
    private List<String> texts = List.of();

    /** An empty text says nothing. */
    void put(String key, String value) {
        if (value.isEmpty()) {
            return;
        }
        if (texts.isEmpty()) {
            texts = new ArrayList<>(4);
        }
        for (int at = 0; at < texts.size(); at += 2) {
            if (texts.get(at).equals(key)) {
                texts.set(at + 1, shortened(value));
                return;
            }
        }
        if (texts.size() < 2 * MOST) {
            texts.add(key);
            texts.add(shortened(value));
        }
    }

    int bytes() {
        int bytes = 0;
        for (int i = 1; i < texts.size(); i += 2) {
            bytes += 64 + 2 * texts.get(i).length();
        }
        return bytes;
    }

    Map<String, String> map() {
        Map<String, String> map = new LinkedHashMap<>();
        for (int i = 0; i + 1 < texts.size(); i += 2) {
            map.put(texts.get(i), texts.get(i + 1));
        }
        return map;
    }

    static String shortened(String text) {
        return text.length() <= LONGEST ? text : text.substring(0, LONGEST - 1) + "…";
    }
}
