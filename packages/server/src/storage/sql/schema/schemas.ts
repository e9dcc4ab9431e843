import { ACCESS_SCHEMA } from '../access/access-tables.ts'
import { AUDIT_SCHEMA } from '../audit/audit-tables.ts'
import { CLUSTER_SCHEMA, SQLITE_MEMBER_STATISTICS } from '../clusters/cluster-tables.ts'
import { DELETION_SCHEMA } from '../deletions/deletion-tables.ts'
import { DELIVERY_SCHEMA } from '../deliveries/delivery-tables.ts'
import { JOURNAL_SCHEMA } from '../journal/journal-tables.ts'
import { LEASE_SCHEMA } from '../leases/lease-tables.ts'
import { MEDIA_SCHEMA } from '../media/media-tables.ts'
import { METRIC_SCHEMA } from '../metrics/metric-tables.ts'
import { MONITOR_SCHEMA } from '../monitors/monitor-tables.ts'
import { POSTGRESQL_SCHEMA } from '../postgresql/postgresql-tables.ts'
import { PRICE_SCHEMA } from '../prices/price-tables.ts'
import { VIEW_SCHEMA } from '../views/view-tables.ts'
import { WEBHOOK_SCHEMA } from '../webhooks/webhook-tables.ts'
import type { Migration } from './migration.ts'
import { forPostgresql, forSqlite } from './render-tables.ts'

/** For both databases, each after the tables that it refers to. */
export const CONTROL_SCHEMA = [
  ACCESS_SCHEMA,
  JOURNAL_SCHEMA,
  MEDIA_SCHEMA,
  METRIC_SCHEMA,
  PRICE_SCHEMA,
  MONITOR_SCHEMA,
  WEBHOOK_SCHEMA,
  VIEW_SCHEMA,
  LEASE_SCHEMA,
  AUDIT_SCHEMA,
  DELETION_SCHEMA,
].join('')

/**
 * Links between the parts of a store. `parts_recorded`: a record of the parts of the engine exists and must be found.
 */
const identity = (randomId: string) => `
    CREATE TABLE store_identity (
      only_row INTEGER NOT NULL PRIMARY KEY CHECK (only_row = 1),
      store_id TEXT NOT NULL,
      parts_recorded INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    INSERT INTO store_identity (only_row, store_id) ${randomId};
`
const SQLITE_ID = 'VALUES (1, lower(hex(randomblob(8))))'
const POSTGRESQL_ID = `SELECT 1, left(id, 12) || right(id, 4) FROM replace(gen_random_uuid()::text, '-', '') AS id`

/** Lower versions are from development: no release wrote them. */
const first = (version: number, statements: string): readonly Migration[] => [
  { version, name: 'first release', statements },
]

/** Of `control.db`. */
export const CONTROL_MIGRATIONS = first(61, forSqlite(CONTROL_SCHEMA + identity(SQLITE_ID)))
/** Of `clusters.db`. */
export const CLUSTER_MIGRATIONS = first(58, forSqlite(CLUSTER_SCHEMA) + SQLITE_MEMBER_STATISTICS)
/** Of `deliveries.db`. */
export const DELIVERY_MIGRATIONS = first(53, forSqlite(DELIVERY_SCHEMA))
export const POSTGRESQL_MIGRATIONS = first(
  69,
  forPostgresql(CONTROL_SCHEMA + identity('{id}') + CLUSTER_SCHEMA + POSTGRESQL_SCHEMA + DELIVERY_SCHEMA).replace(
    '{id}',
    POSTGRESQL_ID,
  ),
)
