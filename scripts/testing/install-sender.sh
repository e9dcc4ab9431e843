#!/usr/bin/env bash
# Installs senders for tests in e2e/otlp, by the names of their folders. They are packages that no other test needs, so
# they are not among the packages of Spoor.
set -e
for sender in "$@"; do npm ci --prefix "$(dirname "${BASH_SOURCE[0]}")/../../e2e/otlp/$sender"; done
