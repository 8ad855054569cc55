package io.enipam.emulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.emulator.EmulatorOptions.MetadataSettings;
import io.enipam.emulator.api.RoleCredentials.RoleSettings;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** How role credentials come and go, and what the metadata service wants before it gives them. */
class RoleRotationTest {
    private static final Duration ROTATION = Duration.ofMinutes(10);

    @Test
    void oldCredentialsAreGoodUntilTheyExpireAndNewOnesComeEarlier() {
        try (TestCloud cloud = cloud(new MetadataSettings(false, RoleSettings.every(ROTATION)))) {
            RoleClient role = new RoleClient(cloud);
            RoleClient.Keys old = role.read();
            assertThat(old.expires()).isEqualTo(cloud.clock.instant().plus(ROTATION.multipliedBy(2)));

            cloud.clock.advance(ROTATION);
            RoleClient.Keys fresh = role.read();
            assertThat(fresh.id()).isNotEqualTo(old.id());
            assertThat(fresh.secret()).isNotEqualTo(old.secret());
            assertThat(fresh.token()).isNotEqualTo(old.token());
            assertThat(role.call(old).status()).isEqualTo(200);
            assertThat(role.call(fresh).status()).isEqualTo(200);

            cloud.clock.advance(ROTATION);
            assertThat(role.call(old).error()).isEqualTo("400 InvalidSecurityToken.Expired");
            assertThat(role.call(fresh).status()).isEqualTo(200);
        }
    }

    @Test
    void oldCredentialsThatAreEndedLeaveTheNewOnesAlone() {
        try (TestCloud cloud = cloud(new MetadataSettings(false, RoleSettings.every(ROTATION)))) {
            RoleClient role = new RoleClient(cloud);
            RoleClient.Keys old = role.read();
            cloud.clock.advance(ROTATION);
            RoleClient.Keys fresh = role.read();
            cloud.emulator.control().expireKey(old.id());

            assertThat(role.call(old).error()).isEqualTo("400 InvalidSecurityToken.Expired");
            assertThat(role.read()).isEqualTo(fresh);
            assertThat(role.call(fresh).status()).isEqualTo(200);
        }
    }

    @Test
    void betweenTwoRotationsTheCredentialsStayTheSame() {
        try (TestCloud cloud = cloud(new MetadataSettings(false, RoleSettings.every(ROTATION)))) {
            RoleClient role = new RoleClient(cloud);
            RoleClient.Keys first = role.read();
            cloud.clock.advance(ROTATION.minusSeconds(1));

            assertThat(role.read()).isEqualTo(first);
        }
    }

    @Test
    void inTokenModeARequestWithoutATokenIsRefused() {
        try (TestCloud cloud = cloud(new MetadataSettings(true, RoleSettings.USUAL))) {
            TestClient http = new TestClient(cloud.emulator.metadataAddress(), cloud.clock);
            assertThat(http.send(HttpRequest.newBuilder(http.uri("latest/meta-data/mac")))
                            .status())
                    .isEqualTo(403);

            String token = http.send(HttpRequest.newBuilder(http.uri("latest/api/token"))
                            .header("X-aliyun-ecs-metadata-token-ttl-seconds", "60")
                            .PUT(BodyPublishers.noBody()))
                    .text();
            assertThat(http.send(HttpRequest.newBuilder(http.uri("latest/meta-data/mac"))
                                    .header("X-aliyun-ecs-metadata-token", token))
                            .status())
                    .isEqualTo(200);
        }
    }

    @Test
    void settingsThatMakeNoSenseAreRefused() {
        assertThatThrownBy(() -> RoleSettings.every(Duration.ZERO)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new RoleSettings(ROTATION, ROTATION.minusSeconds(1)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new RoleSettings(ROTATION, ROTATION.multipliedBy(57)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private static TestCloud cloud(MetadataSettings settings) {
        return new TestCloud(EmulatorConfig.defaults(), TestCloud.withMetadata(settings));
    }
}
