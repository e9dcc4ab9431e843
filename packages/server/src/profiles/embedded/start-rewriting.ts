import type { DiskGuard } from '../../operation/disk-guard.ts'
import type { Readiness } from '../../operation/readiness.ts'
import type { TelemetryEngine } from '../../storage/clickhouse/engine/telemetry-engine.ts'
import { RowRewriter } from '../../storage/clickhouse/search/row-rewriter.ts'
import type { StaleRows } from '../../storage/clickhouse/search/stale-rows.ts'
import type { EmbeddedEnvironment } from './embedded-environment.ts'
import { type Rounds, startRounds } from '../start/rounds.ts'

const STEP_EVERY_MS = 250
const PART = 'search'

interface RewritingParts {
  readonly engine: TelemetryEngine
  readonly stale: StaleRows
  readonly guard: Pick<DiskGuard, 'problem'>
  readonly readiness: Readiness
}

/**
 * Rewrites rows of earlier search rules until none is left; `/readyz` shows how many remain, the log when it begins and
 * ends. Pauses on a full disk, because rewriting needs space.
 */
export function startRewriting({ logger }: EmbeddedEnvironment, parts: RewritingParts): Rounds {
  const { engine, stale, guard, readiness } = parts
  if (stale.rows() === 0) return { stop: () => Promise.resolve() }
  const note = () => {
    const detail = `search terms of ${stale.rows()} stored rows are being rewritten; filters that need them are refused`
    readiness.note(PART, detail)
  }
  note()
  logger.info({ rows: stale.rows() }, 'rewriting rows that were stored by earlier search rules')
  const rewriter = new RowRewriter(engine, stale)
  const rounds = startRounds(STEP_EVERY_MS, logger, async () => {
    if (guard.problem() !== null) return
    if (await rewriter.step()) return note()
    readiness.report(PART, null)
    logger.info('all stored rows match the current search rules')
    // Not awaited: it waits for the round that calls it.
    void rounds.stop()
  })
  return rounds
}
