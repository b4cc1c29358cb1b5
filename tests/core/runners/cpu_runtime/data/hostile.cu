// What inspection refuses before it can be loaded; here the filter must stop it alone.
extern "C" int socket(int, int, int);
extern "C" int open(const char*, int, ...);
extern "C" int fork();
extern "C" int execl(const char*, const char*, ...);
extern "C" int kill(int, int);
extern "C" int ptrace(int, ...);
extern "C" int mprotect(void*, unsigned long, int);
extern "C" void abort();
extern "C" int sigaction(int, const void*, void*);
extern "C" long write(int, const void*, unsigned long);
__global__ void call_socket() { socket(2, 1, 0); }
__global__ void call_open() { open("/etc/passwd", 0); }
__global__ void call_fork() { fork(); }
__global__ void call_exec() { execl("/bin/true", "true", nullptr); }
__global__ void call_kill() { kill(1, 9); }
__global__ void call_ptrace() { ptrace(0); }
__global__ void call_abort() { abort(); }
__global__ void call_sigaction() {
    char empty[256] = {};
    sigaction(31, empty, nullptr);
}
__global__ void make_executable(void* p) { mprotect(p, 4096, 7); }
__global__ void write_elsewhere() { write(7, "x", 1); }
