#include "config/field_access.hpp"

#include "messages/quote.hpp"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <charconv>

namespace neap::config {
namespace {

namespace pb = google::protobuf;

// Section and field of a path; null if there is none.
struct location {
  const pb::FieldDescriptor* section = nullptr;
  const pb::FieldDescriptor* field = nullptr;
};

location find(std::string_view path) {
  const auto dot = path.find('.');
  if (dot == std::string_view::npos) return {};
  location out;
  out.section = Config::descriptor()->FindFieldByName(std::string(path.substr(0, dot)));
  if (out.section == nullptr) return {};
  out.field = out.section->message_type()->FindFieldByName(std::string(path.substr(dot + 1)));
  return out.field == nullptr ? location{} : out;
}

error wrong(std::string_view path, const std::string& text, std::string_view wanted) {
  return {error_code::invalid_configuration,
          std::string(path) + ": " + quote(text) + " is not " + std::string(wanted), std::string(path)};
}

}  // namespace

result<void> set_field(Config& config, std::string_view path, const std::string& text) {
  const auto where = find(path);
  if (where.field == nullptr) {
    return error{error_code::invalid_configuration, "there is no option " + std::string(path),
                 std::string(path)};
  }
  auto* section = config.GetReflection()->MutableMessage(&config, where.section);
  const auto* reflection = section->GetReflection();
  switch (where.field->cpp_type()) {
    case pb::FieldDescriptor::CPPTYPE_UINT32: {
      std::uint32_t number = 0;
      const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
      if (text.empty() || failure != std::errc{} || end != text.data() + text.size()) {
        return wrong(path, text, "a whole number from 0 to 4294967295");
      }
      reflection->SetUInt32(section, where.field, number);
      return {};
    }
    case pb::FieldDescriptor::CPPTYPE_BOOL:
      if (text != "true" && text != "false") return wrong(path, text, "true or false");
      reflection->SetBool(section, where.field, text == "true");
      return {};
    default:
      reflection->SetString(section, where.field, text);
      return {};
  }
}

std::string get_field(const Config& config, std::string_view path) {
  const auto where = find(path);
  if (where.field == nullptr) return {};
  const auto& section = config.GetReflection()->GetMessage(config, where.section);
  const auto* reflection = section.GetReflection();
  switch (where.field->cpp_type()) {
    case pb::FieldDescriptor::CPPTYPE_UINT32:
      return std::to_string(reflection->GetUInt32(section, where.field));
    case pb::FieldDescriptor::CPPTYPE_BOOL:
      return reflection->GetBool(section, where.field) ? "true" : "false";
    default:
      return reflection->GetString(section, where.field);
  }
}

std::vector<std::string> field_paths() {
  std::vector<std::string> out;
  const auto* root = Config::descriptor();
  for (int i = 0; i < root->field_count(); ++i) {
    const auto* section = root->field(i)->message_type();
    for (int k = 0; k < section->field_count(); ++k) {
      out.push_back(root->field(i)->name() + "." + section->field(k)->name());
    }
  }
  return out;
}

}  // namespace neap::config
