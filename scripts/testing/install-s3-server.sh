#!/usr/bin/env bash
# Installs the S3 server of e2e/lib/media/s3-server.ts: OpenStack Swift, and memcached for its tokens.
# Debian and Ubuntu; needs root.
exec "$(dirname "${BASH_SOURCE[0]}")/install-packages.sh" "against an S3 service" swift-proxy swift-account swift-container swift-object memcached
