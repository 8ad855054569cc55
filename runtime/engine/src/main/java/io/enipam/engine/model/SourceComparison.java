package io.enipam.engine.model;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * What two sources say of the same things, matched by key: what one alone has, what the other alone has, and what both have. Each
 * list keeps the order of its source. Pure; what a difference means is the caller's decision.
 */
public record SourceComparison<A, B>(List<A> left, List<B> right, List<Match<A, B>> both) {
    public record Match<A, B>(A left, B right) {}

    /**
     * @param leftKey what identifies a thing in the first source; of several with one key each is matched
     * @param rightKey the same in the second source; of several with one key the first is matched with the first source's
     */
    public static <K, A, B> SourceComparison<A, B> of(
            Collection<A> left, Function<A, K> leftKey, Collection<B> right, Function<B, K> rightKey) {
        Map<K, B> byKey = new HashMap<>();
        right.forEach(one -> byKey.putIfAbsent(rightKey.apply(one), one));
        Map<K, A> matched = new HashMap<>();
        List<A> leftOnly = new ArrayList<>();
        List<Match<A, B>> both = new ArrayList<>();
        for (A one : left) {
            K key = leftKey.apply(one);
            B other = byKey.get(key);
            if (other == null) {
                leftOnly.add(one);
            } else {
                matched.put(key, one);
                both.add(new Match<>(one, other));
            }
        }
        List<B> rightOnly = right.stream()
                .filter(one -> !matched.containsKey(rightKey.apply(one)))
                .toList();
        return new SourceComparison<>(leftOnly, rightOnly, both);
    }
}
