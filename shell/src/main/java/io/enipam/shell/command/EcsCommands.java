package io.enipam.shell.command;

import io.enipam.shell.core.Completes;
import io.enipam.shell.core.CompletionKind;
import io.enipam.shell.core.ListCommand;
import io.enipam.shell.core.ListReply;
import io.enipam.shell.core.RenderContext;
import io.enipam.shell.core.TableListing;
import io.enipam.v1.CloudApiBudget;
import io.enipam.v1.CloudCall;
import io.enipam.v1.GetCloudBudgetReply;
import io.enipam.v1.GetCloudBudgetRequest;
import io.enipam.v1.ListCloudCallsReply;
import io.enipam.v1.ListCloudCallsRequest;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
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
                names = "--limit",
                paramLabel = "N",
                defaultValue = "20",
                description = "No more than this many; 0 for all that are remembered. By default 20.")
        int limit;

        public Calls() {
            super(CloudViews.CALLS);
        }

        @Override
        public List<String> inBundle() {
            return List.of("ecs calls --limit 0");
        }

        @Override
        protected TableListing<CloudCall> listing() {
            return failed || !api.isEmpty() ? CloudViews.SOME_CALLS : super.listing();
        }

        @Override
        protected ListReply<CloudCall> ask() {
            ListCloudCallsRequest.Builder request =
                    ListCloudCallsRequest.newBuilder().setApi(api).setFailed(failed);
            return parts(
                    stub -> stub.listCloudCalls(request.setLimit(limit).build()), ListCloudCallsReply::getCallsList);
        }
    }

    @Command(name = "budget", description = "What each API may still be asked this minute, and how its calls fared.")
    public static final class Budget extends ListCommand<CloudApiBudget> {
        public Budget() {
            super(CloudViews.BUDGET);
        }

        @Override
        protected ListReply<CloudApiBudget> ask() {
            return whole(
                    stub -> stub.getCloudBudget(GetCloudBudgetRequest.getDefaultInstance()),
                    GetCloudBudgetReply::getApisList);
        }

        @Override
        protected Optional<BiFunction<List<CloudApiBudget>, RenderContext, List<String>>> below() {
            return Optional.of(CloudViews::failures);
        }
    }
}
