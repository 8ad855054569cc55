package io.enipam.shell;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.v1.ActOnCloudRequest;
import io.enipam.v1.AddCloudFaultRequest;
import io.enipam.v1.CloudFault;
import io.enipam.v1.GetCloudReply;
import io.enipam.v1.GetCloudRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is made of the words of {@code cloud}, and what is refused before the daemon is asked. */
class CloudFaultsTest extends AttachedShell {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "cloud fault add '*'|it has to be said what goes wrong",
                "cloud fault add A --throttle --drop-answer|--drop-answer and --throttle do not go together",
                "cloud fault add A --nth 1 --percent 5 --throttle|--nth and --percent do not go together",
                "cloud fault add A --throttle --after-work|--after-work goes with --code",
                "cloud fault add A --delay 1s --hidden|--hidden goes with --tear",
                "cloud fault add A --tear string --until-reissued|--until-reissued goes with --stick",
                "cloud fault add A --delay soon|'soon' is not a time",
                "cloud fault add --throttle|missing required parameter: 'API'",
                "cloud fault remove x|'x' is neither a fault's number nor all",
                "cloud fault|which one? cloud fault takes list, add, remove",
                "cloud detach eni-1|it has to be confirmed",
                "cloud skew -20m|unknown option '-20m'",
                "cloud skew --behind|--behind of what?"
            })
    void whatCannotBeMeantIsRefusedBeforeTheDaemonIsAsked(String line, String reason) {
        TestShell.Result result = run(line);

        assertThat(result.status()).isEqualTo(2);
        assertThat(result.err()).containsIgnoringCase(reason);
        assertThat(daemon.received()).isEmpty();
    }

    @Test
    void allWordsOfAFaultArrive() {
        TestShell.Result result = run("cloud fault add DetachNetworkInterface --eni eni-1 --every 2 --at-most 3"
                + " --code My.Code --status 502 --message 'no way' --after-work");

        assertThat(result.status()).as(result.err()).isZero();
        CloudFault fault = ((AddCloudFaultRequest) daemon.received().get(0)).getFault();
        assertThat(fault.getApi()).isEqualTo("DetachNetworkInterface");
        assertThat(fault.getEni()).isEqualTo("eni-1");
        assertThat(fault.getEvery()).isEqualTo(2);
        assertThat(fault.getAtMost()).isEqualTo(3);
        assertThat(fault.getFail().getCode()).isEqualTo("My.Code");
        assertThat(fault.getFail().getHttpStatus()).isEqualTo(502);
        assertThat(fault.getFail().getMessage()).isEqualTo("no way");
        assertThat(fault.getFail().getAfterWork()).isTrue();
    }

    @Test
    void theClockIsShownUnaskedAndRightAgainWith0() {
        assertThat(run("cloud skew").out()).startsWith("the cloud's clock: ");
        assertThat(received(ActOnCloudRequest.class)).isEmpty();

        assertThat(run("cloud skew 0").out()).isEqualTo("the cloud's clock: right\n");
        assertThat(received(ActOnCloudRequest.class).get(0).getSkewClock().getSeconds())
                .isZero();
        assertThat(run("cloud reset").out()).contains("; the clock is right");
    }

    @Test
    void anAddressMayBeGivenAsListsPrintIt() {
        assertThat(run("cloud take-ip 10.0.1.4/24 --yes").status()).isZero();

        assertThat(((ActOnCloudRequest) daemon.received().get(0)).getTakeIp()).isEqualTo("10.0.1.4");
    }

    @Test
    void aCloudWhereNothingGoesWrongSaysHowToChangeThat() {
        daemon.answer(
                GetCloudRequest.class,
                GetCloudReply.newBuilder().setLatency("none").setThrottle("off").build());

        assertThat(run("cloud fault list").out())
                .startsWith("no fault is set up")
                .hasLineCount(1);
        assertThat(run("cloud latency").out()).startsWith("latency: none");
    }

    @Test
    void aRealCloudRefusesInOneLine() {
        refuse(
                AddCloudFaultRequest.class,
                "INVALID_ARGUMENT",
                "this daemon's cloud is not emulated, so nothing can be made to go wrong in it",
                "use a sandbox (enipam --sandbox), or run the daemon with --emulate");
        TestShell.Result result = run("cloud fault add '*' --throttle");

        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err()).hasLineCount(1).contains("cloud fault add failed", "not emulated", "--sandbox");
    }
}
