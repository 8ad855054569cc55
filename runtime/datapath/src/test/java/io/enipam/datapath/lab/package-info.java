/** Real namespaces for tests: this process's own is the node, pods have theirs, and the VPC is a third behind the ENIs. */
package io.enipam.datapath.lab;
