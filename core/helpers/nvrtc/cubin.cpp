// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/helpers/nvrtc/cubin.h"

#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <elf.h>
#include <memory>
#include <optional>

namespace kf::nvrtc {
namespace {

constexpr std::uint16_t machine_cuda = 190; // EM_CUDA
constexpr std::size_t most_sections = 65'535, most_symbols = 1'000'000;

Error malformed(const std::string& what) {
    return make_error("cubin-malformed", "the cubin is damaged: " + what, "compile the kernel again");
}

// A copy of the structure at `offset`, or nothing when it does not lie inside.
template<class T> std::optional<T> read_at(std::string_view bytes, std::uint64_t offset) {
    if (offset > bytes.size() || bytes.size() - offset < sizeof(T))
        return std::nullopt;
    T value;
    std::memcpy(&value, bytes.data() + offset, sizeof(T));
    return value;
}

std::optional<std::string_view> slice(std::string_view bytes, std::uint64_t offset, std::uint64_t size) {
    if (offset > bytes.size() || size > bytes.size() - offset)
        return std::nullopt;
    return bytes.substr(offset, size);
}

std::optional<std::string> name_at(std::string_view table, std::uint64_t offset) {
    if (offset >= table.size())
        return std::nullopt;
    const std::size_t end = table.find('\0', offset);
    if (end == std::string_view::npos)
        return std::nullopt;
    return std::string(table.substr(offset, end - offset));
}

std::string demangle(const std::string& name) {
    if (!name.starts_with("_Z") || name.size() > 4096) // the demangler recurses
        return name;
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                           &std::free);
    return status == 0 && text ? std::string(text.get()) : name;
}

// "k<128>(float*)::counter" → "counter", "table" → "table".
std::string identifier_of(const std::string& demangled) {
    const std::size_t colons = demangled.rfind("::");
    std::string tail = colons == std::string::npos ? demangled : demangled.substr(colons + 2);
    if (const std::size_t end = tail.find_first_of("[(<"); end != std::string::npos)
        tail.resize(end);
    return tail;
}

} // namespace

const CubinSection* Cubin::find(std::string_view name) const {
    for (const CubinSection& section : sections)
        if (section.name == name)
            return &section;
    return nullptr;
}

Result<Cubin> read_cubin(std::string_view bytes) {
    const auto header = read_at<Elf64_Ehdr>(bytes, 0);
    if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
        return malformed("it is no ELF file");
    if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB)
        return malformed("it is no little-endian 64-bit ELF file");
    if (header->e_machine != machine_cuda)
        return malformed("its machine is " + std::to_string(header->e_machine) + ", not CUDA (190)");
    if (header->e_shentsize != sizeof(Elf64_Shdr))
        return malformed("section headers of " + std::to_string(header->e_shentsize) + " bytes");

    std::uint64_t count = header->e_shnum;
    std::uint64_t names_index = header->e_shstrndx;
    if (header->e_shoff != 0 && (count == 0 || names_index == SHN_XINDEX)) { // more than 65,279 sections
        const auto first = read_at<Elf64_Shdr>(bytes, header->e_shoff);
        if (!first)
            return malformed("its section table lies outside");
        if (count == 0)
            count = first->sh_size;
        if (names_index == SHN_XINDEX)
            names_index = first->sh_link;
    }
    if (count > most_sections)
        return malformed("it claims " + std::to_string(count) + " sections");

    std::vector<Elf64_Shdr> headers;
    for (std::uint64_t i = 0; i < count; ++i) {
        if (header->e_shoff > bytes.size())
            return malformed("its section table lies outside");
        const auto section = read_at<Elf64_Shdr>(bytes, header->e_shoff + i * sizeof(Elf64_Shdr));
        if (!section)
            return malformed("its section table lies outside");
        headers.push_back(*section);
    }
    Cubin cubin;
    if (headers.empty())
        return cubin;
    if (names_index >= headers.size())
        return malformed("its table of section names does not exist");
    const auto names = slice(bytes, headers[names_index].sh_offset, headers[names_index].sh_size);
    if (!names)
        return malformed("its table of section names lies outside");

    for (std::size_t i = 0; i < headers.size(); ++i) {
        const Elf64_Shdr& h = headers[i];
        CubinSection section;
        const auto name = name_at(*names, h.sh_name);
        if (!name)
            return malformed("the name of section " + std::to_string(i) + " lies outside");
        section.name = *name;
        section.type = h.sh_type;
        section.flags = h.sh_flags;
        section.size = h.sh_size;
        if (h.sh_type != SHT_NOBITS && h.sh_type != SHT_NULL) {
            const auto content = slice(bytes, h.sh_offset, h.sh_size);
            if (!content)
                return malformed("section " + section.name + " lies outside");
            section.content = *content;
        }
        cubin.sections.push_back(std::move(section));
    }

    for (std::size_t i = 0; i < headers.size(); ++i) {
        const Elf64_Shdr& h = headers[i];
        if (h.sh_type != SHT_SYMTAB)
            continue;
        if (h.sh_entsize != sizeof(Elf64_Sym) || h.sh_link >= headers.size())
            return malformed("its symbol table has a wrong form");
        const std::string_view table = cubin.sections[i].content;
        const std::string_view texts = cubin.sections[h.sh_link].content;
        const std::size_t symbols = table.size() / sizeof(Elf64_Sym);
        if (symbols > most_symbols)
            return malformed("it claims " + std::to_string(symbols) + " symbols");
        for (std::size_t s = 0; s < symbols; ++s) {
            const auto entry = read_at<Elf64_Sym>(table, s * sizeof(Elf64_Sym));
            const auto name = name_at(texts, entry->st_name);
            if (!name)
                return malformed("the name of symbol " + std::to_string(s) + " lies outside");
            CubinSymbol symbol;
            symbol.name = *name;
            symbol.type = ELF64_ST_TYPE(entry->st_info);
            symbol.binding = ELF64_ST_BIND(entry->st_info);
            symbol.section = entry->st_shndx < headers.size() ? entry->st_shndx : std::uint16_t{0};
            symbol.value = entry->st_value;
            symbol.size = entry->st_size;
            cubin.symbols.push_back(std::move(symbol));
        }
    }
    return cubin;
}

std::vector<StateSymbol> state_symbols(const Cubin& cubin) {
    std::vector<StateSymbol> out;
    for (const CubinSymbol& symbol : cubin.symbols) {
        if (symbol.section == 0 || symbol.type != STT_OBJECT || symbol.name.empty() || symbol.name[0] == '$')
            continue; // "$str…": printf strings
        const CubinSection& section = cubin.sections[symbol.section];
        const bool global = section.name.starts_with(".nv.global") || section.name.starts_with(".bss") ||
                            section.name.starts_with(".data") || section.name.starts_with(".nv.managed");
        if (!global || !(section.flags & SHF_WRITE))
            continue;
        StateSymbol state;
        state.name = symbol.name;
        state.demangled = demangle(symbol.name);
        state.identifier = identifier_of(state.demangled);
        state.section = section.name;
        state.size = symbol.size;
        state.initialised = section.type != SHT_NOBITS;
        out.push_back(std::move(state));
    }
    return out;
}

std::vector<std::string> undefined_functions(const Cubin& cubin) {
    std::vector<std::string> out;
    for (const CubinSymbol& symbol : cubin.symbols)
        if (symbol.section == 0 && symbol.type == STT_FUNC && !symbol.name.empty())
            out.push_back(symbol.name);
    return out;
}

} // namespace kf::nvrtc
