import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { openChdbEngine } from './chdb-engine.ts'
import { openTelemetrySchema } from '../migrations/open-telemetry-schema.ts'
import type { TelemetryEngine } from './telemetry-engine.ts'

export type OpenTemporaryEngine = (onReadError: (error: unknown) => void) => Promise<TelemetryEngine>

let open: OpenTemporaryEngine = openEmbedded

/** From now on, the temporary engines of this process are opened by this. They close themselves after all tests. */
export function openTemporaryEnginesBy(other: OpenTemporaryEngine): void {
  open = other
}

/**
 * For tests: the real engine with the latest schema in a temporary folder, closed and removed after all tests of the
 * file. At most one for each file.
 */
export async function temporaryEngine({
  onReadError = failTest,
}: { onReadError?: (error: unknown) => void } = {}): Promise<TelemetryEngine> {
  const engine = await open(onReadError)
  // Merges run only when a test requests one; OPTIMIZE … FINAL ignores this setting.
  for (const table of ['traces', 'steps', 'metric_events', 'metric_points']) {
    await engine.command(
      `ALTER TABLE ${table} MODIFY SETTING max_bytes_to_merge_at_max_space_in_pool = 1, max_bytes_to_merge_at_min_space_in_pool = 1`,
    )
  }
  return engine
}

async function openEmbedded(onReadError: (error: unknown) => void): Promise<TelemetryEngine> {
  const directory = mkdtempSync(join(tmpdir(), 'spoor-telemetry-'))
  const engine = openChdbEngine({ directory, memoryBytes: 400 * 1024 * 1024, readers: 2, onReadError })
  after(async () => {
    await engine.close()
    rmSync(directory, { recursive: true, force: true })
  })
  await openTelemetrySchema(engine)
  return engine
}

/** An unexpected failure of a read must reach the test unchanged. */
function failTest(error: unknown): never {
  throw error
}
