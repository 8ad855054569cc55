package io.enipam.store;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.enipam.engine.model.TableRow;
import io.enipam.engine.port.Change;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RowRecordTest {
    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            delimiter = '|',
            value = {
                "web/1|{\"a\":[1,{\"b\":\"größer\"}],\"c\":true}",
                "web/1|{}",
                "web/1|no JSON",
                "web/1|{ \"a\":1}",
                "web/1|{\"a\":\"with \\\"quotes\\\"\"}",
                "\"quoted\"|{\"a\":1}",
                "back\\slash|{\"a\":1}",
                "größer-😀|{\"a\":\"😀\"}"
            })
    void isWhatTheMapperWritesOfARow(String key, String value) throws JsonProcessingException {
        TableRow row = new TableRow("swarm", "tasks", key, 3, 1L << 40, value);
        String byMapper = RecordJson.mapper()
                .writer()
                .withAttribute(RecordJson.VERSION, RecordCodec.VERSION)
                .writeValueAsString(row);
        RecordCodec codec = new RecordCodec();
        byte[] written = codec.encode(new Change.PutRow(row)).get(0).record().orElseThrow();
        assertThat(new String(written, StandardCharsets.UTF_8)).isEqualTo(byMapper);
        assertThat(codec.row(row.path(), written)).isEqualTo(row);
    }
}
