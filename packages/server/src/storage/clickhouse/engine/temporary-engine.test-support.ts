import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import type { ClickHouseServer } from '../../../../../../e2e/lib/clickhouse/clickhouse-server.ts'
import { openChdbEngine } from './chdb-engine.ts'
import { openTelemetrySchema } from '../migrations/open-telemetry-schema.ts'
import { prepareServer } from '../server/prepare-server.ts'
import type { TelemetryEngine } from './telemetry-engine.ts'

type OnReadError = (error: unknown) => void

let server: ClickHouseServer | null = null
let databases = 0

/** From now on, each temporary engine of this process is a new database on this server. */
export function openTemporaryEnginesOn(running: ClickHouseServer): void {
  server = running
}

/**
 * For tests: the real engine with the latest schema in a temporary folder, closed and removed after all tests of the
 * file. At most one for each file.
 */
export async function temporaryEngine({
  onReadError = failTest,
}: { onReadError?: OnReadError } = {}): Promise<TelemetryEngine> {
  const engine = await (server === null ? openEmbedded(onReadError) : openDatabase(server, onReadError))
  // Merges run only when a test requests one; OPTIMIZE … FINAL ignores this setting.
  for (const table of ['traces', 'steps', 'metric_events', 'metric_points']) {
    await engine.command(
      `ALTER TABLE ${table} MODIFY SETTING max_bytes_to_merge_at_max_space_in_pool = 1, max_bytes_to_merge_at_min_space_in_pool = 1`,
    )
  }
  return engine
}

async function openEmbedded(onReadError: OnReadError): Promise<TelemetryEngine> {
  const directory = mkdtempSync(join(tmpdir(), 'spoor-telemetry-'))
  const engine = openChdbEngine({ directory, memoryBytes: 400 * 1024 * 1024, readers: 2, onReadError })
  after(async () => {
    await engine.close()
    rmSync(directory, { recursive: true, force: true })
  })
  await openTelemetrySchema(engine)
  return engine
}

async function openDatabase(
  { url, user, password }: ClickHouseServer,
  onReadError: OnReadError,
): Promise<TelemetryEngine> {
  databases += 1
  const database = `spoor_${databases}`
  const { engine, dialect } = await prepareServer({ url, user, password, ca: null, database, readers: 2, onReadError })
  after(() => engine.close())
  await openTelemetrySchema(engine, { dialect, place: 'ClickHouse' })
  return engine
}

/** An unexpected failure of a read must reach the test unchanged. */
function failTest(error: unknown): never {
  throw error
}
