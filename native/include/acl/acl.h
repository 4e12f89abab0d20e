/* Everything a program needs from the runtime: types, status codes, devices, memory, streams and events. */
#ifndef ACLTWIN_ACL_ACL_H
#define ACLTWIN_ACL_ACL_H

#include "acl/acl_base.h"
#include "acl/acl_mdl.h"
#include "acl/acl_rt.h"

#endif
