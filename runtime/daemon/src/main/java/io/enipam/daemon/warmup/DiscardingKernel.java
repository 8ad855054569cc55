package io.enipam.daemon.warmup;

import io.enipam.datapath.KernelDatapath;
import io.enipam.datapath.KernelDatapath.DatapathConfig;
import io.enipam.datapath.link.LinkContext.NodeNetwork;
import io.enipam.datapath.record.SandboxLinkNames;
import io.enipam.engine.model.LinkRequest;
import io.enipam.engine.model.OwnerKey;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.UnaryOperator;

/**
 * The shipped datapath, whose programs are imitated in this process: each change of the kernel is encoded, discarded and answered
 * with success. No process is started, and nothing of the node is changed; its links are read.
 */
final class DiscardingKernel {
    /** The hardware address of the loopback link: each node has it, so it stands for an ENI. */
    static final String ENI_MAC = "00:00:00:00:00:00";

    /** A network namespace that stands for that of each pod: the node's, and nothing enters it. */
    static final String POD_NETNS = "/proc/self/ns/net";

    /** A namespace of another kind that stands for the node's network namespace, so that the one above is no node's. */
    private static final Path NODE_NETNS = Path.of("/proc/self/ns/uts");

    /** Stands for {@code enipam-netlink}; what counts is that it can be executed. */
    private static final Path NETLINK = Path.of("/proc/self/exe");

    private DiscardingKernel() {}

    /**
     * Opens it.
     *
     * @param directory for the records and what stands for the node's sysctls; exists, and is the caller's to delete
     * @param node what the datapath knows of the node
     * @param pods all that will be connected
     */
    static KernelDatapath open(Path directory, NodeNetwork node, List<OwnerKey> pods) throws IOException {
        // as on a node that has pods: nothing has to be written
        Path ipv4 = directory.resolve("sysctls/net/ipv4");
        write(ipv4.resolve("ip_forward"), "1\n");
        write(ipv4.resolve("conf/default/forwarding"), "1\n");
        for (String link : List.of("all", "default", "lo")) {
            write(ipv4.resolve("conf/" + link + "/rp_filter"), "0\n");
        }
        for (OwnerKey pod : pods) {
            String link = new SandboxLinkNames(pod).link(LinkRequest.VETH_PREFIX);
            write(ipv4.resolve("conf/" + link + "/rp_filter"), "0\n");
        }
        return new KernelDatapath(
                new DatapathConfig(
                        directory.resolve("attachments"), node, directory.resolve("sysctls"), Optional.of(NETLINK)),
                program -> new Imitation(
                        program.command().get(0).equals(NETLINK.toString())
                                ? DiscardingKernel::netlink
                                : DiscardingKernel::shell),
                NODE_NETNS);
    }

    private static void write(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    /** Answers a request as {@code enipam-netlink} does when all its changes have succeeded; {@code enipam-netlink.c} has the frames. */
    private static byte[] netlink(byte[] request) {
        ByteBuffer asked = ByteBuffer.wrap(request).position(Integer.BYTES);
        int id = asked.getInt();
        int netns = Short.toUnsignedInt(asked.getShort());
        short changes = asked.getShort(asked.position() + netns);
        // an outcome is an errno and the length of its text: all zero
        int outcome = Integer.BYTES + Short.BYTES;
        int length = Integer.BYTES + outcome + Short.BYTES + outcome * Short.toUnsignedInt(changes);
        return ByteBuffer.allocate(Integer.BYTES + length)
                .putInt(length)
                .putInt(id)
                .putInt(0)
                .putShort((short) 0)
                .putShort(changes)
                .array();
    }

    /** Answers a script that reads: it does what {@code echo} does, and the commands find nothing. */
    private static byte[] shell(byte[] script) {
        StringBuilder said = new StringBuilder();
        new String(script, StandardCharsets.UTF_8)
                .lines()
                .filter(line -> line.startsWith("echo"))
                .forEach(line ->
                        said.append(line.substring("echo".length()).trim()).append('\n'));
        return said.toString().getBytes(StandardCharsets.UTF_8);
    }

    /** A process that answers each write by a function of it and ends with its input. Thread-safe, as far as a real one's streams are. */
    private static final class Imitation extends Process {
        private static final byte[] END = new byte[0];

        private final BlockingQueue<byte[]> answers = new LinkedBlockingQueue<>();
        private final CountDownLatch ended = new CountDownLatch(1);
        private final UnaryOperator<byte[]> program;

        Imitation(UnaryOperator<byte[]> program) {
            this.program = program;
        }

        @Override
        public OutputStream getOutputStream() {
            return new OutputStream() {
                @Override
                public void write(int value) {
                    write(new byte[] {(byte) value}, 0, 1);
                }

                @Override
                public void write(byte[] bytes, int offset, int length) {
                    answers.add(program.apply(Arrays.copyOfRange(bytes, offset, offset + length)));
                }

                @Override
                public void close() {
                    destroy();
                }
            };
        }

        @Override
        public InputStream getInputStream() {
            return new Answers(answers);
        }

        @Override
        public InputStream getErrorStream() {
            return InputStream.nullInputStream();
        }

        @Override
        public int waitFor() throws InterruptedException {
            ended.await();
            return 0;
        }

        @Override
        public int exitValue() {
            if (ended.getCount() > 0) {
                throw new IllegalThreadStateException("it runs");
            }
            return 0;
        }

        @Override
        public void destroy() {
            ended.countDown();
            answers.add(END);
        }

        /** Blocks while there is no answer; ends at {@link #END}. */
        private static final class Answers extends InputStream {
            private final BlockingQueue<byte[]> queue;
            private ByteBuffer answer = ByteBuffer.allocate(0);
            private boolean ended;

            Answers(BlockingQueue<byte[]> queue) {
                this.queue = queue;
            }

            @Override
            public int read() throws IOException {
                byte[] one = new byte[1];
                return read(one, 0, 1) < 0 ? -1 : Byte.toUnsignedInt(one[0]);
            }

            @Override
            public int read(byte[] into, int offset, int length) throws IOException {
                while (!answer.hasRemaining() && !ended) {
                    try {
                        answer = ByteBuffer.wrap(queue.take());
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                        throw new IOException("was interrupted", e);
                    }
                    ended = !answer.hasRemaining();
                }
                int most = Math.min(length, answer.remaining());
                answer.get(into, offset, most);
                return ended && length > 0 ? -1 : most;
            }
        }
    }
}
