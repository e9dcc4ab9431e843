#!/usr/bin/env bash
# Installs Mastra and its exporter for e2e/otlp/mastra.test.ts. They are 180 MB that no other test needs, so they are
# not among the packages of Spoor.
exec npm ci --prefix "$(dirname "${BASH_SOURCE[0]}")/../../e2e/otlp/mastra"
