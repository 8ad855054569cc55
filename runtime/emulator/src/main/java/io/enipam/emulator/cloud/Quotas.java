package io.enipam.emulator.cloud;

/**
 * What the account may have in the region, as the documents of ECS and VPC limit it by default. What an instance type
 * allows is in {@link InstanceType}.
 *
 * @param enis ENIs, the primary ones not counted; at least 0
 * @param groupMembers ENIs in one security group, the primary ones counted; at least 1
 * @param privateIps IPv4 addresses in the VPC; at least 1
 */
public record Quotas(int enis, int groupMembers, int privateIps) {
    public Quotas {
        if (enis < 0 || groupMembers < 1 || privateIps < 1) {
            throw new IllegalArgumentException("quotas are counts, but got enis=" + enis + ", groupMembers="
                    + groupMembers + ", privateIps=" + privateIps);
        }
    }

    /** 50,000 ENIs, 2,000 members of a group, 60,000 addresses. */
    public static Quotas defaults() {
        return new Quotas(50_000, 2000, 60_000);
    }
}
