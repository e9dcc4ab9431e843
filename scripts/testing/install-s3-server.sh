#!/usr/bin/env bash
# Installs what e2e/lib/media/s3-server.ts starts: OpenStack Swift, which speaks S3, and the memcached it keeps tokens in. Debian and Ubuntu; needs root.
exec "$(dirname "${BASH_SOURCE[0]}")/install-packages.sh" "against an S3 service" swift-proxy swift-account swift-container swift-object memcached
