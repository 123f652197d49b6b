// What `--help` prints behind the options: explanations and examples.
#pragma once

#include <string_view>

namespace fxrules::cli {

extern const std::string_view kHelp;  // a format of one argument, the lines of the commands
extern const std::string_view kApplyHelp;
extern const std::string_view kConvertHelp;
extern const std::string_view kListHelp;
extern const std::string_view kCheckHelp;
extern const std::string_view kTestHelp;
extern const std::string_view kExplainHelp;
extern const std::string_view kInferHelp;
extern const std::string_view kRulesHelp;
extern const std::string_view kDumpHelp;
extern const std::string_view kFmtHelp;
extern const std::string_view kBenchHelp;

}  // namespace fxrules::cli
