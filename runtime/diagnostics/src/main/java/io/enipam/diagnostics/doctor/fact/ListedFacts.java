package io.enipam.diagnostics.doctor.fact;

import java.util.List;

/**
 * Where the watch's memory and a list of the API server differ, in two looks.
 *
 * @param unheard pods that the list has and the watch does not
 * @param left pods that the watch has and the list does not
 */
public record ListedFacts(List<String> unheard, List<String> left) {
    public ListedFacts {
        unheard = List.copyOf(unheard);
        left = List.copyOf(left);
    }
}
