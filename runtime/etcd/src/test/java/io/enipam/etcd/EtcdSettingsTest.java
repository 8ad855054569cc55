package io.enipam.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.etcd.EtcdSettings.Tls;
import io.enipam.etcd.EtcdSettings.User;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What settings are taken, and that all that is wrong with others is told at once. */
class EtcdSettingsTest {
    @Test
    void theDefaultsAreTaken() {
        EtcdSettings settings = new EtcdSettings(List.of(URI.create("https://etcd-0.example")));
        assertThat(settings.prefix()).isEqualTo("/enipam");
        assertThat(settings.patience()).isEqualTo(Duration.ofSeconds(15));
        assertThat(EtcdSettings.port(settings.endpoints().get(0))).isEqualTo(2379);
    }

    @Test
    void everyProblemIsNamedAndNoPassword() {
        assertThatThrownBy(() -> new EtcdSettings(
                        List.of(URI.create("http://user:hidden@a:1"), URI.create("https://b/path")),
                        Optional.of(new Tls(Optional.empty(), Optional.empty())),
                        Optional.empty(),
                        "enipam/",
                        Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("endpoints: 'http://***@a:1' is not of the form https://HOST:PORT or http://HOST:PORT; "
                        + "endpoints: 'https://b/path' is not of the form https://HOST:PORT or http://HOST:PORT; "
                        + "endpoints: some are http and some https; all need the same; "
                        + "tls: has no meaning with an endpoint of http; use https; "
                        + "prefix: 'enipam/' is not / and 1 to 63 letters, digits and . _ - /, without a / at its end; "
                        + "patience: 0 ms; 1 s to 5 min are allowed");
    }

    @ParameterizedTest
    @ValueSource(strings = {"ftp://a:1", "a:1", "http:///x", "http://a:1?b", "http://a:1#b"})
    void anAddressThatIsNoMemberIsRefused(String endpoint) {
        assertThatThrownBy(() -> new EtcdSettings(List.of(URI.create(endpoint))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("endpoints: ");
    }

    @Test
    void aUserShowsNoPassword() {
        assertThat(new User("manager", "hidden")).hasToString("User[manager, ***]");
        assertThatThrownBy(() -> new User("manager", "")).isInstanceOf(IllegalArgumentException.class);
    }
}
