import { DomainError } from '../../../lib/domain-error.ts'
import { OperatorError } from '../../../lib/operator-error.ts'
import type { TelemetryEngine } from '../engine/telemetry-engine.ts'
import { ServerError } from './server-connection.ts'

/** Text indexes work as Spoor needs them from this version. */
const OLDEST = [26, 2] as const
const TRY_EVERY_MS = 1000

/** Waits until the server answers, and returns its version. Throws OperatorError when that is too old. */
export async function firstAnswer(engine: Pick<TelemetryEngine, 'select'>, patienceMs: number): Promise<string> {
  const until = performance.now() + patienceMs
  for (;;) {
    try {
      const [row] = await engine.select('SELECT version()')
      const version = row?.[0] as string
      refuseOld(version)
      return version
    } catch (error) {
      const mayPass = error instanceof DomainError && !(error.cause instanceof ServerError)
      if (!mayPass || performance.now() > until) throw error
    }
    await new Promise((resolve) => setTimeout(resolve, TRY_EVERY_MS))
  }
}

/** Exported for its test: the only server that can be started in tests is new enough. */
export function refuseOld(version: string): void {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return
  throw new OperatorError(`ClickHouse ${version} is too old: Spoor needs ${OLDEST.join('.')} or later.`)
}
