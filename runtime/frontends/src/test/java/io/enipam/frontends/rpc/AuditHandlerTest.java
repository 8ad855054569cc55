package io.enipam.frontends.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.engine.simulation.VirtualTime;
import io.enipam.frontends.grpc.PeerCredentialNegotiator.Peer;
import io.enipam.v1.AuditEntry;
import io.enipam.v1.ListAuditRequest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AuditHandlerTest {
    @TempDir
    Path directory;

    private final VirtualTime time = new VirtualTime();

    @Test
    void theLatestCallsComeFromAllFilesOfTheLogTheOldestFirst() throws IOException {
        try (AuditLog log = AuditLog.open(directory.resolve("audit.log"), 8 << 10, time)) {
            for (int i = 0; i < 100; i++) {
                log.record(new Peer(0, 1, 0), "", "CniAdd", "default/pod-" + i, "c", "", false, "OK");
            }
            AuditHandler handler = handler(log);
            assertThat(directory.resolve("audit.log.2")).exists();
            assertThat(handler.entries(ListAuditRequest.getDefaultInstance()))
                    .hasSizeBetween(30, 100)
                    .last()
                    .satisfies(entry -> assertThat(entry.getPod()).isEqualTo("default/pod-99"));
            assertThat(pods(handler, ListAuditRequest.newBuilder().setLimit(40)))
                    .hasSize(40)
                    .startsWith("default/pod-60")
                    .endsWith("default/pod-99");
        }
    }

    @Test
    void aLineThatWasCutWithinACharacterCostsNoOtherLineAlsoAfterARestart() throws IOException {
        Path file = directory.resolve("audit.log");
        try (AuditLog log = AuditLog.open(file, 1 << 20, time)) {
            log.record(new Peer(0, 1, 0), "", "RunGc", "default/before", "", "", false, "OK");
        }
        byte[] line = "{\"time\":\"2026-01-01T00:00:00Z\",\"name\":\"é".getBytes(StandardCharsets.UTF_8);
        Files.write(file, Arrays.copyOf(line, line.length - 1), StandardOpenOption.APPEND);

        try (AuditLog log = AuditLog.open(file, 1 << 20, time)) {
            log.record(new Peer(0, 1, 0), "", "RunGc", "default/after", "", "", false, "OK");
            assertThat(pods(handler(log), ListAuditRequest.newBuilder()))
                    .containsExactly("default/before", "default/after");
        }
    }

    @Test
    void aCallSaysWhoMadeItAndWhatBecameOfItAndIsFoundByThat() throws IOException {
        try (AuditLog log = AuditLog.open(directory.resolve("audit.log"), 1 << 20, time)) {
            log.record(new Peer(0, 0, 7), "ada@desk", "WarmPool", "", "", "20", true, "OK");
            time.advance(Duration.ofMinutes(1));
            Instant later = time.now();
            log.record(new Peer(1001, 0, 8), "", "CniDel", "default/web-0", "c1", "", false, "NOT_FOUND");
            log.record(new Peer(4711, 0, 9), "", "RunGc", "", "", "", false, "OK");
            Files.writeString(directory.resolve("audit.log"), "{\"time\":\"2026-", StandardOpenOption.APPEND);

            AuditHandler handler = handler(log);
            List<AuditEntry> all = handler.entries(ListAuditRequest.getDefaultInstance());
            assertThat(all).extracting(AuditEntry::getUser).containsExactly("root", "ops", "");
            assertThat(all.get(0).getCaller()).isEqualTo("ada@desk");
            assertThat(all.get(0).getCommand()).isEqualTo("WarmPool");
            assertThat(all.get(0).getName()).isEqualTo("20");
            assertThat(all.get(0).getDryRun()).isTrue();
            assertThat(all.get(1).getPid()).isEqualTo(8);
            assertThat(all.get(1).getPod()).isEqualTo("default/web-0");
            assertThat(all.get(1).getContainer()).isEqualTo("c1");
            assertThat(all.get(1).getCount()).isEqualTo(1);

            assertThat(handler.entries(
                            ListAuditRequest.newBuilder().setFailed(true).build()))
                    .containsExactly(all.get(1));
            assertThat(handler.entries(
                            ListAuditRequest.newBuilder().setUser("ops").build()))
                    .containsExactly(all.get(1));
            assertThat(handler.entries(
                            ListAuditRequest.newBuilder().setUser("4711").build()))
                    .containsExactly(all.get(2));
            assertThat(handler.entries(ListAuditRequest.newBuilder()
                            .setFrom(Proto.timestamp(later))
                            .build()))
                    .containsExactly(all.get(1), all.get(2));
        }
    }

    private AuditHandler handler(AuditLog log) throws IOException {
        Path users = directory.resolve("passwd");
        Files.writeString(users, "root:x:0:0:root:/root:/bin/sh\n\nodd\nops:x:1001:1001::/home/ops:/bin/sh\n");
        return new AuditHandler(log, users);
    }

    private static List<String> pods(AuditHandler handler, ListAuditRequest.Builder request) {
        return handler.entries(request.build()).stream().map(AuditEntry::getPod).toList();
    }
}
