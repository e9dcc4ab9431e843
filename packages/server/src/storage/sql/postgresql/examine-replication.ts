import type { Client } from 'pg'
import type { CheckResult } from '../../../operation/check-result.ts'

/** A row of `pg_stat_replication`. Only a member of `pg_read_all_stats` sees more than the name. */
export interface Standby {
  readonly name: string
  readonly state: string | null
  readonly sync: string | null
  /** Of the log, not yet on the disk of the standby; null before it has reported any. */
  readonly bytes: number | null
  /** How long it took the standby to flush the newest commit; null also if nothing has been written for a while. */
  readonly seconds: number | null
}

/** Nodes wait for `synchronous_commit = on`, so a commit waits until these have it on their disks. */
const SYNCHRONOUS: ReadonlySet<string | null> = new Set(['sync', 'quorum'])
/** `FIRST 2 (a, b)`, `ANY 2 (a, b)` or `2 (a, b)`; a list without a number needs one. */
const NUMBER_NEEDED = /^\s*(?:(?:FIRST|ANY)\s+)?(\d+)\s*\(/i

/** How the server is copied to others. Replication by the storage of a provider is not visible to PostgreSQL. */
export async function examineReplication(client: Client): Promise<CheckResult> {
  const { rows } = await client.query<Standby>(
    `SELECT application_name AS name, state, sync_state AS sync,
       pg_wal_lsn_diff(pg_current_wal_lsn(), flush_lsn)::float8 AS bytes,
       extract(epoch FROM flush_lag)::float8 AS seconds
     FROM pg_stat_replication ORDER BY application_name, pid`,
  )
  const setting = await client.query<{ names: string }>(`SELECT current_setting('synchronous_standby_names') AS names`)
  return describeReplication(rows, setting.rows[0]?.names ?? '')
}

/** `names`: the setting `synchronous_standby_names`. */
export function describeReplication(standbys: readonly Standby[], names: string): CheckResult {
  const part = 'replication'
  const problem = (found: number, needed: number) =>
    `Commits wait: synchronous_standby_names (${names}) needs ${needed} synchronous, and ${found} of those connected are.`
  const needed = names.trim() === '' ? 0 : Number(NUMBER_NEEDED.exec(names)?.[1] ?? 1)
  if (standbys.length === 0)
    return { part, detail: 'no standby is connected', problems: needed === 0 ? [] : [problem(0, needed)] }
  const each = standbys.map(describeStandby).join('; ')
  if (standbys.some(({ state }) => state === null)) {
    const detail = `${each}; only a member of pg_read_all_stats sees their state`
    return { part, detail, problems: standbys.length < needed ? [problem(standbys.length, needed)] : [] }
  }
  const found = standbys.filter(({ sync }) => SYNCHRONOUS.has(sync)).length
  if (found < needed) return { part, detail: each, problems: [problem(found, needed)] }
  const warning = found > 0 ? '' : '; none is synchronous: a failover may lose acknowledged traces'
  return { part, detail: `${each}${warning}`, problems: [] }
}

function describeStandby({ name, state, sync, bytes, seconds }: Standby): string {
  if (state === null) return name
  const lag = bytes === null ? 'lag unknown' : `${bytes} bytes and ${(seconds ?? 0).toFixed(1)} s behind`
  return `${name} ${state}, ${sync}, ${lag}`
}
