// Initialisation, devices, contexts and parameters: the codes that programs rely on, and the messages beside them.
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <thread>

#include "aclnn/aclnn_base.h"
#include "expect.h"

static void initialisation() {
    EXPECT_CODE(100037, aclFinalize());
    EXPECT_OK(aclInit(nullptr));
    EXPECT_CODE(100002, aclInit(nullptr));
    EXPECT_MESSAGE("aclInit", "already initialised", "[100002]");
    uint64_t left = 99;
    EXPECT_OK(aclFinalizeReference(&left));
    EXPECT(left == 1);
    EXPECT_OK(aclFinalize());
    EXPECT_CODE(100037, aclFinalize());
    EXPECT_CODE(100037, aclFinalizeReference(&left));
    EXPECT_CODE(100000, aclFinalizeReference(nullptr));
    for (int cycle = 0; cycle < 3; ++cycle) {
        EXPECT_OK(aclInit(""));
        EXPECT_OK(aclFinalize());
    }
    EXPECT_OK(aclnnInit(nullptr));
    EXPECT_OK(aclnnFinalize());
}

static int init_with(const char* text) {
    char path[] = "/tmp/acltwin_config_XXXXXX";
    EXPECT(mkstemp(path) >= 0);
    std::ofstream(path) << text;
    const int code = aclInit(path);
    if (code == 0) EXPECT_OK(aclFinalize());
    std::remove(path);
    return code;
}

static void configuration() {
    EXPECT_CODE(100003, aclInit("/no/such/file.json"));
    EXPECT_MESSAGE("/no/such/file.json", "pass null");
    const char* good[] = {"{}", " {\"dump\": [1, 2]}\r\n", "\t{ }"};
    const char* bad[] = {"", " \n", "{", "}", "[1]", "3", "{\"a\": 1} 2", "dump = {}"};
    for (const char* text : good) EXPECT_OK(init_with(text));
    for (const char* text : bad) EXPECT_CODE(100006, init_with(text));
    EXPECT_MESSAGE("begins with {", "{} is enough");
}

// What is no readable file, or has no end, is told at once and for what it is.
static void unusable_configuration() {
    EXPECT_CODE(100003, aclInit("/tmp"));
    EXPECT_MESSAGE("'/tmp' is not a file", "pass null");
    EXPECT_CODE(100003, aclnnInit("/"));
    EXPECT_CODE(100003, aclInit("/proc/self/mem"));  // opens, but its first bytes cannot be read, not even by root
    EXPECT_MESSAGE("cannot be read");
    EXPECT_CODE(100003, aclInit("/dev/zero"));
    EXPECT_CODE(100003, init_with(std::string((1 << 20) + 1, ' ').c_str()));
    EXPECT_MESSAGE("more than 1048576 bytes");
    char pipe[] = "/tmp/acltwin_pipe_XXXXXX";
    EXPECT(mkdtemp(pipe) != nullptr);
    const std::string path = std::string(pipe) + "/pipe";
    EXPECT(mkfifo(path.c_str(), 0600) == 0);
    EXPECT_CODE(100003, aclInit(path.c_str()));  // nobody writes to it
    EXPECT(unlink(path.c_str()) == 0 && rmdir(pipe) == 0);
}

static void devices() {
    uint32_t count = 0;
    int32_t device = -1;
    aclrtRunMode mode;
    EXPECT_OK(aclrtGetDeviceCount(&count));
    EXPECT(count == 1);
    EXPECT_OK(aclrtGetRunMode(&mode));
    EXPECT(mode == ACL_HOST);
    EXPECT(std::strcmp(aclrtGetSocName(), "Ascend910B") == 0);
    EXPECT_CODE(100000, aclrtGetDeviceCount(nullptr));
    EXPECT_CODE(100000, aclrtGetRunMode(nullptr));

    EXPECT_CODE(107002, aclrtGetDevice(&device));
    EXPECT_MESSAGE("no context", "aclrtSetDevice");
    EXPECT_CODE(107001, aclrtSetDevice(1));
    EXPECT_MESSAGE("deviceId is 1", "there is 1 device (0)", "ACLTWIN_DEVICES");
    EXPECT_CODE(107001, aclrtSetDevice(-1));
    EXPECT_CODE(507007, aclrtResetDevice(0));
    EXPECT_OK(aclrtSetDevice(0));
    EXPECT_OK(aclrtSetDevice(0));
    EXPECT_OK(aclrtGetDevice(&device));
    EXPECT(device == 0);
    EXPECT_OK(aclrtResetDevice(0));
    EXPECT_OK(aclrtGetDevice(&device));  // set twice, reset once
    EXPECT_CODE(100000, aclrtGetDevice(nullptr));
    EXPECT_OK(aclrtResetDevice(0));
    EXPECT_CODE(107002, aclrtGetDevice(&device));
    EXPECT_MESSAGE("is gone");
    EXPECT_CODE(507007, aclrtResetDevice(0));
}

static void contexts() {
    aclrtContext first = nullptr, second = nullptr, current = nullptr;
    EXPECT_CODE(107002, aclrtGetCurrentContext(&current));
    EXPECT_CODE(100000, aclrtCreateContext(nullptr, 0));
    EXPECT_CODE(107001, aclrtCreateContext(&first, 7));
    EXPECT_OK(aclrtCreateContext(&first, 0));
    EXPECT_OK(aclrtCreateContext(&second, 0));
    EXPECT_OK(aclrtGetCurrentContext(&current));
    EXPECT(current == second);
    EXPECT_OK(aclrtSetCurrentContext(first));
    std::thread([] {  // a context is its thread's own
        aclrtContext none = nullptr;
        EXPECT_CODE(107002, aclrtGetCurrentContext(&none));
    })
        .join();

    aclrtStream stream_of_first = nullptr;
    EXPECT_OK(aclrtCreateStream(&stream_of_first));
    EXPECT_OK(aclrtSetCurrentContext(second));
    EXPECT_CODE(107003, aclrtSynchronizeStream(stream_of_first));
    EXPECT_MESSAGE("another context", "stream_context");
    EXPECT_CODE(107003, aclrtDestroyStream(stream_of_first));
    EXPECT_OK(aclrtDestroyContext(first));
    EXPECT_CODE(107017, aclrtDestroyContext(first));
    EXPECT_CODE(107017, aclrtSetCurrentContext(first));
    EXPECT_MESSAGE("a context that has been destroyed");
    EXPECT_CODE(107017, aclrtSynchronizeStream(stream_of_first));  // it ended with its context
    EXPECT_CODE(100000, aclrtSetCurrentContext(nullptr));
    EXPECT_CODE(100000, aclrtDestroyContext(nullptr));
    EXPECT_OK(aclrtDestroyContext(second));
    EXPECT_CODE(107002, aclrtGetCurrentContext(&current));

    EXPECT_OK(aclrtSetDevice(0));
    EXPECT_OK(aclrtGetCurrentContext(&current));
    EXPECT_CODE(107000, aclrtDestroyContext(current));
    EXPECT_MESSAGE("default", "aclrtResetDevice");
    EXPECT_OK(aclrtResetDevice(0));
}

static void parameters() {
    int64_t value = -1;
    EXPECT_CODE(107002, aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1));
    EXPECT_OK(aclrtGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value));
    EXPECT(value == 0);
    EXPECT_OK(aclrtSetDevice(0));
    EXPECT_CODE(107021, aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value));
    EXPECT_OK(aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, 3));
    EXPECT_OK(aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value));
    EXPECT(value == 3);
    value = 0;
    EXPECT_OK(aclrtGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value));  // a context's value is the process's, too
    EXPECT(value == 3);
    EXPECT_CODE(107000, aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, 4));
    EXPECT_CODE(107000, aclrtCtxSetSysParamOpt(ACL_OPT_STRONG_CONSISTENCY, -1));
    EXPECT_CODE(100000, aclrtCtxSetSysParamOpt(ACL_OPT_ENABLE_KERNEL_EARLY_START, 1));
    EXPECT_CODE(100000, aclrtCtxGetSysParamOpt(ACL_OPT_ENABLE_KERNEL_EARLY_START, &value));
    EXPECT_CODE(100000, aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, nullptr));
    EXPECT_OK(aclrtSetSysParamOpt(ACL_OPT_ENABLE_KERNEL_EARLY_START, 1));
    EXPECT_CODE(100000, aclrtSetSysParamOpt(static_cast<aclSysParamOpt>(1000), 1));
    EXPECT_CODE(100000, aclrtCtxSetSysParamOpt(static_cast<aclSysParamOpt>(-1), 1));
    EXPECT_CODE(100000, aclrtGetSysParamOpt(ACL_OPT_DETERMINISTIC, nullptr));
    EXPECT_OK(aclrtResetDevice(0));
}

static void messages() {
    while (aclGetRecentErrMsg() != nullptr) continue;
    EXPECT_CODE(507007, aclrtResetDevice(0));
    std::thread([] { EXPECT(aclGetRecentErrMsg() == nullptr); }).join();
    EXPECT_MESSAGE("aclrtResetDevice", "[507007]");
    EXPECT(aclGetRecentErrMsg() == nullptr);  // reading clears it
}

static void data_types() {
    EXPECT(aclDataTypeSize(ACL_FLOAT) == 4 && aclDataTypeSize(ACL_BF16) == 2 && aclDataTypeSize(ACL_INT64) == 8);
    EXPECT(aclDataTypeSize(ACL_BOOL) == 1 && aclDataTypeSize(ACL_COMPLEX128) == 16);
    EXPECT(aclDataTypeSize(ACL_DT_UNDEFINED) == 0 && aclDataTypeSize(ACL_STRING) == 0);
    // Every float16 survives the way through float32, and halves round to even.
    for (uint32_t bits = 0; bits < 65536; ++bits) {
        const float wide = aclFloat16ToFloat(aclFloat16(bits));
        if (wide == wide) EXPECT(aclFloatToFloat16(wide) == bits);
    }
    EXPECT(aclFloatToFloat16(1.f + 1 / 2048.f) == 0x3c00 && aclFloatToFloat16(1.f + 3 / 2048.f) == 0x3c02);
    EXPECT(aclFloatToFloat16(65519.f) == 0x7bff && aclFloatToFloat16(65520.f) == 0x7c00);
    EXPECT(aclFloatToFloat16(-1e-9f) == 0x8000 && aclFloatToFloat16(5.97e-8f) == 0x0001);
    const float not_a_number = aclFloat16ToFloat(aclFloatToFloat16(__builtin_nanf("")));
    EXPECT(not_a_number != not_a_number);
}

int main() {
    initialisation();
    configuration();
    unusable_configuration();
    devices();
    contexts();
    parameters();
    messages();
    data_types();
    return 0;
}
