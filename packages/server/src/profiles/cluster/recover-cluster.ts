import type { Config } from '../../config.ts'
import { ClickHouseTraceStore } from '../../storage/clickhouse/rows/clickhouse-trace-store.ts'
import { laterRowsOn } from '../../storage/clickhouse/rows/later-rows.ts'
import { sumRows } from '../../storage/clickhouse/rows/row-sums.ts'
import { readRecord } from '../../storage/cluster/backup-record.ts'
import { findRecovery, type Recovery, type StoresToRecover } from '../../storage/cluster/recover-stores.ts'
import { verifyRestored } from '../../storage/cluster/verify-restored.ts'
import { type OpenStores, withStores } from './open-stores.ts'

/** Calls `use` with what the stores of the configuration do not agree on, null for nothing. */
export function withRecovery(config: Config, use: (recovery: Recovery | null) => Promise<void>): Promise<void> {
  return withStores(config, async (opened) => use(await findRecovery(toRecover(opened))))
}

/** What the restored stores of the configuration lack of the backup whose record the file has. Changes nothing. */
export async function verifyRestoredCluster(config: Config, recordPath: string): Promise<readonly string[]> {
  const record = await readRecord(recordPath)
  return withStores(config, (opened) =>
    verifyRestored(toRecover(opened), (through) => sumRows(opened.shards, through), record),
  )
}

function toRecover({ engine, shards, ...stores }: OpenStores): StoresToRecover {
  const settled = new ClickHouseTraceStore(engine, { shards })
  return { ...stores, settled, later: laterRowsOn(shards) }
}
