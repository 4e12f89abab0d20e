// Large blocks in huge pages: their first touch costs half, and fewer of them are needed.
#pragma once

#include <cstddef>

#include "core/export.h"

namespace acltwin {

constexpr size_t kHugePage = size_t(2) << 20;

// Fresh zeros that begin at a huge page if they fill one. Null if there is no memory.
void* map_pages(size_t bytes);
void unmap_pages(void* begin, size_t bytes);

// Asks for huge pages where somebody else's memory has room for whole ones; a refusal costs nothing.
ACLTWIN_API void advise_huge_pages(void* begin, size_t bytes);

}  // namespace acltwin
