package io.enipam.node.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.node.kernel.HostNodeView.LinksByMac;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LinksByMacTest {
    @TempDir
    Path directory;

    private Path names;

    private void links(String... lines) throws IOException {
        StringBuilder table = new StringBuilder("Inter-|   Receive  |  Transmit\n face |bytes    packets\n");
        for (String line : lines) {
            String[] words = line.split(" ");
            table.append(' ').append(words[0]).append(":  0 0 0\n");
            if (words.length > 1) {
                Path link = Files.createDirectories(directory.resolve("net").resolve(words[0]));
                Files.writeString(link.resolve("address"), words[1] + "\n");
                Files.writeString(link.resolve("ifindex"), words[2] + "\n");
            }
        }
        names = Files.writeString(directory.resolve("dev"), table);
    }

    private LinksByMac found() {
        return new LinksByMac(names, directory.resolve("net"));
    }

    @Test
    void aLinkIsFoundByItsMacInAnyCaseWhateverItsNameIs() throws IOException {
        links("lo 00:00:00:00:00:00 1", "eth0 02:aa:00:00:00:01 2", "eth4f02ab 02:aa:00:00:00:02 17");

        assertThat(found().index("02:AA:00:00:00:02")).hasValue(17);
        assertThat(found().index("02:aa:00:00:00:03")).isEmpty();
    }

    @Test
    void aSlaveWithItsEnisMacIsNotTakenForTheEni() throws IOException {
        links("ipvl_17 02:aa:00:00:00:02 3", "eth1 02:aa:00:00:00:02 17", "slave 02:aa:00:00:00:02 40");

        assertThat(found().index("02:aa:00:00:00:02")).hasValue(17);
    }

    @Test
    void aLinkThatGoesWhileItIsLookedAtIsNotThere() throws IOException {
        links("gone", "eth1 02:aa:00:00:00:02 17");

        assertThat(found().index("02:aa:00:00:00:02")).hasValue(17);
    }

    @Test
    void theRealTablesOfThisNamespaceAreRead() throws IOException {
        assertThat(new LinksByMac(Path.of("/proc/self/net/dev"), Path.of("/sys/class/net")).index("fe:ed:fe:ed:fe:ed"))
                .isEmpty();
    }
}
