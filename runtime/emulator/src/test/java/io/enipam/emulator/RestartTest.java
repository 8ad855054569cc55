package io.enipam.emulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.emulator.cloud.CloudSnapshot.EniEntry;
import io.enipam.emulator.cloud.EmulatorException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RestartTest {
    @TempDir
    private Path directory;

    @Test
    void aRestartedCloudHasWhatItHadAndGoesOnFromThere() {
        List<EniEntry> before;
        String firstAnswer;
        try (TestCloud cloud = start()) {
            String eni = cloud.attached("Tag.1.Key", "k", "Tag.1.Value", "v");
            cloud.ok("AssignPrivateIpAddresses", "NetworkInterfaceId", eni, "SecondaryPrivateIpAddressCount", "3");
            firstAnswer = cloud.create("ClientToken", "t-1");
            cloud.status(eni);
            before = cloud.emulator.snapshot().enis();
        }
        try (TestCloud cloud = start()) {
            assertThat(cloud.emulator.snapshot().enis()).isEqualTo(before);
            assertThat(cloud.create("ClientToken", "t-1")).isEqualTo(firstAnswer);
            assertThat(cloud.createAnswer("ClientToken", "t-1", "Description", "other")
                            .error())
                    .isEqualTo("400 IdempotentParameterMismatch");
            String fresh = cloud.create();
            assertThat(before).extracting(EniEntry::id).doesNotContain(fresh);
            assertThat(before.stream().flatMap(eni -> eni.addresses().privateIps().stream()))
                    .doesNotContainAnyElementsOf(cloud.emulator
                            .snapshot()
                            .eni(fresh)
                            .orElseThrow()
                            .addresses()
                            .privateIps());
        }
    }

    @Test
    void whatIsSavedWinsOverTheConfiguration() {
        List<String> instances;
        try (TestCloud cloud = start()) {
            instances = cloud.emulator.instanceIds();
        }
        EmulatorConfig other = EmulatorConfig.defaults()
                .withInstanceTypes("ecs.g6.large", "ecs.g6.large")
                .withVswitches(Map.of("vsw-other", "172.16.0.0/24"))
                .withSeed(99)
                .withStateFile(file());
        try (TestCloud cloud = new TestCloud(other)) {
            assertThat(cloud.emulator.instanceIds()).isEqualTo(instances);
            assertThat(cloud.ok("DescribeVSwitches")
                            .at("/VSwitches/VSwitch/0/VSwitchId")
                            .asText())
                    .isEqualTo(TestCloud.VSWITCH);
        }
    }

    @Test
    void everyChangeIsOnDiskBeforeItsAnswer() throws IOException {
        try (TestCloud cloud = start()) {
            assertThat(Files.readString(file())).contains("10.0.0.1").doesNotContain("10.0.0.2\"");
            String eni = cloud.create();
            assertThat(Files.readString(file())).contains(eni).contains("10.0.0.2\"");
            cloud.ok("DeleteNetworkInterface", "NetworkInterfaceId", eni);
            assertThat(Files.readString(file())).contains("DELETING");
        }
    }

    @Test
    void aChangeThatCannotBeSavedIsRefusedAndHasNotHappened() throws IOException {
        try (TestCloud cloud = start()) {
            Files.createDirectory(directory.resolve("state.json.new"));
            assertThat(cloud.createAnswer().error()).isEqualTo("500 InternalError");
            assertThat(cloud.emulator.snapshot().enis()).hasSize(1);

            Files.delete(directory.resolve("state.json.new"));
            assertThat(cloud.createAnswer().status()).isEqualTo(200);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{", "[]", "null", "{\"format\":1}", "not json", "{} {}"})
    void aDamagedStateFileIsAClearError(String content) throws IOException {
        Files.writeString(file(), content);

        assertThatThrownBy(this::start)
                .isInstanceOf(EmulatorException.class)
                .hasMessageContaining(file().toString())
                .hasMessageContaining("damaged")
                .hasMessageContaining("remove it")
                .hasMessageNotContaining("\n");
        assertThat(file()).hasContent(content);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"format\":2>\"format\":1",
                "ecs.g7.xlarge>ecs.g99.nano",
                "\"vswitchId\":\"vsw-enipam0\",\"primaryIp\">\"vswitchId\":\"vsw-gone\",\"primaryIp\"",
                "\"secondaryIps\":[]>\"secondaryIps\":[\"10.0.0.1\"]",
                "\"IN_USE\">\"FLYING\""
            })
    void aStateThatContradictsItselfIsAClearError(String edit) throws IOException {
        start().close();
        String saved = Files.readString(file());
        String edited = saved.replace(edit.substring(0, edit.indexOf('>')), edit.substring(edit.indexOf('>') + 1));
        assertThat(edited).isNotEqualTo(saved);
        Files.writeString(file(), edited);

        assertThatThrownBy(this::start).isInstanceOf(EmulatorException.class).hasMessageContaining("damaged");
    }

    private TestCloud start() {
        return new TestCloud(EmulatorConfig.defaults().withStateFile(file()));
    }

    private Path file() {
        return directory.resolve("state.json");
    }
}
