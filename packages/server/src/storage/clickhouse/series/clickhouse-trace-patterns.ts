import type { TraceId } from '@spoor/contract/ids'
import { PATTERN_EXAMPLES, PATTERN_TRACES, type PatternKind } from '@spoor/contract/schemas/traces/failure-patterns'
import { idAtTime } from '../../../lib/ids/ids.ts'
import type {
  CountedFeature,
  CountedFeatures,
  FeatureQuery,
  TracePatternStore,
} from '../../../ports/traces/trace-patterns.ts'
import { metadataKeyLabel, metadataValueLabel, TERM_TAGS } from '../../../traces/rules/terms.ts'
import { integer, integers, isAmong, text } from '../engine/literal.ts'
import { filterConditions, tracesWithin } from '../feed/matching-traces.ts'
import { termsBehind } from '../feed/term-conditions.ts'
import { notRemoved } from '../rows/score-conditions.ts'
import { FINAL_SETTINGS } from './aggregate-rows.ts'
import type { AggregateDependencies } from './clickhouse-metric-series.ts'
import { verdict } from './trace-verdict.ts'

/** Steps of all traces that are compared: they determine the memory. */
const MOST_STEPS = 1_000_000
/** Of each table. */
const MOST_FEATURES = 20_000
/** Calls of one trace, the first ones. */
const MOST_CALLS = 3000
/** Runs are compared by whether they have at least as many steps as these shares of all runs. */
const LENGTHS = [0.5, 0.75, 0.9]

interface Compared {
  readonly id: TraceId
  readonly failed: boolean
  readonly steps: number
}

/** Three queries: which traces, and what their rows and their steps have. Features are arrays of columns. */
export class ClickHouseTracePatterns implements TracePatternStore {
  readonly #dependencies: Pick<AggregateDependencies, 'engine' | 'settled' | 'idLeadMs' | 'removedEvents'>

  constructor(dependencies: Pick<AggregateDependencies, 'engine' | 'settled' | 'idLeadMs' | 'removedEvents'>) {
    this.#dependencies = dependencies
  }

  async countFeatures(query: FeatureQuery): Promise<CountedFeatures> {
    await this.#dependencies.settled()
    const { compared, complete } = await this.#compared(query)
    const failed = compared.filter((one) => one.failed)
    const sides = { failed: failed.length, succeeded: compared.length - failed.length }
    if (sides.failed === 0 || sides.succeeded === 0) return { ...sides, features: [], complete }
    const ids = compared.map(({ id }) => id)
    const among = { ...query, ids, failed: failed.map(({ id }) => id) }
    const features = [
      await this.#count(among, 'id', ofTraces(lengthsOf(compared))),
      await this.#count(among, 'trace_id', OF_STEPS),
    ]
    return {
      ...sides,
      features: features.flatMap((rows) => rows.slice(0, MOST_FEATURES).flatMap(toFeature)),
      complete: complete && features.every(({ length }) => length <= MOST_FEATURES),
    }
  }

  async #compared(query: FeatureQuery) {
    const { engine, idLeadMs, removedEvents } = this.#dependencies
    const without = notRemoved(await removedEvents(query.projectId))
    const { failures } = query
    const conditions = ['deleted = 0', 'verdict >= 0']
    for (const one of [query, ...query.within]) {
      const lowest = idAtTime('tr', one.startTime ?? 0)
      conditions.push(...tracesWithin(one, 'id', lowest, idLeadMs()))
      conditions.push(...(await filterConditions(this.#dependencies, one, lowest)))
    }
    if (failures !== null) conditions.push(`(verdict = 0 OR ${isAmong('id', failures)})`)
    // The same runs at each look, from all of the window: of the newest, few failed for one cause.
    const isSample = failures !== null
    const most = isSample ? PATTERN_TRACES / 2 : PATTERN_TRACES
    const limit = `LIMIT ${integer(most + 1)}`
    const order = isSample ? `ORDER BY sipHash64(id) ${limit} BY verdict` : `ORDER BY id DESC ${limit}`
    const rows = await engine.select(
      `SELECT id, ${verdict(query, without)} AS verdict, step_count FROM traces FINAL WHERE ${conditions.join(' AND ')} ` +
        `${order} SETTINGS ${FINAL_SETTINGS}`,
    )
    let left = MOST_STEPS
    const counts = [0, 0] as [number, number]
    const compared = rows
      .map(([id, failed, steps]): Compared => {
        return { id: id as TraceId, failed: failed === 1, steps: steps as number }
      })
      .filter(({ failed, steps }) => {
        counts[isSample && failed ? 1 : 0] += 1
        return counts[isSample && failed ? 1 : 0] <= most && (left -= steps) >= 0
      })
    compared.sort((one, other) => (one.id < other.id ? 1 : -1))
    return { compared, complete: compared.length === rows.length }
  }

  /** Kind, name and value of each feature, how many traces have it, failed ones, and their set. Most frequent first. */
  #count(
    {
      projectId,
      least,
      ids,
      failed,
    }: FeatureQuery & { readonly ids: readonly TraceId[]; readonly failed: readonly TraceId[] },
    id: 'id' | 'trace_id',
    { table, features, group = '' }: Features,
  ) {
    const [newest, oldest] = [ids[0] as TraceId, ids.at(-1) as TraceId]
    const within = [
      `project_id = ${text(projectId)}`,
      `${id} >= ${text(oldest)}`,
      `${id} <= ${text(newest)}`,
      isAmong(id, ids),
    ]
    const arrays = Object.entries(features).map(
      ([kind, values]) => `arrayMap(value -> (${text(kind)}, ${values.value}), ${values.of})`,
    )
    return this.#dependencies.engine.select(
      `SELECT feature.1, feature.2, feature.3, count() AS n, countIf(failed), toString(groupBitXor(sipHash64(id))), ${EXAMPLES.join(', ')} FROM (` +
        `SELECT ${id} AS id, ${isAmong(id, failed)} AS failed, arrayJoin(arrayDistinct(arrayConcat(${arrays.join(', ')}))) AS feature ` +
        `FROM ${table} FINAL WHERE ${within.join(' AND ')}${group}) ` +
        `GROUP BY feature HAVING n >= ${integer(least)} ORDER BY n DESC LIMIT ${integer(MOST_FEATURES + 1)} SETTINGS ${FINAL_SETTINGS}`,
    )
  }
}

interface Features {
  readonly table: 'traces' | 'steps'
  /** Arrays, and the name and value of their elements as a pair of texts, '' for none. */
  readonly features: Readonly<Partial<Record<PatternKind, { readonly of: string; readonly value: string }>>>
  readonly group?: string
}

/** Hashes of long texts begin with a NUL. */
const PLAIN = `NOT startsWith(value, '\\0')`

function ofTraces(lengths: readonly number[]): Features {
  return {
    table: 'traces',
    features: {
      error_type: { of: termsBehind(TERM_TAGS.error_type), value: `value, ''` },
      finding: { of: `arrayFilter(value -> value != 'any', ${termsBehind(TERM_TAGS.finding)})`, value: `value, ''` },
      model: {
        of: `arrayFilter(value -> value != '' AND ${PLAIN}, CAST(models, 'Array(String)'))`,
        value: `value, ''`,
      },
      metadata: { of: `CAST(meta, 'Array(Tuple(String, String))')`, value: 'value.1, value.2' },
      steps: { of: `arrayFilter(value -> step_count >= value, [${integers(lengths)}])`, value: `'', toString(value)` },
    },
  }
}

const CALLS = `arrayCompact(arrayFlatten(arrayMap(at -> at.2, arraySort(groupArray(${integer(MOST_CALLS)})((position, CAST(tools, 'Array(String)'))))))) `
const OF_STEPS: Features = {
  table: 'steps',
  features: {
    tool: { of: CALLS, value: `value, ''` },
    tool_pair: { of: `arrayZip(arrayPopBack(${CALLS}), arrayPopFront(${CALLS}))`, value: 'value.1, value.2' },
    failed_tool: {
      of: `groupUniqArrayArray(if(status = 'error', CAST(tools, 'Array(String)'), []))`,
      value: `value, ''`,
    },
    argument: {
      of: `arrayFilter(value -> length(value) = 2 AND value[1] != '', arrayMap(value -> splitByChar('\\0', value), groupUniqArrayArray(arguments)))`,
      value: 'value[1], value[2]',
    },
  },
  group: ' GROUP BY trace_id',
}

/** The smallest ids: of any number of threads the same. */
const EXAMPLES = ['failed', 'NOT failed'].map((side) => `groupArraySortedIf(${integer(PATTERN_EXAMPLES)})(id, ${side})`)
type FeatureRow = [PatternKind, string, string, number, number, string, TraceId[], TraceId[]]

function lengthsOf(compared: readonly Compared[]): readonly number[] {
  const sorted = compared.map(({ steps }) => steps).sort((one, other) => one - other)
  return [...new Set(LENGTHS.map((share) => sorted[Math.floor(share * sorted.length)] as number))]
}

/** None for metadata of which only hashes are stored. */
function toFeature(row: readonly unknown[]): readonly CountedFeature[] {
  const [kind, name, value, count, failed, traces, ...examples] = row as FeatureRow
  const counted = {
    kind,
    failed,
    succeeded: count - failed,
    traces,
    examples: { failed: examples[0], succeeded: examples[1] },
  }
  if (kind !== 'metadata') return [{ ...counted, name, value: value === '' && kind !== 'argument' ? null : value }]
  // An element of a list is a key of its own.
  const [key, stored] = name.startsWith('\0') ? name.slice(1).split('\0') : [name, value]
  if (key === undefined || stored === undefined || key === '' || stored === '' || stored.startsWith('\0')) return []
  return [{ ...counted, name: metadataKeyLabel(key), value: metadataValueLabel(stored) }]
}
