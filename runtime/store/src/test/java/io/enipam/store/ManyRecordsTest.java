package io.enipam.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a start with thousands of records does otherwise than one with a few. */
class ManyRecordsTest {
    private static final int RECORDS = 2_001;

    @Test
    void theyAreDecodedInTheOrderOfTheirKeys() {
        List<Map.Entry<String, byte[]>> records = records();

        List<String> decoded = snapshot(records).decode(Bucket.PODS, (key, record) -> key + new String(record, UTF_8));

        assertThat(decoded)
                .isEqualTo(records.stream()
                        .map(record -> record.getKey() + record.getKey())
                        .toList());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, RECORDS / 2 - 1, RECORDS / 2, RECORDS - 1})
    void theOneThatCannotBeReadIsNamed(int at) {
        List<Map.Entry<String, byte[]>> records = records();
        String key = records.get(at).getKey();
        records.set(at, Map.entry(key, "{\"v\":1,\"key\":3}".getBytes(UTF_8)));
        RecordCodec codec = new RecordCodec();

        assertThatThrownBy(() -> snapshot(records).decode(Bucket.PODS, (name, record) -> {
                    return name.equals(key) ? codec.pod(name, record).toString() : name;
                }))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("pods/" + key);
    }

    private static List<Map.Entry<String, byte[]>> records() {
        List<Map.Entry<String, byte[]>> records = new ArrayList<>();
        for (int i = 0; i < RECORDS; i++) {
            String key = "default/web-" + (10_000 + i);
            records.add(Map.entry(key, key.getBytes(UTF_8)));
        }
        return records;
    }

    private static StoreSnapshot snapshot(List<Map.Entry<String, byte[]>> pods) {
        return new StoreSnapshot(1, Map.of(Bucket.PODS, pods));
    }

    @Test
    void theirInstantsAreReadAsTheJdkReadsThem() {
        Random random = new Random(18);
        for (int i = 0; i < 5_000; i++) {
            long nanos = List.of(0L, 7_000_000L, 7_000L, 7L).get(random.nextInt(4))
                    * (random.nextInt(140) + 1)
                    % 1_000_000_000;
            Instant instant = Instant.ofEpochSecond(random.nextLong(-62_167_219_200L, 253_402_300_800L), nanos);

            assertThat(RecordJson.instant(instant.toString())).isEqualTo(instant);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "2026-11-27T20:35:42.9Z",
                "2026-11-27T20:35:42.Z",
                "2026-11-27T24:00:00Z",
                "2016-12-31T23:59:60Z",
                "2026-11-27t20:35:42z",
                "2026-11-27T20:35:42.916094573Z",
                "-0001-11-27T20:35:42Z",
                "+12026-11-27T20:35:42Z"
            })
    void anInstantThatIsWrittenOtherwiseIsReadAsWell(String text) {
        assertThat(RecordJson.instant(text)).isEqualTo(Instant.parse(text));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "Z",
                "2026-11-27",
                "2026-11-27T20:35:42",
                "2026-11-27T20:35:42.1234567890Z",
                "2026-11-27T+1:35:42Z",
                "2026-02-30T20:35:42Z",
                "2026-13-01T20:35:42Z",
                "2026-11-27T20:60:42Z",
                "2026-11-27T20:35:42.91x094573Z"
            })
    void whatIsNoInstantIsRefused(String text) {
        assertThatThrownBy(() -> RecordJson.instant(text)).isInstanceOf(DateTimeException.class);
    }
}
