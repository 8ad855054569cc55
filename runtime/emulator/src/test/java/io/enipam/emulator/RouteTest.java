package io.enipam.emulator;

import static org.assertj.core.api.Assertions.assertThat;

import com.aliyuncs.exceptions.ClientException;
import com.aliyuncs.vpc.model.v20160428.CreateRouteEntryRequest;
import com.aliyuncs.vpc.model.v20160428.DeleteRouteEntryRequest;
import com.aliyuncs.vpc.model.v20160428.DescribeRouteEntryListRequest;
import com.aliyuncs.vpc.model.v20160428.DescribeRouteEntryListResponse;
import com.aliyuncs.vpc.model.v20160428.DescribeVpcsRequest;
import io.enipam.emulator.fault.Effect;
import io.enipam.emulator.fault.FaultRule;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The entries of the VPC's route table, through the real SDK. */
class RouteTest {
    @AutoClose
    private CloudEmulator emulator = CloudEmulator.start(EmulatorConfig.defaults());

    private SdkClient sdk = new SdkClient(emulator);

    @TempDir
    private Path directory;

    @Test
    void anEntryIsMadeListedAndRemoved() throws ClientException {
        assertThat(sdk.call(new DescribeVpcsRequest()).getVpcs().get(0).getRouterTableIds())
                .containsExactly(emulator.routeTable());
        assertThat(list()).isEmpty();

        sdk.call(create("10.244.0.0/24"));
        String second = sdk.call(create("10.244.1.0/24")).getRouteEntryId();
        assertThat(list()).hasSize(2).last().satisfies(entry -> {
            assertThat(entry.getRouteEntryId()).isEqualTo(second);
            assertThat(entry.getDestinationCidrBlock()).isEqualTo("10.244.1.0/24");
            assertThat(entry.getStatus()).isEqualTo("Available");
            assertThat(entry.getNextHops()).singleElement().satisfies(hop -> {
                assertThat(hop.getNextHopType()).isEqualTo("Instance");
                assertThat(hop.getNextHopId()).isEqualTo(emulator.instanceIds().get(0));
            });
        });

        sdk.call(delete("10.244.0.0/24"));
        assertThat(list())
                .extracting(DescribeRouteEntryListResponse.RouteEntry::getDestinationCidrBlock)
                .containsExactly("10.244.1.0/24");
        assertThat(code(() -> sdk.call(delete("10.244.0.0/24")))).isEqualTo("InvalidRouteEntry.NotFound");
    }

    @Test
    void aTokenMakesOneEntry() throws ClientException {
        CreateRouteEntryRequest request = create("10.244.0.0/24");
        request.setClientToken("once");
        String id = sdk.call(request).getRouteEntryId();
        CreateRouteEntryRequest again = create("10.244.0.0/24");
        again.setClientToken("once");

        assertThat(sdk.call(again).getRouteEntryId()).isEqualTo(id);
        assertThat(list()).hasSize(1);
    }

    @Test
    void whatTheVpcDoesNotTakeIsRefused() throws ClientException {
        sdk.call(create("10.244.0.0/24"));

        assertThat(code(() -> sdk.call(create("10.244.0.0/24")))).isEqualTo("RouterEntryConflict.Duplicated");
        assertThat(code(() -> sdk.call(create("10.0.0.0/25"))))
                .as("in a vSwitch")
                .isEqualTo("InvalidCidrBlock");
        assertThat(code(() -> sdk.call(create("100.64.0.0/10")))).isEqualTo("InvalidCidrBlock");
        assertThat(code(() -> sdk.call(create("nowhere")))).isEqualTo("InvalidCidrBlock");
        CreateRouteEntryRequest nobody = create("10.244.9.0/24");
        nobody.setNextHopId("i-none");
        assertThat(code(() -> sdk.call(nobody))).isEqualTo("InvalidInstanceId.NotFound");
        CreateRouteEntryRequest elsewhere = create("10.244.9.0/24");
        elsewhere.setRouteTableId("vtb-none");
        assertThat(code(() -> sdk.call(elsewhere))).isEqualTo("InvalidRouteTableId.NotFound");
    }

    @Test
    void aTableTakesTwoHundred() throws ClientException {
        for (int i = 0; i < 200; i++) {
            sdk.call(create("10.244." + i + ".0/24"));
        }

        assertThat(code(() -> sdk.call(create("10.245.0.0/24")))).isEqualTo("QuotaExceeded");
        assertThat(list()).as("the first page").hasSize(100);
    }

    @Test
    void faultsBefallTheseCallsToo() throws ClientException {
        emulator.control()
                .faults()
                .add(FaultRule.on("CreateRouteEntry")
                        .atMost(1)
                        .does(Effect.Fail.known("TaskConflict", false).orElseThrow()));

        assertThat(code(() -> sdk.call(create("10.244.0.0/24")))).isEqualTo("TaskConflict");
        sdk.call(create("10.244.0.0/24"));
    }

    @Test
    void entriesOutliveARestartAndAFileFromBeforeThereWereAnyIsRead() throws Exception {
        emulator.close();
        Path file = directory.resolve("state.json");
        EmulatorConfig config = EmulatorConfig.defaults().withStateFile(file);
        emulator = CloudEmulator.start(config);
        sdk = new SdkClient(emulator);
        sdk.call(create("10.244.0.0/24"));
        emulator.close();
        emulator = CloudEmulator.start(config);
        sdk = new SdkClient(emulator);
        assertThat(list()).hasSize(1);
        emulator.close();

        String saved = Files.readString(file);
        String former = saved.replaceAll(",\"routes\":\\[.*?]", "").replaceAll(",\"deviceIndex\":[0-9]+", "");
        assertThat(former).doesNotContain("10.244.0.0", "deviceIndex");
        Files.writeString(file, former);
        emulator = CloudEmulator.start(config);
        sdk = new SdkClient(emulator);
        assertThat(list()).isEmpty();
    }

    private CreateRouteEntryRequest create(String destination) {
        CreateRouteEntryRequest request = new CreateRouteEntryRequest();
        request.setRouteTableId(emulator.routeTable());
        request.setDestinationCidrBlock(destination);
        request.setNextHopType("Instance");
        request.setNextHopId(emulator.instanceIds().get(0));
        return request;
    }

    private DeleteRouteEntryRequest delete(String destination) {
        DeleteRouteEntryRequest request = new DeleteRouteEntryRequest();
        request.setRouteTableId(emulator.routeTable());
        request.setDestinationCidrBlock(destination);
        request.setNextHopId(emulator.instanceIds().get(0));
        return request;
    }

    private List<DescribeRouteEntryListResponse.RouteEntry> list() throws ClientException {
        DescribeRouteEntryListRequest request = new DescribeRouteEntryListRequest();
        request.setRouteTableId(emulator.routeTable());
        return sdk.call(request).getRouteEntrys();
    }

    private interface Call {
        void make() throws ClientException;
    }

    private static String code(Call call) {
        try {
            call.make();
            return "";
        } catch (ClientException refused) {
            return refused.getErrCode();
        }
    }
}
