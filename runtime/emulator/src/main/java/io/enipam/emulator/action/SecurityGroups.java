package io.enipam.emulator.action;

import io.enipam.emulator.api.ApiError;
import io.enipam.emulator.api.ApiException;
import io.enipam.emulator.cloud.CloudState;
import java.util.List;

/** Which groups an ENI may be in. */
final class SecurityGroups {
    /** Of one ENI, after the account's limit was raised as far as it goes. */
    static final int MOST = 10;

    /** What a call may list at all. */
    static final int MOST_LISTED = 100;

    private SecurityGroups() {}

    /**
     * Fails if there are none or too many, one does not exist, or one has no room.
     *
     * @param before the groups the ENI is in already
     */
    static void check(List<String> groups, List<String> before, CloudState state) {
        if (groups.isEmpty()) {
            throw new ApiException(ApiError.MISSING_PARAMETER, "SecurityGroupId");
        }
        if (groups.size() > MOST) {
            throw new ApiException(ApiError.GROUP_COUNT_EXCEEDED, MOST, groups.size());
        }
        int quota = state.quotas().groupMembers();
        for (String group : groups) {
            if (!state.vpc().securityGroups().contains(group)) {
                throw new ApiException(ApiError.SECURITY_GROUP_NOT_FOUND, group);
            }
            if (!before.contains(group) && state.members(group) >= quota) {
                throw new ApiException(ApiError.GROUP_MEMBER_QUOTA, quota, group);
            }
        }
    }
}
