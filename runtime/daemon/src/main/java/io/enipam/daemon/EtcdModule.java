package io.enipam.daemon;

import io.enipam.config.ConfigException;
import io.enipam.config.ConfigException.ConfigProblem;
import io.enipam.config.DaemonConfig;
import io.enipam.config.IoReason;
import io.enipam.config.Schema;
import io.enipam.config.Setting;
import io.enipam.etcd.EtcdJournals;
import io.enipam.etcd.EtcdSettings;
import io.enipam.etcd.EtcdSettings.ClientCertificate;
import io.enipam.etcd.EtcdSettings.Tls;
import io.enipam.etcd.EtcdSettings.User;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * The tables of plugins in etcd. Only this class and {@link TablesModule} name those of etcd, so that the daemon of a node loads none
 * of them.
 */
final class EtcdModule {
    private EtcdModule() {}

    /**
     * How etcd is reached; connects to nothing.
     *
     * @throws ConfigException if that cannot be
     */
    static EtcdSettings settings(DaemonConfig config) {
        Optional<Path> authorities = file(config, Schema.ETCD_CA);
        Optional<ClientCertificate> certificate = file(config, Schema.ETCD_CERTIFICATE)
                .map(chain -> new ClientCertificate(
                        chain, file(config, Schema.ETCD_KEY).orElseThrow()));
        Optional<User> user = Optional.of(config.get(Schema.ETCD_USER))
                .filter(name -> !name.isEmpty())
                .map(name -> new User(name, password(config)));
        try {
            return new EtcdSettings(
                    config.get(Schema.ETCD_ENDPOINTS).stream()
                            .map(EtcdModule::endpoint)
                            .toList(),
                    authorities.isPresent() || certificate.isPresent()
                            ? Optional.of(new Tls(authorities, certificate))
                            : Optional.empty(),
                    user,
                    config.get(Schema.ETCD_PREFIX),
                    config.get(Schema.ETCD_PATIENCE));
        } catch (IllegalArgumentException e) {
            throw problem(config, Schema.ETCD_ENDPOINTS, "cluster.etcd: " + e.getMessage());
        }
    }

    private static URI endpoint(String text) {
        try {
            return URI.create(text);
        } catch (IllegalArgumentException e) {
            // the text may have a password in it
            throw new IllegalArgumentException(
                    "endpoints: one is not of the form https://HOST:PORT or http://HOST:PORT");
        }
    }

    private static Optional<Path> file(DaemonConfig config, Setting<String> setting) {
        return Optional.of(config.get(setting)).filter(path -> !path.isEmpty()).map(Path::of);
    }

    private static String password(DaemonConfig config) {
        Path file = Path.of(config.get(Schema.ETCD_PASSWORD_FILE));
        try (BufferedReader lines = Files.newBufferedReader(file)) {
            String first = lines.readLine();
            if (first == null || first.isBlank()) {
                throw problem(config, Schema.ETCD_PASSWORD_FILE, "cluster.etcd.password_file: " + file + " is empty");
            }
            return first.strip();
        } catch (IOException e) {
            throw problem(
                    config,
                    Schema.ETCD_PASSWORD_FILE,
                    "cluster.etcd.password_file: " + file + " cannot be read: " + IoReason.of(e));
        }
    }

    private static ConfigException problem(DaemonConfig config, Setting<?> setting, String message) {
        return new ConfigException(List.of(new ConfigProblem(config.source(setting), message)));
    }

    /** Connected, and closed with the daemon. Blocks; throws {@link io.enipam.sdk.JournalException} if etcd does not answer. */
    static EtcdJournals connect(BaseModule base) {
        return base.opened.push(
                "etcd",
                EtcdJournals.connect(
                        settings(base.config),
                        base.scheduler,
                        base.time,
                        new SplittableRandom(new SecureRandom().nextLong())));
    }
}
