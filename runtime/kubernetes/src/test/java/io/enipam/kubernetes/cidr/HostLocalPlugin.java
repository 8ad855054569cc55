package io.enipam.kubernetes.cidr;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The real host-local plugin, with the subnet 10.64.0.0/27 and the network {@code networks}.
 *
 * @param data its dataDir
 */
record HostLocalPlugin(Path data) {
    static final String MISSING = "/usr/lib/cni/host-local is not here: apt-get install containernetworking-plugins";

    private static final Path PLUGIN = Path.of("/usr/lib/cni/host-local");
    private static final Pattern ADDRESS = Pattern.compile("\"address\": \"([0-9.]+)/27\"");

    static boolean isMissing() {
        return !Files.isExecutable(PLUGIN);
    }

    record Answer(int code, String text) {}

    Answer run(String command, String container) throws Exception {
        ProcessBuilder builder = new ProcessBuilder(PLUGIN.toString());
        builder.environment().put("CNI_COMMAND", command);
        builder.environment().put("CNI_CONTAINERID", container);
        builder.environment().put("CNI_NETNS", "/proc/self/ns/net");
        builder.environment().put("CNI_IFNAME", "eth0");
        builder.environment().put("CNI_PATH", "/usr/lib/cni");
        Process process = builder.redirectErrorStream(true).start();
        process.getOutputStream()
                .write(
                        ("{\"cniVersion\":\"0.4.0\",\"name\":\"networks\",\"prevResult\":{\"cniVersion\":\"0.4.0\",\"ips\":[]},"
                                        + "\"ipam\":{\"type\":\"host-local\",\"subnet\":\"10.64.0.0/27\",\"dataDir\":\""
                                        + data
                                        + "\"}}")
                                .getBytes(StandardCharsets.UTF_8));
        process.getOutputStream().close();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Answer(process.waitFor(), text);
    }

    /** ADD, which must succeed; the address. */
    String add(String container) throws Exception {
        Answer answer = run("ADD", container);
        assertThat(answer.code()).as(answer.text()).isZero();
        Matcher matcher = ADDRESS.matcher(answer.text());
        assertThat(matcher.find()).as(answer.text()).isTrue();
        return matcher.group(1);
    }
}
