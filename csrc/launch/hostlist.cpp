/// @file
/// Slurm's host lists: read into patterns in one pass, and expanded only as far as asked.
///
///     list    = { separator | pattern }            separator: comma, blank, tab, newline
///     pattern = text { "[" range { "," range } "]" text }
///     range   = number [ "-" [ number ] ]          "1-" is "1"; printed as wide as the first number is written
///
/// Stricter than Slurm in this: a "]" without "[", a blank or a sign in brackets are refused, where Slurm makes odd
/// names.
#include "launch/hostlist.h"

#include <torch_dist_init/error.h>

#include <cstdint>
#include <optional>

#include "launch/integer.h"
#include "quoted.h"

namespace torch_dist_init::detail {
namespace {

/// The longest name that DNS allows; it also bounds the memory of an expansion.
constexpr std::size_t max_host_length = 255;
/// The most digits that a number may have: what surely fits into 64 bits.
constexpr std::size_t max_digits = 18;

/// The numbers from `low` to `high`, written with at least `width` digits.
struct Range {
  std::uint64_t low;
  std::uint64_t high;
  std::size_t width;

  std::uint64_t size() const { return high - low + 1; }

  std::string at(std::uint64_t index) const {
    const std::string digits = std::to_string(low + index);
    return std::string(digits.size() < width ? width - digits.size() : 0, '0') + digits;
  }
};

using Group = std::vector<Range>;

/// One name of the list: text, group, text, group ..., text. There is always one text more than groups.
struct Pattern {
  std::vector<std::string_view> texts;
  std::vector<Group> groups;
};

class Parser {
 public:
  Parser(std::string_view list, const std::string& source) : list_(list), source_(source) {}

  std::vector<Pattern> parse() {
    std::vector<Pattern> patterns;
    while (true) {
      while (!at_end() && is_separator(peek())) {
        ++position_;
      }
      if (at_end()) {
        break;
      }
      patterns.push_back(parse_pattern());
    }
    if (patterns.empty()) {
      fail(list_.size(), "it names no host");
    }
    return patterns;
  }

 private:
  static bool is_separator(char c) { return c == ',' || c == ' ' || c == '\t' || c == '\n'; }
  bool at_end() const { return position_ == list_.size(); }
  char peek() const { return list_[position_]; }

  [[noreturn]] void fail(std::size_t position, const std::string& why) const {
    throw LaunchError(source_ + " is no Slurm host list: " + why + ", at character " + std::to_string(position + 1) +
                      " of " + quoted(list_));
  }

  Pattern parse_pattern() {
    const std::size_t start = position_;
    Pattern pattern;
    // The length of the longest host, or nearly so: enough to stop what can't be a name.
    std::size_t length = 0;
    while (true) {
      pattern.texts.push_back(parse_text());
      length += pattern.texts.back().size();
      if (!at_end() && peek() == '[') {
        pattern.groups.push_back(parse_group());
        length += pattern.groups.back().front().width;
      }
      if (length > max_host_length) {
        fail(start, "a host name has more than " + std::to_string(max_host_length) + " characters");
      }
      if (pattern.groups.size() < pattern.texts.size()) {
        return pattern;
      }
    }
  }

  std::string_view parse_text() {
    const std::size_t start = position_;
    while (!at_end() && !is_separator(peek()) && peek() != '[') {
      if (peek() == ']') {
        fail(position_, "']' without '['");
      }
      ++position_;
    }
    return list_.substr(start, position_ - start);
  }

  Group parse_group() {
    const std::size_t bracket = position_++;
    Group group;
    while (true) {
      group.push_back(parse_range());
      if (at_end()) {
        fail(bracket, "'[' isn't closed");
      }
      const char c = list_[position_++];
      if (c == ']') {
        return group;
      }
      if (c != ',') {
        fail(position_ - 1, "expected ',' or ']' after a range");
      }
    }
  }

  Range parse_range() {
    const std::size_t start = position_;
    const auto low = parse_number();
    if (!low) {
      fail(start, at_end() ? "'[' isn't closed" : "expected a number in the brackets");
    }
    Range range{*low, *low, position_ - start};
    if (!at_end() && peek() == '-') {
      ++position_;
      range.high = parse_number().value_or(range.low);
    }
    if (range.high < range.low) {
      fail(start, "a range ends before it begins");
    }
    return range;
  }

  std::optional<std::uint64_t> parse_number() {
    const std::size_t start = position_;
    while (!at_end() && peek() >= '0' && peek() <= '9') {
      ++position_;
    }
    const std::size_t digits = position_ - start;
    if (digits > max_digits) {
      fail(start, "a number has more than " + std::to_string(max_digits) + " digits");
    }
    return parse_decimal(list_.substr(start, digits), UINT64_MAX);
  }

  std::string_view list_;
  const std::string& source_;
  std::size_t position_ = 0;
};

/// The text of `pattern` with one number for each group.
std::string host(const Pattern& pattern, const std::vector<std::string>& numbers) {
  std::string name(pattern.texts[0]);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    name += numbers[i];
    name += pattern.texts[i + 1];
  }
  return name;
}

/// The number of hosts that `pattern` stands for, or anything above max_hosts if it is more than that.
std::uint64_t count_hosts(const Pattern& pattern) {
  std::uint64_t product = 1;
  for (const Group& group : pattern.groups) {
    std::uint64_t sum = 0;
    for (const Range& range : group) {
      sum += range.size();
      if (sum > max_hosts) {
        return sum;
      }
    }
    product *= sum;
    if (product > max_hosts) {
      return product;
    }
  }
  return product;
}

std::vector<std::string> numbers_of(const Group& group) {
  std::vector<std::string> numbers;
  for (const Range& range : group) {
    for (std::uint64_t i = 0; i < range.size(); ++i) {
      numbers.push_back(range.at(i));
    }
  }
  return numbers;
}

void expand(const Pattern& pattern, std::vector<std::string>& hosts) {
  const std::size_t groups = pattern.groups.size();
  std::vector<std::vector<std::string>> choices;
  for (const Group& group : pattern.groups) {
    choices.push_back(numbers_of(group));
  }
  // Slurm expands the last group first, then the others from left to right: the groups by how fast they vary.
  std::vector<std::size_t> order;
  if (groups > 0) {
    order.push_back(groups - 1);
  }
  for (std::size_t i = 0; i + 1 < groups; ++i) {
    order.push_back(i);
  }
  std::vector<std::size_t> chosen(groups, 0);
  std::vector<std::string> numbers(groups);
  while (true) {
    for (std::size_t i = 0; i < groups; ++i) {
      numbers[i] = choices[i][chosen[i]];
    }
    hosts.push_back(host(pattern, numbers));
    std::size_t turned = 0;
    while (turned < groups && ++chosen[order[turned]] == choices[order[turned]].size()) {
      chosen[order[turned]] = 0;
      ++turned;
    }
    if (turned == groups) {
      return;
    }
  }
}

}  // namespace

std::string first_host(std::string_view list, const std::string& source) {
  const Pattern pattern = Parser(list, source).parse().front();
  std::vector<std::string> numbers;
  for (const Group& group : pattern.groups) {
    numbers.push_back(group.front().at(0));
  }
  return host(pattern, numbers);
}

std::vector<std::string> expand_host_list(std::string_view list, const std::string& source) {
  const std::vector<Pattern> patterns = Parser(list, source).parse();
  std::uint64_t count = 0;
  for (const Pattern& pattern : patterns) {
    count += count_hosts(pattern);
    if (count > max_hosts) {
      throw LaunchError(source + " names more than " + std::to_string(max_hosts) + " hosts: " + quoted(list));
    }
  }
  std::vector<std::string> hosts;
  hosts.reserve(static_cast<std::size_t>(count));
  for (const Pattern& pattern : patterns) {
    expand(pattern, hosts);
  }
  return hosts;
}

}  // namespace torch_dist_init::detail
