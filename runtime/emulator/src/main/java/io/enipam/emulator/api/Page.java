package io.enipam.emulator.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.function.ToLongFunction;

/**
 * Part of a listing, cut by either of the API's two ways: MaxResults and NextToken, or PageNumber and PageSize. The
 * head of the answer says where the page is and how many items there are.
 */
record Page<T>(List<T> items, ObjectNode head) {
    /** Bounds of MaxResults and PageSize; where the most is 0, there is no such way. */
    record Bounds(int leastResults, int mostResults, int mostPageSize) {}

    private static final int DEFAULT = 10;
    private static final int LAST_PAGE = 1_000_000;
    private static final int QUERY_CHARACTERS = 16;
    /** What may change from page to page. */
    private static final Set<String> CUTTING = Set.of("MaxResults", "NextToken", "PageNumber", "PageSize");

    /**
     * Cuts a page out of all items. They are sorted by {@code order}, a number that an item keeps, so that a token
     * stays good while other items come and go.
     */
    static <T> Page<T> cut(Params params, List<T> all, ToLongFunction<T> order, Bounds bounds) {
        boolean byToken =
                params.get("MaxResults").isPresent() || params.get("NextToken").isPresent();
        return bounds.mostPageSize() == 0 || (bounds.mostResults() > 0 && byToken)
                ? byToken(params, all, order, bounds)
                : byNumber(params, all, bounds);
    }

    private static <T> Page<T> byToken(Params params, List<T> all, ToLongFunction<T> order, Bounds bounds) {
        // a listing that knows tokens alone is whole unless the client asks for less
        int size = params.integer("MaxResults", bounds.leastResults(), bounds.mostResults())
                .orElse(bounds.mostPageSize() == 0 ? bounds.mostResults() : DEFAULT);
        String query = params.fingerprint(CUTTING).substring(0, QUERY_CHARACTERS);
        long after = params.get("NextToken").map(token -> decode(token, query)).orElse(-1L);
        List<T> rest =
                all.stream().filter(item -> order.applyAsLong(item) > after).toList();
        List<T> items = rest.stream().limit(size).toList();
        String last = items.size() < rest.size() ? query + ":" + order.applyAsLong(items.get(size - 1)) : "";
        String next = Base64.getUrlEncoder().withoutPadding().encodeToString(last.getBytes(StandardCharsets.UTF_8));
        return new Page<>(items, ActionCall.body().put("TotalCount", all.size()).put("NextToken", next));
    }

    private static <T> Page<T> byNumber(Params params, List<T> all, Bounds bounds) {
        int number = params.integer("PageNumber", 1, LAST_PAGE).orElse(1);
        int size = params.integer("PageSize", 1, bounds.mostPageSize()).orElse(DEFAULT);
        List<T> items = all.stream().skip((number - 1L) * size).limit(size).toList();
        ObjectNode head = ActionCall.body().put("TotalCount", all.size());
        return new Page<>(items, head.put("PageNumber", number).put("PageSize", size));
    }

    /** Where a token says to go on, if it was given out for this query. */
    private static long decode(String token, String query) {
        try {
            String text = new String(Base64.getUrlDecoder().decode(token), StandardCharsets.UTF_8);
            // the number of a token for another query is none
            return Long.parseLong(text.startsWith(query + ":") ? text.substring(query.length() + 1) : "");
        } catch (IllegalArgumentException malformed) {
            throw Params.invalid("NextToken");
        }
    }
}
