// SPDX-License-Identifier: GPL-3.0-or-later
// Speaks kf-cpu's protocol and misbehaves on demand: the seed of a run chooses how.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace {

void say(const std::string& line) {
    (void)!write(3, line.data(), line.size());
}
void ok() {
    say("{\"ok\":true}\n");
}

void complain(const char* text) {
    (void)!write(2, text, std::strlen(text));
}

// The value of a string or number field; no JSON parser needed for what the session sends.
std::string field(const std::string& line, const std::string& name) {
    const std::size_t at = line.find("\"" + name + "\":");
    if (at == std::string::npos)
        return {};
    std::size_t begin = at + name.size() + 3;
    if (line[begin] == '"')
        ++begin;
    return line.substr(begin, line.find_first_of("\",}", begin) - begin);
}

[[noreturn]] void spin() {
    for (;;)
        usleep(1000);
}

void run(int how) {
    switch (how) {
    case 90: // as if somebody outside had killed it
        raise(SIGKILL);
        break;
    case 0:
        return ok();
    case 1: // works in the arena
    {
        struct stat info {};
        fstat(4, &info);
        auto* arena = static_cast<char*>(
            mmap(nullptr, static_cast<std::size_t>(info.st_size), PROT_READ | PROT_WRITE, MAP_SHARED, 4, 0));
        arena[10] = static_cast<char>(arena[9] + 1);
        if (ftruncate(4, 0) == 0) // must be impossible
            arena[10] = 99;
        return ok();
    }
    case 2:
        signal(SIGTERM, SIG_IGN);
        for (volatile int i = 0;;) {
            (void)i;
        }
    case 3:
        for (;;)
            complain("all work and no play makes a dull kernel\n");
    case 4:
        for (;;) {
            auto* p = static_cast<char*>(malloc(1 << 20));
            if (p)
                memset(p, 1, 1 << 20);
        }
    case 5:
        raise(SIGSEGV);
        return;
    case 6:
        _exit(7);
    case 7:
        return say("this is no JSON\n");
    case 8:
        say("{\"ok\":false,\"status\":\"sandbox\",\"syscall\":\"socket\"}\n");
        _exit(102);
    case 9:
        return say(
            "{\"ok\":false,\"status\":\"barrier\",\"message\":\"threads wait at different barriers\",\"kernel\":2,"
            "\"step\":1,\"block\":[1,2,3],\"thread\":[4,5,6],\"line\":12}\n");
    case 10:
        say("{\"ok\":false,\"status\":\"crash\",\"signal\":\"SIGSEGV\",\"address\":\"0x10\",\"message\":\"access "
            "through a null "
            "pointer\",\"kernel\":0,\"block\":[0,0,0],\"thread\":[7,0,0]}\n");
        _exit(101);
    case 11: // an answer in advance for the next order
        return say("{\"ok\":true}\n{\"ok\":true}\n");
    case 12:
        close(3);
        spin();
    case 13:
        for (;;)
            say(std::string(65536, 'x'));
    case 14:
        return say("[1,2]\n");
    case 15:
        complain("printed by a kernel\n");
        return ok();
    case 16:
        complain(
            "==1==ERROR: AddressSanitizer: use-after-poison on address 0x7e90 at pc 0x1 bp 0x2 sp 0x3\n"
            "WRITE of size 4 at 0x7e90 thread T0\n    #0 0x1 in k(float*, int) k.cu:3\n    #1 0x2 in main x.cpp:1\n");
        say("{\"ok\":false,\"status\":\"sanitizer\",\"message\":\"see stderr\"}\n");
        _exit(103);
    case 17:
        return say("{\"ok\":false,\"status\":\"\",\"block\":\"no\",\"line\":1e300}\n");
    case 18:
        for (int i = 0; i < 200; ++i)
            complain("a line that fills the tail with one hundred bytes or so, again and again, until it is full "
                     "............\n");
        return ok();
    default:
        return say("{\"ok\":false,\"status\":\"protocol\",\"message\":\"unknown\"}\n");
    }
}

void load(const std::string& path) {
    char head[5] = {};
    const int file = open(path.c_str(), O_RDONLY);
    if (file < 0 || read(file, head, 4) <= 0)
        return say("{\"ok\":false,\"status\":\"load\",\"message\":\"cannot read it\"}\n");
    if (std::strcmp(head, "boom") == 0)
        raise(SIGILL);
    if (std::strcmp(head, "fail") == 0)
        return say("{\"ok\":false,\"status\":\"load\",\"message\":\"undefined symbol: nowhere\"}\n");
    if (std::strcmp(head, "hang") == 0)
        spin();
    say("{\"ok\":true,\"kernels\":[{\"expression\":\"k<3>\",\"signature\":\"FvPfiE\",\"args\":2}]}\n");
}

} // namespace

int main() {
    say("{\"op\":\"ready\",\"abi\":1}\n");
    std::string buffer;
    char chunk[4096];
    for (;;) {
        const ssize_t n = read(3, chunk, sizeof chunk);
        if (n <= 0)
            return 0;
        buffer.append(chunk, static_cast<std::size_t>(n));
        for (std::size_t end = buffer.find('\n'); end != std::string::npos; end = buffer.find('\n')) {
            const std::string line = buffer.substr(0, end);
            buffer.erase(0, end + 1);
            const std::string op = field(line, "op");
            if (op == "run" && field(line, "repeat") != "0")
                run(std::atoi(field(line, "seed").c_str()));
            else if (op == "load")
                load(field(line, "path"));
            else
                ok();
        }
    }
}
