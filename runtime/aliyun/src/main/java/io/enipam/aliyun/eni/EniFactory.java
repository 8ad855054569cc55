package io.enipam.aliyun.eni;

import io.enipam.aliyun.api.EcsApi;
import io.enipam.aliyun.api.EcsApi.VSwitch;
import io.enipam.engine.port.CloudJournal;
import io.enipam.engine.port.EniDirectory;
import io.enipam.engine.port.EniSweeper;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.Scheduler;
import io.enipam.engine.port.TimeSource;
import io.enipam.sdk.Capabilities;
import io.enipam.sdk.CreateRequest;
import io.enipam.sdk.CreateResult;
import io.enipam.sdk.DisposeResult;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceKind;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/**
 * Makes whole ENIs of this instance: terway's mode ENIOnly. Thread-safe; no method blocks.
 *
 * <p>A whole ENI is an ENI with one address that is lent: made and attached for its wish, and with its one address given
 * back it is detached and deleted. So all that {@link EniIpFactory} knows of the ways of an ENI serves here, too: at most
 * three operations at once, a way that takes too long, lost answers, an ENI too many, what a crash has left behind. Created
 * means that the ENI is attached; disposed means that the cloud has it no more, and until then it keeps its slot.
 */
public final class EniFactory implements CloudFactory {
    private final EniIpFactory enis;

    /**
     * Its ENIs have an address of both families, if the settings say so.
     *
     * @param settings of whichever use; one address an ENI is lent
     * @param slots shared with the other factories on this instance
     * @param known which addresses somebody has together
     * @see EniIpFactory
     */
    public EniFactory(
            FactorySettings settings,
            List<VSwitch> vswitches,
            EcsApi api,
            CloudJournal journal,
            TimeSource time,
            Scheduler scheduler,
            EventSink events,
            Executor calls,
            EniSlots slots,
            KnownAddressPairs known) {
        this.enis = new EniIpFactory(
                settings.forWholeEnis(),
                vswitches,
                new PrimaryAddressEcsApi(api),
                journal,
                time,
                scheduler,
                events,
                calls,
                slots,
                known);
    }

    @Override
    public ResourceKind kind() {
        return enis.kind();
    }

    @Override
    public Capabilities capabilities() {
        return enis.capabilities();
    }

    @Override
    public List<CompletionStage<CreateResult>> create(List<CreateRequest> requests) {
        return enis.create(requests);
    }

    @Override
    public List<CompletionStage<DisposeResult>> dispose(List<Resource> resources) {
        return enis.dispose(resources);
    }

    @Override
    public CompletionStage<List<Resource>> list() {
        return enis.list();
    }

    @Override
    public EniDirectory directory() {
        return enis.directory();
    }

    @Override
    public EniSweeper sweeper() {
        return enis.sweeper();
    }

    @Override
    public void scheduleSweeps() {
        enis.scheduleSweeps();
    }

    @Override
    public void setLostEniPolicy(LostEniPolicy policy) {
        enis.setLostEniPolicy(policy);
    }

    @Override
    public void setVSwitches(List<VSwitch> vswitches, VSwitchPolicy policy) {
        enis.setVSwitches(vswitches, policy);
    }

    @Override
    public void drain() {
        enis.drain();
    }

    @Override
    public void close() {
        enis.close();
    }
}
