package io.enipam.aliyun.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.aliyun.api.EcsException.UrlRedactor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UrlRedactorTest {
    private static final String SIGNED = "http://127.0.0.1:33387/?Tag.1.Key=node&Action=DescribeNetworkInterfaces"
            + "&AccessKeyId=LTAI-key&SecurityToken=CAIS-token&Signature=c2lnbmVk%3D&SignatureNonce=42";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Server unreachable: connection " + SIGNED + " failed",
                SIGNED,
                "no answer (" + SIGNED + ") and none of " + SIGNED,
                "torn: Tag.1.Key=node&AccessKeyId=LTAI-key&SecurityToken=CAIS-token&Signature=c2lnbmVk%3D",
                "https://ecs.aliyuncs.com?Signature=c2lnbmVk%3D&AccessKeyId=LTAI-key&SecurityToken=CAIS-token"
            })
    void aFailureTellsNeitherTheKeyNorTheTokenNorTheSignatureOfItsCall(String message) {
        EcsException failure = new EcsException("DescribeNetworkInterfaces", "SDK.ServerUnreachable", 0, "", message);

        assertThat(failure.advising("look at the route").getMessage())
                .doesNotContain("LTAI-key", "CAIS-token", "c2lnbmVk", "AccessKeyId", "SecurityToken", "Signature=")
                .contains("DescribeNetworkInterfaces failed: SDK.ServerUnreachable");
    }

    @Test
    void whereTheCallWentAndWhatHappenedIsStillTold() {
        assertThat(UrlRedactor.withoutQuery("Server unreachable: connection " + SIGNED + " failed"))
                .isEqualTo("Server unreachable: connection http://127.0.0.1:33387 failed");
        assertThat(UrlRedactor.withoutQuery("is the vSwitch vsw-1 there? zone=a has none"))
                .isEqualTo("is the vSwitch vsw-1 there? zone=a has none");
        assertThat(UrlRedactor.host("connection " + SIGNED, "its address")).isEqualTo("127.0.0.1:33387");
        assertThat(UrlRedactor.host("no route", "its address")).isEqualTo("its address");
    }
}
