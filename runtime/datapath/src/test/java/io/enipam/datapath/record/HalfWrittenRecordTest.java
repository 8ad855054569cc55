package io.enipam.datapath.record;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HalfWrittenRecordTest {
    @Test
    void whatADaemonWroteHalfBeforeItDiedGoesWhenTheNextOneStarts(@TempDir Path directory) throws Exception {
        Files.writeString(directory.resolve("97a2b24a38d5406f30d001646bf41012.json.new"), "{\"container\": \"a");

        assertThat(new AttachmentRecordStore(directory).all()).isEmpty();

        assertThat(directory).isEmptyDirectory();
    }
}
