# SPDX-License-Identifier: MIT
# CPack: a Debian package.
