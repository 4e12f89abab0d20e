/* How the operators' functions are declared. */
#ifndef ACLTWIN_ACLNNOP_ACLNN_UTIL_H
#define ACLTWIN_ACLNNOP_ACLNN_UTIL_H

#define ACLNN_API __attribute__((visibility("default")))

#endif
