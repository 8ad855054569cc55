package io.enipam.datapath;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.datapath.link.LinkKind.RetainedState;
import io.enipam.datapath.record.AttachmentRecord;
import io.enipam.datapath.record.AttachmentRecordStore;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RouteTableUsersTest {
    private static final int ROUNDS = 2_000;

    @TempDir
    private Path directory;

    private static AttachmentRecord pod(String name) {
        return new AttachmentRecord(
                new AttachmentRecord.Sandbox("enipam/" + name + "/eth0", "default", name, ""),
                "veth",
                new AttachmentRecord.Ends("", "cali" + name, "", "", 1500),
                List.of(new AttachmentRecord.PodAddress("10.9.0.2", 32, "")),
                new AttachmentRecord.Eni("00:16:3e:00:00:01", 300_000_001),
                new AttachmentRecord.Bandwidth(0, 0, new AttachmentRecord.Limits(0, 0)),
                List.of(),
                Map.of());
    }

    /** The first to leave may be gone while the second looks who is there: it is not one that stays. */
    @Test
    void ofTwoPodsThatLeaveAtOnceOneEmptiesTheTableAndTheirAddress() throws Exception {
        RouteTableUsers users = new RouteTableUsers(new AttachmentRecordStore(directory));
        List<AttachmentRecord> pods = List.of(pod("one"), pod("two"));
        for (int round = 0; round < ROUNDS; round++) {
            pods.forEach(users::acquire);
            Queue<RetainedState> left = new ConcurrentLinkedQueue<>();
            CyclicBarrier together = new CyclicBarrier(pods.size());
            List<Thread> threads = pods.stream()
                    .map(pod -> new Thread(() -> {
                        try {
                            together.await();
                        } catch (Exception e) {
                            throw new AssertionError(e);
                        }
                        users.release(pod, left::add);
                    }))
                    .toList();
            threads.forEach(Thread::start);
            for (Thread thread : threads) {
                thread.join();
            }
            assertThat(left).hasSize(2).anyMatch(staying -> !staying.table());
            assertThat(left).anyMatch(staying -> staying.addresses().isEmpty());
        }
    }
}
