package io.enipam.node.cloud;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.read.ListAppender;
import io.enipam.aliyun.AliyunCloud;
import io.enipam.aliyun.AliyunConfig;
import io.enipam.aliyun.calls.ApiCallLog;
import io.enipam.aliyun.client.MetadataClient;
import io.enipam.aliyun.credentials.CredentialsProvider.CloudCredentials;
import io.enipam.aliyun.eni.EniUse;
import io.enipam.config.ConfigFile;
import io.enipam.config.ConfigFile.SettingsFile;
import io.enipam.config.ConfigLoader;
import io.enipam.config.DaemonConfig;
import io.enipam.config.KnownPlugins;
import io.enipam.emulator.CloudEmulator;
import io.enipam.emulator.EmulatorConfig;
import io.enipam.engine.simulation.MemoryCloudJournal;
import io.enipam.events.EventRing;
import io.enipam.platform.ExecutorScheduler;
import io.enipam.platform.SystemTime;
import io.enipam.sdk.CreateRequest;
import io.enipam.sdk.Created;
import io.enipam.sdk.Family;
import io.enipam.sdk.RequestToken;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/**
 * Terway's story: secrets were logged at info. Here every kind of credentials is used, rightly and wrongly, and whatever the
 * daemon says of it is searched: its log, with enipam's own records down to the finest, events, configuration, calls, errors.
 */
@Timeout(120)
class SecretsTest {
    private static final String SECRET = "right-secret-nobody-may-see";
    private static final String WRONG = "wrong-secret-nobody-may-see";

    @TempDir
    Path directory;

    private final SystemTime time = new SystemTime();
    private final ExecutorScheduler scheduler = new ExecutorScheduler();
    private final EventRing events = new EventRing(time, scheduler);
    private final ApiCallLog book = new ApiCallLog(time, new SplittableRandom(1), Map.of());
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private final Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    private final Logger own = (Logger) LoggerFactory.getLogger("io.enipam");
    private final List<String> said = new ArrayList<>();
    private CloudEmulator emulator;
    private Level rootBefore;
    private Level ownBefore;

    @BeforeEach
    void start() {
        rootBefore = root.getLevel();
        ownBefore = own.getLevel();
        root.setLevel(Level.INFO);
        own.setLevel(Level.TRACE);
        log.start();
        root.addAppender(log);
        emulator = CloudEmulator.start(EmulatorConfig.defaults()
                .withSite(new EmulatorConfig.Site(
                        "cn-hangzhou",
                        List.of("cn-hangzhou-i"),
                        List.of("ecs.g7.xlarge"),
                        Map.of("vsw-1", "10.0.1.0/24")))
                .withAccessKey("AccessKeyOfTheTest", SECRET));
    }

    @AfterEach
    void stop() {
        root.detachAppender(log);
        root.setLevel(rootBefore);
        own.setLevel(ownBefore);
        emulator.close();
        events.close();
        scheduler.close();
    }

    private static String url(InetSocketAddress address) {
        return "http://127.0.0.1:" + address.getPort();
    }

    private AliyunConfig config(String eniJson) throws IOException {
        Path eni = Files.writeString(directory.resolve("eni.json"), eniJson);
        Path yaml = Files.writeString(
                directory.resolve("enipam.yaml"),
                "cloud: {endpoint: '" + url(emulator.address()) + "', metadata: '" + url(emulator.metadataAddress())
                        + "'}\n");
        DaemonConfig config = ConfigLoader.load(
                List.of(
                        new ConfigFile(eni, SettingsFile.ENI_JSON, true),
                        new ConfigFile(yaml, SettingsFile.ENIPAM_YAML, true)),
                false,
                Map.of(),
                KnownPlugins.none());
        said.add(config.entries().toString());
        said.add(config.cloud().toString());
        return config.cloud();
    }

    private void works(String eniJson) throws Exception {
        try (AliyunCloud cloud =
                AliyunCloud.open(config(eniJson), book, time, scheduler, events, new MemoryCloudJournal())) {
            CreateRequest wish = new CreateRequest(
                    new RequestToken("t-" + said.size()),
                    Set.of(Family.IPV4),
                    time.now().plusSeconds(60));
            assertThat(cloud.factory(EniUse.ADDRESSES)
                            .create(List.of(wish))
                            .get(0)
                            .toCompletableFuture()
                            .get(60, TimeUnit.SECONDS))
                    .isInstanceOf(Created.class);
        }
    }

    private void fails(String eniJson) {
        assertThatThrownBy(() ->
                        AliyunCloud.open(config(eniJson), book, time, scheduler, events, new MemoryCloudJournal()))
                .satisfies(e -> {
                    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
                        said.add(cause.toString());
                    }
                });
    }

    private String file(String id, String secret, String token) throws IOException {
        Path file = Files.createTempFile(directory, "token", "");
        Files.writeString(
                file,
                "{\"access.key.id\": \"" + id + "\", \"access.key.secret\": \"" + secret + "\", \"security.token\": \""
                        + token + "\"}");
        return "{\"credential_path\": \"" + file + "\"}";
    }

    @Test
    void noSecretIsEverSaidWhateverIsRightOrWrongWithIt() throws Exception {
        CloudCredentials role = new MetadataClient(URI.create(url(emulator.metadataAddress())), book.metadata()).keys();
        String token = role.securityToken().orElseThrow();

        works("{\"access_key\": \"AccessKeyOfTheTest\", \"access_secret\": \"" + SECRET + "\"}");
        works(file(role.accessKeyId(), role.accessKeySecret(), token));
        works("{}");
        fails("{\"access_key\": \"AccessKeyOfTheTest\", \"access_secret\": \"" + WRONG + "\"}");
        fails(file(role.accessKeyId(), WRONG, token));
        fails(file(role.accessKeyId(), role.accessKeySecret(), token + "x"));
        fails(file("nobody", WRONG, ""));
        fails(file("", WRONG, token));
        fails("{\"access_secret\": \"" + WRONG + "\"}");

        log.list.forEach(record -> said.add(record.getFormattedMessage()
                + (record.getThrowableProxy() == null ? "" : ThrowableProxyUtil.asString(record.getThrowableProxy()))));
        events.after(0).forEach(event -> said.add(event.toString()));
        book.calls().forEach(call -> said.add(call.toString()));
        book.quotaStatus().forEach(budget -> said.add(budget.toString()));
        assertThat(said)
                .as("what was said is what was looked at")
                .anySatisfy(text -> assertThat(text).contains("credentials read from"))
                .anySatisfy(text -> assertThat(text).contains("the RAM role's credentials were refreshed"))
                .anySatisfy(text -> assertThat(text).contains("the access key secret is wrong"))
                .anySatisfy(text -> assertThat(text).contains("EniAttached"))
                .hasSizeGreaterThan(30);
        assertThat(said)
                .allSatisfy(text -> assertThat(text).doesNotContain(SECRET, WRONG, role.accessKeySecret(), token));
    }
}
