/** The messages, the frames and the process that makes changes. */
package io.enipam.datapath.netlink;
