package io.enipam.datapath.record;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.datapath.record.SandboxLinkNames.LinkAlias;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.Pod.PodNetworkSpec;
import io.enipam.sdk.PodRef;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class AttachmentRecordStoreTest {
    private static final OwnerKey OWNER = new OwnerKey("enipam", "c1", "eth0");

    @TempDir
    Path directory;

    private static AttachmentRecord record() {
        return new AttachmentRecord(
                new AttachmentRecord.Sandbox(OWNER.toString(), "default", "web-0", "uid"),
                "veth",
                new AttachmentRecord.Ends("/var/run/netns/x", "cali1", "02:00:00:00:00:01", "02:00:00:00:00:02", 1500),
                List.of(new AttachmentRecord.PodAddress("10.0.0.1", 24, "10.0.0.253")),
                new AttachmentRecord.Eni("00:16:3e:00:00:01", 300_000_000),
                new AttachmentRecord.Bandwidth(1, 0, new AttachmentRecord.Limits(0, 0)),
                List.of("172.16.0.0/16"),
                Map.of("a", "b"));
    }

    @Test
    void aRecordOfAnEarlierVersionKeepsItsLimitsWhereTheManifestSaysNothing() throws IOException {
        new AttachmentRecordStore(directory).write(record());
        Path file;
        try (Stream<Path> files = Files.list(directory)) {
            file = files.findFirst().orElseThrow();
        }
        Files.writeString(file, Files.readString(file).replace("\"asked\":{\"ingress\":0,\"egress\":0},", ""));

        AttachmentRecord read = new AttachmentRecordStore(directory).of(OWNER).orElseThrow();

        assertThat(Files.readString(file)).doesNotContain("asked");
        assertThat(read.bandwidth().asked()).isEqualTo(new AttachmentRecord.Limits(1, 0));
        assertThat(read.adjusted("uid", PodNetworkSpec.NONE)).isEqualTo(read);
    }

    @Test
    void theFileKeepsTheFormOfEarlierVersions() throws IOException {
        new AttachmentRecordStore(directory).write(record());

        try (Stream<Path> files = Files.list(directory)) {
            assertThat(files.findFirst().orElseThrow())
                    .hasContent(
                            "{\"owner\":\"enipam/c1/eth0\",\"namespace\":\"default\",\"pod\":\"web-0\",\"podUid\":\"uid\","
                                    + "\"kind\":\"veth\",\"netns\":\"/var/run/netns/x\",\"hostLink\":\"cali1\","
                                    + "\"hostMac\":\"02:00:00:00:00:01\",\"podMac\":\"02:00:00:00:00:02\",\"mtu\":1500,"
                                    + "\"addresses\":[{\"ip\":\"10.0.0.1\",\"prefix\":24,\"gateway\":\"10.0.0.253\"}],"
                                    + "\"eniMac\":\"00:16:3e:00:00:01\",\"table\":300000000,\"ingress\":1,\"egress\":0,"
                                    + "\"asked\":{\"ingress\":0,\"egress\":0},\"throughNode\":[\"172.16.0.0/16\"],"
                                    + "\"more\":{\"a\":\"b\"}}");
        }
    }

    @Test
    void whatWasWrittenIsReadAfterARestart() {
        new AttachmentRecordStore(directory).write(record());
        AttachmentRecordStore again = new AttachmentRecordStore(directory);
        assertThat(again.of(OWNER)).contains(record());
        again.delete(OWNER);
        again.delete(OWNER);
        assertThat(new AttachmentRecordStore(directory).all()).isEmpty();
    }

    @Test
    void aFileThatCannotBeReadIsPutAsideAndHidesNoOther() throws IOException {
        new AttachmentRecordStore(directory).write(record());
        Files.writeString(directory.resolve("0.json"), "{\"owner\":");
        assertThat(new AttachmentRecordStore(directory).all()).hasSize(1);
        assertThat(directory.resolve("0.json.unreadable")).exists();
    }

    @Test
    void theKernelRemembersOwnerAndPodAndTheOwnerAloneWhereRoomIsShort() {
        LinkAlias alias = new LinkAlias(OWNER, Optional.of(new PodRef("default", "web-0")), "uid-1");
        assertThat(alias.text()).isEqualTo("enipam:enipam/c1/eth0,default/web-0,uid-1");
        assertThat(LinkAlias.parse(alias.text())).contains(alias);
        LinkAlias hostile = new LinkAlias(OWNER, Optional.of(new PodRef("default", "web-0")), "uid\n\"x");
        assertThat(hostile.text()).isEqualTo("enipam:enipam/c1/eth0,default/web-0,");
        LinkAlias longOne = new LinkAlias(OWNER, Optional.of(new PodRef("default", "w".repeat(250))), "uid-1");
        assertThat(LinkAlias.parse(longOne.text()).orElseThrow().owner()).isEqualTo(OWNER);
        assertThat(LinkAlias.parse("calico")).isEmpty();
    }
}
