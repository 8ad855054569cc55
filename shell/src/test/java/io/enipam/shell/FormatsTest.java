package io.enipam.shell;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import io.enipam.v1.Lease;
import io.enipam.v1.ListInUseReply;
import io.enipam.v1.ListInUseRequest;
import io.enipam.v1.Owner;
import io.enipam.v1.Resource;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** What holds for every listing. */
class FormatsTest extends AttachedShell {
    @BeforeEach
    void start() {
        daemon.answer(
                ListInUseRequest.class,
                ListInUseReply.newBuilder()
                        .addLeases(lease("default/b", "10.0.0.9/24"))
                        .addLeases(lease("default/a", "10.0.0.10/24"))
                        .addLeases(lease("kube-system/\u5bb9\u5668", "10.0.0.1/24"))
                        .build());
    }

    private static Lease lease(String pod, String address) {
        return Lease.newBuilder()
                .setPod(pod)
                .setOwner(Owner.newBuilder().setContainer("on").setIfname("eth0"))
                .setResource(Resource.newBuilder().addAddresses(address).setParent("eni-1"))
                .setState("IN_USE")
                .build();
    }

    @Test
    void aNameIsWhatOtherCommandsTake() {
        assertThat(program("pool", "inuse", "-o", "name").out())
                .isEqualTo("default/b\ndefault/a\nkube-system/\u5bb9\u5668\n");
        assertThat(program("-o", "name", "eni", "show", "eni-1").out()).isEqualTo("eni-1\n");
    }

    @Test
    void columnsAreChosenAndLinesAreSortedAsPeopleSort() {
        assertThat(program("pool", "inuse", "--columns", "address,pod", "--sort-by", "address")
                        .out())
                .isEqualTo(String.join(
                        "\n",
                        "ADDRESS       POD",
                        "10.0.0.1/24   kube-system/\u5bb9\u5668",
                        "10.0.0.9/24   default/b",
                        "10.0.0.10/24  default/a",
                        ""));
        assertThat(program("pool", "inuse", "--sort-by=-pod", "-o", "name").out())
                .isEqualTo("kube-system/\u5bb9\u5668\ndefault/b\ndefault/a\n");
        assertThat(run("pool inuse --sort-by address | jq -r '.leases[0].resource.addresses[0]'")
                        .out())
                .isEqualTo("10.0.0.1/24\n");
    }

    @Test
    void charactersThatAreWideTakeTwoCells() {
        assertThat(program("pool", "inuse", "--columns", "pod,state").out())
                .isEqualTo(String.join(
                        "\n",
                        "POD               STATE",
                        "default/b         IN_USE",
                        "default/a         IN_USE",
                        "kube-system/\u5bb9\u5668  IN_USE",
                        ""));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            value = {
                "pool inuse --columns pod,adress ~ enipam: pool inuse failed: unknown column 'adress'. Did you mean 'address'? There are pod, address,",
                "pool inuse --sort-by -agee      ~ enipam: pool inuse failed: unknown column 'agee'. Did you mean 'age'?",
                "eni list --watch=0              ~ enipam: invalid value for option '--watch': '0' is no number of seconds from 0.1 to 86400",
                "eni list --watch=soon           ~ enipam: invalid value for option '--watch': 'soon' is no number of seconds",
                "status -o xml                   ~ enipam: invalid value for option '--output': 'xml' is not table, wide, vertical, csv, json, yaml or name",
            })
    void whatDoesNotExistIsAUsageErrorAndNothingIsAsked(String command, String told) {
        TestShell.Result result = run(command);

        assertThat(result.status()).isEqualTo(2);
        assertThat(result.err()).startsWith(told);
        assertThat(daemon.received()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"pool inuse", "eni list", "status", "config show", "gc status", "plugin list", "events"})
    void yamlHasTheFieldsOfJson(String command) {
        String json = run(command + " -o json").out();
        String yaml = run(command + " -o yaml").out();

        Object read = new Load(LoadSettings.builder().build()).loadFromString(yaml);
        assertThat(JsonParser.parseString(new com.google.gson.Gson().toJson(read))
                        .toString())
                .isEqualTo(JsonParser.parseString(json).toString());
    }

    @Test
    void textThatYamlCouldTakeForSomethingElseIsQuoted() {
        assertThat(program("pool", "inuse", "-o", "yaml").out()).contains("container: \"on\"");
    }

    @Test
    void nothingThatATerminalWouldObeyGetsOutInAnyFormat() {
        String evil = "default/a\u001b[2J\u001b]0;title\u0007\u202e\r\nx";
        daemon.answer(
                ListInUseRequest.class,
                ListInUseReply.newBuilder().addLeases(lease(evil, evil)).build());

        for (String format : List.of("table", "wide", "vertical", "csv", "json", "yaml", "name")) {
            assertThat(program("pool", "inuse", "-o", format).out().replace("\r\n", "\n")) // RFC 4180's ends of lines
                    .as(format)
                    .doesNotContain("\u001b")
                    .doesNotContain("\u0007")
                    .doesNotContain("\u202e")
                    .doesNotContain("\r");
        }
        assertThat(run("pool inuse | jq -r '.leases[].pod'").out())
                .doesNotContain("\u001b")
                .doesNotContain("\u202e");
    }

    @Test
    void aListHasBlocksOfFieldsAndCsvAndAnythingElseRefusesCsvBeforeItIsDone() {
        assertThat(run("pool inuse --columns pod,address -o vertical | head -n 4")
                        .out())
                .isEqualTo("POD      default/b\nADDRESS  10.0.0.9/24\n\nPOD      default/a\n");
        assertThat(program("pool", "inuse", "--columns", "pod,address,age", "-o", "csv")
                        .out())
                .startsWith("pod,address,age\r\ndefault/b,10.0.0.9/24,\r\n");
        daemon.answer(ListInUseRequest.class, ListInUseReply.getDefaultInstance());
        assertThat(program("pool", "inuse", "--columns", "pod,address", "-o", "csv")
                        .out())
                .isEqualTo("pod,address\r\n");

        TestShell.Result refused = run("pool warm 5 -o csv");
        assertThat(refused.status()).isEqualTo(2);
        assertThat(refused.err()).contains("'pool warm' prints no list, and has no CSV");
        assertThat(received(io.enipam.v1.WarmPoolRequest.class)).isEmpty();
        assertThat(program("-o", "csv", "-c", "pool show").out()).startsWith("kind");
    }

    @Test
    void theProgramMaySayHowAllCommandsPrint() {
        assertThat(program("-o", "yaml", "-c", "pool show").out()).startsWith("pool:\n  kind: eni-ip\n");
        assertThat(program("-o", "yaml", "-c", "pool show -o name").out()).isEqualTo("eni-ip\n");
    }

    @Test
    void aWatchWithoutATerminalPrintsOneBehindTheOtherUntilNobodyReads() {
        TestShell.Result lines = run("pool inuse --watch=0.1 -o json | head -n 2");
        TestShell.Result tables = run("pool inuse --watch=0.1 --columns pod | head -n 6");

        assertThat(lines.status() + tables.status()).isZero();
        assertThat(lines.out().lines())
                .hasSize(2)
                .allSatisfy(line -> assertThat(
                                JsonParser.parseString(line).getAsJsonObject().getAsJsonArray("leases"))
                        .hasSize(3));
        assertThat(tables.out().lines().skip(4).findFirst())
                .hasValueSatisfying(line -> assertThat(line).startsWith("--- 2026-"));
    }
}
