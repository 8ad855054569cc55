package io.enipam.examples.hostlocal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import com.fasterxml.jackson.databind.JsonNode;
import io.enipam.examples.hostlocal.Callers.Caller;
import io.enipam.sdk.CniService.CniAnswer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.io.TempDir;

/**
 * The cases of the acceptance table, each with its row's name: by Debian's plugin, by this one, and by both in turn on one directory, so
 * that what is expected is known to be what the Go plugin does.
 */
abstract class Cases {
    @TempDir
    Path data;

    @AutoClose
    final FileStore store = new FileStore();

    Caller plugin = Callers.ours(store);

    enum By {
        DEBIANS,
        OURS,
        BOTH
    }

    void by(By by) {
        assumeFalse(by != By.OURS && Callers.debiansIsMissing(), Callers.MISSING);
        plugin = switch (by) {
            case DEBIANS -> Callers.debians();
            case OURS -> Callers.ours(store);
            case BOTH -> Callers.alternating(Callers.ours(store), Callers.debians());
        };
    }

    String conf(String version, String ipam, String more) {
        return ("{'cniVersion':'" + version + "','name':'mynet','ipam':{'type':'host-local','dataDir':'" + data + "'"
                        + (ipam.isEmpty() ? "" : ",") + ipam + "}" + more + "}")
                .replace('\'', '"');
    }

    String conf(String ipam) {
        return conf("1.0.0", ipam, "");
    }

    String base() {
        return conf("'subnet':'10.1.2.0/24'");
    }

    static String asked(String... ips) {
        return ",'args':{'cni':{'ips':['" + String.join("','", ips) + "']}}";
    }

    static List<String> ips(CniAnswer answer) {
        assertThat(answer.status()).as(answer.stdout()).isZero();
        List<String> ips = new ArrayList<>();
        Callers.json(answer).get("ips").forEach(ip -> ips.add(ip.get("address").asText()));
        return ips;
    }

    List<String> add(String container, String conf) {
        return ips(plugin.call("ADD", container, conf));
    }

    /** Code and message. */
    static String refused(CniAnswer answer) {
        assertThat(answer.status()).as(answer.stdout()).isEqualTo(1);
        JsonNode error = Callers.json(answer);
        return error.get("code").asInt() + " " + error.get("msg").asText();
    }

    static void silent(CniAnswer answer) {
        assertThat(answer.status()).as(answer.stdout()).isZero();
        assertThat(answer.stdout()).isEmpty();
    }

    Map<String, String> files() {
        Map<String, String> files = new TreeMap<>(Callers.files(data.resolve("mynet")));
        files.remove("lock");
        return files;
    }

    void lastReserved(String text) throws IOException {
        Files.createDirectories(data.resolve("mynet"));
        Files.writeString(data.resolve("mynet/last_reserved_ip.0"), text);
    }
}
