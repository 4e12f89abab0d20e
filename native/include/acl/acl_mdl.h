/* Stream capture: work is recorded instead of run, and then run as often as somebody asks. */
#ifndef ACLTWIN_ACL_ACL_MDL_H
#define ACLTWIN_ACL_ACL_MDL_H

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Recorded work. */
typedef void* aclmdlRI;

/* Which threads may copy and fill memory at once while a stream is captured: with GLOBAL none, with THREAD_LOCAL all
 * but the one that captures, with RELAXED all. */
typedef enum {
    ACL_MODEL_RI_CAPTURE_MODE_GLOBAL = 0,
    ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL = 1,
    ACL_MODEL_RI_CAPTURE_MODE_RELAXED = 2
} aclmdlRICaptureMode;

typedef enum {
    ACL_MODEL_RI_CAPTURE_STATUS_NONE = 0,
    ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE = 1,
    ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED = 2
} aclmdlRICaptureStatus;

/* From Begin to End, what is queued on the stream is recorded. A stream that waits for an event of the capture joins
 * it, and has to be joined back by an event that the first stream waits for. */
ACL_FUNC_VISIBILITY aclError aclmdlRICaptureBegin(aclrtStream stream, aclmdlRICaptureMode mode);
ACL_FUNC_VISIBILITY aclError aclmdlRICaptureGetInfo(aclrtStream stream, aclmdlRICaptureStatus* status,
                                                    aclmdlRI* modelRI);
ACL_FUNC_VISIBILITY aclError aclmdlRICaptureEnd(aclrtStream stream, aclmdlRI* modelRI);
/* Gives the calling thread a mode of its own, and the one before back. */
ACL_FUNC_VISIBILITY aclError aclmdlRICaptureThreadExchangeMode(aclmdlRICaptureMode* mode);

/* Runs recorded work: at once, for at most so many milliseconds (-1: for ever), or in its turn on a stream. */
ACL_FUNC_VISIBILITY aclError aclmdlRIExecute(aclmdlRI modelRI, int32_t timeout);
ACL_FUNC_VISIBILITY aclError aclmdlRIExecuteAsync(aclmdlRI modelRI, aclrtStream stream);
ACL_FUNC_VISIBILITY aclError aclmdlRIDestroy(aclmdlRI modelRI);

#ifdef __cplusplus
}
#endif

#endif
