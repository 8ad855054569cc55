package io.enipam.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
}
