import type { Config } from '../../config.ts'
import { ClickHouseTraceStore } from '../../storage/clickhouse/rows/clickhouse-trace-store.ts'
import { laterRowsOn } from '../../storage/clickhouse/rows/later-rows.ts'
import { findRecovery, type Recovery } from '../../storage/cluster/recover-stores.ts'
import { withStores } from './open-stores.ts'

/** Calls `use` with what the stores of the configuration do not agree on, null for nothing. */
export function withRecovery(config: Config, use: (recovery: Recovery | null) => Promise<void>): Promise<void> {
  return withStores(config, async ({ engine, shards, ...stores }) => {
    const settled = new ClickHouseTraceStore(engine, { shards })
    await use(await findRecovery({ ...stores, settled, later: laterRowsOn(shards) }))
  })
}
