package io.enipam.platform;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LogRingTest {
    private final LoggerContext context = new LoggerContext();
    private final LogRing ring = new LogRing();
    private final Logger log = context.getLogger("io.enipam.test");

    @BeforeEach
    void start() {
        ring.setContext(context);
        ring.start();
        log.addAppender(ring);
    }

    @Test
    void aRecordIsKeptWithWhatWasThrown() {
        log.warn("the disk {}", "hums", new IllegalStateException("outer", new IllegalArgumentException("inner")));

        LogRing.Line line = ring.lines().get(0);
        assertThat(line.level()).isEqualTo("WARN");
        assertThat(line.message()).isEqualTo("the disk hums");
        assertThat(line.thrown())
                .contains("IllegalStateException: outer", "IllegalArgumentException: inner", "LogRingTest");
    }

    @Test
    void theOldestAreForgottenByNumberAndByLength() {
        for (int i = 0; i < LogRing.MOST + 5; i++) {
            log.info("record {}", i);
        }
        assertThat(ring.lines()).hasSize(LogRing.MOST);
        assertThat(ring.lines().get(0).message()).isEqualTo("record 5");

        for (int i = 0; i < 500; i++) {
            log.info("x".repeat(100_000) + i);
        }
        assertThat(ring.lines().stream()
                        .mapToLong(line -> line.message().length())
                        .sum())
                .isLessThan(2 << 20);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "key LTAI5tAbCdEfGhIjKl used          | LTAI5tAbCdEfGhIjKl",
                "token STS.NTabcdefgh1234 expired     | NTabcdefgh1234",
                "accessKeySecret=Zx81kkPPqq99 given   | Zx81kkPPqq99",
                "\"secret_key\": \"Zx81kkPPqq99\"     | Zx81kkPPqq99",
                "Authorization: Bearer abcdefghijkl   | abcdefghijkl",
                "password: hunter2!                   | hunter2!",
                "jwt eyJhbGciOiJub.eyJzdWIiOiIxMj.c2lnbg | eyJzdWIiOiIxMj",
            })
    void whatLooksLikeASecretIsTakenOut(String said, String secret) {
        log.error(said);
        log.error("thrown", new IllegalStateException(said));

        assertThat(ring.lines().get(0).message()).doesNotContain(secret).contains("***");
        assertThat(ring.lines().get(1).thrown()).doesNotContain(secret).contains("***");
    }

    @Test
    void whatDoesNotIsLeftAlone() {
        String said =
                "LeaseGranted default/web-0: address 10.0.0.2 lent to container sim-96603d4dfddd on eni-xpvlbyscnqd2";
        log.info(said);

        assertThat(ring.lines().get(0).message()).isEqualTo(said);
    }
}
