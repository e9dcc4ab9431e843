import assert from 'node:assert/strict'
import type { Client } from '../lib/client.ts'

/** A run of an agent that was judged by a benchmark, and what its tokens come to by hand. */
export interface Run {
  readonly task: number
  /** 0, 0.5 or 1; a run is solved with 1 alone. */
  readonly reward: number
  readonly traceId: string
  readonly costUsd: number
}

/** Set for the project by the test, so that no change of the built-in list changes what is counted here. */
export const PRICED = { model: 'made-up/agent-7b', input: 3, cacheRead: 0.5, output: 12 }

const RUNS = 60
const TASKS = 7

/**
 * As many runs as two pages of the feed, each with a priced step, one whose model has no price, and one without any.
 */
export async function commitRuns(client: Client): Promise<Run[]> {
  const runs: Run[] = []
  for (let n = 0; n < RUNS; n++) {
    const task = n % TASKS
    const reward = [0, 1, 1, 0.5, 0][(n + task) % 5]!
    const [input, cached, output] = [1000 + 37 * n, 400 + n, 50 + 3 * n]
    const answer = await client.postTrace({
      name: 'made-up agent',
      metadata: { task_id: task, trial: Math.floor(n / TASKS), reward },
      steps: [
        { name: 'turn', type: 'llm', model: PRICED.model, token_usage: { input, cache_read: cached, output } },
        { name: 'turn', type: 'llm', model: 'nobody/has-priced-this', token_usage: { input, output } },
        { name: 'look up', type: 'tool' },
      ],
    })
    assert.equal(answer.status, 202, answer.text)
    const costUsd = ((input - cached) * PRICED.input + cached * PRICED.cacheRead + output * PRICED.output) / 1e6
    runs.push({ task, reward, traceId: answer.json<{ id: string }>().id, costUsd })
  }
  return runs
}
