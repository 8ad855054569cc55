package io.enipam.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.enipam.engine.model.TableRow;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.JournalException;
import io.etcd.jetcd.api.KeyValue;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The layout in etcd: bytes are in the order of characters, and what was written is read. */
class EtcdKeysTest {
    private final EtcdKeys keys = new EtcdKeys("/enipam");

    /** Any characters, half surrogate pairs as well: prefixes may end with one. */
    private static String text(Random random) {
        String some = "\u0000a/\u007f\u0080\u07ff\u0800\u6c49\ud800\udbff\udc00\udfff\ue000\uffff";
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(6); i > 0; i--) {
            text.append(
                    random.nextInt(4) == 0
                            ? (char) random.nextInt(1 << 16)
                            : some.charAt(random.nextInt(some.length())));
        }
        return text.toString();
    }

    @Test
    void theOrderOfBytesIsThatOfCharacters() {
        for (int seed = 0; seed < 20_000; seed++) {
            Random random = new Random(seed);
            String one = text(random);
            String other = text(random);
            ByteString bytes = EtcdKeys.bytes(one);
            assertThat(EtcdKeys.text(bytes)).as("seed " + seed).isEqualTo(one);
            int order = ByteString.unsignedLexicographicalComparator().compare(bytes, EtcdKeys.bytes(other));
            assertThat(Integer.signum(order)).as("seed " + seed).isEqualTo(Integer.signum(one.compareTo(other)));
        }
    }

    @Test
    void theEndOfARangeIsTheFirstKeyBehindIt() {
        assertThat(EtcdKeys.end(ByteString.copyFromUtf8("a/"))).isEqualTo(ByteString.copyFromUtf8("a0"));
        assertThat(EtcdKeys.end(ByteString.copyFrom(new byte[] {1, (byte) 0xff, (byte) 0xff})))
                .isEqualTo(ByteString.copyFrom(new byte[] {2}));
    }

    @Test
    void aRowIsReadAsItWasWritten() {
        TableRow row = new TableRow("swarm", "nets", "a/b \ud83d\ude00", 3, 17, " {\"a\": 1}\u0000\n");
        KeyValue stored = KeyValue.newBuilder()
                .setKey(keys.rows(row.path()))
                .setValue(EtcdKeys.value(row))
                .setModRevision(17)
                .build();
        assertThat(keys.row(stored)).isEqualTo(row);
    }

    @Test
    void whatAnotherProgramWroteIsRefusedByItsKey() {
        KeyValue alien = KeyValue.newBuilder()
                .setKey(ByteString.copyFromUtf8("/enipam/rows/swarm/nets/a"))
                .setValue(ByteString.copyFromUtf8("what"))
                .setModRevision(1)
                .build();
        assertThatThrownBy(() -> keys.row(alien))
                .isInstanceOfSatisfying(
                        JournalException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.INTERNAL))
                .hasMessage(
                        "the key /enipam/rows/swarm/nets/a in etcd is not a row of enipam: another program has written"
                                + " it; delete it");
    }
}
