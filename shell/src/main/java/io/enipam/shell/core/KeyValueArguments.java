package io.enipam.shell.core;

import io.enipam.shell.attach.ShellException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Names and their values as they are typed, {@code NAME=VALUE}, each name once. */
public final class KeyValueArguments {
    private KeyValueArguments() {}

    /**
     * The values by name, in the order given; one may be empty and hold equals signs. Throws a usage error for a word
     * without a name, and a name given twice.
     */
    public static Map<String, String> byName(List<String> words, String example) {
        Map<String, String> values = new LinkedHashMap<>();
        for (String word : words) {
            int equals = word.indexOf('=');
            if (equals < 1) {
                throw ShellException.usage("'" + word + "' is not NAME=VALUE", "As in: " + example);
            }
            String name = word.substring(0, equals);
            if (values.put(name, word.substring(equals + 1)) != null) {
                throw ShellException.usage("'" + name + "' is given twice", "Leave one of them out");
            }
        }
        return values;
    }
}
