import type { ProjectId, TraceId } from '@spoor/contract/ids'
import type { StoredTrace } from '../../../ports/traces/trace-store.ts'
import type { UndigestedRange, UndigestedTraces } from '../../../ports/traces/undigested-traces.ts'
import { integer, text } from '../engine/literal.ts'
import type { TelemetryEngine } from '../engine/telemetry-engine.ts'
import { WHOLE_DIGEST } from './trace-row.ts'
import { FINAL_SETTINGS } from '../series/aggregate-rows.ts'

/** By the column `has_digest` of the newest versions. Replaced versions keep theirs until they are merged away. */
export class ClickHouseUndigestedTraces implements UndigestedTraces {
  readonly #engine: Pick<TelemetryEngine, 'select'>

  constructor(engine: Pick<TelemetryEngine, 'select'>) {
    this.#engine = engine
  }

  async find({ after, sinceVersion, limit }: UndigestedRange): Promise<readonly StoredTrace[]> {
    const without = `has_digest < ${integer(WHOLE_DIGEST)} AND ver > ${integer(sinceVersion)}${after === null ? '' : ` AND ${beyond(after)}`}`
    // Mostly there is none: one column says so.
    const [stored] = await this.#engine.select(`SELECT count() FROM traces WHERE ${without}`)
    if (stored?.[0] === 0) return []
    const rows = await this.#engine.select(
      `SELECT project_id, id FROM traces FINAL WHERE ${without} AND deleted = 0 ` +
        `ORDER BY project_id, id LIMIT ${integer(limit)} SETTINGS ${FINAL_SETTINGS}`,
    )
    return rows.map(([projectId, traceId]) => ({ projectId: projectId as ProjectId, traceId: traceId as TraceId }))
  }
}

/** The first condition lets the engine skip what lies before. */
function beyond({ projectId, traceId }: StoredTrace): string {
  const project = text(projectId)
  return `project_id >= ${project} AND (project_id > ${project} OR id > ${text(traceId)})`
}
