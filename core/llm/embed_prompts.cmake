# SPDX-License-Identifier: GPL-3.0-or-later
# Writes the prompts' templates into a source file: cmake -DOUT=… -DFILES=a;b -P embed_prompts.cmake
set(text "// Made from resources/prompts.\n#include \"core/llm/templates.h\"\n\nnamespace kf {\n\nconst std::map<std::string, std::string, std::less<>>& prompt_templates() {\n    static const std::map<std::string, std::string, std::less<>> all = {\n")
foreach(file ${FILES})
  get_filename_component(name ${file} NAME)
  file(READ ${file} content)
  string(APPEND text "        {\"${name}\", R\"kf_prompt(${content})kf_prompt\"},\n")
endforeach()
string(APPEND text "    };\n    return all;\n}\n\n} // namespace kf\n")
file(WRITE ${OUT} "${text}")
