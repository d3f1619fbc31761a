#include "config/config_file.hpp"

#include "config/field_rules.hpp"
#include "messages/quote.hpp"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>

#include <fstream>
#include <sstream>
#include <utility>

namespace neap::config {
namespace {

namespace pb = google::protobuf;

constexpr std::size_t file_limit = 1024 * 1024;

error configuration_error(std::string message, std::string path = {}) {
  return {error_code::invalid_configuration, std::move(message), std::move(path)};
}

// Keeps the first fault. Lines count from 0 there.
class first_fault final : public pb::io::ErrorCollector {
 public:
  void AddError(int line, pb::io::ColumnNumber, const std::string& message) override {
    if (text_.empty()) {
      line_ = line + 1;
      text_ = message;
    }
  }

  // One line that says where and what to do.
  std::string describe(const std::string& name) const {
    return name + ":" + std::to_string(line_) + ": " + text_ +
           " (config/example.textproto shows every field and its form)";
  }

 private:
  int line_ = 0;
  std::string text_;
};

// Line of a field in the file, from 1; 0 if the file does not set it.
int line_of(const pb::TextFormat::ParseInfoTree& places, const std::string& path) {
  const auto dot = path.find('.');
  const auto* section = Config::descriptor()->FindFieldByName(path.substr(0, dot));
  const auto* inner = places.GetTreeForNested(section, -1);
  const auto* field = section->message_type()->FindFieldByName(path.substr(dot + 1));
  return inner == nullptr ? 0 : inner->GetLocation(field, -1).line + 1;
}

}  // namespace

result<Config> parse_config(const std::string& text, const std::string& name) {
  Config out;
  first_fault fault;
  pb::TextFormat::ParseInfoTree places;
  pb::TextFormat::Parser parser;
  parser.RecordErrorsTo(&fault);
  parser.WriteLocationsTo(&places);
  parser.SetRecursionLimit(16);
  if (!parser.ParseFromString(text, &out)) return configuration_error(fault.describe(name));
  if (const auto broken = check_rules(out)) {
    const auto line = std::to_string(line_of(places, broken->path));
    return configuration_error(name + ":" + line + ": " + broken->path + ": " + broken->message,
                               broken->path);
  }
  return out;
}

result<Config> load_config(const std::filesystem::path& file) {
  const auto name = quote(file.string());
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return configuration_error(name + " does not exist");
  // A FIFO or a device would block or never end.
  if (!std::filesystem::is_regular_file(file, ignored)) {
    return configuration_error(name + " is not a regular file; it cannot be read as a configuration");
  }
  std::ifstream in(file, std::ios::binary);
  if (!in) return configuration_error(name + " cannot be read; check its permissions");
  std::string text(file_limit + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (text.size() > file_limit) {
    return configuration_error(name + " is larger than 1 MiB; this is no configuration file");
  }
  return parse_config(text, file.string());
}

result<void> validate(const Config& config) {
  const auto broken = check_rules(config);
  if (!broken) return {};
  return configuration_error(broken->path + ": " + broken->message, broken->path);
}

}  // namespace neap::config
