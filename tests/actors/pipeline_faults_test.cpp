// Lost actors, failing steps, and what the metrics say afterwards.

#include "tests/actors/node_world.hpp"

#include <caf/event_based_actor.hpp>


namespace neap::test {
namespace {

using namespace neap::actors;

class pipeline_faults : public node_world {
 protected:
  // Sum over all label sets of a series.
  double metric(const std::string& name) {
    double sum = 0;
    const auto text = metrics_text();
    for (std::size_t at = 0; at < text.size();) {
      const auto end = text.find('\n', at);
      const auto line = text.substr(at, end - at);
      at = end + 1;
      if (line.rfind(name, 0) != 0 || (line[name.size()] != ' ' && line[name.size()] != '{')) continue;
      sum += std::stod(line.substr(line.rfind(' ')));
    }
    return sum;
  }

  // Lets requests get into different states.
  void run_some(int messages) {
    for (int i = 0; i < messages; ++i) scheduler.try_run_once();
  }

  void expect_all_ended() {
    for (const auto& [id, each] : clients) {
      EXPECT_NE(each.sink->end(), nullptr) << "request " << id;
      EXPECT_EQ(each.sink->fault(), "") << "request " << id;
    }
    EXPECT_EQ(metric("neap:requests_started_total"), metric("neap:request_success_total"));
    EXPECT_EQ(metric("neap:num_requests_running") + metric("neap:num_requests_waiting"), 0);
  }
};

TEST_F(pipeline_faults, metrics_add_up) {  // C71, C72
  start({64, 2, 100, 6});
  for (int i = 0; i < 8; ++i) submit("request", 20);
  run_some(60);
  cancel(2);
  cancel(5);
  run();
  EXPECT_EQ(fault_at_rest(), "");
  expect_all_ended();
  EXPECT_EQ(metric("neap:requests_started_total"), 6);
  EXPECT_EQ(metric("neap:admission_rejections_total"), 2);
  EXPECT_EQ(metric("neap:kv_cache_usage_perc"), 0);
  EXPECT_NE(metrics_text().find("finished_reason=\"abort\""), std::string::npos);
}

TEST_F(pipeline_faults, a_failed_step_gives_its_requests_an_error_event) {  // C47
  start({64, 2});
  device->before_step = [](const batch_plan& plan) {
    return plan.step == 4 ? std::optional<error>{error{error_code::internal, "device fault", ""}}
                          : std::nullopt;
  };
  auto& mine = submit("request", 20);
  run();
  ASSERT_NE(mine.sink->failure(), nullptr);
  EXPECT_EQ(mine.sink->failure()->message, "device fault");
  EXPECT_GT(mine.sink->tokens().size(), 0U);
  submit("next");
  run();
  EXPECT_EQ(fault_at_rest(), "");
  expect_all_ended();
}

TEST_F(pipeline_faults, a_killed_request_actor_ends_its_request_for_everybody) {
  for (const int messages : {3, 20, 60}) {
    SCOPED_TRACE(messages);
    start({64, 2});
    for (int i = 0; i < 3; ++i) submit("request", 100);
    run_some(messages);
    const auto victim = clients.begin()->first;
    caf::anon_send_exit(request_actors.at(victim), caf::exit_reason::kill);
    run();
    ASSERT_NE(clients.at(victim).sink->failure(), nullptr);
    EXPECT_EQ(fault_at_rest(), "");
    expect_all_ended();
  }
}

TEST_F(pipeline_faults, late_and_double_messages_change_nothing) {
  start();
  auto& mine = submit("request", 5);
  run();
  const auto events = mine.sink->events.size();
  cancel(mine.request->id);
  cancel(mine.request->id);
  cancel(4711);
  run();
  EXPECT_EQ(mine.sink->events.size(), events);
  EXPECT_EQ(fault_at_rest(), "");
}

}  // namespace
}  // namespace neap::test
