import { suite } from 'node:test'
import { MemoryTraceStore } from '../../ports/traces/memory-trace-store.test-support.ts'
import { testTraceStore } from '../../ports/traces/trace-store.conformance.ts'
import type { StoredCommit, StoredTrace, TraceReads } from '../../ports/traces/trace-store.ts'
import { JoinedTraceReads } from './joined-trace-reads.ts'

/** Nothing here is ClickHouse: commits settle into lists of rows, whenever a test has written a few. */
class ToyStore extends JoinedTraceReads implements TraceReads {
  readonly #engine: MemoryTraceStore
  #unsettled: StoredCommit[] = []

  constructor(engine: MemoryTraceStore) {
    super(engine, null)
    this.#engine = engine
  }

  write(commit: StoredCommit, mostUnsettled: number): void {
    this.show(commit)
    this.#unsettled.push(commit)
    if (this.#unsettled.length > mostUnsettled) this.settle()
  }

  settle(): void {
    for (const commit of this.#unsettled) this.#engine.add(commit)
    this.recent.drop(this.#unsettled)
    this.#unsettled = []
  }

  async settled(): Promise<void> {
    this.settle()
  }

  merge(): void {
    this.settle()
    this.#engine.merge()
  }

  async purgeEvents(): Promise<boolean> {
    return true
  }

  purgeTraces(traces: readonly StoredTrace[]): Promise<readonly StoredTrace[]> {
    this.settle()
    this.newest.forget(traces.map(({ traceId }) => traceId))
    return this.#engine.purgeTraces(traces)
  }

  sizeBytes(): Promise<number> {
    return this.#engine.sizeBytes()
  }
}

for (const mostUnsettled of [0, 1, 5]) {
  suite(`at most ${mostUnsettled} commits in memory`, () => {
    const store = new ToyStore(new MemoryTraceStore())
    let version = 0
    testTraceStore(() => ({
      store,
      write: async (traces, steps, metricEvents = []) => {
        version += 1
        store.write({ version, traces, steps, metricEvents }, mostUnsettled)
      },
      merge: async () => store.merge(),
    }))
  })
}
