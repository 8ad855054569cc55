package io.enipam.emulator.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.emulator.api.ApiError.ApiException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HeaderSignatureTest {
    private static final String HEADERS =
            "host;x-acs-action;x-acs-content-sha256;x-acs-date;x-acs-signature-nonce;x-acs-version";
    private static final String SIGNATURE = "06563a9e1b43f5dfe96b81484da74bceab24a1d853912eee15083a6f0f3283c0";

    private static final Request DOCUMENTED = new Request(
            "POST",
            "/",
            Map.of("ImageId", "win2019_1809_x64_dtc_zh-cn_40G_alibase_20230811.vhd", "RegionId", "cn-shanghai"),
            Map.of(),
            Map.of(
                    "Host",
                    "ecs.cn-shanghai.aliyuncs.com",
                    "X-Acs-Action",
                    "RunInstances",
                    "x-acs-content-sha256",
                    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
                    "x-acs-date",
                    "2023-10-26T10:22:32Z",
                    "x-acs-signature-nonce",
                    "3156853299f313e23d1673dc12e1703d",
                    "x-acs-version",
                    "2014-05-26"),
            new byte[0]);

    @Test
    void theDocumentedExampleHasTheDocumentedSignature() {
        HeaderSignature signature = HeaderSignature.parse(
                "ACS3-HMAC-SHA256 Credential=YourAccessKeyId,SignedHeaders=" + HEADERS + ",Signature=" + SIGNATURE);
        String stringToSign = HeaderSignature.stringToSign(signature.canonicalRequest(DOCUMENTED));

        assertThat(stringToSign)
                .isEqualTo("ACS3-HMAC-SHA256\n7ea06492da5221eba5297e897ce16e55f964061054b7695beedaac1145b1e259");
        assertThat(signature.matches("YourAccessKeySecret", stringToSign)).isTrue();
        assertThat(signature.matches("AnotherSecret", stringToSign)).isFalse();
    }

    @Test
    void thePartsMayComeInAnyOrderAndTheHeadersInAnyCase() {
        HeaderSignature signature = HeaderSignature.parse(
                "ACS3-HMAC-SHA256 Signature=abc, SignedHeaders=X-Acs-Version;Host , Credential=id");

        assertThat(signature).isEqualTo(new HeaderSignature("id", List.of("x-acs-version", "host"), "abc"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ACS3-HMAC-SHA256",
                "ACS3-HMAC-SM3 Credential=a,SignedHeaders=host,Signature=b",
                "ACS3-HMAC-SHA256 ",
                "ACS3-HMAC-SHA256 Credential=,SignedHeaders=host,Signature=b",
                "ACS3-HMAC-SHA256 Credential=a,SignedHeaders=host",
                "ACS3-HMAC-SHA256 Credential=a,Signature=b",
                "ACS3-HMAC-SHA256 ,,,==,="
            })
    void whatIsIncompleteIsRefused(String authorization) {
        assertThatThrownBy(() -> HeaderSignature.parse(authorization)).isInstanceOf(ApiException.class);
    }

    @Test
    void aCommonHeaderThatIsNotSignedIsRefused() {
        HeaderSignature signature = new HeaderSignature("id", List.of("host", "x-acs-action"), "abc");

        assertThatThrownBy(() -> signature.requireCovered(DOCUMENTED))
                .isInstanceOf(ApiException.class)
                .hasMessageContaining("x-acs-content-sha256;x-acs-date;x-acs-signature-nonce;x-acs-version");
    }
}
