import type { ProjectId, TraceId } from '@spoor/contract/ids'
import type { TraceHeading } from '@spoor/clustering/text/trace-text'
import { timeOfId } from '../../../lib/ids/ids.ts'
import { idFromBytes } from '../../../lib/ids/typeid.ts'
import type { CommittedTrace, Score } from '../cluster-traces.conformance.ts'
import { metadataTerms, metadataValueTerms } from '../../../traces/rules/terms.ts'
import type { ClusterTraces, ListedTrace, StepRow, TraceFailure, TraceListQuery } from '../cluster-traces.ts'

/** Invented traces, by the requests of their users. */
export class MemoryClusterTraces implements ClusterTraces {
  readonly #stored = new Map<TraceId, CommittedTrace>()
  #made = 0
  readonly scores: Score[] = []
  /** Traces whose steps were read, in order. */
  readonly read: TraceId[] = []
  /** Thrown by every read. */
  failure: Error | null = null

  /** The time in its id is later than its creation by `leadMs`. */
  add(projectId: ProjectId, createdAt: number, asked: string, failed = false, leadMs = 0): TraceId {
    const id = numberedTrace(createdAt + leadMs, ++this.#made)
    this.put(projectId, id, asked, failed, createdAt)
    return id
  }

  /** The next version if the trace exists. */
  put(projectId: ProjectId, id: TraceId, asked: string, failed = false, createdAt = timeOfId(id)): void {
    const version = (this.#stored.get(id)?.version ?? 0) + 1
    const messages = [{ role: 'user', content: [{ type: 'text', text: asked }] }]
    const steps: StepRow[] = [[id, 'answer', 'llm', failed ? 'error' : 'ok', JSON.stringify({ messages }), []]]
    this.commit({ id, version, createdAt, failed, deleted: false, projectId, steps })
  }

  find(id: TraceId): CommittedTrace | undefined {
    return this.#stored.get(id)
  }

  commit(trace: CommittedTrace): void {
    this.#stored.set(trace.id, trace)
  }

  /** The first message of the trace's user, from `put`. */
  asked(id: TraceId): string | null {
    const [step] = this.#stored.get(id)?.steps ?? []
    if (step === undefined) return null
    const { messages } = JSON.parse(step[4]) as { messages?: { content: { text: string }[] }[] }
    return messages?.[0]?.content[0]?.text ?? null
  }

  setMetadata(id: TraceId, metadata: Readonly<Record<string, unknown>>): void {
    this.#stored.set(id, { ...this.#stored.get(id)!, metadata })
  }

  delete(id: TraceId): void {
    this.#stored.delete(id)
  }

  async list({
    projectId,
    lowestId,
    highestId,
    createdFrom,
    order,
    limit,
    onlyComplete = false,
    onlyFailed = false,
    failure = { kind: 'status' },
    matching,
  }: TraceListQuery): Promise<readonly ListedTrace[]> {
    if (this.failure !== null) throw this.failure
    const isWithin = (id: TraceId) => id >= lowestId && id < highestId
    const found = [...this.#stored.values()]
      .filter((one) => one.projectId === projectId && !one.deleted && isWithin(one.id) && one.createdAt >= createdFrom)
      .filter(({ id, name }) => {
        const { among = null, filters } = matching ?? {}
        return (among?.includes(id) ?? true) && (filters?.name ?? name) === name
      })
      .filter(({ growing }) => !(onlyComplete && growing === true))
      .map((trace) => {
        const { id, version, createdAt } = trace
        return { id, version, createdAt, failed: this.#failed(trace, failure) }
      })
      .filter(({ failed }) => !onlyFailed || failed === true)
    const sorted = found.sort((a, b) => (a.id < b.id ? -1 : 1))
    return (order === 'asc' ? sorted : sorted.toReversed()).slice(0, limit)
  }

  #failed({ projectId, id, failed, metadata = {} }: CommittedTrace, failure: TraceFailure): boolean | null {
    if (failure.kind === 'status') return failed
    if (failure.kind === 'metadata') {
      const own = new Set(metadataTerms(Buffer.from(JSON.stringify(metadata))))
      return metadataValueTerms(failure.key, failure.value).some((term) => own.has(term))
    }
    const scores = this.scores.filter(
      (one) => one.projectId === projectId && one.traceId === id && one.metricId === failure.id,
    )
    const latest = scores.sort((a, b) => a.at - b.at || a.number - b.number).at(-1)
    return latest === undefined ? null : !latest.passed
  }

  async headings(
    projectId: ProjectId,
    traceIds: readonly TraceId[],
    path: readonly string[] | null,
  ): Promise<ReadonlyMap<TraceId, TraceHeading>> {
    if (this.failure !== null) throw this.failure
    const found = traceIds.flatMap((id) => this.#stored.get(id) ?? [])
    return new Map(
      found
        .filter((one) => one.projectId === projectId && !one.deleted)
        .map(({ id, name = '', metadata = {} }) => [
          id,
          { name, input: path === null ? null : valueAt(metadata, path) },
        ]),
    )
  }

  async *steps(projectId: ProjectId, traceIds: readonly TraceId[]): AsyncIterable<readonly StepRow[]> {
    if (this.failure !== null) throw this.failure
    this.read.push(...traceIds)
    for (const id of traceIds) {
      const trace = this.#stored.get(id)
      if (trace?.projectId === projectId) yield trace.steps
    }
  }
}

function valueAt(metadata: unknown, path: readonly string[]): string | null {
  const found = path.reduce(
    (inner, name) => (inner as Readonly<Record<string, unknown>> | null | undefined)?.[name],
    metadata,
  )
  if (found === undefined || found === null) return null
  return (typeof found === 'string' ? found : JSON.stringify(found)).slice(0, 16_384)
}

function numberedTrace(createdAt: number, number: number): TraceId {
  const bytes = Buffer.alloc(16)
  bytes.writeUIntBE(createdAt, 0, 6)
  bytes.writeUInt32BE(number, 6)
  // Replaces randomness: spread, and not in the order of the numbers.
  bytes.writeUInt32BE(Math.imul(number, 0x9e3779b1) >>> 0, 12)
  return idFromBytes('tr', bytes)
}
