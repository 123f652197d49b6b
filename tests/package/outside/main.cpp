#include <fstream>
#include <iostream>
#include <sstream>

#include <fxrules/apply.hpp>
#include <fxrules/formats.hpp>

int main(int, char** words) {
  std::ostringstream text;
  text << std::ifstream(words[1]).rdbuf();
  const auto share = fxrules::data_directory();
  const auto loaded = fxrules::load_rules({{"device.rules"}}, {fxrules::Catalogue::load(share), {share / "rules"}, {}});
  auto file = fxrules::read_graph(std::make_shared<fxrules::Source>(fxrules::Source{words[1], text.str()}));
  const auto report = fxrules::apply(loaded.rules, file.graph);
  std::cout << fxrules::to_text(file);
  return report.exit_code();
}
