/// @file
/// Visibility of the public symbols: the library is built with hidden visibility, so that a missing mark shows at link
/// time.
#pragma once

#if defined(__GNUC__)
#define TORCH_DIST_INIT_API __attribute__((visibility("default")))
#else
#define TORCH_DIST_INIT_API
#endif
