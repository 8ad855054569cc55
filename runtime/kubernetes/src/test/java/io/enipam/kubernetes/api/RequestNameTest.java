package io.enipam.kubernetes.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RequestNameTest {
    @ParameterizedTest
    @CsvSource({
        "GET,/api/v1/namespaces/default/pods/web-0,GET pods",
        "GET,/api/v1/pods?fieldSelector=spec.nodeName%3Dn,LIST pods",
        "GET,/api/v1/pods?watch=true&allowWatchBookmarks=true,WATCH pods",
        "GET,/api/v1/namespaces/default/pods,LIST pods",
        "PATCH,/api/v1/nodes/node-1/status,PATCH nodes/status",
        "PATCH,/api/v1/namespaces/a/pods/b/status,PATCH pods/status",
        "POST,/api/v1/namespaces/default/events,POST events",
        "GET,/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n,GET leases",
        "GET,/api/v1/nodes/node-1,GET nodes",
        "GET,/version,GET other",
        "GET,/,GET other"
    })
    void noNameOfAnObjectBecomesTheNameOfARequest(String method, String uri, String name) {
        assertThat(ApiHttpClientFactory.nameOf(method, URI.create("https://10.0.0.1:6443" + uri)))
                .isEqualTo(name);
    }
}
