/// @file
/// Groups beside the default one.
#include <csignal>

#include "catch.h"
#include "job.h"
#include "process.h"

using namespace test;

TEST_CASE("groups of some ranks overlap, and functional collectives find them by name", "[integration][group]") {
  const auto outputs = run_group_program(3, {"overlapping_groups"});
  CHECK_THAT(outputs[0], ContainsSubstring("first: 3 over 0,1\nsecond: none\nall: 6 over 0,1,2\n"
                                           "second, functional: none\nall, functional: 6\n"));
  CHECK_THAT(outputs[1], ContainsSubstring("first: 3 over 0,1\nsecond: 5 over 1,2\nall: 6 over 0,1,2\n"
                                           "second, functional: 5\nall, functional: 6\n"));
  CHECK_THAT(outputs[2], ContainsSubstring("first: none\nsecond: 5 over 1,2\nall: 6 over 0,1,2\n"));
}

TEST_CASE("members make a group of which the others know nothing; later names agree (case 103)",
          "[integration][group]") {
  const auto outputs = run_group_program(4, {"group_of_the_last_two"});
  for (std::size_t rank : {2U, 3U}) {
    CHECK_THAT(outputs[rank], ContainsSubstring("first: 7 over 2,3, again: 7 over 2,3\n"));
  }
  for (std::size_t rank : {0U, 3U}) {
    CHECK_THAT(outputs[rank], ContainsSubstring("next: 5 over 0,3\n"));
  }
  CHECK_THAT(outputs[1], ContainsSubstring("next: none\n"));
}

TEST_CASE("the world is divided into groups of one size", "[integration][group]") {
  const auto outputs = run_group_program(4, {"subgroups"});
  CHECK_THAT(outputs[1], ContainsSubstring("own: 3 over 0,1, of 2\n"));
  CHECK_THAT(outputs[2], ContainsSubstring("own: 7 over 2,3, of 2\n"));
  for (Process& rank : start_group_ranks(3, {"subgroups"})) {
    check_failure(rank, "ValueError: group_size must divide the world size 3, but it is 2");
  }
}

TEST_CASE("the local group is each node's own", "[integration][group]") {
  const auto outputs = run_group_program(4, {"local_group"});
  CHECK_THAT(outputs[0], ContainsSubstring("Local process group is not created, please use `init_local_group`"));
  CHECK_THAT(outputs[0], ContainsSubstring("local: 3 over 0,1\n"));
  CHECK_THAT(outputs[3], ContainsSubstring("local: 7 over 2,3\n"));
}

TEST_CASE("a group that is destroyed can be made again", "[integration][group]") {
  const auto outputs = run_group_program(2, {"destroy_and_make_again", "default_sum"});
  for (const std::string& output : outputs) {
    CHECK(count(output, "sum: 3 over 0,1\n") == 4);
    CHECK(count(output, "this process group is not one of the world") == 3);
  }
}

TEST_CASE("ranks that make different groups at the same point are told so at once", "[integration][group]") {
  auto ranks = start_group_ranks(3, {"disagree", "timeout=600"});
  // Rank 0 waits already, and learns it from the others.
  REQUIRE(ranks[0].wait_for_output("waits: 1 of 2 ranks of group '1' are here; missing: 1"));
  ranks[1].signal(SIGUSR1);
  check_failure(ranks[0], "RendezvousError: rank 0 on host ");
  CHECK_THAT(ranks[0].output(), ContainsSubstring("makes group '1' of the ranks 0, 1, 2, but rank 0 (host ") &&
                                    ContainsSubstring(" makes it of the ranks 0, 1. Store: "));
  check_failure(ranks[1], "All ranks must make the same groups in the same order");
}

TEST_CASE("a member that doesn't come to a group is named", "[integration][group]") {
  auto ranks = start_group_ranks(3, {"make_without_the_last", "timeout=5"});
  for (int rank : {0, 1}) {
    check_failure(ranks[static_cast<std::size_t>(rank)], "2 of 3 ranks of group '1' are here; missing: 2");
    CHECK_THAT(ranks[static_cast<std::size_t>(rank)].output(), ContainsSubstring("TimeoutError"));
  }
}

TEST_CASE("after a group that failed the next one can be made, and the world be left", "[integration][group]") {
  auto ranks = start_group_ranks(3, {"make_after_a_failure", "timeout=600"});
  for (int rank : {0, 1}) {
    const Outcome outcome = ranks[static_cast<std::size_t>(rank)].wait(soon);
    INFO(outcome.output);
    CHECK(outcome.status == 0);
    CHECK_THAT(outcome.output, ContainsSubstring("missing: 2; store: ") && ContainsSubstring("sum: 3 over 0,1\n"));
  }
}

TEST_CASE("wrong arguments of a group are refused, and nothing is waited for", "[integration][group]") {
  for (const std::string& output : run_group_program(2, {"bad_arguments"})) {
    CHECK_THAT(output, ContainsSubstring("ValueError: a group's ranks must be distinct, but 0 is twice among 0, 0\n"));
    CHECK_THAT(output,
               ContainsSubstring("ValueError: a group's ranks must be from 0 to 1, but there is 2 among 0, 2\n"));
    CHECK_THAT(output,
               ContainsSubstring("ValueError: a group's ranks must be from 0 to 1, but there is -1 among -1\n"));
    CHECK_THAT(output,
               ContainsSubstring("ValueError: option 'timeout' must be from 1 ms to 2147483 s, but it is 0 ms\n"));
    CHECK_THAT(output, ContainsSubstring("BackendError: backend 'smoke' is unknown. Available here: gloo"));
    CHECK_THAT(output, ContainsSubstring("TypeError: pg_options are for backend 'nccl', but the backend is 'gloo'\n"));
    CHECK_THAT(output, ContainsSubstring("RendezvousError: new_group needs the default process group"));
    CHECK_THAT(output, !ContainsSubstring("made"));
  }
}

TEST_CASE("a group has a timeout of its own", "[integration][group]") {
  auto ranks = start_group_ranks(2, {"short_timeout", "timeout=600"});
  check_failure(ranks[0], "Timed out waiting 1000ms");
}

TEST_CASE("with TORCH_DISTRIBUTED_DEBUG=DETAIL ranks that disagree are told what each of them calls",
          "[integration][group]") {
  for (Process& rank : start_group_ranks(2, {"default_sum", "mismatch"}, {{"TORCH_DISTRIBUTED_DEBUG", "DETAIL"}})) {
    check_failure(rank, "Detected mismatch between collectives on ranks");
    CHECK_THAT(rank.output(), ContainsSubstring("sum: 3 over 0,1\n"));
  }
  for (Process& rank : start_group_ranks(2, {"overlapping_groups"}, {{"TORCH_DISTRIBUTED_DEBUG", "LOUD"}})) {
    check_failure(rank, "LaunchError: TORCH_DISTRIBUTED_DEBUG must be OFF, INFO or DETAIL");
  }
}
