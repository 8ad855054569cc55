package io.enipam.sdk.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.sdk.Extension;
import io.enipam.sdk.IpamPlugin;
import io.enipam.sdk.Setting;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The allocator that the SDK's README shows keeps the contract, in less than a hundred lines. */
class ReadmeAllocatorTest extends AllocatorContract {
    @TempDir
    static Path scratch;

    @AutoClose
    private static ReadmeExample example;

    @BeforeAll
    static void compile() throws IOException {
        example = new ReadmeExample("FilesPlugin", scratch);
    }

    private final IpamPlugin plugin = example.plugin();

    @Override
    protected Extension extension() {
        return plugin.extensions().get(0);
    }

    @Override
    protected List<Setting<?>> settings() {
        return plugin.settings();
    }

    @Override
    protected Map<String, List<String>> values() {
        return Map.of("addresses", List.of("10.0.0.2/24", "10.0.0.3/24", "10.0.0.4/24", "2001:db8::5/64"));
    }

    @Test
    void itIsShort() {
        assertThat(example.source.lines().count()).isLessThan(100);
    }
}
