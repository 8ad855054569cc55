package io.enipam.kubernetes.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import org.junit.jupiter.api.Test;

class ApiSerializationTest {
    @Test
    void aPodWhoseUnreadFieldsHaveAnotherShapeIsReadAllTheSame() {
        Pod pod = ApiSerialization.INSTANCE.unmarshal("""
                {"kind":"Pod","apiVersion":"v1","metadata":{"namespace":"default","name":"web-0","uid":"u",
                 "labels":{"app":"web"},"managedFields":"none"},
                 "spec":{"nodeName":"n","volumes":7,"containers":[{"name":"c","env":"none",
                  "resources":{"requests":{"aliyun/eni":"1"}}}]},
                 "status":{"phase":"Running","conditions":{},"podIPs":[{"ip":"10.0.0.2"}],
                  "containerStatuses":[{"name":"c","state":{"running":{"startedAt":"2026-01-01T00:00:00Z"}},"image":[]}]}}""", Pod.class);

        assertThat(pod.getMetadata().getLabels()).containsEntry("app", "web");
        assertThat(pod.getMetadata().getManagedFields()).isEmpty();
        assertThat(pod.getSpec().getNodeName()).isEqualTo("n");
        assertThat(pod.getSpec().getContainers().get(0).getResources().getRequests())
                .containsKey("aliyun/eni");
        assertThat(pod.getStatus().getPodIPs().get(0).getIp()).isEqualTo("10.0.0.2");
        assertThat(pod.getStatus().getContainerStatuses().get(0).getState().getRunning())
                .isNotNull();
    }
}
