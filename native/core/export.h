// What the extension module needs from the library. Everything else stays hidden, except the ACL functions.
#pragma once

#define ACLTWIN_API __attribute__((visibility("default")))
