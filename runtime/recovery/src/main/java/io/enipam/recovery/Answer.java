package io.enipam.recovery;

import java.util.List;

/**
 * What a witness said.
 *
 * @param known whether it answered; if not, nothing is concluded from the list, which is empty
 * @param told what it told
 * @param words how much that is, or why there is no answer; for people
 */
public record Answer<T>(boolean known, List<T> told, String words) {
    public Answer {
        told = List.copyOf(told);
    }

    public static <T> Answer<T> of(List<T> told, String words) {
        return new Answer<>(true, told, words);
    }

    public static <T> Answer<T> none(String why) {
        return new Answer<>(false, List.of(), why);
    }
}
