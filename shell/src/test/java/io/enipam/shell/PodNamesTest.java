package io.enipam.shell;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.v1.CniAddRequest;
import io.enipam.v1.DeletePodRequest;
import io.enipam.v1.GetPodRequest;
import io.enipam.v1.ListPodsReply;
import io.enipam.v1.ListPodsRequest;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Pods that are named without their namespace. */
@Timeout(120)
class PodNamesTest extends AttachedShell {
    @BeforeEach
    void pods() {
        daemon.answer(
                ListPodsRequest.class,
                ListPodsReply.newBuilder()
                        .addPods(CannedReplies.pod("shop/web", true, false))
                        .addPods(CannedReplies.pod("shop/db", true, false))
                        .addPods(CannedReplies.pod("test/db", true, false))
                        .build());
    }

    @Test
    void aNameThatOnlyOnePodHasIsEnough() {
        run("pod show web");

        assertThat(received(GetPodRequest.class))
                .containsExactly(GetPodRequest.newBuilder().setPod("shop/web").build());
    }

    @Test
    void aNameThatSeveralPodsHaveIsRefusedWithAllOfThem() {
        TestShell.Result result = run("pod show db");

        assertThat(result.status()).isEqualTo(2);
        assertThat(result.err()).contains("2 pods are called 'db': shop/db, test/db");
        assertThat(received(GetPodRequest.class)).isEmpty();
    }

    @Test
    void aNameThatNoPodHasIsRefusedWithTheWayToNameANewOne() {
        TestShell.Result result = run("cni add --pod nobody");

        assertThat(result.status()).isEqualTo(2);
        assertThat(result.err()).contains("did you mean 'default/nobody'?");
        assertThat(received(CniAddRequest.class)).isEmpty();
    }

    @Test
    void theNamespaceInUseDecides() {
        run("use namespace test; pod show db; use namespace; pod show web");

        assertThat(received(GetPodRequest.class))
                .extracting(GetPodRequest::getPod)
                .containsExactly("test/db", "shop/web");
    }

    @Test
    void nobodyIsAskedWhetherAnUnknownPodMayVanish() {
        refuse(GetPodRequest.class, "NOT_FOUND", "there is no pod shop/nope", "");

        TestShell.Result result = asked("y", "pod", "delete", "shop/nope");

        assertThat(result.err()).contains("there is no pod shop/nope").doesNotContain("[y/N]");
        assertThat(result.out()).doesNotContain("[y/N]");
        assertThat(received(DeletePodRequest.class)).isEmpty();
    }
}
