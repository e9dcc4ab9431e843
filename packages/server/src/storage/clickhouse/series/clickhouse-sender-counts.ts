import type { ProjectId } from '@spoor/contract/ids'
import type { TimeSpan } from '../../../lib/time/time-buckets.ts'
import { readSender, type SenderCountStore } from '../../../ports/traces/sender-counts.ts'
import { integer } from '../engine/literal.ts'
import { FINAL_SETTINGS, idsWithin } from './aggregate-rows.ts'
import type { AggregateDependencies } from './clickhouse-metric-series.ts'
import { withoutDeleted } from './deleted-events.ts'

/** Maximum number of groups counted: they determine the memory. A sender has one for each model and kind of step. */
const MOST_GROUPS = 50_000
/** Of them, the largest are read. */
const MOST_READ = 5000

/** Senders over the column `sender` of `steps`: one query, which reads no bodies. */
export class ClickHouseSenderCounts implements SenderCountStore {
  readonly #dependencies: AggregateDependencies

  constructor(dependencies: AggregateDependencies) {
    this.#dependencies = dependencies
  }

  async senderCounts(projectId: ProjectId, span: TimeSpan) {
    const { engine, settled, idLeadMs } = this.#dependencies
    await settled()
    const deleted = await withoutDeleted(this.#dependencies, projectId, 'steps')
    const within = [...idsWithin('trace_id', projectId, [span], idLeadMs()), ...(deleted === null ? [] : [deleted])]
    const rows = await engine.select(
      `SELECT sender, model, count() AS steps FROM steps FINAL WHERE ${within.join(' AND ')} AND sender != '' ` +
        `GROUP BY sender, model ORDER BY steps DESC, sender, model ` +
        `LIMIT ${integer(MOST_READ + 1)} ` +
        `SETTINGS ${FINAL_SETTINGS}, max_rows_to_group_by = ${integer(MOST_GROUPS)}, group_by_overflow_mode = 'any'`,
    )
    return {
      counts: rows
        .slice(0, MOST_READ)
        .map(([sender, model, steps]) =>
          Object.assign(readSender(sender as string), { model: model as string, steps: steps as number }),
        ),
      complete: rows.length <= MOST_READ,
    }
  }
}
