import { all, first, run, type Work } from '../kit/sql-database.ts'
import { toState } from './journal-rows.ts'
import type { JournalStatements } from './journal-statements.ts'

/** Most rows that one call of `Journal.prune`, `pruneSuperseded` or `expireKeys` removes. */
export const PRUNE_ROWS = 10_000

/** The transaction of `Journal.prune`. */
export function* pruneRows(
  sql: JournalStatements,
  before: number,
  limit: number,
  throughPosition: number,
  now: number,
): Work<number> {
  const { removed, last: position } = yield* expiredRows(sql, before, limit, throughPosition, now)
  if (removed === 0) return 0
  yield* run(sql.deleteRowsThrough({ position }))
  yield* run(sql.deleteTextsThrough({ position }))
  yield* run(sql.setPrunedThrough({ position }))
  yield* run(sql.deletePurgedThrough({ position }))
  return removed
}

/** The transaction of `Journal.pruneSuperseded`. */
export function* pruneSupersededKeys(sql: JournalStatements, before: number, limit: number): Work<number> {
  let removed = 0
  let project = yield* first(sql.nextSupersededProject({ after: new Uint8Array() }))
  while (project !== undefined && removed < limit) {
    const projectId = project.project_id
    for (const row of yield* all(sql.oldestSuperseded({ projectId, limit: limit - removed }))) {
      if (row.superseded_at >= before) break
      yield* run(sql.deleteSuperseded({ projectId, untilVersion: row.until_version, traceId: row.trace_id }))
      removed += 1
    }
    project = yield* first(sql.nextSupersededProject({ after: projectId }))
  }
  return removed
}

/**
 * The transaction of `Journal.expireKeys`. A key is known until the generation after its own has lasted for the whole
 * time. So one generation may end too early: a clock that runs ahead ends one, and no other until its time has come.
 */
export function* expireKeys(sql: JournalStatements, now: number, keptMs: number, limit: number): Work<number> {
  const { keyGeneration, keysSince } = toState(yield* first(sql.readState({})))
  const isOver = now >= keysSince + keptMs
  const generation = isOver ? keyGeneration + 1 : keyGeneration
  if (isOver) yield* run(sql.beginGeneration({ generation, since: now }))
  const ofTraces = yield* run(sql.deleteOldTraceKeys({ oldest: generation - 1, limit }))
  return ofTraces + (yield* run(sql.deleteOldStepKeys({ oldest: generation - 1, limit: limit - ofTraces })))
}

/**
 * Counts the oldest rows that have expired, and returns the position of the last of them. A row from the future is as
 * old as the next row that is not.
 */
function* expiredRows(
  sql: JournalStatements,
  before: number,
  limit: number,
  throughPosition: number,
  now: number,
): Work<{ readonly removed: number; readonly last: number }> {
  let [removed, last] = [0, 0]
  let [ahead, lastAhead] = [0, 0]
  for (const { last_position: position, committed_at: committedAt } of yield* all(sql.oldestRows({ limit }))) {
    if (position > throughPosition) break
    if (committedAt > now) {
      ahead += 1
      lastAhead = position
      continue
    }
    if (committedAt >= before) return { removed, last }
    removed += ahead + 1
    last = position
    ahead = 0
  }
  if (ahead === 0) return { removed, last }
  const next = yield* first(sql.nextRowNotAfter({ position: lastAhead, time: now }))
  const hasExpired = next !== undefined && next.committed_at < before
  return hasExpired ? { removed: removed + ahead, last: lastAhead } : { removed, last }
}
