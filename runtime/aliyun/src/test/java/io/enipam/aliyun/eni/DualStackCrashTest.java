package io.enipam.aliyun.eni;

/** The same deaths on a node whose pods have both families: between the two calls of an Assign or an Unassign, too. */
class DualStackCrashTest extends CrashTest {
    @Override
    RestartableNode node() {
        return new RestartableNode(true);
    }
}
