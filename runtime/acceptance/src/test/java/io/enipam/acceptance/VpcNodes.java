package io.enipam.acceptance;

import io.enipam.acceptance.FakeContainerRuntime.Sandbox;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A VPC, nodes of it with a daemon each, and pods on them, for the tests of one class. Not thread-safe. */
final class VpcNodes implements AutoCloseable {
    private final Path scratch;
    private final ProgramRunner programs;
    private final VpcCloud cloud;
    private final List<NetworkNode> nodes = new ArrayList<>();
    private final List<Sandbox> sandboxes = new ArrayList<>();

    private VpcNodes(Path scratch, ProgramRunner programs, VpcCloud cloud) {
        this.scratch = scratch;
        this.programs = programs;
        this.cloud = cloud;
    }

    /**
     * Starts the cloud; skips the tests where no namespaces can be made.
     *
     * @param name to tell it from those of other classes
     * @param options of {@code enipam-cloud}
     */
    static VpcNodes start(Path scratch, String name, String... options) throws IOException {
        Netns.require();
        ProgramRunner programs = new ProgramRunner(Files.createDirectory(scratch.resolve("tmp")));
        return new VpcNodes(scratch, programs, VpcCloud.start(programs, scratch, name, options));
    }

    VpcCloud cloud() {
        return cloud;
    }

    /** A node whose daemon is still to be launched; closed with the rest, if not before. */
    NetworkNode node(int number, String settings, String terway) throws IOException {
        NetworkNode node = new NetworkNode(
                programs, cloud.node(number), Files.createDirectory(scratch.resolve("n" + number)), settings, terway);
        nodes.add(node);
        return node;
    }

    static FakeContainerRuntime runtime(NetworkNode node) {
        return new FakeContainerRuntime(node);
    }

    /** A pod that gets its network at the first attempt; its namespace is removed with the rest, if not before. */
    Sandbox run(NetworkNode node, String pod) {
        Sandbox sandbox = runtime(node).sandbox(pod);
        sandboxes.add(sandbox);
        return runtime(node).run(sandbox);
    }

    @Override
    public void close() throws InterruptedException {
        nodes.forEach(NetworkNode::terminate);
        for (NetworkNode node : nodes) {
            node.close();
        }
        sandboxes.forEach(sandbox -> sandbox.netns().remove());
        cloud.close();
    }
}
