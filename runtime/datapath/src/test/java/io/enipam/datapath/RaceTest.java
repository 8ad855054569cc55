package io.enipam.datapath;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.datapath.KernelDatapath.DatapathConfig;
import io.enipam.datapath.SandboxConnector.OwnerLocks;
import io.enipam.datapath.lab.Lab;
import io.enipam.datapath.lab.RealKernel;
import io.enipam.datapath.lab.Sh;
import io.enipam.datapath.lab.SharedNode;
import io.enipam.datapath.link.LinkContext.NodeNetwork;
import io.enipam.datapath.record.AttachmentRecord;
import io.enipam.datapath.record.AttachmentRecordStore;
import io.enipam.datapath.record.SandboxLinkNames;
import io.enipam.engine.model.DatapathRequest;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.LinkRequest;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.Pod.PodNetworkSpec;
import io.enipam.sdk.Address;
import io.enipam.sdk.Family;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Pods that come and go while others do, while the node is looked at, and while an ENI goes. */
@RealKernel
final class RaceTest extends SharedNode {
    @AfterEach
    void nobodyIsAttached() {
        assertThat(Lab.done(lab.datapath.attached())).isEmpty();
    }

    @Test
    void anUndoingNeverOvertakesTheConnectingThatItUndoes() {
        List<DatapathRequest> pods = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            pods.add(lab.pod("u" + i, lab.namespace("u" + i), "10.9.0." + (20 + i) + "/24"));
        }
        List<CompletionStage<?>> asked = new ArrayList<>();
        for (DatapathRequest pod : pods) {
            asked.add(lab.datapath.setUp(pod));
            asked.add(lab.datapath.tearDown(pod.lease().owner()));
        }
        asked.forEach(Lab::done);
    }

    /** Whose locks are one. */
    private static OwnerKey sharing(OwnerKey owner) {
        OwnerLocks locks = new OwnerLocks();
        int i = 0;
        while (locks.of(Lab.owner("s" + i)) != locks.of(owner)) {
            i++;
        }
        return Lab.owner("s" + i);
    }

    @Test
    void aDisconnectingByTracesAndALookAtTheNodeDoNotWaitForEachOther() {
        OwnerKey owner = Lab.owner("d");
        OwnerKey gone = sharing(owner);
        Lab.done(lab.datapath.setUp(lab.pod("d", lab.namespace("d"), "10.9.0.60/24")));
        try {
            for (int i = 0; i < 3; i++) {
                Sh.run("ip rule add pref 2048 from 10.9.0.61 iif " + new SandboxLinkNames(gone).link("cali")
                        + " lookup 300000001 protocol 69");
                Lab.done(lab.datapath.attached());
                CompletionStage<?> look = lab.datapath.attached();
                Lab.done(lab.datapath.tearDown(gone));
                Lab.done(look);
                assertThat(Sh.run("ip rule")).doesNotContain("10.9.0.61");
            }
        } finally {
            Lab.done(lab.datapath.tearDown(owner));
        }
    }

    @Test
    void whatIsSweptUpIsNotTakenFromUnderAPodThatComes() {
        DatapathRequest pod = lab.pod("w", lab.namespace("w"), "10.9.0.62/24");
        OwnerKey owner = pod.lease().owner();
        Lab.done(lab.datapath.setUp(pod));
        String table = Sh.run("ip rule show pref 2048").replaceAll("(?s).*lookup (\\d+).*", "$1");
        for (int i = 0; i < 8; i++) {
            Lab.done(lab.datapath.tearDown(owner));
            // what a crash may have left
            Sh.run("ip rule add pref 512 to 10.9.0.62 lookup main protocol 69");
            Sh.run("ip route add throw 1.2.3.0/24 table " + table + " protocol 69");
            CompletionStage<?> repair = lab.datapath.repair(Set.of(owner));
            Lab.done(lab.datapath.setUp(pod));
            Lab.done(repair);
            assertThat(Lab.done(lab.datapath.faults(owner))).isEmpty();
        }
        Lab.done(lab.datapath.tearDown(owner));
    }

    @Test
    void twoPodsWithOneAddressAndTheOneThatGoesLeavesTheOthersRule() {
        Lab.done(lab.datapath.setUp(lab.pod("first", lab.namespace("first"), "10.9.0.63/24", "fd09::63/64")));
        Lab.done(lab.datapath.setUp(lab.pod("second", lab.namespace("second"), "10.9.0.63/24", "fd09::63/64")));
        Lab.done(lab.datapath.tearDown(Lab.owner("first")));
        assertThat(Lab.done(lab.datapath.faults(Lab.owner("second")))).isEmpty();
        Lab.done(lab.datapath.tearDown(Lab.owner("second")));
    }

    @Test
    void aNamespacePathThatIsAnotherPodsByNowIsNotThatOfTheIpvlanPodThatGoes() {
        String netns = lab.namespace("again");
        Sh.run("ip -n " + netns + " link add eth0 type veth peer name other");
        OwnerKey dead = Lab.owner("dead");
        new AttachmentRecordStore(records)
                .write(new AttachmentRecord(
                        new AttachmentRecord.Sandbox(dead.toString(), "default", "dead", ""),
                        "ipvlan",
                        new AttachmentRecord.Ends(Lab.path(netns), "", "", lab.mac, 1500),
                        List.of(new AttachmentRecord.PodAddress("10.9.0.64", 24, Lab.GATEWAY)),
                        new AttachmentRecord.Eni(lab.mac, 0),
                        new AttachmentRecord.Bandwidth(0, 0, new AttachmentRecord.Limits(0, 0)),
                        List.of(),
                        Map.of("slave", "ipvl_9999")));
        lab.restart();
        Lab.done(lab.datapath.tearDown(dead));
        assertThat(Sh.run("ip -n " + netns + " -br link")).contains("eth0");
        assertThat(new AttachmentRecordStore(records).of(dead)).isEmpty();
    }

    @Test
    void anEniThatGoesInTheMiddleOfAnAddLeavesNothingOfThePod() {
        String mac = "00:16:3e:00:77:01";
        lab.eni("entgoes", mac, Lab.GATEWAY, Lab.GATEWAY6);
        AtomicBoolean gone = new AtomicBoolean();
        NodeNetwork detaching = new NodeNetwork() {
            @Override
            public Optional<InetAddress> address(Family family) {
                // asked for when everything is looked at and nothing is done yet
                if (gone.compareAndSet(false, true)) {
                    Sh.run("ip link del entgoes");
                }
                return Optional.of(Address.literal(family == Family.IPV4 ? Lab.NODE : Lab.NODE6));
            }

            @Override
            public List<String> serviceCidrs() {
                return List.of();
            }
        };
        DatapathRequest pod = Lab.pod(
                "gone", LinkRequest.into(Lab.path(lab.namespace("gone"))), PodNetworkSpec.NONE, mac, "10.9.0.65/24");
        try (KernelDatapath datapath = KernelDatapath.open(
                new DatapathConfig(records.resolve("detaching"), detaching, Path.of("/proc/sys"), Lab.NETLINK))) {
            assertThatThrownBy(() -> Lab.done(datapath.setUp(pod)))
                    .isInstanceOfSatisfying(IpamException.class, refusal -> {
                        assertThat(refusal.code()).isEqualTo(ErrorCode.DATAPATH_FAILED);
                        assertThat(refusal.getMessage()).contains("entgoes");
                        assertThat(refusal.hint()).contains("enipam eni list");
                    });
            assertThat(gone).isTrue();
            assertThat(Lab.done(datapath.attached())).isEmpty();
            Lab.done(datapath.tearDown(pod.lease().owner()));
        }
    }

    /** The journal of the database may have room that the rest of the disk has not. */
    @Test
    void aPodWhoseRecordFindsNoRoomOnTheDiskIsRefusedForNowAndLeavesNothing() {
        Path full = records.resolve("full");
        Sh.run("mkdir " + full + " && mount -t tmpfs -o nr_inodes=1 tmpfs " + full);
        DatapathRequest pod = lab.pod("full", lab.namespace("full"), "10.9.0.66/24");
        try (KernelDatapath datapath = lab.open(full)) {
            assertThatThrownBy(() -> Lab.done(datapath.setUp(pod)))
                    .isInstanceOfSatisfying(IpamException.class, refusal -> {
                        assertThat(refusal.code()).isEqualTo(ErrorCode.TRY_AGAIN);
                        assertThat(refusal.getMessage()).contains(full.toString(), "No space left on device");
                        assertThat(refusal.hint()).contains("the disk is full");
                    });
            assertThat(Lab.done(datapath.attached())).isEmpty();
            Sh.run("mount -o remount,nr_inodes=100 " + full);
            Lab.done(datapath.setUp(pod));
            Lab.done(datapath.tearDown(pod.lease().owner()));
        } finally {
            Sh.run("umount " + full);
        }
    }
}
