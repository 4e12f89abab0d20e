/* Everything a program needs from the runtime: types, status codes, devices, memory, streams and events. */
#ifndef ACLTWIN_ACL_ACL_H
#define ACLTWIN_ACL_ACL_H

#include "acl/acl_base.h"
#include "acl/acl_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

/* configPath is null, or names a readable JSON file. */
ACL_FUNC_VISIBILITY aclError aclInit(const char* configPath);
ACL_FUNC_VISIBILITY aclError aclFinalize(void);
/* Takes one aclInit back and says how many are left. */
ACL_FUNC_VISIBILITY aclError aclFinalizeReference(uint64_t* refCount);

#ifdef __cplusplus
}
#endif

#endif
