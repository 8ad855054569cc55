package io.enipam.config;

import io.enipam.aliyun.eni.EniUse;
import io.enipam.kubernetes.cidr.NodeCidrFactory;
import java.util.Arrays;

/** What a pod gets, in terway's terms. */
enum DaemonMode {
    /** An address of an ENI that pods share. */
    ENI_MULTI_IP("ENIMultiIP", EniUse.ADDRESSES.factory(), true),
    /** An ENI of its own. */
    ENI_ONLY("ENIOnly", EniUse.WHOLE.factory(), true),
    /** An address of the CIDR that the cluster assigned to the node. */
    VPC("VPC", NodeCidrFactory.NAME, false);

    private final String label;
    private final String factory;
    private final boolean ofCloud;

    DaemonMode(String label, String factory, boolean ofCloud) {
        this.label = label;
        this.factory = factory;
        this.ofCloud = ofCloud;
    }

    static String[] names() {
        return Arrays.stream(values()).map(DaemonMode::label).toArray(String[]::new);
    }

    /** The mode with this name, if one has it. */
    static DaemonMode named(String label) {
        return Arrays.stream(values())
                .filter(mode -> mode.label.equals(label))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no mode " + label));
    }

    /** Whether this is a factory of the cloud, which needs credentials. */
    static boolean ofCloud(String factory) {
        return Arrays.stream(values()).anyMatch(mode -> mode.ofCloud && mode.factory.equals(factory));
    }

    /** Terway's spelling. */
    String label() {
        return label;
    }

    String factory() {
        return factory;
    }
}
