// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runners/cpu/elf_inspect.h"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <optional>

namespace kf {
namespace {

constexpr std::size_t kMostSymbols = 1 << 20;

class Reader {
public:
    explicit Reader(std::string_view bytes) : m_bytes(bytes) {}

    Result<ElfFacts> run() {
        if (!header())
            return malformed();
        if (!segments() || !dynamic_section() || !dynamic_symbols() || !relocations() || !section_symbols())
            return malformed();
        unnamed_bytes();
        return std::move(m_facts);
    }

private:
    Error malformed() const { return make_error("elf-malformed", "the compiled object is malformed: " + m_problem); }
    bool fail(const char* what) {
        m_problem = what;
        return false;
    }

    // A copy of the object at `offset`; unaligned offsets are fine. Nothing when it does not lie inside.
    template<class T> std::optional<T> at(std::uint64_t offset) const {
        if (offset > m_bytes.size() || m_bytes.size() - offset < sizeof(T))
            return std::nullopt;
        T value;
        std::memcpy(&value, m_bytes.data() + offset, sizeof value);
        return value;
    }
    bool inside(std::uint64_t offset, std::uint64_t size) const {
        return offset <= m_bytes.size() && size <= m_bytes.size() - offset;
    }
    std::optional<std::string> text(std::uint64_t table, std::uint64_t table_size, std::uint64_t index) const {
        if (index >= table_size || !inside(table, table_size))
            return std::nullopt;
        const std::string_view rest = m_bytes.substr(table + index, table_size - index);
        const std::size_t end = rest.find('\0');
        if (end == std::string_view::npos || end > 65536)
            return std::nullopt;
        return std::string(rest.substr(0, end));
    }
    // File offset of an address, when `size` bytes from there lie in one loaded segment's file part.
    std::optional<std::uint64_t> offset_of(std::uint64_t address, std::uint64_t size) const {
        for (const Elf64_Phdr& segment : m_loads)
            if (address >= segment.p_vaddr && address - segment.p_vaddr <= segment.p_filesz &&
                size <= segment.p_filesz - (address - segment.p_vaddr))
                return segment.p_offset + (address - segment.p_vaddr);
        return std::nullopt;
    }

    bool header() {
        const auto header = at<Elf64_Ehdr>(0);
        if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
            return fail("it is no ELF file");
        if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB ||
            header->e_type != ET_DYN || (header->e_machine != EM_X86_64 && header->e_machine != EM_AARCH64))
            return fail("it is no 64-bit shared object for this machine");
        if (header->e_phentsize != sizeof(Elf64_Phdr) || header->e_phnum == 0 || header->e_phnum > 64 ||
            !inside(header->e_phoff, std::uint64_t{header->e_phnum} * sizeof(Elf64_Phdr)))
            return fail("its program headers lie outside");
        m_header = *header;
        return true;
    }

    bool segments() {
        bool stack_seen = false;
        for (unsigned i = 0; i < m_header.e_phnum; ++i) {
            const Elf64_Phdr segment = *at<Elf64_Phdr>(m_header.e_phoff + i * sizeof(Elf64_Phdr));
            if (segment.p_type != PT_GNU_STACK && !inside(segment.p_offset, segment.p_filesz))
                return fail("a segment lies outside the file");
            if (segment.p_vaddr + segment.p_memsz < segment.p_vaddr)
                return fail("a segment wraps around the address space");
            switch (segment.p_type) {
            case PT_LOAD:
                if (segment.p_filesz > segment.p_memsz || segment.p_memsz > (std::uint64_t{1} << 32))
                    return fail("a segment has an impossible size");
                m_loads.push_back(segment);
                m_facts.writable_and_executable |= (segment.p_flags & (PF_W | PF_X)) == (PF_W | PF_X);
                break;
            case PT_DYNAMIC:
                m_dynamic = segment;
                break;
            case PT_INTERP:
                m_facts.interpreter = "present";
                break;
            case PT_TLS:
                m_facts.thread_local_bytes = segment.p_memsz;
                break;
            case PT_GNU_STACK:
                stack_seen = true;
                m_facts.executable_stack |= (segment.p_flags & PF_X) != 0;
                break;
            case PT_GNU_RELRO:
                m_relro.push_back({segment.p_vaddr, segment.p_vaddr + segment.p_memsz});
                break;
            default:
                break;
            }
        }
        m_facts.executable_stack |= !stack_seen; // the loader takes a missing header for "executable"
        return true;
    }

    bool dynamic_section() {
        if (m_dynamic.p_type != PT_DYNAMIC)
            return fail("it has no dynamic section");
        std::vector<std::uint64_t> needed;
        bool ended = false;
        for (std::uint64_t i = 0; i < m_dynamic.p_filesz / sizeof(Elf64_Dyn) && !ended; ++i) {
            const auto entry = at<Elf64_Dyn>(m_dynamic.p_offset + i * sizeof(Elf64_Dyn));
            if (!entry)
                return fail("its dynamic section lies outside");
            const std::uint64_t value = entry->d_un.d_val;
            switch (entry->d_tag) {
            case DT_NULL:
                ended = true;
                break;
            case DT_NEEDED:
                needed.push_back(value);
                break;
            case DT_STRTAB:
                m_strtab = value;
                break;
            case DT_STRSZ:
                m_strsz = value;
                break;
            case DT_SYMTAB:
                m_symtab = value;
                break;
            case DT_HASH:
                m_hash = value;
                break;
            case DT_GNU_HASH:
                m_gnu_hash = value;
                break;
            case DT_INIT:
                m_facts.init_functions += 1;
                break;
            case DT_INIT_ARRAYSZ:
                m_facts.init_functions += (value + 7) / 8;
                break;
            case DT_FINI:
                m_facts.has_fini = true;
                break;
            case DT_FINI_ARRAYSZ:
                m_facts.has_fini |= value != 0;
                break;
            case DT_PREINIT_ARRAY:
            case DT_PREINIT_ARRAYSZ:
                m_facts.has_preinit = true;
                break;
            case DT_TEXTREL:
                m_facts.text_relocations = true;
                break;
            case DT_FLAGS:
                m_facts.text_relocations |= (value & DF_TEXTREL) != 0;
                m_bind_now |= (value & DF_BIND_NOW) != 0;
                break;
            case DT_FLAGS_1:
                m_bind_now |= (value & DF_1_NOW) != 0;
                break;
            case DT_BIND_NOW:
                m_bind_now = true;
                break;
            case DT_RELA:
                m_rela = value;
                break;
            case DT_RELASZ:
                m_rela_size = value;
                break;
            case DT_JMPREL:
                m_plt = value;
                break;
            case DT_PLTRELSZ:
                m_plt_size = value;
                break;
            case DT_REL:
            case DT_RELR:
            case DT_AUXILIARY:
            case DT_FILTER:
            case DT_AUDIT:
            case DT_DEPAUDIT:
            case DT_RPATH:
            case DT_RUNPATH:
                return fail("its dynamic section has an entry of an unexpected kind");
            default:
                break;
            }
        }
        const auto strings = offset_of(m_strtab, m_strsz);
        if (!strings || m_strsz == 0)
            return fail("its string table lies outside");
        m_strings = *strings;
        for (const std::uint64_t index : needed) {
            const auto name = text(m_strings, m_strsz, index);
            if (!name)
                return fail("a library's name lies outside");
            m_facts.needed.push_back(*name);
        }
        return true;
    }

    // The dynamic symbol table has no length of its own; it follows from a hash table.
    std::optional<std::uint64_t> symbol_count() const {
        if (m_hash != 0) {
            const auto offset = offset_of(m_hash, 8);
            return offset ? std::optional<std::uint64_t>(at<std::uint32_t>(*offset + 4).value_or(0)) : std::nullopt;
        }
        const auto offset = offset_of(m_gnu_hash, 16);
        if (m_gnu_hash == 0 || !offset)
            return std::nullopt;
        const std::uint64_t buckets = *at<std::uint32_t>(*offset);
        const std::uint64_t first = *at<std::uint32_t>(*offset + 4);
        const std::uint64_t bloom = *at<std::uint32_t>(*offset + 8);
        const std::uint64_t bucket_table = *offset + 16 + bloom * 8;
        if (!inside(bucket_table, buckets * 4))
            return std::nullopt;
        std::uint64_t last = 0;
        for (std::uint64_t i = 0; i < buckets; ++i)
            last = std::max<std::uint64_t>(last, *at<std::uint32_t>(bucket_table + i * 4));
        if (last < first)
            return first; // no exported symbol
        for (std::uint64_t at_chain = bucket_table + buckets * 4 + (last - first) * 4;; at_chain += 4, ++last) {
            const auto value = at<std::uint32_t>(at_chain);
            if (!value)
                return std::nullopt;
            if ((*value & 1) != 0)
                return last + 1;
        }
    }

    bool dynamic_symbols() {
        const auto count = symbol_count();
        if (!count || *count > kMostSymbols)
            return fail("its symbol table has no end");
        const auto table = offset_of(m_symtab, *count * sizeof(Elf64_Sym));
        if (!table)
            return fail("its symbol table lies outside");
        for (std::uint64_t i = 1; i < *count; ++i) {
            const Elf64_Sym symbol = *at<Elf64_Sym>(*table + i * sizeof(Elf64_Sym));
            const auto name = text(m_strings, m_strsz, symbol.st_name);
            if (!name)
                return fail("a symbol's name lies outside");
            m_facts.has_ifunc |= ELF64_ST_TYPE(symbol.st_info) == STT_GNU_IFUNC;
            if (symbol.st_shndx == SHN_UNDEF)
                m_facts.imports.push_back(*name);
            else if (ELF64_ST_BIND(symbol.st_info) != STB_LOCAL)
                m_facts.exports.push_back(*name);
        }
        m_dynamic_count = *count;
        return true;
    }

    bool relocations() {
        const std::pair<std::uint64_t, std::uint64_t> tables[] = {{m_rela, m_rela_size}, {m_plt, m_plt_size}};
        for (const auto& [address, size] : tables) {
            if (size == 0)
                continue;
            const auto offset = offset_of(address, size);
            if (!offset)
                return fail("its relocations lie outside");
            for (std::uint64_t i = 0; i + sizeof(Elf64_Rela) <= size; i += sizeof(Elf64_Rela)) {
                const Elf64_Rela relocation = *at<Elf64_Rela>(*offset + i);
                const std::uint64_t type = ELF64_R_TYPE(relocation.r_info);
                m_facts.has_ifunc |=
                    m_header.e_machine == EM_X86_64 ? type == R_X86_64_IRELATIVE : type == R_AARCH64_IRELATIVE;
                if (type == R_X86_64_COPY && m_header.e_machine == EM_X86_64)
                    return fail("it has a copy relocation");
                if (ELF64_R_SYM(relocation.r_info) >= m_dynamic_count)
                    return fail("a relocation names a symbol that does not exist");
                if (in_executable(relocation.r_offset))
                    m_facts.text_relocations = true;
            }
        }
        return true;
    }

    bool in_executable(std::uint64_t address) const {
        return std::any_of(m_loads.begin(), m_loads.end(), [&](const Elf64_Phdr& segment) {
            return (segment.p_flags & PF_W) == 0 && address >= segment.p_vaddr &&
                   address - segment.p_vaddr < segment.p_memsz;
        });
    }

    // Writable after the loader is done: in a writable segment and not in the part that is protected after relocation.
    bool is_writable(std::uint64_t address) const {
        const bool writable = std::any_of(m_loads.begin(), m_loads.end(), [&](const Elf64_Phdr& segment) {
            return (segment.p_flags & PF_W) != 0 && address >= segment.p_vaddr &&
                   address - segment.p_vaddr < segment.p_memsz;
        });
        const bool protected_later = std::any_of(m_relro.begin(), m_relro.end(), [&](const auto& range) {
            return address >= range.first && address < range.second;
        });
        return writable && !protected_later;
    }

    // Local symbols stand in .symtab only. An object without sections has none to show; its bytes then count as
    // unnamed.
    bool section_symbols() {
        if (m_header.e_shnum == 0)
            return true;
        if (m_header.e_shentsize != sizeof(Elf64_Shdr) ||
            !inside(m_header.e_shoff, std::uint64_t{m_header.e_shnum} * sizeof(Elf64_Shdr)))
            return fail("its section headers lie outside");
        for (unsigned i = 0; i < m_header.e_shnum; ++i) {
            const Elf64_Shdr section = *at<Elf64_Shdr>(m_header.e_shoff + i * sizeof(Elf64_Shdr));
            if (section.sh_type != SHT_SYMTAB)
                continue;
            if (!inside(section.sh_offset, section.sh_size) || section.sh_link >= m_header.e_shnum ||
                section.sh_size / sizeof(Elf64_Sym) > kMostSymbols)
                return fail("its full symbol table lies outside");
            const Elf64_Shdr strings = *at<Elf64_Shdr>(m_header.e_shoff + section.sh_link * sizeof(Elf64_Shdr));
            if (strings.sh_type == SHT_NOBITS || !inside(strings.sh_offset, strings.sh_size))
                return fail("the names of its full symbol table lie outside");
            for (std::uint64_t k = 1; k < section.sh_size / sizeof(Elf64_Sym); ++k)
                if (!full_symbol(*at<Elf64_Sym>(section.sh_offset + k * sizeof(Elf64_Sym)), strings))
                    return false;
        }
        return true;
    }

    bool full_symbol(const Elf64_Sym& symbol, const Elf64_Shdr& strings) {
        const unsigned char type = ELF64_ST_TYPE(symbol.st_info);
        m_facts.has_ifunc |= type == STT_GNU_IFUNC;
        if (symbol.st_shndx == SHN_UNDEF || symbol.st_shndx >= SHN_LORESERVE || type == STT_TLS ||
            type == STT_SECTION || type == STT_FILE || type == STT_FUNC || symbol.st_size == 0 ||
            !is_writable(symbol.st_value))
            return true;
        const auto name = text(strings.sh_offset, strings.sh_size, symbol.st_name);
        if (!name)
            return fail("a symbol's name lies outside");
        m_facts.writable.push_back({*name, symbol.st_value, symbol.st_size, type,
                                    static_cast<unsigned char>(ELF64_ST_BIND(symbol.st_info)), symbol.st_shndx});
        return true;
    }

    void unnamed_bytes() {
        for (const Elf64_Phdr& segment : m_loads) {
            if ((segment.p_flags & PF_W) == 0)
                continue;
            std::uint64_t begin = segment.p_vaddr;
            const std::uint64_t end = segment.p_vaddr + segment.p_memsz;
            for (const auto& [from, to] : m_relro)
                if (from <= begin && to > begin)
                    begin = std::min(to, end);
            m_facts.unnamed_writable_bytes += gaps(begin, end);
        }
        // Without "bind now" the procedure linkage table stays writable: three words of the loader and one an import.
        if (!m_bind_now)
            m_facts.unnamed_writable_bytes -=
                std::min<std::uint64_t>(m_facts.unnamed_writable_bytes, 24 + m_plt_size / sizeof(Elf64_Rela) * 8);
    }

    // Bytes of [begin, end) that no symbol covers, without the padding between symbols.
    std::uint64_t gaps(std::uint64_t begin, std::uint64_t end) const {
        constexpr std::uint64_t padding = 64;
        std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
        for (const ElfSymbol& symbol : m_facts.writable)
            if (symbol.address >= begin && symbol.address < end)
                ranges.emplace_back(symbol.address, symbol.address + std::min(symbol.size, end - symbol.address));
        if (ranges.empty())
            return end > begin ? end - begin : 0;
        std::sort(ranges.begin(), ranges.end());
        std::uint64_t sum = 0;
        std::uint64_t at = begin;
        ranges.emplace_back(end, end);
        for (const auto& [from, to] : ranges) {
            if (from > at && from - at >= padding)
                sum += from - at;
            at = std::max(at, to);
        }
        return sum;
    }

    std::string_view m_bytes;
    std::string m_problem;
    ElfFacts m_facts;
    Elf64_Ehdr m_header{};
    Elf64_Phdr m_dynamic{};
    std::vector<Elf64_Phdr> m_loads;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> m_relro;
    std::uint64_t m_strtab = 0, m_strsz = 0, m_strings = 0, m_symtab = 0, m_hash = 0, m_gnu_hash = 0;
    std::uint64_t m_rela = 0, m_rela_size = 0, m_plt = 0, m_plt_size = 0, m_dynamic_count = 0;
    bool m_bind_now = false;
};

} // namespace

Result<ElfFacts> read_elf(std::string_view bytes) {
    return Reader(bytes).run();
}

} // namespace kf
