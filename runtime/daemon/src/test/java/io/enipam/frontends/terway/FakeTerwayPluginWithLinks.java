package io.enipam.frontends.terway;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.sdk.PodRef;
import io.enipam.terway.rpc.AllocIPReply;
import io.enipam.terway.rpc.GetInfoReply;
import io.enipam.terway.rpc.ReleaseIPReply;
import io.enipam.terway.rpc.TerwayBackendGrpc;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Terway's plugin of 2020 with what its drivers do in the kernel: in the same order, and failing where they fail. */
final class FakeTerwayPluginWithLinks implements AutoCloseable {
    private final FakeTerwayPlugin calls;
    private final NodeNamespace node;
    private final String prefix;
    private final Path hostLocal;

    FakeTerwayPluginWithLinks(Path socket, NodeNamespace node, String prefix, Path hostLocal) {
        this.calls = new FakeTerwayPlugin(socket);
        this.node = node;
        this.prefix = prefix;
        this.hostLocal = hostLocal;
    }

    TerwayBackendGrpc.TerwayBackendBlockingStub stub() {
        return calls.stub();
    }

    AllocIPReply add(String pod, String container) {
        return calls.add(pod, container);
    }

    GetInfoReply info(String pod, String container) {
        return calls.info(pod, container);
    }

    ReleaseIPReply release(String pod, String container) {
        return calls.release(pod, container);
    }

    /** The driver's Setup of a veth: a link of the pod's name is removed first. */
    void connect(String pod, String container, String address) throws IOException {
        String veth = veth(pod);
        if (hasLink("", veth)) {
            node.run("ip", "link", "del", veth);
        }
        node.pod(container);
        node.runIn(
                container, "ip", "link", "add", "eth0", "type", "veth", "peer", "name", veth, "netns", node.named(""));
        node.runIn(container, "ip", "addr", "add", address + "/32", "dev", "eth0");
        node.runIn(container, "ip", "link", "set", "eth0", "up");
        node.run("ip", "link", "set", veth, "up");
        node.run("ip", "route", "add", address + "/32", "dev", veth, "scope", "link");
        node.run("ip", "rule", "add", "pref", "512", "to", address, "lookup", "main");
        node.run("ip", "rule", "add", "pref", "2048", "from", address, "iif", veth, "lookup", "1003");
    }

    /** The file that host-local writes for a container. */
    void reserve(String container, String address) throws IOException {
        Files.createDirectories(hostLocal);
        Files.writeString(hostLocal.resolve(address), container + "\r\neth0");
    }

    /** CNI DEL. */
    void delete(String pod, String container) throws IOException {
        GetInfoReply info = info(pod, container);
        switch (info.getIPType()) {
            case TypeENIMultiIP -> {
                if (info.getPodIP().isEmpty()) {
                    return;
                }
                tearDown(pod, container);
            }
            case TypeVPCIP -> {
                tearDown(pod, container);
                giveBack(container);
            }
            case TypeVPCENI -> {
                try {
                    tearDown(pod, container, "veth1");
                } catch (IOException e) {
                    // the plugin ignores it
                }
                node.runIn(container, "ip", "link", "set", "eth0", "down");
                node.runIn(container, "ip", "link", "set", "eth0", "name", "eth7", "netns", node.named(""));
            }
            default -> throw new AssertionError("not support this network type");
        }
        assertThat(release(pod, container).getSuccess()).isTrue();
    }

    private void tearDown(String pod, String container) throws IOException {
        tearDown(pod, container, "eth0");
    }

    private void tearDown(String pod, String container, String link) throws IOException {
        if (!hasLink("", veth(pod))) {
            throw new IOException("vethDriver, error found host side link: Link not found");
        }
        List<String> words = List.of(
                node.runIn(container, "ip", "-4", "-o", "addr", "show", link).split("\\s+"));
        String address = words.get(words.indexOf("inet") + 1).replaceFirst("/.*", "");
        if (node.run("ip", "rule").contains(address)) {
            node.run("ip", "rule", "del", "to", address, "lookup", "main");
            node.run("ip", "rule", "del", "from", address, "lookup", "1003");
        }
        node.run("ip", "link", "del", veth(pod));
    }

    private void giveBack(String container) throws IOException {
        try (Stream<Path> files = Files.list(hostLocal)) {
            for (Path file : files.toList()) {
                if (Files.readString(file).strip().equals(container + "\r\neth0")) {
                    Files.delete(file);
                }
            }
        }
    }

    private boolean hasLink(String container, String link) throws IOException {
        String links = container.isEmpty() ? node.run("ip", "-o", "link") : node.runIn(container, "ip", "-o", "link");
        return links.contains(" " + link + "@") || links.contains(" " + link + ":");
    }

    private String veth(String pod) {
        return SandboxRef.vethName(prefix, new PodRef("default", pod));
    }

    @Override
    public void close() {
        calls.close();
    }
}
