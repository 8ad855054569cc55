package io.enipam.shell.cloud;

import io.enipam.shell.core.Completes;
import io.enipam.shell.core.CompletionKind;
import io.enipam.shell.core.ListCommand;
import io.enipam.shell.core.ListPrinter.Listed;
import io.enipam.v1.CloudApiBudget;
import io.enipam.v1.CloudCall;
import io.enipam.v1.GetCloudBudgetReply;
import io.enipam.v1.GetCloudBudgetRequest;
import io.enipam.v1.ListCloudCallsReply;
import io.enipam.v1.ListCloudCallsRequest;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
        name = "ecs",
        description = "What this node asks of the cloud.",
        subcommands = {EcsCommands.Calls.class, EcsCommands.Budget.class})
public final class EcsCommands {
    private EcsCommands() {}

    @Command(name = "calls", description = "The last calls of the cloud, the latest first.")
    public static final class Calls extends ListCommand<CloudCall> {
        @Completes(CompletionKind.ECS_APIS)
        @Option(names = "--api", paramLabel = "API", description = "Only calls of this API; see: ecs budget")
        String api = "";

        @Option(names = "--failed", description = "Only calls that failed.")
        boolean failed;

        @Option(
                names = {"-n", "--limit"},
                paramLabel = "N",
                defaultValue = "20",
                description = "No more than this many; 0 for all that are remembered. By default 20.")
        int limit;

        @Override
        public List<String> inBundle() {
            return List.of("ecs calls --limit 0");
        }

        @Override
        protected Listed<CloudCall> listed() {
            ListCloudCallsRequest.Builder request =
                    ListCloudCallsRequest.newBuilder().setApi(api).setFailed(failed);
            return parts(
                    failed || !api.isEmpty() ? CloudViews.SOME_CALLS : CloudViews.CALLS,
                    stub -> stub.listCloudCalls(request.setLimit(limit).build()),
                    ListCloudCallsReply::getCallsList);
        }
    }

    @Command(name = "budget", description = "What each API may still be asked this minute, and how its calls fared.")
    public static final class Budget extends ListCommand<CloudApiBudget> {
        @Override
        protected Listed<CloudApiBudget> listed() {
            return whole(
                            CloudViews.BUDGET,
                            stub -> stub.getCloudBudget(GetCloudBudgetRequest.getDefaultInstance()),
                            GetCloudBudgetReply::getApisList)
                    .with(CloudViews::failures);
        }
    }
}
