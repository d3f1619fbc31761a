# The headers of the installed package, by component. Each compiles on its own with nothing but the installed tree
# (tests/package_test). docs/embedding.md says what is promised about them.

# Component engine: values, model files, text, schedule, memory, sampling. Needs the standard library only.
set(NEAP_ENGINE_HEADERS
  messages/batch_plan.hpp
  messages/error.hpp
  messages/generation_request.hpp
  messages/ids.hpp
  messages/json_value.hpp
  messages/node_views.hpp
  messages/prompt.hpp
  messages/result.hpp
  messages/routing.hpp
  messages/sampling_params.hpp
  messages/sequence_request.hpp
  messages/sequence_update.hpp
  messages/step_result.hpp
  messages/stream_event.hpp
  messages/token_logprobs.hpp
  kernels/tensor_type.hpp
  engine/decode/mean_hidden.hpp
  engine/decode/sampler.hpp
  engine/decode/selection.hpp
  engine/decode/sequence_state.hpp
  engine/decode/token_history.hpp
  engine/memory/block_lease.hpp
  engine/memory/block_pool.hpp
  engine/memory/block_table.hpp
  engine/memory/memory_zones.hpp
  engine/model/gguf_file.hpp
  engine/model/model_config.hpp
  engine/model/model_file.hpp
  engine/request/answer_text.hpp
  engine/request/prompt_echo.hpp
  engine/request/prompt_encoder.hpp
  engine/request/request_state.hpp
  engine/schedule/batch_scheduler.hpp
  engine/schedule/batch_window.hpp
  engine/schedule/complexity.hpp
  engine/schedule/route.hpp
  engine/schedule/sequence.hpp
  engine/supervise/restart_policy.hpp
  engine/text/chat_template.hpp
  engine/text/tool_calls/tool_call_format.hpp
  engine/text/detokenizer.hpp
  engine/text/stop_matcher.hpp
  engine/text/text_stream.hpp
  engine/text/tokenizer.hpp)

# Component actors: the node, its typed interfaces, and how a model gets into it. Adds CAF.
set(NEAP_ACTORS_HEADERS
  messages/gateway.hpp
  kernels/kernel_table.hpp
  kernels/packed_matrix.hpp
  backends/backend.hpp
  backends/backend_factory.hpp
  actors/actor_sink.hpp
  actors/gateway_bridge.hpp
  actors/interfaces.hpp
  actors/node_actors.hpp
  actors/node_peers.hpp
  actors/report.hpp
  actors/supervisor.hpp
  actors/timeouts.hpp
  actors/type_ids.hpp
  server/node.hpp
  server/compose/load_node.hpp)
