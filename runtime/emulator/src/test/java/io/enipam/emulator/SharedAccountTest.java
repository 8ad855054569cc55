package io.enipam.emulator;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.enipam.emulator.EmulatorOptions.MetadataSettings;
import io.enipam.emulator.api.Request;
import io.enipam.emulator.cloud.CloudTime;
import io.enipam.emulator.cloud.Latency;
import io.enipam.emulator.fault.ThrottleLimits;
import io.enipam.emulator.http.HttpReply.ApiReply;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Two clouds of one account, in a time of the test's own. */
class SharedAccountTest {
    private static final JsonMapper JSON = new JsonMapper();

    private Instant now = Instant.EPOCH;
    private final CloudTime time = new CloudTime() {
        @Override
        public Instant instant() {
            return now;
        }

        @Override
        public void pause(Duration duration) {
            now = now.plus(duration);
        }
    };

    private EmulatedCloud cloud(SharedAccount account, long seed) {
        EmulatorConfig config = EmulatorConfig.defaults()
                .withVswitches(Map.of("vsw-a", "10.0.0.0/29"))
                .withLatency(Latency.parse("deleting=5s"))
                .withSeed(seed);
        return new EmulatedCloud(config, account, MetadataSettings.USUAL, time);
    }

    private static JsonNode call(EmulatedCloud cloud, String action, String version, String more) throws IOException {
        String query = "Action=" + action + "&Version=" + version + "&Format=JSON" + more;
        return JSON.readTree(((ApiReply) cloud.answer(Request.of("GET", query, "")))
                .written()
                .text());
    }

    private static JsonNode create(EmulatedCloud cloud) throws IOException {
        String group = cloud.now().layout().vpc().securityGroup();
        return call(cloud, "CreateNetworkInterface", "2014-05-26", "&VSwitchId=vsw-a&SecurityGroupId=" + group);
    }

    private static int free(EmulatedCloud cloud) throws IOException {
        return call(cloud, "DescribeVSwitches", "2016-04-28", "")
                .at("/VSwitches/VSwitch/0/AvailableIpAddressCount")
                .asInt();
    }

    /** A /29 has four addresses, of which each cloud's instance has one. */
    @Test
    void anAddressThatOneCloudHasIsNotFreeForTheOtherUntilItsEniIsGone() throws IOException {
        SharedAccount account = SharedAccount.of(ThrottleLimits.none());
        EmulatedCloud one = cloud(account, 1);
        EmulatedCloud other = cloud(account, 2);
        assertThat(free(one)).isEqualTo(2);
        String eni = create(one).path("NetworkInterfaceId").asText();
        assertThat(create(other).path("NetworkInterfaceId").asText()).startsWith("eni-");
        assertThat(free(other)).isZero();
        assertThat(create(other).path("Code").asText()).isEqualTo("InvalidVSwitchId.IpNotEnough");

        call(one, "DeleteNetworkInterface", "2014-05-26", "&NetworkInterfaceId=" + eni);
        now = now.plusSeconds(4);
        assertThat(free(other)).isZero();
        now = now.plusSeconds(1);
        assertThat(free(other)).isEqualTo(1);
        assertThat(free(one)).isEqualTo(1);
        assertThat(create(other).path("NetworkInterfaceId").asText()).startsWith("eni-");
        assertThat(free(one)).isZero();
    }

    @Test
    void callsOfBothCountAgainstOneLimit() throws IOException {
        SharedAccount account = SharedAccount.of(ThrottleLimits.parse("DescribeVSwitches=1"));
        EmulatedCloud one = cloud(account, 1);
        EmulatedCloud other = cloud(account, 2);
        assertThat(call(one, "DescribeVSwitches", "2016-04-28", "").has("Code")).isFalse();
        assertThat(call(other, "DescribeVSwitches", "2016-04-28", "")
                        .path("Code")
                        .asText())
                .isEqualTo("Throttling.User");
        now = now.plusSeconds(60);
        assertThat(call(other, "DescribeVSwitches", "2016-04-28", "").has("Code"))
                .isFalse();
    }
}
