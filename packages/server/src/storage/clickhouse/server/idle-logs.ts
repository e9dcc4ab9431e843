import type { TelemetryEngine } from '../engine/telemetry-engine.ts'

/**
 * ClickHouse logs its own work in tables, also when idle, and keeps them for ever: gigabytes beside a small store.
 * Returns what the operator should do about those without a time to live, null when there are none.
 *
 * Spoor does not change them: their definition is in the server's configuration, and at its next start a server sets
 * aside a table with another one and keeps it.
 */
export async function adviseOnIdleLogs(engine: TelemetryEngine): Promise<string | null> {
  const tables = await engine.select(
    "SELECT name, total_bytes FROM system.tables WHERE database = 'system' AND endsWith(name, '_log') " +
      "AND engine LIKE '%MergeTree' AND engine_full NOT LIKE '% TTL %' ORDER BY name",
  )
  if (tables.length === 0) return null
  const names = tables.map(([name]) => name as string)
  const megabytes = Math.ceil(tables.reduce((sum, [, bytes]) => sum + ((bytes as number | null) ?? 0), 0) / 1e6)
  return (
    `ClickHouse keeps logs about itself for ever (${megabytes} MB in system.${names.join(', ')}). ` +
    `Add <ttl>event_date + INTERVAL 1 DAY DELETE</ttl> to each of them in its configuration, as in ` +
    `<clickhouse><${names[0]}><ttl>event_date + INTERVAL 1 DAY DELETE</ttl></${names[0]}></clickhouse>.`
  )
}
