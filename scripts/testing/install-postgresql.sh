#!/usr/bin/env bash
# Installs PostgreSQL for postgresql-server.mjs and PgBouncer for pgbouncer-server.mjs. Debian and Ubuntu; needs root.
exec "$(dirname "${BASH_SOURCE[0]}")/install-packages.sh" "against PostgreSQL" postgresql pgbouncer
