package io.enipam.aliyun.eni;

import io.enipam.aliyun.api.EcsApi;
import io.enipam.aliyun.api.EcsApi.VSwitch;
import io.enipam.aliyun.api.EcsException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Keeps the counts of free addresses that {@link VSwitchPolicy#MOST} chooses by young enough. All methods run inside a turn
 * of the fleet; the asking does not, and while it goes on the wishes that need a new ENI wait in the queue. A cloud that
 * does not answer costs the choice nothing but that wait: the counts of before serve on.
 */
final class VSwitchCounts {
    /** What the cloud said of each vSwitch it was asked about. */
    private record CountResult(List<VSwitch> found, Map<String, EcsException> missing) {}

    private final EniRegistry fleet;
    private boolean asking;

    VSwitchCounts(EniRegistry fleet) {
        this.fleet = fleet;
    }

    /** Whether a vSwitch can be chosen now; if not, it can once the answer is there, which settles the placement again. */
    boolean ready() {
        if (asking) {
            return false;
        }
        if (!fleet.vswitches.countsDue()) {
            return true;
        }
        asking = true;
        List<String> ids = fleet.vswitches.preferred();
        fleet.cloud.call(
                api -> count(api, ids),
                answer -> {
                    asking = false;
                    fleet.vswitches.counted(answer.found);
                    answer.missing.forEach(fleet::disableVSwitch);
                },
                failure -> {
                    asking = false;
                    fleet.vswitches.counted(List.of());
                });
        return false;
    }

    private static CountResult count(EcsApi api, List<String> ids) {
        CountResult answer = new CountResult(new ArrayList<>(), new LinkedHashMap<>());
        for (String id : ids) {
            try {
                answer.found.add(api.describeVSwitch(id));
            } catch (EcsException e) {
                if (!VSwitches.unusable(e)) {
                    throw e;
                }
                answer.missing.put(id, e);
            }
        }
        return answer;
    }
}
