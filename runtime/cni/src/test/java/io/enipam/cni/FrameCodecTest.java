package io.enipam.cni;

import static io.enipam.cni.FakeDaemon.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.cni.FrameCodec.CniRequest;
import io.enipam.cni.FrameCodec.CniResponse;
import io.enipam.cni.FrameCodec.FrameException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The frames, as they are on the wire, and what is none. */
class FrameCodecTest {
    private static byte[] call(CniRequest request) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        FrameCodec.write(request, new DataOutputStream(bytes));
        return bytes.toByteArray();
    }

    private static CniRequest request(byte[] bytes) throws IOException {
        return FrameCodec.readRequest(new DataInputStream(new ByteArrayInputStream(bytes)));
    }

    private static CniResponse answer(byte[] bytes) throws IOException {
        return FrameCodec.readAnswer(new DataInputStream(new ByteArrayInputStream(bytes)));
    }

    @Test
    void aCallHasTheseBytes() throws Exception {
        byte[] call = call(new CniRequest(Map.of("CNI_B", "2", "CNI_A", "1"), bytes("{}")));

        assertThat(call).isEqualTo(bytes("\0\0\0\u0017\1\0\0\0\u0010CNI_A=1\0CNI_B=2\0{}"));
        assertThat(request(call).environment()).isEqualTo(Map.of("CNI_A", "1", "CNI_B", "2"));
        assertThat(request(call).stdin()).isEqualTo(bytes("{}"));
    }

    @Test
    void anAnswerHasTheseBytes() throws Exception {
        byte[] frame = FakeDaemon.frame(new CniResponse(255, bytes("out"), bytes("err")));

        assertThat(frame).isEqualTo(bytes("\0\0\0\014\1\377\0\0\0\3errout"));
        CniResponse answer = answer(frame);
        assertThat(answer.exit()).isEqualTo(255);
        assertThat(answer.stdout()).isEqualTo(bytes("out"));
        assertThat(answer.stderr()).isEqualTo(bytes("err"));
    }

    @Test
    void variablesKeepWhatIsBehindTheirFirstEqualsSignAndTheFirstOfANameCounts() throws Exception {
        byte[] variables =
                "CNI_ARGS=A=1;B=2\0CNI_ARGS=later\0CNI_EMPTY=\0nothing\0=x\0CNI_Ä=ö\0".getBytes(StandardCharsets.UTF_8);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        FrameCodec.writeCall(variables, new byte[0], new DataOutputStream(bytes));

        assertThat(request(bytes.toByteArray()).environment())
                .isEqualTo(Map.of("CNI_ARGS", "A=1;B=2", "CNI_EMPTY", "", "CNI_Ä", "ö"));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 4, -1, Integer.MIN_VALUE, Integer.MAX_VALUE, FrameCodec.LONGEST + 1})
    void aCallOfAnImpossibleLengthIsRefusedBeforeRoomIsMadeForIt(int length) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        new DataOutputStream(bytes).writeInt(length);
        bytes.write(bytes("\1\0\0\0\0"));

        assertThatThrownBy(() -> request(bytes.toByteArray()))
                .isInstanceOf(FrameException.class)
                .hasMessage("a frame of " + Integer.toUnsignedString(length) + " bytes is not one of 5 to "
                        + FrameCodec.LONGEST);
    }

    @ParameterizedTest
    @ValueSource(strings = {"\0\0\0\6\1\0\0\0\2x", "\0\0\0\6\1\377\377\377\377x", "\0\0\0\6\1\177\377\377\377x"})
    void variablesLongerThanTheirCallAreRefused(String call) {
        assertThatThrownBy(() -> request(bytes(call)))
                .isInstanceOf(FrameException.class)
                .hasMessageStartingWith("the variables of a call are longer than the call: ");
    }

    @Test
    void anotherVersionIsRefusedWithItsNumber() {
        assertThatThrownBy(() -> request(bytes("\0\0\0\5\2\0\0\0\0")))
                .isInstanceOf(FrameException.class)
                .hasMessage("a frame of version 2; this is version 1");
        assertThatThrownBy(() -> answer(bytes("\0\0\0\6\377\0\0\0\0\0")))
                .isInstanceOf(FrameException.class)
                .hasMessage("a frame of version 255; this is version 1");
    }

    @Test
    void aFrameThatIsCutAnywhereIsNoShorterFrame() throws Exception {
        byte[] call = call(new CniRequest(Map.of("CNI_COMMAND", "ADD"), bytes("{\"name\":\"n\"}")));
        byte[] answer = FakeDaemon.frame(new CniResponse(0, bytes("out"), bytes("err")));

        for (int length = 0; length < call.length; length++) {
            byte[] cut = Arrays.copyOf(call, length);
            assertThatThrownBy(() -> request(cut)).isInstanceOf(EOFException.class);
        }
        for (int length = 0; length < answer.length; length++) {
            byte[] cut = Arrays.copyOf(answer, length);
            assertThatThrownBy(() -> answer(cut)).isInstanceOf(EOFException.class);
        }
    }

    @Test
    void theLongestCallIsTakenAndOneThatIsLongerIsNotSent() throws Exception {
        byte[] stdin = new byte[FrameCodec.LONGEST - 5];
        ByteArrayOutputStream sent = new ByteArrayOutputStream();
        FrameCodec.writeCall(new byte[0], stdin, new DataOutputStream(sent));

        assertThat(request(sent.toByteArray()).stdin()).hasSize(stdin.length);
        assertThatThrownBy(() -> FrameCodec.writeCall(new byte[1], stdin, new DataOutputStream(sent)))
                .isInstanceOf(FrameException.class);
    }

    @Test
    void whateverComesEndsInAFrameOrAnExceptionOfIo() {
        Random random = new Random(20200101);
        for (int i = 0; i < 20_000; i++) {
            byte[] noise = new byte[random.nextInt(40)];
            random.nextBytes(noise);
            for (int at = 0; at < Math.min(3, noise.length); at++) {
                noise[at] = (byte) (random.nextInt(8) == 0 ? noise[at] : 0);
            }
            try {
                assertThat(
                                random.nextBoolean()
                                        ? request(noise).stdin()
                                        : answer(noise).stdout())
                        .hasSizeLessThan(noise.length);
            } catch (IOException refused) {
                assertThat(refused.getClass()).isIn(FrameException.class, EOFException.class);
            }
        }
    }
}
