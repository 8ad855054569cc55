package io.enipam.observability.metrics;

import io.enipam.aliyun.eni.EniState;
import io.enipam.engine.port.EniDirectory;
import java.util.Arrays;
import java.util.List;

/** The ENIs in the factory's book. */
record EniPart() implements Part {
    private static final Metric ENIS = Metric.gauge("enipam_enis", "ENIs that the factory knows, by state.", "state");
    private static final Metric ADDRESSES =
            Metric.gauge("enipam_eni_addresses", "Addresses on these ENIs, the primary ones included.");
    private static final Metric LIMIT =
            Metric.gauge("enipam_eni_address_limit", "Addresses that these ENIs may have by the instance type.");
    private static final Metric QUEUED =
            Metric.gauge("enipam_eni_requests_queued", "Requests for addresses that wait for an ENI's worker.");

    @Override
    public String name() {
        return "enis";
    }

    @Override
    public List<Metric> metrics() {
        return List.of(ENIS, ADDRESSES, LIMIT, QUEUED);
    }

    @Override
    public void collect(Sheet sheet, Moment moment) {
        List<EniDirectory.Eni> all = moment.enis();
        for (EniState state : EniState.values()) {
            sheet.put(
                    ENIS,
                    all.stream()
                            .filter(eni -> eni.state().equals(state.label()))
                            .count(),
                    state.label());
        }
        List<String> known =
                Arrays.stream(EniState.values()).map(EniState::label).toList();
        long others = all.stream().filter(eni -> !known.contains(eni.state())).count();
        if (others > 0) {
            sheet.put(ENIS, others, "other");
        }
        sheet.put(
                ADDRESSES, all.stream().mapToInt(eni -> eni.addresses().size()).sum());
        sheet.put(LIMIT, all.stream().mapToInt(EniDirectory.Eni::addressLimit).sum());
        sheet.put(QUEUED, all.stream().mapToInt(EniDirectory.Eni::queued).sum());
    }
}
