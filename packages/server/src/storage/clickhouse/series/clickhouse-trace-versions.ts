import type { TraceId } from '@spoor/contract/ids'
import { VERSION_TRACES } from '@spoor/contract/schemas/versions'
import { idAtTime } from '../../../lib/ids/ids.ts'
import type { CountedVersion, TraceVersionStore, VersionQuery } from '../../../ports/traces/trace-versions.ts'
import { metadataKeyPart, metadataKeyTerm, metadataValueLabel } from '../../../traces/rules/terms.ts'
import { integer, isAmong, text } from '../engine/literal.ts'
import { filterConditions, tracesWithin } from '../feed/matching-traces.ts'
import { indexHints } from '../feed/term-conditions.ts'
import { notRemoved } from '../rows/score-conditions.ts'
import { FINAL_SETTINGS } from './aggregate-rows.ts'
import type { AggregateDependencies } from './clickhouse-metric-series.ts'
import { verdict } from './trace-verdict.ts'

/**
 * One query finds the newest versions, another reads their runs: of a key with a value for each trace, the runs of all
 * would fill the memory.
 */
export class ClickHouseTraceVersions implements TraceVersionStore {
  readonly #dependencies: Pick<AggregateDependencies, 'engine' | 'settled' | 'idLeadMs' | 'removedEvents'>

  constructor(dependencies: Pick<AggregateDependencies, 'engine' | 'settled' | 'idLeadMs' | 'removedEvents'>) {
    this.#dependencies = dependencies
  }

  async countVersions(query: VersionQuery): Promise<readonly CountedVersion[]> {
    const { engine, settled, idLeadMs, removedEvents } = this.#dependencies
    await settled()
    const without = notRemoved(await removedEvents(query.projectId))
    const lowest = idAtTime('tr', query.startTime ?? 0)
    const conditions = [
      ...tracesWithin(query, 'id', lowest, idLeadMs()),
      'deleted = 0',
      `version != ''`,
      ...indexHints([[metadataKeyTerm(query.versionKey)]]),
      ...(await filterConditions(this.#dependencies, query, lowest)),
      'verdict >= 0',
    ]
    const select = (columns: string, further: readonly string[]) =>
      engine.select(
        `SELECT version${columns} FROM (` +
          `SELECT id, created_at, meta[${text(metadataKeyPart(query.versionKey))}] AS version, ${verdict(query, without)} AS verdict ` +
          `FROM traces FINAL WHERE ${[...conditions, ...further].join(' AND ')}) ` +
          `GROUP BY version ORDER BY min(id) DESC LIMIT ${integer(query.limit)} SETTINGS ${FINAL_SETTINGS}`,
      )
    const newest = (await select('', [])).map(([version]) => version as string)
    if (newest.length === 0) return []
    const figures =
      ', count(), countIf(verdict = 1), toUnixTimestamp64Milli(min(created_at)), toUnixTimestamp64Milli(max(created_at)), ' +
      `groupArraySorted(${integer(VERSION_TRACES)})((id, verdict))`
    const rows = await select(figures, [isAmong('version', newest)])
    return rows.map((row) => {
      const [version, runs, failed, firstAt, lastAt, first] = row as [string, number, number, number, number, Judged[]]
      return {
        version: metadataValueLabel(version),
        runs: Number(runs),
        failed: Number(failed),
        firstAt: Number(firstAt),
        lastAt: Number(lastAt),
        first: first.map(([id, isFailed]) => ({ id, failed: isFailed === 1 })),
      }
    })
  }
}

type Judged = readonly [id: TraceId, failed: number]
