package io.enipam.store;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PlainJsonTest {
    private static final JsonMapper JACKSON = new JsonMapper();

    private record Written(String name, List<Integer> numbers, Map<String, Boolean> flags, Written next, long at) {}

    private static boolean byJackson(String text) {
        try {
            return text.startsWith("{") && JACKSON.readTree(text).toString().equals(text);
        } catch (JsonProcessingException e) {
            return false;
        }
    }

    @Test
    void aRecordThatJacksonWroteIsOne() throws Exception {
        Written last = new Written("größer \uD83D\uDE00", List.of(), Map.of(), null, Long.MIN_VALUE / 10);
        Written first = new Written("", List.of(0, -1, 10), Map.of("a", true, "b", false), last, 1_767_323_045_000L);
        assertThat(PlainJson.isObject(JACKSON.writeValueAsString(first))).isTrue();
        assertThat(PlainJson.isObject("{}")).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "[]",
                "1",
                "null",
                "{",
                "}",
                "{}}",
                "{} ",
                "{ }",
                "{\"a\":1,\"a\":1}",
                "{\"a\":1,}",
                "{\"a\" :1}",
                "{\"a\":01}",
                "{\"a\":-0}",
                "{\"a\":-}",
                "{\"a\":1.0}",
                "{\"a\":1e3}",
                "{\"a\":[1,]}",
                "{\"a\":[1 ]}",
                "{\"a\":tru}",
                "{\"a\":nulls}",
                "{a:1}",
                "{\"a\":\"\n\"}",
                "{\"a\":\"\\u0061\"}",
                "{\"a\":\"x}",
                "{\"a\":{\"b\":1,\"b\":2}}",
                "{\"a\":12345678901234567890}",
                "{\"a\"}",
                "{\"a\":}",
                "{,}"
            })
    void whatIsNoneOrIsWrittenInAnotherWayIsNot(String text) {
        assertThat(PlainJson.isObject(text)).isFalse();
    }

    @Test
    void deepNestingEndsTheSearch() {
        assertThat(PlainJson.isObject("{\"a\":".repeat(100_000))).isFalse();
    }

    @Test
    void whatItTakesForOneJacksonWritesJustSo() {
        Random random = new Random(1);
        String letters = "{{}}[]\"\"\"::,,01-9ab\\ tn.e";
        String sound = "{\"a\":1,\"b\":[true,{\"c\":\"x\"}],\"d\":null,\"e\":{\"f\":-7,\"g\":{}}}";
        int taken = 0;
        for (int i = 0; i < 200_000; i++) {
            StringBuilder text = new StringBuilder(sound);
            for (int changes = random.nextInt(4); changes > 0; changes--) {
                char letter = letters.charAt(random.nextInt(letters.length()));
                int at = random.nextInt(text.length());
                switch (random.nextInt(3)) {
                    case 0 -> text.setCharAt(at, letter);
                    case 1 -> text.insert(at, letter);
                    default -> text.deleteCharAt(at);
                }
            }
            if (PlainJson.isObject(text.toString())) {
                taken++;
                assertThat(byJackson(text.toString())).as(text.toString()).isTrue();
            }
        }
        assertThat(taken).isPositive();
    }
}
