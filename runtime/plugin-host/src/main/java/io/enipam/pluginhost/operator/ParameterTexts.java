package io.enipam.pluginhost.operator;

import io.enipam.sdk.Setting;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The values of parameters as an operator writes them, of diagnostics and of commands. */
public final class ParameterTexts {
    private ParameterTexts() {}

    /**
     * The texts of values of which each was written as one.
     *
     * @param parameters those that there are; the value of one that is a list is divided at commas
     * @param written by name
     */
    public static Map<String, List<String>> separated(List<Setting<?>> parameters, Map<String, String> written) {
        Map<String, List<String>> texts = new TreeMap<>();
        written.forEach((name, value) -> {
            boolean list = parameters.stream().anyMatch(known -> known.name().equals(name) && known.list());
            texts.put(name, list ? List.of(value.split(",", -1)) : List.of(value));
        });
        return texts;
    }

    /** What is wrong with the values, in one line, as {@link io.enipam.sdk.Settings#of} says it of settings. */
    public static String problems(IllegalArgumentException refusal) {
        return String.valueOf(refusal.getMessage())
                .replace("\n", "; ")
                .replace("there is no such setting", "there is no such parameter");
    }
}
