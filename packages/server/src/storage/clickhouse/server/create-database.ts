import { text } from '../engine/literal.ts'
import type { TelemetryEngine } from '../engine/telemetry-engine.ts'

/** Unless it exists: then the user need not be allowed to create databases. `onCluster`: see TelemetryDialect. */
export async function createDatabase(engine: TelemetryEngine, database: string, onCluster = ''): Promise<void> {
  const there = await engine.select(`SELECT 1 FROM system.databases WHERE name = ${text(database)}`)
  if (there.length === 0) await engine.command(`CREATE DATABASE IF NOT EXISTS ${database}${onCluster}`)
}
