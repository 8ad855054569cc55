package io.enipam.aliyun.credentials;

/** Gives out the keys of the instance's RAM role. Blocks for seconds at most. */
@FunctionalInterface
public interface RoleService {
    /**
     * The newest keys.
     *
     * @throws KeysException if there is no role, or no answer
     */
    Keys keys();
}
