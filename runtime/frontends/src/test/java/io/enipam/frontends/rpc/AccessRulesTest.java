package io.enipam.frontends.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.frontends.grpc.PeerCredentialNegotiator.Peer;
import io.enipam.frontends.rpc.AccessRules.SystemGroups;
import io.enipam.v1.ControlGrpc;
import io.enipam.v1.InspectGrpc;
import io.grpc.health.v1.HealthGrpc;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AccessRulesTest {
    @TempDir
    Path directory;

    @ParameterizedTest
    @CsvSource({
        "0,true,true", // root
        "77,true,true", // the daemon's user
        "1001,true,false", // listed in the group
        "1002,true,false", // by primary group
        "1003,false,false", // in another group
        "4242,false,false", // nobody passwd knows
    })
    void rootAndTheDaemonsUserMayAllMembersMayLookOthersMayNothing(int uid, boolean look, boolean change)
            throws IOException {
        AccessRules rules = new AccessRules(Set.of(0, 77), groups()::isMember);
        Peer peer = new Peer(uid, -1, 1);

        assertThat(rules.allows(peer, InspectGrpc.getGetPoolMethod())).isEqualTo(look);
        assertThat(rules.allows(peer, HealthGrpc.getCheckMethod())).isEqualTo(look);
        assertThat(rules.allows(peer, ControlGrpc.getWarmPoolMethod())).isEqualTo(change);
        var ofAPlugin = ControlGrpc.getWarmPoolMethod().toBuilder().setFullMethodName("enipam.talk_er.v1.Talk/Say");
        assertThat(rules.allows(peer, ofAPlugin.setSafe(true).build())).isEqualTo(look);
        assertThat(rules.allows(peer, ofAPlugin.setSafe(false).build())).isEqualTo(change);
    }

    @Test
    void thePrimaryGroupThatTheKernelTellsCounts() throws IOException {
        assertThat(groups().isMember(new Peer(4242, 500, 1), "enipam")).isTrue();
        assertThat(groups().isMember(new Peer(4242, 501, 1), "enipam")).isFalse();
    }

    @Test
    void withoutTheGroupOrTheFilesNobodyIsAMember() throws IOException {
        assertThat(groups().isMember(new Peer(1001, -1, 1), "absent")).isFalse();
        SystemGroups none = new SystemGroups(directory.resolve("no-passwd"), directory.resolve("no-group"));
        assertThat(none.isMember(new Peer(1001, -1, 1), "enipam")).isFalse();
    }

    @Test
    void aUserWhoseFullNameIsInAnOldEncodingKeepsNobodyOut() throws IOException {
        Path passwd = Files.write(
                directory.resolve("passwd"),
                "jurgen:x:1001:1001:J\u00fcrgen:/home/j:/bin/sh\nanna:x:1002:1002:Anna:/home/a:/bin/sh\n"
                        .getBytes(StandardCharsets.ISO_8859_1));
        Path group = Files.writeString(directory.resolve("group"), "enipam:x:900:anna\n");
        assertThat(new SystemGroups(passwd, group).isMember(new Peer(1002, 1002, 1), "enipam"))
                .isTrue();
    }

    private SystemGroups groups() throws IOException {
        Path passwd = Files.writeString(directory.resolve("passwd"), """
                root:x:0:0:root:/root:/bin/bash
                ann:x:1001:1001::/home/ann:/bin/sh
                ben:x:1002:500::/home/ben:/bin/sh
                cat:x:1003:1003::/home/cat:/bin/sh
                broken line
                """);
        Path group = Files.writeString(directory.resolve("group"), """
                root:x:0:
                enipam:x:500:dan,ann
                other:x:501:cat
                """);
        return new SystemGroups(passwd, group);
    }
}
