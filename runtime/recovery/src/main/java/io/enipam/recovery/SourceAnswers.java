package io.enipam.recovery;

import io.enipam.engine.model.Pod;
import io.enipam.engine.port.CloudJournal;
import io.enipam.engine.port.Datapath.Attachment;
import io.enipam.sdk.Resource;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The sources that are asked beside the database.
 *
 * @param kernel the sandboxes that are connected
 * @param pods the pods of the node, by the API server
 * @param cloud the resources that the factories list, each stamped with its factory's name
 */
public record SourceAnswers(Answer<Attachment> kernel, Answer<Pod> pods, Answer<Resource> cloud) {

    /**
     * @param known whether it answered; if not, nothing is concluded from the list, which is empty
     * @param words how much that is, or why there is no answer; for operators
     */
    public record Answer<T>(boolean known, List<T> told, String words) {
        public Answer {
            told = List.copyOf(told);
        }

        public static <T> Answer<T> of(List<T> told, String words) {
            return new Answer<>(true, told, words);
        }

        public static <T> Answer<T> none(String why) {
            return new Answer<>(false, List.of(), why);
        }
    }

    /** The journal of a cloud that is only looked at: nothing is open, and nothing can be begun, so nothing changes. */
    public static final class ReadOnlyCloudJournal implements CloudJournal {
        @Override
        public CompletionStage<Void> begin(Entry entry) {
            return CompletableFuture.failedStage(
                    new IOException("the cloud is only looked at while a database is recovered"));
        }

        @Override
        public void end(String id) {
            // nothing was begun
        }

        @Override
        public List<Entry> open() {
            return List.of();
        }
    }
}
